import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, generators

from boca.core.errors import InputError
from boca.functions import Basis, FourierSeries

GOODS = np.ones(3, dtype=int)


def transform(values: np.ndarray, basis: Basis) -> np.ndarray:
    """The inverse of each basis as its docstring states it, over all sets of three goods."""
    sets = all_bundles(GOODS)
    coefficients = np.zeros(len(sets))
    for b, frequency in enumerate(sets):
        for a, bundle in enumerate(sets):
            sign = (-1.0) ** int((bundle * frequency).sum())
            if basis is Basis.WHT:
                coefficients[b] += sign * values[a] / len(sets)
            elif basis is Basis.FT3 and (bundle <= frequency).all():
                coefficients[b] += sign * values[a]  # A is a part of B, so |A and B| = |A|
            elif basis is Basis.FT4 and (bundle + frequency >= 1).all():
                coefficients[b] += sign * values[a]
    return coefficients


@given(generators(), st.sampled_from(Basis))
@settings(max_examples=20, deadline=None)
def test_each_basis_represents_every_set_function(rng, basis):
    """Tests that transforming and summing up again gives any function back."""
    sets = all_bundles(GOODS)
    values = rng.normal(size=len(sets))

    series = FourierSeries(sets, transform(values, basis), basis)

    np.testing.assert_allclose(series(sets), values, atol=1e-12)


def test_a_single_frequency_by_hand():
    """Tests the three definitions on the set of the first two goods."""
    bundles = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1]]
    frequency = [[1, 1, 0]]

    assert FourierSeries(frequency, [1.0], "WHT")(bundles).tolist() == [1, -1, 1, 1, 1]
    assert FourierSeries(frequency, [1.0], "FT3")(bundles).tolist() == [0, 0, 1, 1, 0]
    assert FourierSeries(frequency, [1.0], "FT4")(bundles).tolist() == [1, 0, 0, 0, 1]


def test_what_is_no_series_is_refused():
    """Tests that an unknown basis and a frequency that is no set are named."""
    with pytest.raises(InputError, match="expected one of WHT, FT3, FT4"):
        FourierSeries([[1, 0]], [1.0], "DFT")
    with pytest.raises(InputError, match="other than 0 and 1"):
        FourierSeries([[2, 0]], [1.0], "WHT")
