"""Prices that minimise W on networks."""

from itertools import pairwise

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import Bidder, Good, InputError, Limit, Market
from boca.functions import MonotoneNet
from boca.surrogates.mixed.clearing import clearing_prices, stacked
from boca.surrogates.mvnn.network import evaluate


def satiable(most, worth, num_goods=2, capacities=None):
    """A bidder who wants some share of the copies and no more."""
    return MonotoneNet(
        [np.eye(num_goods)],
        [np.zeros(num_goods)],
        [np.array(most)],
        np.array(worth),
        capacities=capacities,
    )


def true_w(nets, market, prices):
    """W by looking at every bundle."""
    total = prices @ market.capacities
    for i, net in enumerate(nets):
        bundles = all_bundles(market.capacities)
        bundles = bundles[market.allows(i, bundles)]
        total += (net(bundles) - bundles @ prices).max()
    return total


def test_competition_sets_the_price():
    """
    Tests a good that two bidders want: at the best price, between 6 and 10, only one still does,
    and W is the best welfare; the other good is wanted by nobody and should cost nothing.
    """
    market = Market.simple(2, 2)
    nets = [satiable([1.0, 0.0], [10.0, 0.0]), satiable([1.0, 0.0], [6.0, 0.0])]
    found = clearing_prices(nets, market, np.ones(2))
    assert 5.9 < found.prices[0] < 10.1
    assert found.prices[1] < 0.01
    assert found.objective == pytest.approx(10.0, rel=0.01)


def test_objective_is_w_and_small():
    """
    Tests W against listing all bundles, and that no nearby prices are much better. Without biases
    values are concave, so that climbing finds what is wanted.
    """
    rng = np.random.default_rng(0)
    capacities = [3, 2, 1]
    market = Market.simple(3, 3, capacities)
    nets = [
        MonotoneNet(
            [rng.random((3, 6))],
            [np.zeros(6)],
            [rng.random(6)],
            10 * rng.random(6),
            capacities=capacities,
        )
        for _ in range(3)
    ]
    found = clearing_prices(nets, market, np.ones(3))
    here = true_w(nets, market, found.prices)
    assert found.objective == pytest.approx(here, rel=0.01)
    for _ in range(50):
        other = found.prices * np.exp(0.3 * rng.standard_normal(3))
        assert true_w(nets, market, other) >= here * 0.99


def test_feasible_prices_leave_no_good_short():
    """
    Tests three bidders who want both goods or nothing: W is smallest where all three are nearly
    indifferent and too much may be wanted; feasible prices are higher, and one of them is left.
    """
    market = Market.simple(2, 3)
    # Worth 4, 5 and 6 for both goods, nothing for one.
    nets = [
        MonotoneNet([np.ones((2, 1))], [np.array([-1.0])], [np.array([1.0])], np.array([worth]))
        for worth in (4.0, 5.0, 6.0)
    ]
    found = clearing_prices(nets, market, np.ones(2), feasible=True)
    wanted = sum(float(net([[1, 1]])[0]) > found.prices.sum() for net in nets)
    assert wanted <= 1
    assert 4.9 < found.prices.sum() < 6.5
    assert found.objective < 10  # what marks prices at which too much is wanted is gone


def test_feasible_prices_are_new_ones():
    """
    Tests a start at which nothing is wanted, so that W cannot become much smaller: the search
    leaves it all the same, because bidders have been asked at these prices.
    """
    market = Market.simple(2, 2)
    nets = [satiable([1.0, 1.0], [10.0, 1.0]), satiable([1.0, 1.0], [1.0, 6.0])]
    start = np.array([9.0, 5.5])
    found = clearing_prices(nets, market, start, feasible=True)
    again = clearing_prices(nets, market, found.prices, feasible=True)
    assert not np.array_equal(found.prices, start)
    assert again.objective == pytest.approx(16.0, rel=0.02)  # each wants what it values most


def test_limits_hold_demand_down():
    """Tests that a bidder limited to one copy does not drive the price of the second one up."""
    goods = (Good("a"), Good("b"))
    market = Market(goods, (Bidder("one", limits=(Limit((1.0, 1.0), 1.0),)),))
    net = satiable([1.0, 1.0], [5.0, 4.0])
    found = clearing_prices([net], market, np.ones(2))
    assert found.objective == pytest.approx(5.0, rel=0.02)


def test_networks_of_different_shapes_stack():
    """Tests that filling up with idle neurons and handing-on layers changes no value."""
    rng = np.random.default_rng(3)
    nets = []
    for hidden in ([5], [2, 7], [4, 3, 6]):
        widths = [2, *hidden]
        shapes = list(pairwise(widths))
        nets.append(
            MonotoneNet(
                [rng.random(shape) for shape in shapes],
                [-0.2 * rng.random(n) for _, n in shapes],
                [rng.random(n) for _, n in shapes],
                rng.random(widths[-1]),
                rng.random(2),
            )
        )
    whole = stacked(nets, 2.0)
    bundles = all_bundles([1, 1]).astype(np.float32)
    for k, net in enumerate(nets):
        weights = type(whole)(
            *(tuple(a[k] for a in part) for part in whole[:3]), whole.output[k], whole.skip[k]
        )
        np.testing.assert_allclose(2 * evaluate(weights, bundles), net(bundles), rtol=1e-5)


def test_bidders_who_want_nothing_cost_nothing():
    """Tests markets in which no network has learned anything."""
    market = Market.simple(2, 1)
    nothing = MonotoneNet([], [], [], np.zeros(2))
    found = clearing_prices([nothing], market, np.ones(2))
    assert found.objective == 0
    with pytest.raises(InputError, match="expected one for each of the 1"):
        clearing_prices([], market, np.ones(2))
