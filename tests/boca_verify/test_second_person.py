"""V8 by hand: what one person proposed and another did, what nobody proposed, what had lapsed."""

import pytest

from boca.live.ledger import Record, next_record
from boca.live.ledger.canonical import canonical, sha256
from boca_verify.second_person import about_second_persons

AT = "2026-11-16T09:00:00.000000Z"
ZOE, YAN, ANN, ABE, BEN = (
    {"actor": name}
    for name in ("auctioneer:Zoe", "auctioneer:Yan", "bidder:0/ann", "bidder:0/abe", "bidder:1/ben")
)
ALL = ["close", "publish", "entry", "link", "auditor"]
NOT_MADE = "it approves a proposal that was not made, was withdrawn or had lapsed."
REPORT = {"bundle": [1], "units": 5}
CONTENT = sha256(canonical({"reports": [REPORT], "declines": [], "demands": []}))


def created(**fields):
    return "created", {**ZOE, **fields}


def rules(second_person=(), **fields):
    return "configured", {**ZOE, "rules": {"second_person": list(second_person), **fields}}


def proposed(who, act, **fields):
    return "proposed", {**who, "act": act, **fields}


def approving(number, kind, who, **fields):
    """An act that names the record of its proposal."""
    return kind, lambda records: {**who, "approves": records[number].hash, **fields}


def withdrawn(number, who=ZOE):
    return "withdrawn", lambda records: {**who, "proposal": records[number].hash}


def sent(who=ANN, bidder=0, channel="page", units=5, **fields):
    report = {**REPORT, "units": units}
    return {**who, "bidder": bidder, "channel": channel, "reports": [report], **fields}


def findings(*parts, sealed=()):
    """What is wrong with a log, by the number of the record."""
    records: list[Record] = []
    for kind, body in parts:
        body = body(records) if callable(body) else body
        records.append(next_record(records[-1] if records else None, "a", kind, AT, body))
    told = tuple(r.sealed() if k in sealed else r for k, r in enumerate(records))
    return [(f.record, f.sentence) for f in about_second_persons(told)]


ACTS = [
    ("close", ("closed", ZOE)),
    ("publish", ("published", ZOE)),
    ("entry", ("submitted", sent(ZOE, channel="operator"))),
    ("auditor", ("invited", {**ZOE, "person": "eve"})),
]


@pytest.mark.parametrize(("act", "done"), ACTS)
def test_what_the_rules_want_of_two_is_not_done_by_one(act, done):
    """Tests each act with its own rule, with all others, without any, and in a rehearsal."""
    alone = [(2, f"one person alone did it ('{act}'); the rules want two.")]
    assert findings(created(), rules([act]), done) == alone
    assert findings(created(is_rehearsal=False), rules(ALL), done) == alone
    assert findings(created(is_rehearsal="no"), rules([act]), done) == alone
    assert findings(created(), rules([act]), done, sealed=[0]) == alone
    assert findings(created(), rules(set(ALL) - {act}, approval=True), done) == []
    assert findings(created(), ("configured", {**ZOE, "rules": {}}), done) == []
    assert findings(created(is_rehearsal=True), rules([act]), done) == []
    assert findings(created(), rules([act]), done, sealed=[1]) == []
    assert findings(created(), rules([act]), done, sealed=[2]) == []
    assert findings(created(), rules([act]), rules(), done) == []
    assert findings() == []


def test_what_people_send_needs_two_where_it_is_approved():
    """Tests the rule of bidders, which leaves entries of the auctioneer alone."""
    by_one = [(2, "one person alone did it ('submission'); the rules want two.")]
    assert findings(created(), rules(approval=True), ("submitted", sent())) == by_one
    assert findings(created(), rules(approval=False), ("submitted", sent())) == []
    assert findings(created(), rules(ALL), ("submitted", sent())) == []
    operator = ("submitted", sent(ZOE, channel="operator"))
    assert findings(created(), rules(approval=True), operator) == []


JOINED = ("joined", {**ANN, "person": "ann", "bidder": 0})


def further(who=ZOE, bidder=0, person="abe"):
    return "invited", {**who, "person": person, "bidder": bidder}


def test_a_further_link_needs_two_once_somebody_has_come():
    """Tests invitations before and after, for others, and by people of the bidder themselves."""
    start = (created(), rules(["link"]))
    alone = [(3, "one person alone did it ('link'); the rules want two.")]
    assert findings(*start, JOINED, further()) == alone
    assert findings(*start, further(), JOINED) == []
    assert findings(*start, JOINED, further(bidder=1)) == []
    assert findings(*start, JOINED, further(ANN)) == []
    assert findings(*start, ("joined", {**ZOE, "person": "eve"}), further()) == []
    assert findings(*start, JOINED, further(), sealed=[2]) == []
    assert findings(created(), rules(set(ALL) - {"link"}), JOINED, further()) == []
    ben = ("joined", {**BEN, "person": "ben", "bidder": 1})
    assert findings(*start, ben, JOINED, further(bidder=1))[0][0] == 4


def test_a_further_link_is_for_the_person_that_was_proposed():
    """Tests one at a time for each person and bidder."""
    start = (created(), rules(["link"]), JOINED)
    abe, ada = (proposed(ZOE, "link", bidder=0, what=name) for name in ("abe", "ada"))
    done = approving(3, "invited", YAN, person="abe", bidder=0)
    assert findings(*start, abe, done) == []
    assert findings(*start, abe, ada, done) == []
    assert findings(*start, abe, abe, done) == [(5, NOT_MADE)]
    assert findings(*start, abe, ("round-closed", ZOE), done) == []
    text = "it approves record 3, which proposed something else."
    assert findings(*start, ada, done) == [(4, text)]


def test_rules_name_acts():
    """Tests a word that is not an act, after which no rule is taken from that record."""
    assert findings(created(), rules(["close", "dance"]), ("closed", ZOE)) == [
        (1, "a second person is wanted for 'dance', which is not an act.")
    ]


def test_only_invitations_of_the_auctioneer_without_a_bidder_are_auditors():
    """Tests who else is invited, and by whom."""
    for body in (
        {**ZOE, "person": "ann", "bidder": 0},
        {**ANN, "person": "abe", "bidder": 0},
        {**ANN, "person": "abe"},
    ):
        assert findings(created(), rules(ALL), ("invited", body)) == []
    assert findings(created(), rules(ALL), ("joined", {**ZOE, "person": "eve"})) == []


PROPOSALS = [
    (proposed(ZOE, "close"), approving(2, "closed", YAN)),
    (proposed(ZOE, "publish"), approving(2, "published", YAN)),
    (
        proposed(ZOE, "entry", bidder=1, what=CONTENT),
        approving(2, "submitted", YAN, **{**sent(YAN, 1, "operator"), **YAN}),
    ),
    (proposed(ZOE, "auditor", what="eve"), approving(2, "invited", YAN, person="eve")),
    (
        proposed(ANN, "submission", bidder=0, what=CONTENT),
        approving(2, "submitted", ABE, **sent(ABE, 0, declines=[], demands=None)),
    ),
]


@pytest.mark.parametrize(("proposal", "done"), PROPOSALS)
def test_two_people_do_the_same(proposal, done):
    """Tests every act with its proposal, which is used once, even if the rules do not want it."""
    strict = rules(ALL, approval=True)
    assert findings(created(), strict, proposal, done) == []
    assert findings(created(), rules(), proposal, done) == []
    assert findings(created(), strict, proposal, done, done) == [(4, NOT_MADE)]
    assert findings(created(), strict, ("noted", ZOE), done) == [(3, NOT_MADE)]
    # Of a sealed proposal only its place is known; it is used once too.
    assert findings(created(), strict, proposal, done, sealed=[2]) == []
    assert findings(created(), strict, proposal, done, done, sealed=[2]) == [(4, NOT_MADE)]
    assert findings(created(), strict, ("noted", ZOE), done, sealed=[2]) == [(3, NOT_MADE)]


@pytest.mark.parametrize(
    ("who", "proposer"), [(ZOE, ZOE), (ANN, ZOE), (ABE, YAN)], ids=["alone", "bidder", "other"]
)
def test_who_cannot_approve_an_act(who, proposer):
    """Tests the same person, and people of a bidder."""
    log = (created(), rules(ALL), proposed(proposer, "close"), approving(2, "closed", who))
    text = f"'{who['actor']}' approves what '{proposer['actor']}' proposed."
    assert findings(*log) == [(3, text)]


@pytest.mark.parametrize("who", [ANN, BEN, ZOE])
def test_who_cannot_approve_an_answer(who):
    """Tests the same person, one of another bidder, and the auctioneer."""
    proposal = proposed(ANN, "submission", bidder=0, what=CONTENT)
    done = approving(2, "submitted", who, **sent(who))
    text = f"'{who['actor']}' approves what 'bidder:0/ann' proposed."
    assert findings(created(), rules(approval=True), proposal, done) == [(3, text)]


@pytest.mark.parametrize(
    ("who", "act", "can"),
    [
        (ANN, "close", "auctioneers"),
        (BEN, "entry", "auctioneers"),
        (ZOE, "submission", "people of that bidder"),
        (BEN, "submission", "people of that bidder"),
    ],
)
def test_who_cannot_propose(who, act, can):
    """Tests proposals that nobody may approve."""
    log = (created(), rules(), proposed(who, act, bidder=0))
    assert findings(*log) == [(2, f"'{who['actor']}' proposed something; only {can} can.")]
    approved = approving(2, "closed", YAN)
    assert findings(*log, approved)[1:] == [(3, NOT_MADE)]


@pytest.mark.parametrize(
    ("proposal", "done"),
    [
        (proposed(ZOE, "close"), approving(2, "published", YAN)),
        (
            proposed(ZOE, "entry", bidder=1, what=CONTENT),
            approving(2, "submitted", YAN, **sent(YAN, 0, "operator")),
        ),
        (
            proposed(ZOE, "entry", bidder=0, what=CONTENT),
            approving(2, "submitted", YAN, **sent(YAN, 0, "operator", units=6)),
        ),
        (
            proposed(ZOE, "entry", bidder=0, what=CONTENT),
            approving(2, "submitted", YAN, **sent(YAN, 0, "operator", declines=["r0-b1-q1"])),
        ),
        (
            proposed(ZOE, "entry", bidder=0, what=CONTENT),
            approving(2, "submitted", YAN, **sent(YAN, 0, "page")),
        ),
        (proposed(ZOE, "auditor", what="eve"), approving(2, "invited", YAN, person="mallory")),
    ],
)
def test_something_else_was_proposed(proposal, done):
    """Tests another act, another bidder, another content."""
    text = "it approves record 2, which proposed something else."
    assert findings(created(), rules(), proposal, done) == [(3, text)]


def test_what_was_withdrawn_cannot_be_approved():
    """Tests that proposals are withdrawn once, and only if they were made."""
    log = (created(), rules(ALL), proposed(ZOE, "close"), withdrawn(2))
    assert findings(*log) == []
    assert findings(*log, approving(2, "closed", YAN)) == [(4, NOT_MADE)]
    again = [(4, "it withdraws something that was not proposed.")]
    assert findings(*log, withdrawn(2)) == again
    assert findings(*log, withdrawn(2), sealed=[2]) == again
    assert findings(*log, sealed=[2]) == []


ENTRY = proposed(ZOE, "entry", bidder=0, what=CONTENT)
ENTERED = approving(2, "submitted", YAN, **sent(YAN, 0, "operator"))
SENT = proposed(ANN, "submission", bidder=0, what=CONTENT)


def test_answers_lapse_with_their_round_and_other_acts_do_not():
    """Tests the end of a round between proposal and act; what is sealed may be any proposal."""
    end = ("round-closed", ZOE)
    for proposal, done in (PROPOSALS[2], PROPOSALS[4]):
        assert findings(created(), rules(), proposal, end, done) == [(4, NOT_MADE)]
        assert findings(created(), rules(), proposal, end, done, sealed=[3]) == [(4, NOT_MADE)]
        assert findings(created(), rules(), proposal, end, done, sealed=[2]) == []
    for proposal, done in (*PROPOSALS[:2], PROPOSALS[3]):
        assert findings(created(), rules(), proposal, end, done) == []


def test_a_second_proposal_takes_the_place_of_the_first():
    """Tests that there is one at a time of each act, bidder and auditor."""
    close = proposed(YAN, "close")
    log = (created(), rules(), proposed(ZOE, "close"), close)
    assert findings(*log, approving(2, "closed", YAN)) == [(4, NOT_MADE)]
    assert findings(*log, approving(3, "closed", ZOE)) == []
    assert findings(*log, approving(2, "closed", YAN), sealed=[2]) == []
    other = proposed(ZOE, "entry", bidder=0, what="other")
    assert findings(created(), rules(), ENTRY, other, ENTERED) == [(4, NOT_MADE)]
    for beside in (
        proposed(ZOE, "entry", bidder=1, what=CONTENT),
        proposed(ZOE, "close"),
        SENT,
        ("noted", ZOE),
    ):
        assert findings(created(), rules(), ENTRY, beside, ENTERED) == []
    eve, bob = (proposed(ZOE, "auditor", what=name) for name in ("eve", "bob"))
    let_in = approving(2, "invited", YAN, person="eve")
    assert findings(created(), rules(), eve, bob, let_in) == []
    assert findings(created(), rules(), eve, eve, let_in) == [(4, NOT_MADE)]
