"""Which sets matter most to a function."""

import numpy as np
import pytest

from boca.functions import Basis, FourierSeries
from boca.surrogates.fourier.candidates import largest_sets, small_coefficients
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
def test_planted_sets_are_found(basis):
    """Tests that the sets of a sparse function are those with its largest coefficients."""
    rng = np.random.default_rng(1)
    function = planted(rng, basis, num_goods=9, num_terms=12)
    found = largest_sets(function, basis, 12, rng)
    expected = {row.astype(np.int8).tobytes() for row in function.frequencies}
    assert {row.tobytes() for row in found} == expected


@pytest.mark.parametrize("basis", BASES)
def test_coefficients_of_small_sets_in_large_markets(basis):
    """Tests estimates (WHT) and exact values (FT3, FT4) where subsets cannot be listed."""
    rng = np.random.default_rng(3)
    function = planted(rng, basis, num_goods=25, num_terms=8, largest=2)
    sets = small_sets(25, 2)
    found = small_coefficients(function, sets, basis, rng)
    expected = np.zeros(len(sets))
    for row, coefficient in zip(function.frequencies, function.coefficients, strict=True):
        expected[(sets == row).all(axis=1)] = coefficient
    tolerance = 0.3 if basis is Basis.WHT else 1e-9
    np.testing.assert_allclose(found, expected, atol=tolerance)
