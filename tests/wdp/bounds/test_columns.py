"""Tests of column generation: its master, its walk through prices, what it proves."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Economy, Market, SolverError
from boca.functions import XorTable
from boca.milp import MasterLP, Status
from boca.milp.result import LpResult
from boca.wdp import WelfareProblem, Workspace
from boca.wdp.bounds import columns as module
from boca.wdp.bounds.columns import Master, Pool, generate
from boca.wdp.result import Favourite
from boca.wdp.tables.tabulated import TablePricing


def test_prices_of_a_market_by_hand():
    """Tests the relaxation's value: three pairs of three goods, half of each, are worth 1.5."""
    pairs = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    tables = [XorTable(pairs[k : k + 1], np.ones(1)) for k in range(3)]
    problem = WelfareProblem(Market.simple(3, 3), tables)
    values = Workspace(problem.market, tables).tables(problem)

    dual = generate(problem, TablePricing(values), Pool())

    assert dual.bound == pytest.approx(1.5, abs=1e-5)
    assert dual.prices == pytest.approx(np.full(3, 0.5), abs=1e-4)


def test_a_bidder_without_columns_ends_the_search_for_prices():
    """Tests that pricing which finds nothing for a bidder leaves the first prices, not an error."""
    tables = [XorTable([[1]], [1.0])] * 2
    problem = WelfareProblem(Market.simple(1, 2), tables)

    def pricing(prices):
        nothing = Favourite(np.zeros((0, 1), dtype=int), np.zeros(0), 2.0)
        return [nothing, Favourite(np.array([[1]]), np.ones(1), 1.0)]

    dual = generate(problem, pricing, Pool(), start=np.ones(1))

    assert dual.bound == 4  # the price, and what the two may gain
    assert dual.prices.tolist() == [1]
    asked, pool = [], Pool()
    pool.add(0, np.array([1]), 1.0)  # a bundle that is known already will do
    generate(problem, lambda p: asked.append(p) or pricing(p), pool, start=np.ones(1), most=2)
    assert len(asked) > 1


def test_pool_keeps_each_bundle_once():
    """Tests the columns that economies share."""
    pool = Pool()

    pool.add(0, np.array([1, 0]), 2.0)
    pool.add(0, np.array([1, 0]), 2.0)
    pool.add(0, np.array([1, 1]), 3.0)
    bundles, values = pool.of(0)
    assert (bundles.tolist(), values.tolist()) == ([[1, 0], [1, 1]], [2, 3])
    assert [part.shape for part in pool.of(1)] == [(0, 0), (0,)]
    assert pool.best(0, np.array([0.0, 2.0]), 1).tolist() == [[1, 0]]
    assert pool.best(0, np.array([0.0, 0.5]), 2).tolist() == [[1, 1], [1, 0]]
    assert pool.best(0, np.array([9.0, 1.0]), 1).tolist() == [[1, 0]]  # the first of equals
    assert pool.best(1, np.array([0.0, 2.0]), 1).shape == (0, 2)


SEAT = WelfareProblem(Market.simple(1, 1), [XorTable([[1]], [9.0])])


class Walk:
    """
    Column generation along a script: bounds of the prices that are asked, one after another, and
    what the master promises where. Notes the boxes that the master looked at, and the prices.
    """

    def __init__(self, monkeypatch, bounds, promises, problem=SEAT, **settings):
        self.boxes, self.asked = [], []
        bounds, promises = iter(bounds), iter(promises)

        def look(master, centre, radius):
            self.boxes.append((centre.tolist(), pytest.approx(radius, rel=1e-9, abs=0)))
            prices, promised = next(promises)
            return np.array(prices, dtype=float), promised

        def pricing(prices):
            self.asked.append(prices.tolist())
            gain = next(bounds) - prices @ problem.market.capacities
            full = problem.market.capacities
            return [Favourite(full[None], np.array([9.0]), float(gain))]

        monkeypatch.setattr(Master, "prices", look)
        self.dual = generate(problem, pricing, Pool(), **settings)


def test_prices_move_within_a_box_that_learns_from_promises(monkeypatch):
    """
    Tests a walk by hand, from a price of 2 and a bound of 10 with a box of half the price. A step
    that keeps more than half of its promise of 4 widens the box by half, one that keeps just half
    leaves it, one that gains nothing narrows it to 0.6. A promise of no more than an eighth of 6
    at the wall of the box widens it threefold; inside of the box it is the end.
    """
    walk = Walk(
        monkeypatch,
        [10.0, 7.0, 6.0, 6.0],
        [([3], 6.0), ([4], 5.0), ([5], 4.0), ([4.9], 6.0), ([4.5], 5.25)],
        start=np.array([2.0]),
        tolerance=0.125,
    )
    assert walk.boxes == [([2], 1.0), ([3], 1.5), ([4], 1.5), ([4], 0.9), ([4], 2.7)]
    assert walk.asked == [[2], [3], [4], [5]]
    assert (walk.dual.bound, walk.dual.prices.tolist()) == (6, [4])


@pytest.mark.parametrize(("share", "num_boxes"), [(0.9985, 1), (0.9995, 2), (-0.9995, 2)])
def test_the_wall_of_a_box_has_a_thickness(monkeypatch, share, num_boxes):
    """Tests prices just inside of a box and just at its wall, where nothing more is promised."""
    promises = [([2 + share], 10.0), ([2], 10.0)]
    walk = Walk(monkeypatch, [10.0], promises, start=np.array([2.0]), radius=0.5)
    assert len(walk.boxes) == num_boxes


def test_a_box_ends_the_walk_only_if_no_good_is_at_its_wall(monkeypatch):
    """Tests two goods, of which one could go further, and a price exactly where the wall begins."""
    pair = WelfareProblem(Market.simple(2, 1), [XorTable([[1, 1]], [9.0])])
    walk = Walk(monkeypatch, [10.0], [([2, 3], 10.0), ([2, 2], 10.0)], pair, start=np.full(2, 2.0))
    assert [radius for _, radius in walk.boxes] == [1, 3]
    wall = 0.999 * (0.5 * (1e-6 * 10.0))
    walk = Walk(monkeypatch, [10.0], [([wall], 10.0), ([0], 10.0)], start=np.zeros(1))
    assert [radius for _, radius in walk.boxes] == [5e-6, 15e-6]  # a millionth of the bound


@pytest.mark.parametrize(
    ("price", "bound", "radius"),
    [(2.0, 10.0, 1.0), (0.0, 10.0, 5e-6), (0.0, -10.0, 5e-6), (0.0, 0.0, 0.5e-12)],
)
def test_the_first_box_is_half_of_the_average_price(monkeypatch, price, bound, radius):
    """Tests boxes at prices of 0 as well, which must not be empty."""
    walk = Walk(monkeypatch, [bound], [([price], bound)], start=np.array([price]))
    assert walk.boxes == [([price], radius)]
    market = Market.simple(2, 1, capacities=[3, 1])
    uneven = WelfareProblem(market, [XorTable([[1, 1]], [9.0], capacities=[3, 1])])
    walk = Walk(monkeypatch, [9.0], [([3, 1], 9.0)], uneven, start=np.array([3.0, 1.0]))
    assert walk.boxes == [([3, 1], 1.0)]


@pytest.mark.parametrize(("worth", "price"), [(8.0, 2.0), (-8.0, 0.0), (None, 0.0)])
def test_first_prices_share_what_all_goods_are_worth(monkeypatch, worth, price):
    """Tests four copies of two goods."""
    market = Market.simple(2, 1, capacities=[3, 1])
    problem = WelfareProblem(market, [XorTable([[1, 1]], [9.0], capacities=[3, 1])])
    settings = {} if worth is None else {"worth": worth}
    walk = Walk(monkeypatch, [9.0], [([price] * 2, 9.0)], problem, **settings)
    assert walk.asked == [[price, price]]


@pytest.mark.parametrize(
    ("gain", "settings", "num_asked"),
    [
        (1.5e-6, {}, 2),  # more than a millionth of 1
        (0.75e-6, {}, 1),
        (1.0, {"target": 1.0}, 1),
        (1.0, {"target": 0.999}, 2),
        (1.0, {"most": 0}, 1),
        (1.0, {"deadline": 5.0}, 2),
        (1.0, {"deadline": 4.5}, 1),
    ],
)
def test_when_a_walk_ends(monkeypatch, gain, settings, num_asked):
    """Tests tolerance, target, number and time, at 5 o'clock and a bound of 1."""
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: 5.0))
    promises = [([0.5], 1.0 - gain), ([0.5], 0.9)]
    walk = Walk(monkeypatch, [1.0, 0.9], promises, start=np.array([0.5]), **settings)
    assert len(walk.asked) == num_asked


@pytest.mark.parametrize(("settings", "num_boxes"), [({}, 200), ({"most": 3}, 3)])
def test_a_walk_that_gains_nothing_ends_too(monkeypatch, settings, num_boxes):
    """Tests promises that are never kept."""
    promises = [([0.5], 0.0)] * 500
    walk = Walk(monkeypatch, [1.0] * 500, promises, start=np.array([0.5]), **settings)
    assert (len(walk.boxes), len(walk.asked)) == (num_boxes, num_boxes + 1)
    assert walk.dual.bound == 1


def test_a_tolerance_is_a_share_of_the_size_of_a_bound(monkeypatch):
    """Tests a bound below 0, of which half a unit is less than an eighth."""
    walk = Walk(monkeypatch, [-6.0], [([2], -6.5)], start=np.array([2.0]), tolerance=0.125)
    assert walk.dual.bound == -6


def rivals():
    """The master of two bidders and one good, worth 3 and 2, which either may leave."""
    problem = WelfareProblem(Market.simple(1, 2), [XorTable([[1]], [3.0]), XorTable([[1]], [2.0])])
    master = Master(problem)
    assert not master.is_complete
    master.add(0, np.array([[0], [1], [1]]), np.array([0.0, 3.0, 3.0]))
    assert not master.is_complete
    master.add(1, np.array([[1], [0]]), np.array([2.0, 0.0]))
    assert master.is_complete
    return master


@pytest.mark.parametrize(
    ("centre", "radius", "price", "promised"),
    [
        (0.5, 0.25, 0.75, 0.75 + 2.25 + 1.25),  # both want it: the price rises to the wall
        (5.0, 1.0, 4.0, 4.0),  # nobody wants it: the price falls to the wall
        (1.0, 1.5, None, 3.0),  # between 2 and 3 only one wants it
        (0.25, 0.5, 0.75, 0.75 + 2.25 + 1.25),
    ],
)
def test_the_best_prices_of_a_box_by_hand(centre, radius, price, promised):
    """Tests ``p + max(0, 3 - p) + max(0, 2 - p)``, which falls until 2 and rises from 3."""
    prices, bound = rivals().prices(np.array([centre]), radius)
    assert bound == pytest.approx(promised)
    assert 2 <= prices[0] <= 2.5 if price is None else prices == pytest.approx([price])


def test_no_price_is_below_nothing():
    """Tests a good that nobody wants, in a box that reaches below 0."""
    problem = WelfareProblem(Market.simple(1, 1), [XorTable([[1]], [3.0])])
    master = Master(problem)
    master.add(0, np.zeros((1, 1), dtype=np.int64), np.zeros(1))
    prices, bound = master.prices(np.array([0.5]), 2.0)
    assert (prices.tolist(), bound) == ([0], 0)


def test_excluded_bundles_are_no_columns():
    """Tests that each bidder's own exclusions count, also in an economy without the first."""
    tables = [XorTable([[1]], [3.0])] * 3
    excluded = {1: [[1]]}
    problem = WelfareProblem(Market.simple(1, 3), tables, Economy.without(0, 3), excluded)
    master = Master(problem)
    for place in (0, 1):
        master.add(place, np.array([[1], [0]]), np.array([3.0, 0.0]))
    _, bound = master.prices(np.array([0.25]), 0.125)
    assert bound == pytest.approx(3.0)  # 0.375 + 2.625 of the last bidder; with both it is 5.625


@pytest.mark.parametrize(
    ("values", "centre", "unit"),
    [([-8.0, 4.0], 2.0, 8), ([1.0, 2.0], 4.0, 4), ([0, 0], 0.0, 1e-12)],
)
def test_costs_of_a_master_are_near_one(monkeypatch, values, centre, unit):
    """Tests the numbers that the solver gets: in units of the largest value or price."""
    costs = []

    class Noted(MasterLP):
        def add_columns(self, numbers, matrix):
            costs.append(numbers.tolist())
            return super().add_columns(numbers, matrix)

    monkeypatch.setattr(module, "MasterLP", Noted)
    master = Master(WelfareProblem(Market.simple(2, 1), [XorTable([[1, 1]], [9.0])]))
    master.add(0, np.array([[1, 1], [0, 0]]), np.array(values, dtype=float))
    master.prices(np.array([centre / 2, centre]), 1e-12)
    assert costs[0] == pytest.approx([value / unit for value in values])
    assert costs[1] == pytest.approx([-(c + 1e-12) / unit for c in (centre / 2, centre)])
    assert costs[2] == pytest.approx([max(0.0, c - 1e-12) / unit for c in (centre / 2, centre)])


def test_a_master_that_is_not_solved_is_an_error(monkeypatch):
    """Tests that no prices are made up."""
    result = LpResult(Status.TIME_LIMIT, None, np.nan, None, 0.0, 0)
    monkeypatch.setattr(MasterLP, "solve", lambda master: result)
    with pytest.raises(SolverError, match="not solved: time limit"):
        rivals().prices(np.array([1.0]), 1.0)


def test_answers_become_columns_of_the_pool_and_their_prices_a_bound():
    """Tests one round by hand: 2 for two copies and gains of 3 and 1 are 2 + 2 + 3 + 1."""
    market = Market.simple(1, 3, capacities=[2])
    tables = [XorTable([[1]], [5.0], capacities=[2])] * 3
    problem = WelfareProblem(market, tables, Economy.without(0, 3))
    pool = Pool()

    def pricing(prices):
        return [
            Favourite(np.array([[1], [2]]), np.array([5.0, 6.0]), 3.0),
            Favourite(np.array([[1]]), np.array([3.0]), 1.0),
        ]

    dual = generate(problem, pricing, pool, start=np.array([2.0]), most=0)

    assert (dual.bound, dual.utilities.tolist()) == (8, [3, 1])
    assert [pool.of(i)[1].tolist() for i in range(3)] == [[], [5, 6], [3]]


@given(generators(), lattices(most=64), st.integers(2, 3))
@settings(max_examples=50, deadline=None)
def test_bound_is_never_below_the_optimum(rng, capacities, num_bidders):
    """Tests that prices prove something true after any number of iterations."""
    problem = random_problem(rng, capacities, num_bidders)
    best = brute_force(problem)
    if best is None:
        return
    tables = Workspace(problem.market, problem.functions).tables(problem)

    for most in (0, 1, 50):
        dual = generate(problem, TablePricing(tables), Pool(), most=most)
        assert dual.bound >= best - 1e-6 * (1 + abs(best))
