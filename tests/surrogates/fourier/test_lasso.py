"""Sparse functions found from few reports."""

import numpy as np
import pytest

from boca.core import Reports
from boca.functions import Basis, FourierSeries
from boca.surrogates.fourier.lasso import sparse_fit
from boca.surrogates.fourier.transforms import all_sets, small_sets

BASES = list(Basis)


def planted(rng, basis, num_goods, num_terms, largest=None):
    """A sparse function and its sets; large and distinct coefficients."""
    sets = all_sets(num_goods) if largest is None else small_sets(num_goods, largest)
    chosen = sets[1 + rng.choice(len(sets) - 1, num_terms, replace=False)]
    return FourierSeries(
        chosen, rng.choice([-1, 1], num_terms) * rng.uniform(1, 2, num_terms), basis
    )


@pytest.mark.parametrize("basis", BASES)
def test_planted_function_is_recovered_from_few_reports(basis):
    """Tests that 80 reports determine 7 terms among 130 candidates, at all 512 bundles."""
    rng = np.random.default_rng(2)
    function = planted(rng, basis, num_goods=9, num_terms=6, largest=3)
    function = FourierSeries(
        np.vstack([function.frequencies, np.zeros(9)]), [*function.coefficients, 20.0], basis
    )
    bundles = all_sets(9)[rng.choice(512, 80, replace=False)]
    candidates = small_sets(9, 3)
    assert len(candidates) == 130

    found = sparse_fit(Reports(bundles, function(bundles)), candidates, basis, num_terms=80)

    np.testing.assert_allclose(found(all_sets(9)), function(all_sets(9)), atol=1e-6)


def test_constant_reports():
    """Tests that reports without any variation give a constant, not an undefined function."""
    reports = Reports(np.array([[1, 0], [0, 1]]), np.array([3.0, 3.0]))
    found = sparse_fit(reports, all_sets(2), Basis.WHT, 4)
    np.testing.assert_allclose(found(all_sets(2)), 3.0)
