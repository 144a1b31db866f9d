"""Spending caps and the activity rule in a log: what people did holds, and forgeries are found."""

from functools import cache

import pytest
from golden_log import find
from live_play import plan_result
from logged_play import LoggedPlay, RandomPlay

from boca.core.conduct import Conduct
from boca.live.auction import commands as cmd
from boca.live.auction.audience import PUBLIC, Viewer
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission
from boca_verify import verify

POINTS = {"hall": 3, "kitchen": 2, "chairs": 1}
# Random auctions that come to several rounds with prices.
FAR = (0, 6, 13, 19, 22, 23, 25, 27, 30, 31, 33, 37)
FIRST, LATER, LAST = (100, 100, 50), (300, 200, 100), (400, 250, 100)


@cache
def played(corrections: str = "round") -> LoggedPlay:
    """
    Ann, with a cap of 9.00, chooses 8, 5 and 2 points; Ben, eligible for 5, chooses 5, then 0.

    In the first round Ann also values the hall at her cap and makes an own bid.
    """
    play = LoggedPlay(
        mechanism="hybrid",
        num_total=8,
        corrections=corrections,
        spending_caps={"Ann": "9.00"},
        points=POINTS,
        eligibility={"Ben": 5},
        publish="all",
        reserve={"hall": "8.00", "kitchen": "8.00", "chairs": "8.00"},
        ranges=True,
    )
    play.start()
    queries = prices(FIRST) + [PlannedQuery(0, (1, 0, 0), {})]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")
    play.answer(r0_b1_q2="8-9")
    push = BundleValue({"hall": 1, "chairs": 1}, "9.00")
    play.submit(Submission(pushes=(push,), demands=(choice(0, 0, hall=1, kitchen=1, chairs=3),)))
    play.submit(Submission(demands=(choice(0, 1, hall=1, kitchen=1),)), 1)
    turn(play, LATER)
    play.submit(Submission(demands=(choice(1, 0, hall=1, kitchen=1),)))
    play.submit(Submission(demands=(choice(1, 1),)), 1)
    turn(play, LAST)
    play.submit(Submission(demands=(choice(2, 0, kitchen=1),)))
    play.submit(Submission(declines=("r2-b2-q1",)), 1)
    end_round(play)
    play.do(cmd.TakePlan(play.state.plan_from, plan_result([], "enough")), "server")
    play.do(cmd.Close())
    nobody = ((0, 0, 0), (0, 0, 0))
    allocation = ((1, 0, 0), (0, 0, 0))
    won = OutcomeResult(allocation, (800.0, 0.0), {0: nobody}, "vcg", "tried", 0.1, {})
    play.do(cmd.TakeOutcome(won), "server")
    play.do(cmd.Publish())
    return play


def prices(announced: tuple[int, ...]) -> list[PlannedQuery]:
    return [PlannedQuery(bidder, (), {"source": "clock"}, announced) for bidder in (0, 1)]


def choice(number: int, bidder: int, **copies: int) -> DemandAnswer:
    return DemandAnswer(f"r{number}-b{bidder + 1}-q1", copies)


def end_round(play: LoggedPlay) -> None:
    play.clock.turn(minutes=300)
    play.do(cmd.CloseRound(play.state.round), "server")


def turn(play: LoggedPlay, announced: tuple[int, ...]) -> None:
    """The next prices."""
    end_round(play)
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(prices(announced))), "server")


def rules(**fields: object):
    """Other rules; None takes one away."""

    def change(entries):
        own = entries[find(entries, "configured")]["body"]["rules"]
        own.update(fields)
        for name in [name for name, value in own.items() if value is None]:
            del own[name]

    return change


def chosen(nth: int, *bundle: int):
    """Another bundle in the first choice of a submission."""

    def change(entries):
        entries[find(entries, "submitted", nth)]["body"]["demands"][0]["bundle"] = list(bundle)

    return change


def reported(nth: int, **fields: object):
    return lambda entries: entries[find(entries, "submitted", nth)]["body"]["reports"][0].update(
        fields
    )


def announced(nth: int, *amounts: int):
    """Other prices for Ann in a round."""

    def change(entries):
        row = entries[find(entries, "asked", nth)]["body"]["queries"][0]
        row["prices"] = list(amounts)

    return change


def without(nth: int):
    """A submission is left out, as if nobody had answered."""

    def change(entries):
        queries = [d["query"] for d in entries[find(entries, "submitted", nth)]["body"]["demands"]]
        del entries[find(entries, "submitted", nth)]
        for entry in entries[find(entries, "asked", 0) :]:
            if entry["kind"] == "round-closed":
                entry["body"]["unanswered"] += queries
                break

    return change


def of_an_earlier_round(entries):
    """In the last round Ann changes what she chose in the first one."""
    body = entries[find(entries, "submitted", 5)]["body"]
    body["demands"][0] = {"query": "r0-b1-q1", "bundle": [1, 1, 0]}


def instead_of_declining(entries):
    """Ben, who chose nothing before, wants something at the last prices."""
    body = entries[find(entries, "submitted", 6)]["body"]
    body.update(declines=[], demands=[{"query": "r2-b2-q1", "bundle": [0, 0, 1]}])


# Submissions: 0 Ann's value, 1 her own bid and 8 points, 2 Ben's 5 points, 3 Ann's 5 points,
# 4 Ben chooses nothing, 5 Ann's 2 points, 6 Ben declines.
FORGED_CAPS = [
    (rules(spending_caps={"Ann": "8.50"}), "is 9.00 EUR; its spending cap is 8.50 EUR"),
    (rules(spending_caps={"Ann": "5.00"}), "its spending cap is 5.00 EUR"),
    (rules(spending_caps={"Ann": "9.00", "Ben": "1.99"}), "for 2.00 EUR; its spending cap"),
    (reported(0, most=901), "the value of 1 x hall is 9.01 EUR; its spending cap is 9.00 EUR"),
    (reported(1, units=901), "1 x hall, 1 x chairs is 9.01 EUR; its spending cap is 9.00 EUR"),
    (announced(2, 700, 300, 0), "for 10.00 EUR; its spending cap is 9.00 EUR"),
    (rules(spending_caps={"Ann": "0"}), "the spending cap of Ann is not between 0"),
    (rules(spending_caps={"Ann": "1000000.01"}), "the spending cap of Ann is not between 0"),
    (rules(spending_caps={"Eve": "9.00"}), "a spending cap of 'Eve', who is not a bidder"),
    (rules(spending_caps={"Ann": "9.001"}), "not a whole number of units"),
]
FORGED_POINTS = [
    (chosen(3, 0, 0, 1), "Ann: it wants 1 x kitchen, which has 2 points; its eligibility was 1"),
    (chosen(5, 1, 1, 1), "which has 6 points; its eligibility was 5"),
    (chosen(1, 0, 0, 1), "which has 5 points; its eligibility was 1"),
    (instead_of_declining, "Ben: it wants 1 x chairs, which has 1 point; its eligibility was 0"),
    (chosen(2, 1, 1, 1), "which has 6 points; its eligibility was 5"),
    (rules(eligibility={"Ben": 4}), "which has 5 points; its eligibility was 4"),
    (rules(eligibility={"Ann": 7, "Ben": 5}), "which has 8 points; its eligibility was 7"),
    (rules(points={**POINTS, "kitchen": 3}), "which has 6 points; its eligibility was 5"),
    (without(1), "which has 5 points; its eligibility was 0"),
    (of_an_earlier_round, "it answers 'r0-b1-q1', which is answered"),
    (rules(points={"hall": 3, "kitchen": 2}), "not those of all goods"),
    (rules(points={**POINTS, "hall": -1}), "expected a whole number from 0"),
    (rules(eligibility={"Eve": 5}), "eligibility of 'Eve', who is not a bidder"),
    (rules(eligibility={"Ben": 9}), "expected a whole number from 0 to 8"),
    (rules(points=None), "and there are no points"),
    (rules(conduct=Conduct(has_own_pace=True).to_dict()), "for sales that announce prices"),
]


@pytest.mark.parametrize("corrections", ["never", "round", "always"])
def test_caps_and_points_hold(corrections):
    """Tests a log in which everybody keeps to both rules, the whole and every cut of it."""
    play = played(corrections)
    verdict = play.verdict()

    assert {check.state for check in verdict.checks} == {"holds"}, verdict.summary()
    for viewer in (PUBLIC, Viewer("bidder", 0), Viewer("bidder", 1)):
        assert verify(play.cut(viewer)).exit_code in (0, 3)


@pytest.mark.parametrize(("change", "sentence"), FORGED_CAPS)
def test_what_a_liar_writes_of_spending_caps_is_found(change, sentence):
    """Tests values, ranges, own bids and choices beyond a cap, and caps that cannot be."""
    verdict = played().verdict(change)

    assert verdict.exit_code == 1
    assert sentence in verdict.summary()


@pytest.mark.parametrize(("change", "sentence"), FORGED_POINTS)
def test_what_a_liar_writes_of_points_is_found(change, sentence):
    """Tests choices beyond what was chosen before, missing ones, and points that cannot be."""
    verdict = played().verdict(change)

    assert verdict.exit_code == 1
    assert sentence in verdict.summary()


def test_earlier_choices_are_final_although_values_are_not():
    """Tests that points keep choices from being changed later, also where corrections are free."""
    verdict = played("always").verdict(of_an_earlier_round)

    assert "it answers 'r0-b1-q1', which is answered" in verdict.summary()


@pytest.mark.parametrize("kind", ["buy", "exchange"])
def test_both_rules_are_for_sales(kind):
    """Tests logs of other markets in which somebody wrote one of the rules."""
    for rule, value in (("spending_caps", {"Ann": "1.00"}), ("points", POINTS)):

        def change(entries, rule=rule, value=value):
            body = entries[find(entries, "configured")]["body"]
            body["rules"].pop("spending_caps")
            body["rules"].pop("points")
            body["rules"].pop("eligibility")
            body["rules"][rule] = value
            if kind == "buy":
                body["market"]["sense"] = "buy"
            else:
                body["market"]["bidders"][0]["endowment"] = [1, 0, 0]
                body["rules"]["payment_rule"] = "vcg"

        verdict = played().verdict(change)
        assert verdict["V5"].state == "fails"
        assert "for sales" in verdict.summary()


def keen(seed: int) -> LoggedPlay:
    """An auction with both rules in which many questions are answered."""
    caps = {"Ann": "1.00", "Ben": "0.60"}
    fixed = {"approval": False, "accept_rules": False, "close_early": True, "push_bids": 10}
    return RandomPlay(
        seed, mechanism="hybrid", points=POINTS, spending_caps=caps, num_total=9, **fixed
    ).run(120)


@pytest.mark.parametrize("seed", FAR)
def test_whatever_happens_with_both_rules_holds(seed):
    """Tests random auctions with caps and points: the whole log, and what each may take away."""
    play = keen(seed)
    verdict = verify(play.lines())

    assert verdict.exit_code in (0, 3), verdict.summary()
    for viewer in (PUBLIC, Viewer("bidder", 0), Viewer("bidder", 1)):
        assert verify(play.cut(viewer)).exit_code in (0, 3)


def test_random_auctions_lose_points_and_reach_caps():
    """Tests the test above."""
    limited = capped = 0
    for seed in FAR:
        state = keen(seed).state
        for bidder in (0, 1):
            choices = state.choices(bidder).values()
            limited += len({choice.eligibility for choice in choices} - {0}) > 1
            capped += state.rules.cap_of(state.market, bidder) in state.bids(bidder).values()

    assert limited >= 6
    assert capped >= 3
