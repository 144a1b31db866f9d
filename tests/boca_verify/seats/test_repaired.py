"""Allocations whose prices did not clear, so that seats were filled afterwards (V9 and V10)."""

import json

import pytest
from assign_check_verify import HASTY, live_log, live_request
from golden_auction import signing_key
from golden_log import relinked

from boca.live.work.course_child import seat
from boca_verify import verify

# With so little effort no prices clear: seven students, some of whom cannot have their best.
SEED = 20_289


@pytest.fixture(scope="module")
def entries():
    """The records of a repaired allocation."""
    request = live_request(SEED)
    result = seat(request, HASTY)
    assert not result["clears"]
    rows = [json.loads(line) for line in live_log(request, result)[:-1]]
    return [
        {"at": row["envelope"]["at"], "kind": row["envelope"]["kind"], "body": row["body"]}
        for row in rows
    ]


def verdict(entries, change):
    """What is said of a log that the server forged."""
    new = json.loads(json.dumps(entries))
    change(
        [entry["body"] for entry in new if entry["kind"] == "seated"],
        next(entry["body"] for entry in new if entry["kind"] == "assigned"),
        next(e["body"]["market"]["courses"] for e in new if e["kind"] == "configured"),
    )
    for entry in new:
        if entry["kind"] == "started":
            configured = next(e for e in new if e["kind"] == "configured")
            configured["was"] = entry["body"]["configured"] = "f" * 64
    return verify(relinked(new, signing_key()))


def found(check):
    return " ".join(finding.sentence for finding in check.findings)


def test_an_honest_repair_holds_in_part(entries):
    """Tests that nobody is accused, and that the sentence says what rests on the server's word."""
    log = relinked([dict(entry) for entry in entries], signing_key())
    told = verify(log)
    assert told.exit_code == 3
    assert told["V9"].state == "holds", told.summary()
    assert told["V10"].state == "partly"
    assert "6 of 8 students could have afforded nothing better" in told["V10"].sentence
    assert "is the server's word" in told["V10"].sentence


def test_a_free_seat_that_somebody_wants_is_found(entries):
    """Tests a course that was taken away: it is free now, and missed."""

    def lose(seats, assigned, courses):
        names = [course["name"] for course in courses]
        seat_ = max(seats, key=lambda seat_: len(seat_["courses"]))
        lost, seat_["courses"] = seat_["courses"], seat_["held"]
        for name in set(lost) - set(seat_["held"]):
            assigned["taken"][names.index(name)] -= 1
        seat_.update(cost=0, budget=seat_["first"], is_best=False)
        assigned["num_best"] = sum(s["is_best"] for s in seats)

    assert "of seats that are free" in found(verdict(entries, lose)["V10"])


def test_everybody_has_what_the_first_budget_buys(entries):
    """Tests prices of nothing, at which everybody could have had more."""

    def cheap(seats, assigned, courses):
        assigned.update(prices=[0] * len(courses), num_best=0)
        for seat_ in seats:
            seat_.update(cost=0, budget=seat_["first"], is_best=False)

    assert "had a budget for" in found(verdict(entries, cheap)["V10"])


def test_a_smaller_budget_does_not_hide_what_the_first_one_buys(entries):
    """Tests a budget that is moved down, within the rules, to the cost of a worse schedule."""

    def poor(seats, assigned, courses):
        assigned.update(prices=[0] * len(courses), num_best=0)
        for seat_ in seats:
            seat_.update(cost=0, budget=seat_["first"] - 10**10, is_best=False)

    assert "had a budget for" in found(verdict(entries, poor)["V10"])


def test_a_budget_is_no_more_than_a_schedule_costs(entries):
    """Tests one unit more than what was given after the repair."""

    def rich(seats, assigned, courses):
        dear = max(seats, key=lambda seat_: seat_["cost"] - seat_["first"])
        dear["budget"] = max(dear["cost"], dear["first"] + 10**10) + 1

    assert "was moved too far" in found(verdict(entries, rich)["V9"])

    def low(seats, assigned, courses):
        poor = min(seats, key=lambda seat_: seat_["cost"])
        poor["budget"] = poor["first"] - 10**10 - 1

    assert "was moved too far" in found(verdict(entries, low)["V9"])


def test_what_is_claimed_of_somebody_is_looked_at(entries):
    """Tests that a claim to the best schedule is refuted where it is not."""

    def boast(seats, assigned, courses):
        for seat_ in seats:
            seat_["is_best"] = True
        assigned["num_best"] = len(seats)

    assert "could have afforded" in found(verdict(entries, boast)["V10"])


def test_prices_that_do_not_clear_are_not_said_to(entries):
    """Tests the claim that the whole verdict hangs on."""

    def boast(seats, assigned, courses):
        assigned["clears"] = True

    assert "was moved too far" in found(verdict(entries, boast)["V9"])
