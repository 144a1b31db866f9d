"""Tests of the bound for problems whose bundles cannot be listed."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Allocation, Market
from boca.functions import XorTable
from boca.wdp import WelfareProblem
from boca.wdp.bounds.columns import Dual, Pool
from boca.wdp.bounds.prove import integer_master, prove, relaxation
from boca.wdp.search.steps import steps_of

PAIRS = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
TRIANGLE = WelfareProblem(
    Market.simple(3, 3), [XorTable(PAIRS[k : k + 1], np.ones(1)) for k in range(3)]
)


@given(generators(), lattices(most=32, max_goods=5), st.sampled_from([0.01, 0.2]))
@settings(max_examples=25, deadline=None)
def test_proofs_hold(rng, capacities, gap):
    """Tests the whole proof on networks, where brute force knows the optimum."""
    problem = random_problem(rng, capacities, 2, ["monotone net"])
    best = brute_force(problem)
    if best is None:
        return
    steps = {i: steps_of(problem.functions[i]) for i in problem.bidders}

    result = prove(problem, steps, Pool(), None, 0.9 * best, gap)

    assert result.bound >= best - 1e-6 * (1 + abs(best))


def test_the_bound_reaches_what_the_relaxation_can_prove():
    """Tests that a proof ends at 1.5, the value of half of every pair, and finds a pair."""
    steps = {i: steps_of(TRIANGLE.functions[i]) for i in range(3)}

    result = prove(TRIANGLE, steps, Pool(), None, 0.0, 0.01)

    assert result.bound == pytest.approx(1.5, rel=0.01)
    assert TRIANGLE.welfare(Allocation(result.bundles)) == 1


def test_no_time_leaves_the_bound_of_the_relaxation():
    """Tests that a proof whose time is over returns what is known to be true."""
    steps = {i: steps_of(TRIANGLE.functions[i]) for i in range(3)}

    result = prove(TRIANGLE, steps, Pool(), None, 0.9, 0.01, time.perf_counter() - 1)

    assert result.bound >= 1
    assert result.prices.shape == (3,)


def test_prices_of_the_relaxation_by_hand():
    """Tests that half of every pair makes each good worth a half."""
    prices, bound = relaxation(TRIANGLE)

    assert bound == pytest.approx(1.5, rel=1e-5)
    assert bound >= 1.5
    assert prices == pytest.approx(np.full(3, 0.5))


def test_columns_are_packed_within_capacities():
    """
    Tests the integer master by hand: two bidders want good 0 for 3 and 2, the second takes good 1
    for 1 as well. An excluded column and one that prices rule out stay out.
    """
    functions = [XorTable([[1, 0]], [3.0]), XorTable([[1, 0], [0, 1], [1, 1]], [2.0, 1.0, 9.0])]
    problem = WelfareProblem(Market.simple(2, 2), functions, excluded={1: [[1, 1]]})
    pool = Pool()
    for i, function in enumerate(functions):
        for bundle in ([0, 0], [1, 0], [0, 1], [1, 1]):
            pool.add(i, np.array(bundle), float(function(np.array([bundle]))[0]))
    dual = Dual(np.array([2.0, 1.0]), np.array([1.0, 0.0]), 4.0)

    bundles = integer_master(problem, pool, dual, 2.0)

    assert bundles.tolist() == [[1, 0], [0, 1]]
    assert integer_master(problem, pool, dual, 4.0) is None  # nothing is better than 4
    assert integer_master(problem, Pool(), dual, 2.0) is None  # no columns
