import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities, generators, some_bundles

from boca.milp import Model, Status, solve
from boca.wdp.encodings import BundleVariables, exclude


@given(generators(), capacities(max_goods=3))
@settings(max_examples=25, deadline=None)
def test_exactly_the_given_bundles_are_cut_off(rng, capacities):
    """Tests every bundle of the lattice, one by one: excluded ones are infeasible, others not."""
    excluded = some_bundles(rng, capacities)
    keys = {tuple(row) for row in excluded.tolist()}
    bundles = all_bundles(capacities)

    for fixed in bundles[rng.permutation(len(bundles))[:5]]:
        model = Model()
        bundle = BundleVariables(model, capacities)
        exclude(bundle, excluded)
        model.add_rows(bundle.columns[:, None], 1.0, lower=fixed, upper=fixed)

        expected = Status.INFEASIBLE if tuple(fixed.tolist()) in keys else Status.OPTIMAL
        assert solve(model).status is expected


@pytest.mark.parametrize("forbidden", [[0, 0, 0], [1, 0, 1], [1, 1, 1]])
def test_single_copies_give_the_usual_cut(forbidden):
    """Tests the textbook form ``sum (2 b - 1) x <= |b| - 1``, with opposite signs."""
    model = Model()
    bundle = BundleVariables(model, np.ones(3, dtype=int))

    exclude(bundle, [forbidden])

    arrays = model.arrays()
    row = np.zeros(3)
    row[arrays.columns] = arrays.coefficients
    assert row.tolist() == [1 - 2 * b for b in forbidden]
    assert arrays.row_lower.tolist() == [1 - sum(forbidden)]
