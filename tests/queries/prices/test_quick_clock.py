"""Prices that follow demand up and down."""

from dataclasses import replace

import numpy as np
import pytest
from hybrid_situations import full_bundle_values, nothing, state_of

from boca.core import Bidder, Good, InputError, Market, Reports, Seeds
from boca.core.demand import Demands
from boca.queries import QuickClock

MARKET = Market.simple(2, 2, [1, 3])


def prices_of(situation, clock):
    plan = clock.plan(situation, {}, Seeds(0))
    assert [question.bidder for question in plan.questions] == [0, 1]
    return plan.questions[0].prices


def test_first_prices_need_no_knowledge():
    """
    Tests that all copies together cost a share of the mean value of the full bundle: 0.3 times
    100 over 4 copies.
    """
    clock = QuickClock(start=0.3)
    situation = state_of(MARKET, clock, full_bundle_values(MARKET, [50.0, 150.0]))
    np.testing.assert_allclose(prices_of(situation, clock), [7.5, 7.5])


def test_prices_rise_and_fall():
    """Tests both directions: good 0 is wanted twice and exists once, good 1 is hardly wanted."""
    clock = QuickClock(up=0.6, down=0.25)
    demands = [Demands([[10, 8]], [[1, 1]]), Demands([[10, 8]], [[1, 0]])]
    situation = state_of(MARKET, clock, full_bundle_values(MARKET, [50.0, 150.0]), demands)
    np.testing.assert_allclose(prices_of(situation, clock), [16, 6])


def test_balanced_goods_keep_their_price():
    """Tests that supply equal to demand changes nothing."""
    clock = QuickClock()
    demands = [Demands([[10, 8]], [[1, 1]]), Demands([[10, 8]], [[0, 2]])]
    situation = state_of(MARKET, clock, full_bundle_values(MARKET, [50.0, 150.0]), demands)
    np.testing.assert_allclose(prices_of(situation, clock), [10, 8])


def test_known_prices_and_worthless_markets():
    """Tests given start prices, and the messages where there is no start."""
    reports = [Reports.empty(2)] * 2
    clock = QuickClock(start_prices=(1.0, 2.0))
    situation = state_of(MARKET, clock, reports, nothing(MARKET))
    np.testing.assert_array_equal(prices_of(situation, clock), [1, 2])
    plan = QuickClock().plan(situation, {}, Seeds(0))
    assert not plan.questions
    assert "nobody has reported a positive value" in plan.over
    with pytest.raises(InputError, match="3 start prices"):
        QuickClock(start_prices=(1.0, 1.0, 1.0)).plan(situation, {}, Seeds(0))
    with pytest.raises(InputError, match="below 1"):
        QuickClock(down=1.0)


BUYING = Market((Good("a"), Good("b", 3)), (Bidder("A"), Bidder("B")), sense="buy")


def test_prices_of_a_purchase_begin_at_the_most_and_fall():
    """
    Tests a clock that buys: prices start where the buyer would go elsewhere, fall where more is
    offered than needed, rise where less is, and never above the start.
    """
    clock = QuickClock(up=0.5, down=0.25)
    start = state_of(BUYING, clock, [Reports([[1, 0]], [9.0]), Reports([[0, 1]], [8.0])])
    np.testing.assert_allclose(prices_of(start, clock), [9, 9])  # the largest cost: none is stated
    start = replace(start, params=replace(start.params, reserve=(20.0, 10.0)))
    np.testing.assert_allclose(prices_of(start, clock), [20, 10])

    demands = [Demands([[16, 8]], [[1, 1]]), Demands([[16, 8]], [[1, 1]])]
    later = replace(start, demands=tuple(demands))
    np.testing.assert_allclose(prices_of(later, clock), [12, 10])  # 12 = 8 * 1.5 is too much
