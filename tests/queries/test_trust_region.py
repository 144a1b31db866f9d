"""Value queries near the best allocation so far."""

import numpy as np
import pytest
from hybrid_situations import additive, fitted_to, state_of

from boca.core import Economy, InputError, Market, Reports, Seeds
from boca.queries import TrustRegion

MARKET = Market.simple(6, 3)
# Bidder 0 holds everything on bids; networks would give goods 0 to 2 to bidder 1 and 3 to 5 to 2.
REPORTS = [
    Reports([[1] * 6], [30.0]),
    Reports([[1] * 6], [12.0]),
    Reports([[1] * 6], [9.0]),
]
FITTED = fitted_to([additive([5] * 6), additive([9] * 3 + [1] * 3), additive([1] * 3 + [9] * 3)])


def situation_of(planner, rounds=0, reports=REPORTS):
    return state_of(MARKET, planner, reports, rounds=rounds)


def plan_of(planner, rounds=0, reports=REPORTS):
    return planner.plan(situation_of(planner, rounds, reports), FITTED, Seeds(1))


def test_nearby_rounds_move_few_copies():
    """
    Tests that with distance 2 each bidder's bundle changes by at most two copies, although the
    networks would exchange everything.
    """
    plan = plan_of(TrustRegion(distance=2, penalty=10.0))
    bundles = {query.bidder: query.bundle for query in plan.questions}
    incumbent = situation_of(TrustRegion()).winners(Economy.main(3)).bundles
    assert incumbent[0].sum() == 6
    assert bundles
    for bidder, bundle in bundles.items():
        assert np.abs(bundle - incumbent[bidder]).sum() <= 2
    assert all(query.reason.source == "nearby" for query in plan.questions)


def test_one_round_in_four_looks_everywhere():
    """Tests that the fourth round finds the best allocation of the networks."""
    planner = TrustRegion(distance=1, marginal_every=0, global_every=4)
    plan = plan_of(planner, rounds=3)
    bundles = {query.bidder: query.bundle.tolist() for query in plan.questions}
    assert bundles == {1: [1, 1, 1, 0, 0, 0], 2: [0, 0, 0, 1, 1, 1]}
    assert plan.questions[0].reason.source == "main"
    assert plan.prediction.welfare == pytest.approx(54)


def test_one_round_in_three_leaves_out_a_winner():
    """Tests that the third round looks at the economy without the only winner."""
    plan = plan_of(TrustRegion(marginal_every=3, global_every=0), rounds=2)
    assert {query.reason.economy for query in plan.questions} == {"without bidder 0"}
    assert 0 not in [query.bidder for query in plan.questions]


def test_winners_take_turns():
    """Tests that two winners are left out one after the other."""
    planner = TrustRegion(marginal_every=1)
    reports = [
        Reports([[1, 1, 1, 0, 0, 0]], [30.0]),
        Reports([[0, 0, 0, 1, 1, 1]], [20.0]),
        Reports([[1] * 6], [1.0]),
    ]
    first = [
        planner.attempts(situation_of(planner, rounds, reports), Seeds(0))[0][0]
        for rounds in range(3)
    ]
    assert first == [Economy.without(0, 3), Economy.without(1, 3), Economy.without(0, 3)]


def test_a_round_without_news_tries_other_economies():
    """
    Tests that the auction goes on where the round's own economy holds known bundles only: what
    the networks want is known, so that the economy without a winner is asked.
    """
    planner = TrustRegion(marginal_every=0, global_every=1)
    reports = [
        REPORTS[0],
        REPORTS[1].add([[1, 1, 1, 0, 0, 0]], [27.0]),
        REPORTS[2].add([[0, 0, 0, 1, 1, 1]], [27.0]),
    ]
    plan = plan_of(planner, 0, reports)
    assert plan.questions
    assert all(query.bundle not in reports[query.bidder] for query in plan.questions)


def test_design_asks_everybody_else():
    """Tests that bidders without a proposal get a small random change of their own bundle."""
    plan = plan_of(TrustRegion(distance=1, penalty=10.0, design=0.5))
    assert {query.bidder for query in plan.questions} == {0, 1, 2}
    designed = [query for query in plan.questions if query.reason.source == "design"]
    assert designed
    assert all(query.bundle.any() for query in designed)


def test_a_round_may_ask_about_several_allocations():
    """
    Tests that two allocations per round give each bidder at most two questions, none of them
    twice, and that the first allocation is the one of a round with a single one.
    """
    single = plan_of(TrustRegion(distance=2, penalty=10.0))
    planner = TrustRegion(distance=2, penalty=10.0, num_per_round=2)
    plan = plan_of(planner)
    assert planner.per_round == 2
    assert plan.questions[: len(single.questions)] == single.questions
    assert len(plan.questions) > len(single.questions)
    assert len({query.key for query in plan.questions}) == len(plan.questions)
    for bidder in range(3):
        assert sum(query.bidder == bidder for query in plan.questions) <= 2


def test_allocations_of_a_round_take_turns_like_rounds():
    """Tests that with two per round the third allocation, in round 1, leaves out a winner."""
    planner = TrustRegion(marginal_every=3, global_every=0, num_per_round=2)
    situation = situation_of(planner, rounds=1)
    assert planner.attempts(situation, Seeds(0), turn=0)[0][0] == Economy.without(0, 3)
    assert planner.attempts(situation, Seeds(0), turn=1)[0][0] == Economy.main(3)


def test_design_keeps_up_with_several_allocations():
    """Tests that everybody gets two questions where a round has two and design fills up."""
    plan = plan_of(TrustRegion(distance=1, penalty=10.0, design=0.5, num_per_round=2))
    assert len({query.key for query in plan.questions}) == len(plan.questions)
    assert [sum(q.bidder == i for q in plan.questions) for i in range(3)] == [2, 2, 2]


def test_same_seeds_same_questions():
    """Tests that nothing but situation, networks and seeds decides."""
    planner = TrustRegion()
    first, second = plan_of(planner), plan_of(planner)
    assert first.questions == second.questions


def test_settings_are_checked():
    """Tests the messages."""
    with pytest.raises(InputError, match="distance = 0"):
        TrustRegion(distance=0)
    with pytest.raises(InputError, match="num_per_round = 0"):
        TrustRegion(num_per_round=0)
    with pytest.raises(InputError, match="design = 2"):
        TrustRegion(design=2)
    with pytest.raises(InputError, match="acquisition"):
        TrustRegion(acquisition="best")
