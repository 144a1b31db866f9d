"""Fourier transforms of set functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import generators

from boca.functions import Basis, FourierSeries
from boca.surrogates.fourier.transforms import all_sets, transform

BASES = list(Basis)


@pytest.mark.parametrize("basis", BASES)
def test_series_gives_back_all_functions_of_six_goods(basis):
    """
    Tests every function over 6 goods at once: transform and series are linear, so it is enough that
    they undo each other on the 64 functions that are 1 at one set. They share no code.
    """
    sets = all_sets(6)
    both = np.array(
        [FourierSeries(sets, transform(unit, basis), basis)(sets) for unit in np.eye(64)]
    )
    np.testing.assert_allclose(both, np.eye(64), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(generators())
def test_series_with_the_coefficients_is_the_function(rng):
    """Tests transform and series against each other: they share no code."""
    values = rng.normal(size=32)
    for basis in BASES:
        series = FourierSeries(all_sets(5), transform(values, basis), basis)
        np.testing.assert_allclose(series(all_sets(5)), values, atol=1e-10)
