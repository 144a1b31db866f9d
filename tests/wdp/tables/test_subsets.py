import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import generators
from random_problems import brute_force, lattices, random_problem

from boca.core import Allocation
from boca.wdp import Workspace
from boca.wdp.tables import subsets
from boca.wdp.tables.subsets import convolve, num_pairs, solve_subsets
from boca.wdp.tables.value_table import Lattice


@given(generators(), lattices(most=64), st.sampled_from([(2, 4), (8, 16), (128, 8192)]))
@settings(max_examples=60, deadline=None)
def test_convolution_by_definition(rng, capacities, sizes):
    """Tests every set and every part, for several ways of splitting goods and tiles."""
    lattice = Lattice(tuple(capacities.tolist()))
    first, second = rng.normal(size=(2, lattice.size))
    bundles = lattice.bundles(np.arange(lattice.size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsets, "LOW", sizes[0])
        patch.setattr(subsets, "TILE", sizes[1])
        found = convolve(lattice, first, second)

    pairs = 0
    for whole, bundle in enumerate(bundles):
        parts = np.flatnonzero((bundles <= bundle).all(axis=1))
        assert found[whole] == pytest.approx((first[whole - parts] + second[parts]).max())
        pairs += len(parts)
    assert pairs == num_pairs(lattice)


@given(generators(), lattices(most=64), st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_allocation_agrees_with_brute_force(rng, capacities, num_bidders):
    """Tests the way back from the best welfare to who gets what."""
    problem = random_problem(rng, capacities, num_bidders)
    best = brute_force(problem)
    tables = Workspace(problem.market, problem.functions).tables(problem)

    bundles, welfare = solve_subsets(tables)

    if best is None:
        assert np.isneginf(welfare)
        return
    everyone = np.zeros((problem.market.num_bidders, len(capacities)), dtype=int)
    everyone[list(problem.bidders)] = bundles
    problem.check(Allocation(everyone))
    assert welfare == pytest.approx(best, abs=1e-6 * (1 + abs(best)))
    assert problem.welfare(Allocation(everyone)) == pytest.approx(welfare)
