import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Market
from boca.functions import XorTable
from boca.wdp import WelfareProblem, Workspace
from boca.wdp.bounds.columns import Pool, generate
from boca.wdp.result import Favourite
from boca.wdp.tables.tabulated import TablePricing


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


def test_pool_keeps_each_bundle_once():
    """Tests the columns that economies share."""
    pool = Pool()

    assert pool.add(0, np.array([1, 0]), 2.0)
    assert not pool.add(0, np.array([1, 0]), 2.0)
    assert pool.add(0, np.array([1, 1]), 3.0)
    assert pool.best(0, np.array([0.0, 2.0]), 1).tolist() == [[1, 0]]
    assert pool.best(1, np.array([0.0, 2.0]), 1).shape == (0, 2)
