"""
Wrong auctions with a chain, seals and signatures that hold: each is found, and the record named.

Every case changes the golden log as somebody could who holds the signing key, and says which check
must fail at which record.
"""

from dataclasses import dataclass
from typing import Any

import pytest
from golden_log import Change, find, verdict_on

Entries = list[dict[str, Any]]


@dataclass(frozen=True)
class Wrong:
    """
    One wrong auction.

    Parameters
    ----------
    what
        What was done.
    change
        Does it to the golden log.
    check
        The check that must fail.
    record
        The record that must be named.
    """

    what: str
    change: Change
    check: str
    record: int


def at(number: int, **fields: Any) -> Change:
    """Other fields in one body; None removes one."""

    def change(entries: Entries) -> None:
        body = entries[number]["body"]
        for key, value in fields.items():
            if value is None:
                body.pop(key.rstrip("_"))
            else:
                body[key.rstrip("_")] = value

    return change


def row(number: int, nth: int, part: str = "reports", **fields: Any) -> Change:
    """Other fields in one row of a list in a body."""
    return lambda entries: entries[number]["body"][part][nth].update(fields)


def rules(**fields: Any) -> Change:
    """Other rules from the start."""

    def change(entries: Entries) -> None:
        for entry in entries:
            if entry["kind"] == "configured":
                entry["body"]["rules"].update(fields)

    return change


def both(*changes: Change) -> Change:
    """Several changes."""

    def change(entries: Entries) -> None:
        for single in changes:
            single(entries)

    return change


def move(number: int, to: int) -> Change:
    """A record in another place, with the time of what is there."""

    def change(entries: Entries) -> None:
        entry = entries.pop(number)
        entries.insert(to, entry)
        times = sorted(e["at"] for e in entries)
        for e, time in zip(entries, times, strict=True):
            e["at"] = time

    return change


def drop(number: int) -> Change:
    return lambda entries: entries.__delitem__(number)


def repeat(number: int, to: int) -> Change:
    """A record once more, in another place."""

    def change(entries: Entries) -> None:
        copy = {"at": entries[to - 1]["at"], "kind": entries[number]["kind"]}
        entries.insert(to, {**copy, "body": dict(entries[number]["body"])})

    return change


def time(number: int, text: str) -> Change:
    """Another time of one record."""
    return lambda entries: entries[number].update(at=text)


def outcome(
    allocation: list[list[int]], payments: list[int], values: tuple[int, ...] = (0, 0, 0)
) -> Change:
    """Another outcome, told to everybody as it is."""

    def change(entries: Entries) -> None:
        entries[DECIDED]["body"].update(allocation=allocation, payments=payments)
        for bidder in range(3):
            entries[RESULT + bidder]["body"] = {
                **{key: entries[RESULT]["body"][key] for key in ("actor", "salt")},
                "bidder": bidder,
                "bundle": allocation[bidder],
                "units": values[bidder],
                "payment": payments[bidder],
            }

    return change


# Where things stand in the golden log.
ASKED, OPENED, FIRST, BEN, CORRECTED, PUSHED, PAUSED = 15, 18, 19, 20, 21, 22, 24
RESUMED, OPERATOR, EXTENDED, CLOSED, SECOND_PLAN, CLEO, ANN = 26, 27, 29, 31, 32, 37, 38
LAST_CALL, LATE_PUSH, DECIDED, JUSTIFIED, RESULT, PUBLISHED = 42, 43, 48, 49, 50, 53
ALLOCATION = [[0, 0, 0], [0, 1, 1], [1, 0, 1]]
PAYMENTS = [0, 460, 570]
VALUES = (0, 520, 840)

CASES = [
    # -- the outcome ---------------------------------------------------------------------------
    Wrong(
        "the second-best allocation wins",
        outcome([[1, 0, 3], [0, 0, 0], [0, 0, 0]], [900, 0, 0], (970, 0, 0)),
        "V10",
        DECIDED,
    ),
    Wrong("nobody gets anything", outcome([[0, 0, 0]] * 3, [0, 0, 0]), "V10", DECIDED),
    Wrong(
        "a payment is one unit too high",
        outcome(ALLOCATION, [0, 460, 571], VALUES),
        "V11",
        DECIDED,
    ),
    Wrong(
        "a payment is one unit too low", outcome(ALLOCATION, [0, 459, 570], VALUES), "V11", DECIDED
    ),
    Wrong("a loser pays", outcome(ALLOCATION, [1, 460, 570], VALUES), "V11", DECIDED),
    Wrong("sums are wrong", row(JUSTIFIED, 0, "winners", others_without=1111), "V11", JUSTIFIED),
    Wrong("a winner's bid is misquoted", row(JUSTIFIED, 1, "winners", value=841), "V11", JUSTIFIED),
    Wrong("a winner's payment is not explained", at(JUSTIFIED, winners=[]), "V11", JUSTIFIED),
    Wrong("somebody is told other sums", at(RESULT + 1, others_with=671), "V11", RESULT + 1),
    Wrong("somebody is told another payment", at(RESULT + 1, payment=459), "V9", RESULT + 1),
    Wrong("somebody is told another bundle", at(RESULT, bundle=[1, 0, 0]), "V9", RESULT),
    Wrong("somebody has two results", at(RESULT, bidder=1), "V9", RESULT + 1),
    Wrong("a result is missing", drop(RESULT), "V9", DECIDED),
    Wrong(
        "a good is given away twice",
        outcome([[1, 0, 3], [0, 1, 1], [0, 0, 0]], PAYMENTS, (970, 520, 0)),
        "V9",
        DECIDED,
    ),
    Wrong(
        "somebody gets what it never bid for",
        outcome([[0, 0, 2], [0, 1, 1], [1, 0, 0]], [0, 0, 0]),
        "V9",
        DECIDED,
    ),
    Wrong(
        "somebody gets more than its limit",
        outcome([[0, 0, 0], [0, 0, 0], [1, 1, 3]], [0, 0, 1190], (0, 0, 1190)),
        "V9",
        DECIDED,
    ),
    Wrong("a good goes below its reserve price", row(44, 0, units=100), "V9", DECIDED),
    Wrong("no second solver agreed", at(DECIDED, verified_by=None), "V9", DECIDED),
    Wrong("another payment rule was used", at(DECIDED, rule="core"), "V9", DECIDED),
    Wrong("the allocation has no shape", at(DECIDED, allocation=[[0, 0]]), "V9", DECIDED),
    Wrong("a payment is half a unit", at(DECIDED, payments=[0, 460.5, 570]), "V9", DECIDED),
    # -- the order -------------------------------------------------------------------------------
    Wrong("a question is logged after its answer", move(ASKED, FIRST), "V4", FIRST),
    Wrong("an answer comes after the round", move(CLEO, 44), "V4", 44),
    Wrong("an answer comes after the outcome", move(ANN, DECIDED + 1), "V4", DECIDED + 1),
    Wrong("the outcome is decided twice", repeat(DECIDED, PUBLISHED), "V4", PUBLISHED),
    Wrong("the outcome is decided before the close", drop(47), "V4", 47),
    Wrong("a record of a kind that nobody knows", lambda e: e[23].update(kind="sung"), "V4", 23),
    Wrong("the seed is drawn twice", repeat(2, 5), "V4", 5),
    Wrong("the auction starts twice", repeat(13, 15), "V4", 15),
    Wrong("a round has the wrong number", at(SECOND_PLAN, round=2), "V4", SECOND_PLAN),
    Wrong("publication names another head", lambda e: _another_head(e), "V4", PUBLISHED),
    # -- the rules -------------------------------------------------------------------------------
    Wrong("the rules change after the start", repeat(3, 16), "V5", 16),
    Wrong("the start names earlier rules", lambda e: _earlier_rules(e), "V5", 13),
    Wrong("more is opened than the rules say", at(PUBLISHED, opened="all"), "V5", PUBLISHED),
    Wrong("the rules cannot be read", rules(push_bids="many"), "V5", 3),
    # -- questions -------------------------------------------------------------------------------
    Wrong("a bundle is asked twice", row(33, 0, "queries", bundle=[0, 1, 2]), "V6", 33),
    Wrong("a pushed bundle is asked", row(34, 0, "queries", bundle=[0, 0, 3]), "V6", 34),
    Wrong("a question beyond limits", row(35, 1, "queries", bundle=[1, 1, 2]), "V6", 35),
    Wrong("a question beyond capacities", row(33, 0, "queries", bundle=[2, 0, 0]), "V6", 33),
    Wrong("a question about nothing", row(33, 0, "queries", bundle=[0, 0, 0]), "V6", 33),
    Wrong("more questions than the rules have", rules(num_total=4), "V6", 33),
    Wrong("more questions than a round has", rules(num_per_round=1), "V6", 33),
    Wrong("somebody is asked twice in a round", repeat(33, 34), "V6", 34),
    Wrong("a question has another's name", row(33, 0, "queries", id="r1-b2-q1"), "V6", 33),
    Wrong("a bidder's number of questions", at(OPENED, num_queries=[3, 2, 3]), "V6", OPENED),
    Wrong("an open question is not listed", at(CLOSED, unanswered=["r0-b3-q2"]), "V6", CLOSED),
    Wrong(
        "prices beyond all numbers",
        row(33, 0, "queries", type="demand", prices=[2**52, 2**52, 0], bundle=[]),
        "V6",
        33,
    ),
    # -- answers ---------------------------------------------------------------------------------
    Wrong("a late answer", at(FIRST, received="2026-11-16T10:03:00.000001Z"), "V6", FIRST),
    Wrong("an early answer", at(FIRST, received="2026-11-16T09:02:54.999999Z"), "V6", FIRST),
    Wrong("an answer to come", at(FIRST, received="2026-11-16T09:05:02.000000Z"), "V6", FIRST),
    Wrong("an answer to another's question", row(FIRST, 0, query="r0-b2-q1"), "V6", FIRST),
    Wrong("an answer to a question not yet asked", row(FIRST, 0, query="r1-b1-q1"), "V6", FIRST),
    Wrong("an answer about another bundle", row(FIRST, 0, bundle=[1, 1, 2]), "V6", FIRST),
    Wrong(
        "an answer to a question of an earlier round",
        row(CLEO, 0, query="r0-b3-q2", bundle=[1, 0, 0]),
        "V6",
        CLEO,
    ),
    Wrong("a decline after an answer", at(CORRECTED, declines=["r0-b2-q2"]), "V6", CORRECTED),
    Wrong("somebody answers for another", at(FIRST, bidder=1), "V6", FIRST),
    Wrong("a bidder's answer by the auctioneer", at(FIRST, actor="auctioneer:Zoe"), "V6", FIRST),
    Wrong("a request is taken twice", at(CORRECTED, request="request-1"), "V6", CORRECTED),
    Wrong("a value above the largest", rules(max_value="10.00"), "V6", FIRST),
    Wrong("a value is no number", row(FIRST, 0, units="many"), "V6", FIRST),
    Wrong("a negative value", row(FIRST, 0, units=-1), "V6", FIRST),
    Wrong("a bundle is valued twice at once", lambda e: _twice(e), "V6", BEN),
    Wrong("a correction that does not say so", lambda e: _silent(e), "V6", CORRECTED),
    Wrong("a correction of another value", row(CORRECTED, 0, was=1009), "V6", CORRECTED),
    Wrong("a correction that the rules forbid", rules(corrections="never"), "V6", CORRECTED),
    Wrong(
        "a correction of an earlier round",
        lambda e: e[39]["body"]["reports"].append(
            {"bundle": [0, 1, 1], "query": "r0-b2-q2", "units": 999, "was": 520}
        ),
        "V6",
        39,
    ),
    Wrong("more pushes than the rules allow", rules(push_bids=0), "V6", PUSHED),
    Wrong("a push beyond limits", row(LATE_PUSH, 0, bundle=[1, 1, 2]), "V6", LATE_PUSH),
    Wrong("a push of a bundle that is asked", row(PUSHED, 0, bundle=[0, 1, 1]), "V6", PUSHED),
    Wrong("more is worth less", both(rules(monotone="require"), row(38, 0, units=1200)), "V6", 38),
    Wrong("demand without prices", at(FIRST, demands=[{"query": "r0-b1-q3", "bundle": [0, 0, 1]}]),
          "V6", FIRST),
    Wrong("the auctioneer gives no reason", at(OPERATOR, reason=None), "V8", OPERATOR),
    Wrong("the auctioneer's reason is blank", at(OPERATOR, reason="  "), "V8", OPERATOR),
    # -- time ------------------------------------------------------------------------------------
    Wrong("a round is shorter than the rules say", rules(round_minutes=[90, 20]), "V6", OPENED),
    Wrong("a round is closed before its deadline", lambda e: _early(e), "V6", CLOSED),
    Wrong("a deadline moves back", at(28, to="2026-11-16T10:00:00.000000Z"), "V6", 28),
    Wrong("a deadline moves from elsewhere", at(28, from_="2026-11-16T10:39:00.000000Z"), "V6", 28),
    Wrong("an extension that the rules do not have", rules(extensions=0), "V6", EXTENDED),
    Wrong("an extension that nobody uses", drop(EXTENDED), "V6", EXTENDED),
    Wrong("an extension by a stranger", at(EXTENDED, bidder=7), "V6", EXTENDED),
    Wrong("a pause takes time away", at(PAUSED, seconds_left=60), "V6", PAUSED),
    Wrong("a pause costs time", at(RESUMED, deadline="2026-11-16T10:20:00.000000Z"), "V6", RESUMED),
    Wrong("a last call that the rules do not have", rules(last_call_minutes=0), "V6", LAST_CALL),
    # -- plans -----------------------------------------------------------------------------------
    Wrong("a plan from no record", at(SECOND_PLAN, from_="0" * 64), "V7", SECOND_PLAN),
    Wrong("a plan from before the round", lambda e: _old_plan(e), "V7", SECOND_PLAN),
]  # fmt: skip


def _another_head(entries: Entries) -> None:
    entries[PUBLISHED]["body"]["head"] = "0" * 64
    entries[PUBLISHED]["keeps_head"] = True


def _earlier_rules(entries: Entries) -> None:
    entries[13]["body"]["configured"] = entries[1]["was"]


def _twice(entries: Entries) -> None:
    reports = entries[BEN]["body"]["reports"]
    reports.append(dict(reports[0]))


def _silent(entries: Entries) -> None:
    del entries[CORRECTED]["body"]["reports"][0]["was"]


def _early(entries: Entries) -> None:
    entries[CLOSED]["at"] = "2026-11-16T10:51:02.000000Z"


def _old_plan(entries: Entries) -> None:
    entries[SECOND_PLAN]["body"]["from"] = entries[OPENED]["was"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_a_wrong_auction_is_found_and_named(case):
    """Tests that the right check fails and names the record, although the chain holds."""
    verdict = verdict_on(case.change)

    assert verdict.exit_code == 1
    assert {verdict[name].state for name in ("V1", "V2", "V3")} == {"holds"}
    assert case.record in {finding.record for finding in verdict[case.check].findings}


def test_cases_stand_where_they_say():
    """Tests the tests: the golden log has its records where the cases change them."""

    def change(entries: Entries) -> None:
        kinds = {
            ASKED: "asked", OPENED: "round-opened", FIRST: "submitted", PAUSED: "paused",
            RESUMED: "resumed", EXTENDED: "extension-used", CLOSED: "round-closed",
            SECOND_PLAN: "planned", LAST_CALL: "round-opened", DECIDED: "decided",
            JUSTIFIED: "justified", RESULT: "result", PUBLISHED: "published",
        }  # fmt: skip
        assert {number: entries[number]["kind"] for number in kinds} == kinds
        assert find(entries, "decided") == DECIDED

    assert verdict_on(change).exit_code == 0
