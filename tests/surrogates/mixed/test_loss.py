"""How far networks are from answers."""

import jax
import numpy as np
import pytest

from boca.core import Bidder, Demands, Good, Limit, Market, Reports
from boca.surrogates.mixed import MixedParams
from boca.surrogates.mixed.answers import Answers
from boca.surrogates.mixed.fit import draw_start
from boca.surrogates.mixed.loss import losses
from boca.surrogates.mixed.training import find_competitors


def market_of(*limits) -> Market:
    return Market((Good("A"), Good("B")), (Bidder("one", limits=limits),))


def network():
    """A network as training starts with it; more goods are worth more."""
    return draw_start(2, MixedParams(hidden_units=8), np.random.default_rng(3))


def demand_loss(market) -> float:
    # A is wanted at these prices; both together, valued at 10, seem far more profitable.
    answers = Answers(Reports([[1, 1]], [10.0]), Demands([[0.1, 0.1]], [[1, 0]]), market, 0)
    return float(losses(network(), answers.data(), np.zeros((1, 2), np.float32), 0.01).demand)


def test_bundles_beyond_limits_do_not_compete():
    """Tests that a bundle which could not be had is no reason to doubt the choice of another."""
    assert demand_loss(market_of()) > 0
    assert demand_loss(market_of(Limit((1.0, 1.0), 2.0))) == pytest.approx(demand_loss(market_of()))
    assert demand_loss(market_of(Limit((1.0, 1.0), 1.0))) < demand_loss(market_of())


def test_the_search_for_competitors_stays_within_limits():
    """Tests that it does not even start from a valued bundle that could not be had."""
    market = market_of(Limit((1.0, 1.0), 1.0))
    demands = Demands([[0.1, 0.1], [0.3, 0.0]], [[1, 0], [0, 1]])
    data = Answers(Reports([[1, 1]], [10.0]), demands, market, 0).data()
    nothing = jax.numpy.zeros((1, 2))

    rivals = np.asarray(find_competitors(network(), data, nothing, moves=3))
    assert (rivals[:2].sum(axis=1) <= 1).all()
    assert rivals[:2].any()


def test_suppliers_choose_price_less_cost():
    """
    Tests that of costs the loss is about the other direction: a supplier that would supply
    everything at prices above all costs chose well, one that would supply nothing did not.
    """
    market, nothing = market_of(), np.zeros((1, 2), np.float32)
    weights = network()

    def loss(choice) -> float:
        answers = Answers(Reports([[1, 1]], [10.0]), Demands([[90.0, 90.0]], [choice]), market, 0)
        data = answers.data()
        assert find_competitors(weights, data, nothing, 3, True)[0].tolist() == [1.0, 1.0]
        return float(losses(weights, data, nothing, 0.01, True).demand)

    # In units of 180 or of 10, what costs 10 is sold for 180.
    assert loss([1, 1]) == 0
    assert loss([0, 0]) > 1
