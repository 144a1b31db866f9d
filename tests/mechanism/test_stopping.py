"""Tests of the stopping rules."""

from dataclasses import replace

import numpy as np
import pytest
from additive_learner import quick_params

from boca.core import Allocation, Bidder, Good, Limit, Market
from boca.mechanism import AuctionParams, AuctionState, Phase, RoundRecord
from boca.mechanism.params import StoppingParams
from boca.mechanism.stepping import has_budget
from boca.mechanism.stopping import (
    NoImprovement,
    ProvenEfficient,
    ProvenGap,
    TimeUsed,
    first_reason,
    stopping_rules,
)
from boca.queries import RandomBundles


def state_with(welfare, num_asked=4):
    market = Market.simple(2, 2)
    state = AuctionState.start(market, quick_params(4, 4, 12))
    nothing = Allocation.empty(market)
    history = tuple(RoundRecord(k, 4 * k, 4 * k, value, nothing) for k, value in enumerate(welfare))
    return replace(state, history=history, num_asked=(num_asked,) * market.num_bidders, phase=1)


def test_small_gain_counts_as_none():
    """Tests that growth below min_gain does not postpone stopping."""
    stop = NoImprovement(patience=2, min_gain=0.01)
    assert stop(state_with([100, 110, 110.5])) is None  # 10 % within the last two rounds
    assert stop(state_with([100, 110, 110.5, 110.6]))  # only 0.5 % since 110


def test_budget_counts_whole_rounds():
    """Tests that a round starts only if all its queries fit (Algorithm 2, line 3)."""
    assert has_budget(state_with([1], num_asked=8))
    assert not has_budget(state_with([1], num_asked=9))


@pytest.mark.parametrize(("elapsed", "stops"), [(4.0, False), (5.0, True)])
def test_time_is_measured_by_the_given_clock(elapsed, stops):
    """Tests that no round starts after the time."""
    assert bool(TimeUsed(5.0, lambda: elapsed)(state_with([1]))) == stops


def test_reports_can_prove_efficiency():
    """
    Tests the bound from envelopes. Bidder 0 values good 0 at 3 and everything at 3; bidder 1
    values good 1 at 2 and everything at 2: nobody can gain from more.
    """
    state = state_with([5.0])
    for bidder, bundle, value in (
        (0, [1, 1], 3.0),
        (0, [1, 0], 3.0),
        (1, [1, 1], 2.0),
        (1, [0, 1], 2.0),
    ):
        state = state.report(bidder, np.array(bundle), value)
    assert "proven" in ProvenEfficient()(state)


def test_open_questions_prevent_the_proof():
    """Tests the same market with a full bundle that may hide a better allocation."""
    state = state_with([5.0])
    for bidder, bundle, value in ((0, [1, 1], 9.0), (0, [1, 0], 3.0), (1, [1, 1], 2.0)):
        state = state.report(bidder, np.array(bundle), value)
    assert ProvenEfficient()(state) is None


def test_patience_counts_rounds():
    """Tests that tolerated rounds are waited for, and that equal growth is too little."""
    stop = NoImprovement(patience=2, min_gain=0.5)
    assert stop(state_with([100, 100])) is None
    assert stop(state_with([100, 100, 100])) == "no gain above 5e-01 in 2 rounds"
    assert stop(state_with([100, 120, 150]))  # half of 100 is not more than half of 100
    assert stop(state_with([100, 120, 151])) is None
    assert stop(state_with([100, 160, 120])) is None  # the best of the last rounds counts
    assert stop(state_with([150, 100, 160, 170]))  # and the best before them
    assert stop(state_with([])) is None
    assert stop(state_with([-100, -60, -50]))  # costs: half of 100 would have to be saved
    assert stop(state_with([-100, -60, -49])) is None


def test_time_says_how_much_was_used():
    """Tests the message."""
    assert TimeUsed(5.0, lambda: 6.0)(state_with([1])) == "the time of 5 s is used up"


def proven_state(welfare=5.0, top=3.0):
    """The reports of the market in which nobody can gain, and a record of some welfare."""
    state = state_with([welfare])
    for bidder, bundle, value in (
        (0, [1, 1], top),
        (0, [1, 0], 3.0),
        (1, [1, 1], 2.0),
        (1, [0, 1], 2.0),
    ):
        state = state.report(bidder, np.array(bundle), value)
    return state


def test_the_proof_is_exact_up_to_rounding():
    """Tests a bound above the welfare by a little less and a little more than 1e-9 of it."""
    assert ProvenEfficient()(proven_state(5.0 / (1 + 9e-10)))
    assert ProvenEfficient()(proven_state(5.0 / (1 + 1.1e-9))) is None
    assert ProvenEfficient().solve_seconds == 10.0


def test_the_proof_needs_a_round_and_everything_that_can_be_held():
    """Tests that nothing is proven before the first round or without a full bundle."""
    assert ProvenEfficient()(replace(proven_state(), history=())) is None
    later = (*state_with([1.0]).history, *proven_state().history)
    assert ProvenEfficient()(replace(proven_state(), history=later))  # the last round counts
    without = replace(proven_state(), reports=(state_with([1]).reports[0],) * 2)
    assert ProvenEfficient()(without) is None
    assert ProvenEfficient()(proven_state()) == (
        "proven efficient: no values that fit the reports allow more than 5"
    )


def test_nothing_is_efficient_where_everything_is_worth_nothing():
    """Tests a bound of 0 and a welfare of 0."""
    state = state_with([0.0])
    for bidder in range(2):
        state = state.report(bidder, np.array([1, 1]), 0.0)
    assert ProvenEfficient()(state)


def test_contradicting_reports_prove_nothing():
    """Tests a part that is worth more than the whole."""
    assert ProvenEfficient()(proven_state(top=2.5)) is None


def test_what_a_bidder_can_hold_bounds_its_values():
    """Tests limits: bidder 0 can have good 0 only, so the full bundle says nothing about it."""
    goods = (Good("a"), Good("b"))
    limits = (Limit((0.0, 1.0), 0.0),)
    market = Market(goods, (Bidder("x", limits=limits), Bidder("y")))
    state = AuctionState.start(market, quick_params(4, 4, 12))
    record = RoundRecord(0, 4, 4, 5.0, Allocation.empty(market))
    state = replace(state, history=(record,))
    for bidder, bundle, value in ((0, [1, 0], 3.0), (1, [1, 1], 2.0), (1, [0, 1], 2.0)):
        state = state.report(bidder, np.array(bundle), value)
    assert ProvenEfficient()(state)

    joint = (Limit((1.0, 1.0), 1.0),)  # no bundle contains all others
    other = replace(state, market=Market(goods, (Bidder("x", limits=joint), Bidder("y"))))
    assert ProvenEfficient()(other) is None


def test_a_proven_gap_is_enough():
    """Tests the share that may be missing, equality included."""
    state = state_with([80.0])
    assert ProvenGap(0.2)(state) is None  # nothing is proven
    record = replace(state.history[0], welfare_bound=100.0)
    state = replace(state, history=(record,))
    assert ProvenGap(0.19)(state) is None
    assert ProvenGap(1 - 0.8)(state) == (
        "proven: at most 20.00 % of the optimal welfare is missing"
    )
    assert ProvenGap(0.2)(replace(state, history=())) is None
    assert ProvenGap(0.1)(replace(state, history=(record, replace(record, welfare=95.0))))


def test_the_settings_choose_the_rules():
    """Tests each rule, and the time that is left to the caller without a clock."""

    def rules(elapsed=None, **settings):
        params = replace(quick_params(4, 4, 12), stopping=StoppingParams(**settings))
        return stopping_rules(params, elapsed)

    def clock():
        return 1.0

    assert rules() == []
    assert rules(max_seconds=5.0) == []
    assert rules(clock) == []
    assert rules(clock, max_seconds=5.0) == [TimeUsed(5.0, clock)]
    assert rules(patience=3, min_gain=0.1) == [NoImprovement(3, 0.1)]
    assert rules(when_proven=True) == [ProvenEfficient()]
    assert rules(proven_gap=0.01) == [ProvenGap(0.01)]


def test_the_first_reason_counts():
    """Tests the order of rules, of which some have nothing to say."""
    rules = [lambda state: None, lambda state: "b", lambda state: "c"]
    assert first_reason(rules, state_with([1])) == "b"
    assert first_reason(rules[:1], state_with([1])) is None


def test_shares_of_the_budget_end_where_they_should():
    """Tests 7 % of a hundred questions, which are a little more than 7 in binary."""
    phases = (Phase("a", RandomBundles(1), share=0.07), Phase("b", RandomBundles(1), share=0.93))
    params = AuctionParams(phases, num_total=100)
    assert params.phase_ends[0] > 7
    state = AuctionState.start(Market.simple(2, 2), params)

    def at(phase, asked):
        return has_budget(replace(state, phase=phase, num_asked=(0, asked)))

    assert [at(0, asked) for asked in (0, 6, 7)] == [True, True, False]
    assert [at(1, asked) for asked in (7, 99, 100)] == [True, True, False]

    phases = (replace(phases[0], share=0.1 + 0.2), replace(phases[1], share=0.5))
    state = AuctionState.start(Market.simple(2, 2), AuctionParams(phases, num_total=10**6))
    assert state.params.phase_ends[0] > 300_000
    assert [at(0, asked) for asked in (299_999, 300_000)] == [True, False]
