"""The coefficient of determination."""

import numpy as np
import pytest

from boca.surrogates.goodness import r_squared

VALUES = np.array([1.0, 2.0, 3.0, 6.0])


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (VALUES, 1.0),
        (np.full(4, 3.0), 0.0),  # the average
        (VALUES + 1, 1 - 4 / 14),  # squares 4, 1, 0, 9 around the average
    ],
)
def test_by_hand(predicted, expected):
    """Tests perfect, average and shifted predictions."""
    assert r_squared(predicted, VALUES) == pytest.approx(expected)


@pytest.mark.parametrize(("predicted", "expected"), [(2.0, 1.0), (2.1, 0.0)])
def test_values_that_are_all_equal(predicted, expected):
    """Tests that nothing is divided by zero: there is only right and wrong."""
    assert r_squared(np.full(3, predicted), np.full(3, 2.0)) == expected
