"""A bound on welfare that truthful answers prove."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, capacities, generators
from random_problems import brute_force, random_market

from boca.core import Bidder, Good, InputError, Limit, Market, Reports
from boca.core.demand import Demands
from boca.functions import XorTable
from boca.functions.certificate import Certificate
from boca.functions.revealed import RevealedBound
from boca.wdp import WelfareProblem
from boca.wdp.bounds.certificate import Pieces, certify


@settings(max_examples=80, deadline=None)
@given(generators(), capacities(max_goods=3, max_capacity=2), st.integers(1, 3))
def test_never_below_the_true_optimum(rng, limits, num_bidders):
    """Tests brute force on true values against the bound, with limits and several copies."""
    market = random_market(rng, limits, num_bidders)
    bundles = all_bundles(limits)
    prices = rng.random((4, len(limits))) * rng.choice([1.0, 20.0, 60.0], size=(4, 1))
    functions, bounds = [], []
    for bidder in range(num_bidders):
        draws = 100 * rng.random(len(bundles)) ** 2 * bundles.any(axis=1)
        parts = (bundles[:, None, :] <= bundles[None, :, :]).all(axis=2)
        values = np.where(parts, draws[:, None], 0.0).max(axis=0)
        allowed = market.allows(bidder, bundles)
        demands = Demands.empty(len(limits))
        for price in prices:
            profits = np.where(allowed, values - bundles @ price, -np.inf)
            demands = demands.add(price, bundles[profits.argmax()])
        known = rng.random(len(bundles)) < 0.2
        known[-1] = True
        bounds.append(
            RevealedBound.from_answers(
                Reports(bundles[known], values[known]), demands, market, bidder
            )
        )
        functions.append(XorTable(bundles, values, limits))
    optimum = brute_force(WelfareProblem(market, functions))
    assert certify(bounds, market).bound >= optimum * (1 - 1e-9)


def test_prices_that_clear_prove_the_optimum():
    """
    Tests the best case: at prices 4 and 4 each of two bidders wants one good, and says what it is
    worth, so nothing better exists.
    """
    market = Market.simple(2, 2)
    demands = [Demands([[4, 4]], [[1, 0]]), Demands([[4, 4]], [[0, 1]])]
    reports = [Reports([[1, 0], [1, 1]], [7.0, 9.0]), Reports([[0, 1], [1, 1]], [6.0, 8.0])]
    bounds = [
        RevealedBound.from_answers(r, d, market, i)
        for i, (r, d) in enumerate(zip(reports, demands, strict=True))
    ]
    certificate = certify(bounds, market)
    assert certificate.bound == pytest.approx(13)
    assert certificate.missing(13.0) == pytest.approx(0)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_mixing_answers_is_better_than_any_price_asked(monkeypatch, unit):
    """
    Tests that the linear program counts: the prices that were asked prove 14, a mixture of the
    answers proves 13.7, and the true optimum is 12. A program that proves less, or was not solved,
    changes nothing.
    """
    market = Market.simple(2, 2)
    prices = unit * np.array([[7, 1], [7, 6], [1, 4]])
    bundles = [[1, 0], [0, 1], [1, 1]]
    bounds = [
        RevealedBound.from_answers(
            Reports(bundles, unit * np.array(values)), Demands(prices, wanted), market, i
        )
        for i, (values, wanted) in enumerate(
            [
                ([3.0, 4.0, 7.0], [[0, 1], [0, 0], [1, 0]]),
                ([8.0, 8.0, 8.0], [[0, 1], [0, 1], [1, 0]]),
            ]
        )
    ]
    assert 12 * unit <= certify(bounds, market).bound < 13.71 * unit
    unsolved = SimpleNamespace(duals=None)
    monkeypatch.setattr("boca.wdp.bounds.certificate.solve_lp", lambda *_, **__: unsolved)
    by_prices = certify(bounds, market)
    assert by_prices.bound == pytest.approx(14 * unit)
    for bound in (by_prices.bound, 15 * unit):
        no_better = Certificate(bound, np.zeros(2))
        monkeypatch.setattr(
            "boca.wdp.bounds.certificate._by_program", lambda *_, no_better=no_better: no_better
        )
        assert certify(bounds, market).prices.tolist() == by_prices.prices.tolist()


def test_nothing_is_proven_about_silent_bidders(monkeypatch):
    """Tests that one bidder without a bound leaves welfare unbounded, and no program is tried."""
    monkeypatch.delattr("boca.wdp.bounds.certificate.solve_lp")
    market = Market.simple(1, 2)
    known = RevealedBound.from_answers(Reports([[1]], [3.0]), Demands.empty(1), market, 0)
    certificate = certify([known, None], market)
    assert certificate.bound == np.inf
    assert certificate.missing(3.0) == 1.0
    with pytest.raises(InputError, match="one for each of the 2"):
        certify([known], market)


def test_missing_is_a_share_of_the_optimum():
    """Tests the three cases: a gap, none, and answers that contradict each other."""
    certificate = Certificate(100.0, np.zeros(1))
    assert certificate.missing(97.0) == pytest.approx(0.03)
    assert certificate.missing(100.0) == 0.0
    assert certificate.missing(110.0) == 1.0


def test_pieces_bound_the_profit_of_any_bundle():
    """
    Tests two pieces, 10 and 2 + 3 a + 4 b, at prices 1 and 5 for two copies of a and one of b: the
    second leaves 2 + 2 * 2. One part of the first and three of the second are 4 + 2.25 a + 3 b,
    less half a unit of the limit a + b <= 1 for every copy.
    """
    pieces = Pieces(
        np.array([10.0, 2.0]), np.array([[0.0, 0.0], [3.0, 4.0]]), np.ones((1, 2)), np.ones(1)
    )
    prices, capacities = np.array([1.0, 5.0]), np.array([2, 1])

    assert pieces.best_profit(prices, capacities) == 6
    mixture, duals = np.array([1.0, 3.0]), np.array([0.5])
    assert pieces.mixed_profit(prices, capacities, mixture, duals) == 6  # 4 + 0.5 + 2 * 0.75
    assert pieces.mixed_profit(prices, capacities, 0 * mixture, duals) == np.inf
    nothing = Pieces.of(None, Market.simple(2, 1), 0)
    assert nothing.best_profit(prices, capacities) == np.inf
    assert (nothing.offsets.shape, nothing.slopes.shape) == ((0,), (0, 2))


def test_limits_make_the_bound_smaller():
    """Tests a bidder who wants nothing at 5 and 5: both are worth at most 10, one at most 5."""
    goods, demands = (Good("a"), Good("b")), Demands([[5, 5]], [[0, 0]])
    for limits, expected in (((), 10), ((Limit((1.0, 1.0), 1.0),), 5)):
        market = Market(goods, (Bidder("x", limits=limits),))
        bound = RevealedBound.from_answers(Reports.empty(2), demands, market, 0)
        assert certify([bound], market).bound == pytest.approx(expected)


def test_a_part_alone_bounds_nothing():
    """Tests a bidder whose only value is that of a part: the rest can be worth anything."""
    market = Market.simple(2, 1)
    part = RevealedBound.from_answers(Reports([[1, 0]], [3.0]), Demands.empty(2), market, 0)
    assert certify([part], market).bound == np.inf


def test_nothing_is_proven_to_be_nothing():
    """Tests a full bundle that is worth 0."""
    market = Market.simple(2, 1)
    bound = RevealedBound.from_answers(Reports([[1, 1]], [0.0]), Demands.empty(2), market, 0)
    certificate = certify([bound], market)
    assert certificate.bound == 0
    assert certificate.prices.tolist() == [0, 0]
