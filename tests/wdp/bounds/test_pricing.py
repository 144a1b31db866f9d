"""Tests of how bidders are asked for their favourite bundles."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, generators, monotone_net
from random_problems import brute_force, lattices, random_problem

from boca.core import Market
from boca.functions import MonotoneNet, ReluNet, XorTable
from boca.wdp import WelfareProblem, Workspace
from boca.wdp.bounds.columns import Pool
from boca.wdp.bounds.pricing import ExactPricing, PricedSteps, SearchPricing
from boca.wdp.search.local_search import Effort
from boca.wdp.search.steps import steps_of
from boca.wdp.tables.tabulated import TablePricing


@given(generators(), lattices(most=32, max_goods=5))
@settings(max_examples=25, deadline=None)
def test_exact_pricing_agrees_with_tables(rng, capacities):
    """Tests branch and bound and the MILP against all bundles, and the search below both."""
    problem = random_problem(rng, capacities, 2)
    if brute_force(problem) is None:
        return
    prices = 0.2 * rng.random(len(capacities))
    pool = Pool()
    tables = Workspace(problem.market, problem.functions).tables(problem)
    steps = {i: steps_of(problem.functions[i]) for i in problem.bidders}

    listed = TablePricing(tables)(prices)
    exact = ExactPricing(problem, pool, slack=1e-9)(prices)
    searched = SearchPricing(problem, steps, pool, Effort(4, 20))(prices)

    for table, mine, quick in zip(listed, exact, searched, strict=True):
        scale = 1e-3 * (1 + abs(table.values).max())
        # Programs widen their bounds by their own unit, which can exceed the values by far; how
        # tight they are elsewhere is the next test's business.
        assert mine.bound >= table.bound - scale
        assert mine.values[0] - mine.bundles[0] @ prices == pytest.approx(table.bound, abs=scale)
        assert quick.bound <= table.bound + scale


@pytest.mark.parametrize("most_boxes", [0, 400_000])
def test_programs_and_branching_price_alike(most_boxes):
    """
    Tests networks of two layers with both exact methods: with no boxes allowed the program has to
    do the work, and its answer is the one of all bundles.
    """
    rng = np.random.default_rng(3)
    nets = [
        MonotoneNet(
            [rng.random((8, 6)), rng.random((6, 4))],
            [-rng.random(6), -rng.random(4)],
            [np.ones(6), np.ones(4)],
            rng.random(4),
        )
        for _ in range(2)
    ]
    problem = WelfareProblem(Market.simple(8, 2), nets, excluded={1: [[1] * 8]})
    prices = 0.1 * rng.random(8)

    answers = ExactPricing(problem, Pool(), 1e-9, most_boxes=most_boxes)(prices)

    bundles = all_bundles(np.ones(8, dtype=int))
    for i, answer in enumerate(answers):
        utilities = nets[i](bundles) - bundles @ prices
        if i == 1:
            utilities[-1] = -np.inf  # the full bundle is excluded
        assert answer.bound == pytest.approx(utilities.max(), abs=1e-4)
        assert answer.bound >= utilities.max() - 1e-9
        assert answer.values[0] - answer.bundles[0] @ prices == pytest.approx(
            utilities.max(), abs=1e-5
        )


def test_no_time_leaves_valid_bounds():
    """Tests that pricing after its deadline gives loose bounds and no wrong ones."""
    rng = np.random.default_rng(4)
    capacities = np.ones(9, dtype=int)
    functions = [monotone_net(rng, capacities), XorTable([[1] * 9], [1.0])]
    problem = WelfareProblem(Market.simple(9, 2), functions)
    prices = 0.05 * rng.random(9)

    answers = ExactPricing(problem, Pool(), 1e-9, deadline=time.perf_counter() - 1)(prices)

    bundles = all_bundles(capacities)
    for function, answer in zip(functions, answers, strict=True):
        assert answer.bound >= (function(bundles) - bundles @ prices).max() - 1e-9


def test_nobody_gets_an_excluded_favourite():
    """Tests that the best bundle of the pool is passed over where it is excluded."""
    table = XorTable([[1, 0], [1, 1]], [5.0, 9.0])
    problem = WelfareProblem(Market.simple(2, 1), [table], excluded={0: [[1, 1]]})
    pool = Pool()
    pool.add(0, np.array([1, 1]), 9.0)

    (answer,) = ExactPricing(problem, pool, 1e-9)(np.array([1.0, 1.0]))

    assert answer.bundles.tolist() == [[1, 0]]
    assert answer.bound == pytest.approx(4, abs=1e-4)


def test_steps_less_prices_are_values_less_prices():
    """Tests neighbours in both directions, with several copies."""
    rng = np.random.default_rng(5)
    capacities = np.array([2, 1, 3])
    function = monotone_net(rng, capacities)
    prices = np.array([0.5, -0.25, 1.0])
    steps = PricedSteps(steps_of(function), prices)
    bundle = np.array([[1, 0, 2]])

    after = steps.after(bundle, np.array([[1, 1, -1]]))

    neighbours = np.array([[2, 0, 2], [1, 1, 2], [1, 0, 1]])
    assert after[0] == pytest.approx(function(neighbours) - neighbours @ prices, abs=1e-6)
    assert steps.values(bundle) == pytest.approx(function(bundle) - bundle @ prices, abs=1e-6)


def test_proof_does_not_stop_halfway_where_nothing_is_known():
    """Tests that a best known bundle of no utility does not loosen what has to be proven."""
    num_goods, num_sets, rng = 26, 16, np.random.default_rng(20)
    sets = np.zeros((num_sets, num_goods))
    for row in sets:
        row[rng.choice(num_goods, int(rng.integers(5, 11)), replace=False)] = 1
    function = ReluNet([sets.T], [-(sets.sum(axis=1) - 1)], rng.uniform(1, 4, num_sets))
    prices = rng.uniform(0.3, 1.5, num_goods)
    problem, pool = WelfareProblem(Market.simple(num_goods, 1), [function]), Pool()
    pool.add(0, np.zeros(num_goods, dtype=np.int64), 0.0)

    (answer,) = ExactPricing(problem, pool, 2e-8)(prices)

    # Whoever pays for a good completes a set with it: the best bundle is a union of sets.
    bundles = (all_bundles(np.ones(num_sets, dtype=int)) @ sets > 0).astype(np.int64)
    best = (function(bundles) - bundles @ prices).max()
    assert answer.values[0] - answer.bundles[0] @ prices == pytest.approx(best)
    assert answer.bound == pytest.approx(best, rel=1e-4)
