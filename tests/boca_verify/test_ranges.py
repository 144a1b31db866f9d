"""Values as ranges in a log: what people said holds, and what a liar writes of it is found."""

from functools import cache

import pytest
from golden_log import find
from live_play import nobody_wins, plan_result
from logged_play import LoggedPlay

from boca.live.auction import commands as cmd
from boca.live.auction.engine_results import PlannedQuery
from boca.live.auction.submission import Submission

HALL, KITCHEN = (1, 0, 0), (0, 1, 0)


@cache
def played(corrections: str = "round", ranges: bool = True) -> LoggedPlay:
    """Ann gives ranges for hall and kitchen, narrows one of them and keeps the other."""
    play = LoggedPlay(
        num_initial=3,
        num_per_round=2,
        num_total=8,
        corrections=corrections,
        ranges=ranges,
        monotone="require",
        reserve={"hall": "90", "kitchen": "90", "chairs": "90"},
    )
    play.start()
    first = [PlannedQuery(0, bundle, {}) for bundle in (HALL, KITCHEN, (1, 1, 0))]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(first)), "server")
    said = ("5-6", "7-8", "9") if ranges else ("5", "7", "9")
    play.answer(r0_b1_q1=said[0], r0_b1_q2=said[1], r0_b1_q3=said[2])
    if ranges:
        end_round(play)
        again = [PlannedQuery(0, bundle, {"source": "narrow"}) for bundle in (HALL, KITCHEN)]
        play.do(cmd.TakePlan(play.state.plan_from, plan_result(again)), "server")
        play.answer(r1_b1_q1="5.20-5.50")
        play.submit(Submission(declines=("r1-b1-q2",)))
    end_round(play)
    stop = plan_result([], "nothing is left")
    play.do(cmd.TakePlan(play.state.plan_from, stop), "server")
    play.do(cmd.Close())
    play.do(cmd.TakeOutcome(nobody_wins()), "server")
    play.do(cmd.Publish())
    return play


def end_round(play: LoggedPlay) -> None:
    play.clock.turn(minutes=300)
    play.do(cmd.CloseRound(play.state.round), "server")


def report(nth: int, place: int = 0, **fields: object):
    """Another row of a submission; None takes a field away."""

    def change(entries):
        row = entries[find(entries, "submitted", nth)]["body"]["reports"][place]
        row.update(fields)
        for name in [name for name, value in row.items() if value is None]:
            del row[name]

    return change


def asked_again(bundle: tuple[int, ...]):
    """The second question of the second round is about another bundle."""

    def change(entries):
        entries[find(entries, "asked", 1)]["body"]["queries"][1]["bundle"] = list(bundle)

    return change


@pytest.mark.parametrize("corrections", ["never", "round", "always"])
def test_ranges_hold(corrections):
    """Tests a log in which one range is narrowed and another kept."""
    verdict = played(corrections).verdict()

    assert {check.state for check in verdict.checks} == {"holds"}, verdict.summary()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (report(1, units=499), "outside the range from 5.00 EUR to 6.00 EUR"),
        (report(1, most=601), "outside the range"),
        (report(1, units=700, most=None), "outside the range"),
        (report(1, was=499), "it corrects 4.99 EUR to 6.00 EUR for 1 x hall, but 5.00 EUR to"),
        (report(1, was_most=None), "it corrects 5.00 EUR for 1 x hall"),
        (report(1, was=None, was_most=None), "unsaid"),
        (report(1, query=None), "it corrects 1 x hall of round 0, which the rules forbid"),
        (report(1, query="r1-b1-q2"), "'r1-b1-q2' was not about 1 x hall"),
        (report(1, query="r0-b1-q1"), "it corrects 1 x hall of round 0, which the rules forbid"),
        (report(0, most=499), "a range that ends at 4.99 EUR; expected more than its beginning"),
        (report(0, most=500), "expected more than its beginning"),
        (report(0, most=10**9), "at most 1,000,000.00 EUR counts"),
        (report(0, place=2, units=699), "more is worth less"),
        (asked_again((1, 1, 0)), "which it was asked before"),
        (asked_again(HALL), "which it was asked before"),
    ],
)
def test_what_a_liar_writes_of_ranges_is_found(change, sentence):
    """Tests ends, what stood before, the question, and what may be asked again."""
    verdict = played().verdict(change)

    assert verdict.exit_code == 1
    assert sentence in verdict.summary()


def test_without_the_rule_there_are_no_ranges():
    """Tests that a range is not a value where the rules do not have ranges."""
    assert played(ranges=False).verdict().exit_code == 0
    verdict = played(ranges=False).verdict(report(0, most=600))
    assert "expected one amount" in verdict.summary()


def test_a_range_that_was_kept_is_not_asked_about_again():
    """Tests that a declined question stays declined."""

    def change(entries):
        queries = entries[find(entries, "asked", 1)]["body"]["queries"]
        queries[0]["bundle"] = list(KITCHEN)  # asked in the same round, and open

    assert "which it was asked before" in played().verdict(change).summary()


def test_who_may_correct_anything_may_leave_its_range():
    """Tests that the range binds only where answers of earlier rounds are final."""
    verdict = played("always").verdict(report(1, units=800, most=None))
    assert "outside" not in verdict.summary()
