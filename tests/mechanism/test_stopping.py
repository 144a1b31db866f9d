"""Tests of the stopping rules."""

from dataclasses import replace

import numpy as np
import pytest
from additive_learner import quick_params

from boca.core import Allocation, Market
from boca.mechanism import AuctionState, RoundRecord
from boca.mechanism.next_step import has_budget
from boca.mechanism.stopping import NoImprovement, ProvenEfficient, TimeUsed


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
