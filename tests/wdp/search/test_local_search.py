import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Allocation, Market
from boca.functions import Quadratic
from boca.wdp import WelfareProblem
from boca.wdp.search.local_search import Effort, Optima, best_of, search
from boca.wdp.search.steps import steps_of


@pytest.fixture(scope="module", params=[1, 24], ids=["stacked", "alone"], autouse=True)
def many(request):
    """Every test here holds with networks in stacks, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boca.wdp.search.steps.MANY", request.param)
        yield request.param


def found_by(problem, effort, seed=0, starts=()):
    steps = {i: steps_of(problem.functions[i]) for i in problem.bidders}
    return search(problem, steps, effort, seed, starts)


@given(generators(), lattices(most=64), st.integers(2, 4), st.integers(1, 6), st.integers(1, 25))
@settings(max_examples=150, deadline=None)
def test_every_allocation_is_feasible(rng, capacities, num_bidders, chains, steps):
    """Tests that limits, capacities and exclusions hold whenever the search is stopped."""
    problem = random_problem(rng, capacities, num_bidders)

    found = found_by(problem, Effort(chains, steps))

    for bundles in found.allocations:
        problem.check(Allocation(bundles))
    assert (np.diff(found.values) <= 0).all()


@given(generators(), lattices(most=64), st.integers(2, 3))
@settings(max_examples=60, deadline=None)
def test_values_are_those_of_the_allocations(rng, capacities, num_bidders):
    """Tests the bookkeeping of moves and perturbations against the functions."""
    problem = random_problem(rng, capacities, num_bidders)

    found = found_by(problem, Effort(4, 30))

    for bundles, value in zip(found.allocations, found.values, strict=True):
        welfare = problem.welfare(Allocation(bundles))
        assert abs(welfare - value) <= 1e-5 * (1 + abs(welfare))


def test_additive_values_are_shared_out_at_once():
    """Tests that with additive values a greedy chain is optimal without any perturbation."""
    functions = [Quadratic(np.zeros((3, 3)), row) for row in np.eye(3) * 2 + 1]
    problem = WelfareProblem(Market.simple(3, 3), functions)

    found = found_by(problem, Effort(chains=1, steps=3))

    assert found.values[0] == 9  # every good to the one who values it at 3
    assert (found.allocations[0] == np.eye(3)).all()


def test_copies_go_to_different_bidders():
    """Tests moves of single copies: two bidders want one copy each of a good with two."""
    functions = [Quadratic(np.array([[-1.0]]), np.array([2.0]), np.array([2])) for _ in range(2)]
    problem = WelfareProblem(Market.simple(1, 2, [2]), functions)

    found = found_by(problem, Effort(chains=2, steps=10))

    assert found.allocations[0].tolist() == [[1], [1]]


def test_search_leaves_a_forbidden_start():
    """Tests "not this bundle again": the start is the solution that is now excluded."""
    functions = [Quadratic(np.zeros((2, 2)), np.array([3.0, 2.0])) for _ in range(2)]
    start = np.array([[1, 1], [0, 0]])
    problem = WelfareProblem(Market.simple(2, 2), functions, excluded={0: start[:1]})

    found = found_by(problem, Effort(chains=1, steps=4), starts=[start])

    assert found.values[0] == 5
    assert best_of(problem, found).tolist() in ([[1, 0], [0, 1]], [[0, 1], [1, 0]])


def test_same_seed_same_chains():
    """Tests the whole trajectory's end in every chain, not only the best one."""
    rng = np.random.default_rng(0)
    problem = random_problem(rng, np.ones(6, dtype=int), 3, ["monotone net"])

    first, second = (found_by(problem, Effort(8, 40), seed=5) for _ in range(2))

    assert (first.allocations == second.allocations).all()
    assert (first.values == second.values).all()


def test_long_search_finds_the_optimum():
    """Tests that small markets are solved, with brute force as the judge."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, np.ones(5, dtype=int), 3, ["monotone net", "relu net"])
        best = brute_force(problem)
        found = found_by(problem, Effort(16, 200))
        if best is not None:
            assert found.values[0] >= best - 1e-5 * (1 + abs(best))


def test_only_allocations_that_may_be_best_are_valued_again():
    """Tests that what single precision sees far below another one is not asked about."""
    functions = [Quadratic(np.zeros((2, 2)), np.array([3.0, 2.0]))]
    problem = WelfareProblem(Market.simple(2, 1), functions)
    rows = np.array([[[1, 0]], [[1, 1]], [[0, 1]]])
    # As seen, the first two are within rounding of each other; the functions know better.
    seen = Optima(rows, np.array([5.0002, 5.0, 4.0]))
    assert best_of(problem, seen).tolist() == [[1, 1]]
    far = Optima(rows, np.array([5.1, 5.0, 4.0]))
    assert best_of(problem, far).tolist() == [[1, 0]]
    assert best_of(problem, Optima(rows[:0], np.zeros(0))) is None
