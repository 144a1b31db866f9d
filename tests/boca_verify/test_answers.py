"""V6 by hand: who sent what, when, in answer to which question, under rules that it accepted."""

from dataclasses import replace
from decimal import Decimal

import pytest
from verify import logged

from boca.core import Bidder, Good, Market
from boca.live.ledger import Record, next_record
from boca_verify.answers import LoggedAnswers
from boca_verify.rules import LoggedSetup

OPENED, LATER, LATE = (f"2026-11-16T09:{minute}:00.000000Z" for minute in ("00", "05", "15"))
DEADLINE = "2026-11-16T09:10:00.000000Z"
SETUP = LoggedSetup(
    market=logged(Market((Good("hall"),), (Bidder("Ann"), Bidder("Ben")))),
    mechanism="random",
    has_own_pace=False,
    payment_rule="vcg",
    corrections="round",
    monotone="warn",
    publish="all",
    num_initial=1,
    num_per_round=1,
    num_total=4,
    push_bids=1,
    extensions=0,
    round_minutes=(10, 10),
    extension_minutes=5,
    last_call_minutes=0,
    close_early=True,
    most_units=100,
    currency="EUR",
    unit=Decimal("0.01"),
    reserve=(0,),
)
ZOE = {"actor": "auctioneer:Zoe"}
CREATED = ("created", ZOE)
RULES = ("configured", ZOE)
PEOPLE = tuple(
    ("invited", {**ZOE, "person": name, "bidder": i, "access": name})
    for i, name in enumerate(("ann", "ben"))
)
ASKED = tuple(
    (
        "asked",
        {"bidder": i, "round": 0, "queries": [{"id": f"r0-b{i + 1}-q1", "bundle": [1]}]},
    )
    for i in range(2)
)
BEGINNING = (CREATED, RULES, *PEOPLE)


def opened(*num_queries, deadline=DEADLINE):
    body = {"round": 0, "is_last_call": False, "num_queries": list(num_queries)}
    return "round-opened", {**body, "deadline": deadline}


ROUND = (*BEGINNING, ("planned", {}), *ASKED, opened(1, 1))


def sent(bidder=0, person="ann", units=5, **fields):
    """An answer to the only question of a bidder."""
    report = {"bundle": [1], "units": units, "query": f"r0-b{bidder + 1}-q1"}
    body = {
        "actor": f"bidder:{bidder}/{person}",
        "bidder": bidder,
        "round": 0,
        "channel": "page",
        "received": OPENED,
        "reports": [report],
        "declines": [],
    }
    return "submitted", {**body, **fields}


def closed(*unanswered):
    return "round-closed", {"unanswered": list(unanswered)}


def accepted(number=1, bidder=0, actor="bidder:0/ann"):
    """Whoever accepts the rules of a record."""

    def body(records):
        return {"actor": actor, "bidder": bidder, "configured": records[number].hash}

    return "accepted", body


def answers(*parts, sealed=(), setup=SETUP, at=OPENED):
    """What a log says about answers; parts may end with a time of their own."""
    records: list[Record] = []
    for kind, body, *time in parts:
        body = body(records) if callable(body) else body
        moment = time[0] if time else at
        records.append(next_record(records[-1] if records else None, "a", kind, moment, body))
    told = tuple(r.sealed() if k in sealed else r for k, r in enumerate(records))
    return LoggedAnswers(setup, told)


def findings(*parts, **given):
    """What is wrong with a log, by the number of the record."""
    return [(f.record, f.sentence) for f in answers(*parts, **given).check().findings]


def test_a_round_of_answers_holds():
    """Tests two answers, and what is counted."""
    log = answers(*ROUND, sent(), sent(1, "ben", 7), closed())
    assert (log.check().state, log.check().name) == ("holds", "V6")
    assert log.check().sentence == "2 submissions, 2 questions, 2 bundles with a value."
    assert [book.reports[1,].units for book in log.books] == [5, 7]
    assert (log.num_taken, log.num_sealed, log.num_without_question) == (2, 0, 0)


@pytest.mark.parametrize(
    ("parts", "sealed", "state", "sentence"),
    [
        (BEGINNING, (), "nothing", "Nobody has been asked anything."),
        ((*ROUND, (*closed("r0-b1-q1", "r0-b2-q1"), LATE)), (), "holds",
         "no submissions, 2 questions, no bundles with a value."),
        ((*ROUND, sent(), sent(1, "ben")), (9,), "partly",
         "1 submission, 2 questions, 1 bundle with a value. "
         "1 record with questions or answers sealed."),
        ((*ROUND, sent(), sent(1, "ben")), (6, 9), "partly",
         "1 submission, 1 question, 1 bundle with a value. "
         "2 records with questions or answers sealed."),
        ((*ROUND, sent()), (5, 6, 8), "sealed", "3 records with questions or answers sealed."),
        ((*ROUND, sent()), (6, 8), "partly",
         "no submissions, 1 question, no bundles with a value. "
         "2 records with questions or answers sealed."),
        ((*BEGINNING, opened(0, 0), sent(reports=[{"bundle": [1], "units": 5}])), (), "holds",
         "1 submission, no questions, 1 bundle with a value."),
        ((*ROUND, sent()), (5, 6), "partly",
         "1 submission, no questions, 1 bundle with a value. "
         "2 records with questions or answers sealed."),
    ],
)  # fmt: skip
def test_how_much_of_it_is_open(parts, sealed, state, sentence):
    """Tests logs with questions, answers, neither, and cuts of them."""
    check = answers(*parts, sealed=sealed).check()
    assert (check.findings, check.state, check.sentence) == ((), state, sentence)


def test_answers_to_sealed_questions_are_counted():
    """Tests that one who does not see a question cannot say that nobody asked it."""
    assert answers(*ROUND, sent(), sealed=(5,)).num_without_question == 1
    text = "Ann: it answers 'r0-b1-q1', which nobody had asked it before."
    assert findings(*BEGINNING, opened(0, 0), sent()) == [(5, text)]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (sent(1, "ann"), "'ann' was never invited for this bidder."),
        (sent(actor="bidder:1/ben"), "it is for Ann, but came from 'bidder:1/ben'."),
        (sent(actor="auctioneer:Zoe"), "it is for Ann, but came from 'auctioneer:Zoe'."),
        (sent(channel="operator"), "it is for Ann, but came from 'bidder:0/ann'."),
        (sent(channel="pigeon"), "'channel' is 'pigeon'; expected one of page, sheet, api, "
         "operator."),
        (sent(received=LATER), "it says that it was received at 2026-11-16 09:05:00.000000 UTC, "
         "after it was recorded."),
        (sent(units=101), "Ann: the value of 1 x hall is 1.01 EUR; at most 1.00 EUR counts."),
        (sent(bidder=2), "'bidder' is 2; expected a whole number from 0 to 1."),
    ],
)  # fmt: skip
def test_who_may_send_what_and_when(answer, sentence):
    """Tests senders, times and amounts, one by one."""
    assert findings(*ROUND, answer) == [(8, sentence)]


@pytest.mark.parametrize("channel", ["page", "sheet", "api"])
def test_people_send_by_three_channels(channel):
    """Tests that the auctioneer enters answers by the fourth, without an invitation."""
    assert findings(*ROUND, sent(channel=channel)) == []
    assert findings(*ROUND, sent(channel="operator", **ZOE)) == []


def test_everything_that_is_wrong_with_an_answer_is_named():
    """Tests a wrong sender, a wrong time and a wrong amount together; the value counts as sent."""
    log = answers(*ROUND, sent(1, "eve", 101, received=LATER))
    said = [finding.sentence.split("'")[1] if "'" in finding.sentence else finding.sentence[:9]
            for finding in log.findings]  # fmt: skip
    assert said == ["eve", "it says t", "Ben: the "]
    assert log.books[1].reports[1,].units == 101


def test_a_request_is_carried_out_once():
    """Tests the same request of one person and of two, and answers without one."""
    twice = [(9, "the same request of the same person was taken twice.")]
    log = (*ROUND, sent(request="a"))
    again = sent(1, "ben", request="a")
    assert findings(*log, again) == []
    empty = {"reports": []}
    assert findings(*log, sent(request="a", **empty)) == twice
    assert findings(*log, sent(request="b", **empty)) == []
    assert findings(*ROUND, sent(), sent(**empty)) == []


ACCEPTING = replace(SETUP, accept_rules=True)
NOT_ACCEPTED = "{} had not accepted the rules under which this was sent."


def test_answers_come_from_those_who_accepted_the_last_rules():
    """Tests one bidder who did and one who did not, and rules that were changed since."""
    both = (sent(), sent(1, "ben"))
    log = (*ROUND, accepted(), *both)
    assert findings(*log, setup=ACCEPTING) == [(10, NOT_ACCEPTED.format("Ben"))]
    assert findings(*log) == []
    assert findings(("created", {**ZOE, "is_rehearsal": True}), *log[1:], setup=ACCEPTING) == []
    assert len(findings(("created", {"is_rehearsal": 1}), *log[1:], setup=ACCEPTING)) == 1
    assert len(findings(*log, setup=ACCEPTING, sealed=(0,))) == 1
    entered = sent(1, channel="operator", **ZOE)
    assert findings(*ROUND, accepted(), sent(), entered, setup=ACCEPTING) == []
    changed = (CREATED, RULES, RULES, *PEOPLE, *ROUND[4:])
    for number, expected in ((1, [(10, NOT_ACCEPTED.format("Ann"))]), (2, [])):
        assert findings(*changed, accepted(number), sent(), setup=ACCEPTING) == expected
    nobody = (*ROUND, sent())
    assert findings(*nobody, setup=ACCEPTING) == [(8, NOT_ACCEPTED.format("Ann"))]


def test_a_sealed_acceptance_is_that_of_one_bidder():
    """Tests one and two sealed acceptances for two bidders, one of whom sends twice."""
    more = sent(reports=[], request="b")
    both = (sent(), more, sent(1, "ben"))
    one = (*ROUND, accepted(), *both)
    assert findings(*one, sealed=(8,), setup=ACCEPTING) == [(11, NOT_ACCEPTED.format("Ben"))]
    ben = accepted(1, 1, "bidder:1/ben")
    two = (*ROUND, accepted(), ben, *both)
    assert findings(*two, sealed=(8, 9), setup=ACCEPTING) == []
    assert findings(*two, sealed=(9,), setup=ACCEPTING) == []
    assert findings(*two, setup=ACCEPTING) == []


@pytest.mark.parametrize("actor", ["bidder:1/ben", "bidder:01/ann", "auctioneer:Zoe"])
def test_nobody_accepts_for_another_bidder(actor):
    """Tests people of others, a number that only begins alike, and the auctioneer."""
    text = f"'{actor}' accepts the rules for another bidder."
    assert findings(*ROUND, accepted(actor=actor), setup=ACCEPTING) == [(8, text)]
    damaged = ("accepted", {"actor": "bidder:0/ann", "bidder": 0, "configured": "x"})
    assert len(findings(*ROUND, damaged)) == 1


def test_a_round_ends_with_its_list_and_its_deadline():
    """Tests lists of what nobody answered, and rounds that end early, in time, or wrongly."""
    wrong = "its list of unanswered questions is wrong about r0-b2-q1."
    early = "the round was closed before its deadline 2026-11-16 09:10:00.000000 UTC, "
    open_left = early + "although questions were open."
    ends = (*ROUND, sent(), (*closed("r0-b2-q1"), LATE))
    assert findings(*ends) == []
    assert findings(*ROUND, sent(), (*closed(), LATE)) == [(9, wrong)]
    assert findings(*ROUND, sent(), closed("r0-b2-q1")) == [(9, open_left)]
    # Both are looked at, but one finding per step is enough.
    assert findings(*ROUND, sent(), closed()) == [(9, open_left)]
    assert findings(*ROUND, sent(), sent(1, "ben"), closed()) == []
    strict = replace(SETUP, close_early=False)
    forbidden = [(10, early + "and the rules forbid it.")]
    assert findings(*ROUND, sent(), sent(1, "ben"), closed(), setup=strict) == forbidden


def test_lengths_cannot_be_told_once_a_clock_was_moved():
    """Tests a round of five minutes instead of ten, with and without a jump of the clock."""
    short = (*ROUND[:-1], opened(1, 1, deadline=LATER))
    assert findings(*short) == [(7, "the round lasts 5 minutes; expected 10 minutes.")]
    assert findings(*short, ("clock-jumped", ZOE)) == []


def test_every_step_sees_every_record():
    """Tests records that one part of the check finds damaged, and the others still follow."""
    wrong_number = (*ROUND[:-1], opened(1, 2), sent())
    assert findings(*wrong_number) == [(7, "it says that Ben has 2 questions; it has 1.")]
    stranger = ("joined", {"actor": "bidder:0/eve", "person": "eve", "bidder": 0})
    assert findings(*ROUND, stranger) == [(8, "'eve' was never invited for this bidder.")]
