"""V4 by hand: which record may follow which, rounds, failures, questions and answers."""

import pytest

from boca.live.ledger import Record, next_record
from boca_verify.order import NOT_WHOLE, check_order, missing_or_repeated

AT = "2026-11-16T09:00:00.000000Z"
BEGINNING = ("created", "configured", "seeded", "started")
ROUND = (
    ("planned", {"round": 0}),
    ("asked", {"round": 0}),
    ("round-opened", {"round": 0, "is_last_call": False}),
    ("submitted", {"round": 0}),
    ("round-closed", {"round": 0}),
)
LAST_CALL = (
    ("round-opened", {"round": 1, "is_last_call": True}),
    ("round-closed", {"round": 1}),
)
END = ("stopped", "closed", "decided", "justified", "result")


def log(*parts, sealed=()) -> tuple[Record, ...]:
    """Records of some kinds, with a body where one is given; some of them not opened."""
    records: list[Record] = []
    for part in parts:
        kind, body = (part, {}) if isinstance(part, str) else part
        body = body(records) if callable(body) else body
        records.append(next_record(records[-1] if records else None, "a", kind, AT, body))
    return tuple(r.sealed() if k in sealed else r for k, r in enumerate(records))


def published(records):
    return {"head": records[-1].hash}


def findings(*parts, sealed=()):
    """What is wrong with a log, by the number of the record."""
    return [(f.record, f.sentence) for f in check_order(log(*parts, sealed=sealed)).findings]


def test_a_whole_auction_holds():
    """Tests every phase once, and the sentence about it."""
    records = log(*BEGINNING, *ROUND, *LAST_CALL, *END, ("published", published))
    check = check_order(records)
    assert (check.state, check.sentence) == (
        "holds",
        "17 records; 2 rounds opened, the auction is published.",
    )
    sealed = tuple(record.sealed() for record in records)
    assert check_order(sealed).state == "holds"


def test_a_log_without_its_end_holds_in_part():
    """Tests cuts of an auction, and one that was cancelled, which is an end."""
    check = check_order(log(*BEGINNING, *ROUND))
    assert (check.state, check.sentence) == (
        "partly",
        f"9 records; 1 round opened, the auction is started. {NOT_WHOLE}",
    )
    assert check_order(log("created")).sentence.startswith("1 record; the auction has not started.")
    cancelled = check_order(log(*BEGINNING, "cancelled"))
    assert (cancelled.state, cancelled.sentence) == (
        "holds",
        "5 records; 0 rounds opened, the auction is cancelled.",
    )


@pytest.mark.parametrize(
    ("parts", "number", "sentence"),
    [
        (("seeded", "created"), 0, "it is 'seeded'; a log begins with 'created'."),
        (("created", "painted"), 1, "its kind 'painted' is not known; it may be damaged, or"),
        (("created", "closed"), 1, "'closed' cannot follow 'created' (the auction was draft)."),
        (("created", "seeded", "noted"), 2, "'noted' cannot follow 'seeded' (the auction was dra"),
        ((*BEGINNING, *ROUND, *END[:3]), 11, "the log ends with 'decided', which needs a record"),
        (
            (*BEGINNING, *ROUND[:3], "extension-used"),
            7,
            "the log ends with 'extension-used', which needs a record after it.",
        ),
    ],
)
def test_records_out_of_place_are_named(parts, number, sentence):
    """Tests the first of them; whatever comes after it is not judged."""
    record, said = next(f for f in findings(*parts) if "comes a second" not in f[1])
    assert record == number
    assert said.startswith(sentence)


def test_notes_follow_what_they_are_about():
    """Tests the kinds that come in one go."""
    assert findings("created", "configured", "noted") == []
    assert len(findings(*BEGINNING, ROUND[0], "paused", ROUND[1])) == 1


def test_what_comes_once_and_what_the_start_needs():
    """Tests records that come twice or not at all, and a head that is another one."""
    assert findings("created", "configured", "seeded", "seeded") == [
        (3, "'seeded' comes a second time.")
    ]
    assert findings("created", "started") == [
        (1, "the auction started before it was 'configured'."),
        (1, "the auction started before it was 'seeded'."),
    ]
    twice = list(missing_or_repeated(log("created", "created", "configured", "configured")))
    assert [(f.record, f.sentence) for f in twice] == [(1, "'created' comes a second time.")]
    whole = (*BEGINNING, *ROUND, *END)
    assert findings(*whole, ("published", {"head": "0" * 64})) == [
        (14, "it names another head than the record before.")
    ]
    assert len(findings(*whole, ("published", {"head": 7}))) == 1
    assert findings(*whole, ("published", {"head": 7}), sealed=[14]) == []


def test_findings_are_in_the_order_of_records():
    """Tests a wrong round before a record that cannot follow."""
    parts = (*BEGINNING, ("planned", {"round": 3}), ("asked", {"round": 0}), "closed")
    assert [record for record, _ in findings(*parts)] == [4, 6]


def test_rounds_are_numbered():
    """Tests numbers of plans and of what belongs to them, and what a sealed record leaves open."""
    wrong = (*BEGINNING, ("planned", {"round": 1}))
    assert findings(*wrong) == [(4, "it is of round 1; expected 0.")]
    assert findings(*wrong, sealed=[4]) == []
    late = (*BEGINNING, *ROUND[:3], ("submitted", {"round": 1}))
    assert findings(*late) == [(7, "it is of round 1; expected 0.")]
    assert len(findings(*BEGINNING, ("planned", {"round": "one"}))) == 1
    second = [(kind, {**body, "round": 1}) for kind, body in ROUND]
    assert findings(*BEGINNING, *ROUND, *second) == []


def test_a_round_without_a_plan_is_the_last_call():
    """Tests the call that says so, one that does not, and one that is sealed."""
    begun = (*BEGINNING, *ROUND)
    assert findings(*begun, *LAST_CALL) == []
    assert findings(*begun, LAST_CALL[0], ("round-closed", {"round": 0})) == [
        (10, "it is of round 0; expected 1.")
    ]
    unplanned = ("round-opened", {"round": 0, "is_last_call": False})
    assert findings(*begun, unplanned) == [(9, "it opens a round for which nothing was planned.")]
    assert findings(*begun, unplanned, ("round-closed", {"round": 1}), sealed=[9]) == []
    first = findings(*BEGINNING, unplanned)
    assert (4, "it opens a round for which nothing was planned.") in first
    # A plan makes an ordinary round of it.
    planned = [(kind, {**body, "round": 1}) for kind, body in ROUND]
    assert findings(*begun, *planned, sealed=[11]) == []


def failed(attempt):
    return ("failed", {"attempt": attempt})


def test_three_failures_end_planning():
    """Tests what can follow a failure that says its number, and one that does not."""
    assert findings(*BEGINNING, failed(1), ROUND[0]) == []
    assert findings(*BEGINNING, failed(2), ROUND[0]) == []
    assert findings(*BEGINNING, failed(2), "retried") == [
        (5, "'retried' cannot follow 'failed' (the auction was planning).")
    ]
    assert findings(*BEGINNING, failed(3), "retried") == []
    assert findings(*BEGINNING, failed(3), ROUND[0]) == [
        (5, "'planned' cannot follow 'failed' (the auction was stuck).")
    ]
    # Deciding is tried until it succeeds.
    assert findings(*BEGINNING, *ROUND, *END[:2], failed(3), *END[2:]) == []
    assert findings(*BEGINNING, failed(1), "closed", sealed=[4]) == [
        (5, "'closed' cannot follow 'failed' (the auction was planning or stuck).")
    ]
    for following in ("retried", ROUND[0]):
        assert findings(*BEGINNING, failed(1), following, sealed=[4]) == []
        assert findings(*BEGINNING, ("failed", {"attempt": "x"}), following) == []


ASKED = ("inquired", {"bidder": 0, "actor": "bidder:0/ann"})


def reply(number, **more):
    """An answer to the record of a number."""
    return ("replied", lambda records: {"to": records[number].hash, **more})


def test_answers_belong_to_questions():
    """Tests who asks, and answers to nobody, twice, and to another bidder."""
    assert findings("created", ASKED, reply(1)) == []
    assert findings("created", ASKED, reply(1, bidder=0)) == []
    assert findings("created", ("inquired", {"bidder": 1, "actor": "bidder:0/ann"})) == [
        (1, "it is asked by somebody else than it says.")
    ]
    assert findings("created", ASKED, reply(0)) == [(2, "it answers what nobody has asked before.")]
    assert findings("created", ASKED, reply(1), reply(1)) == [
        (3, "it answers a question for the second time.")
    ]
    assert findings("created", ASKED, reply(1, bidder=1)) == [
        (2, "it goes to another bidder than the one who asked.")
    ]
    assert len(findings("created", ASKED, ("replied", {"to": "x"}))) == 1


def test_what_is_sealed_is_not_judged():
    """Tests a question and an answer that a cut of the log does not open."""
    assert findings("created", ASKED, reply(1, bidder=1), sealed=[1]) == []
    assert findings("created", ASKED, reply(0), sealed=[2]) == []
    assert findings("created", ASKED, reply(1), reply(1), sealed=[2]) == []
    stranger = ("inquired", {"bidder": 1, "actor": "bidder:0/ann"})
    assert findings("created", stranger, sealed=[1]) == []
