"""How well predictions fit."""

import numpy as np
import pytest

from boca.surrogates.goodness import goodness, pearson, r_squared

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


def test_correlation_of_constant_predictions():
    """Tests that a dead network counts as the worst fit, not as an undefined one."""
    assert pearson(np.ones(3), np.array([1.0, 2.0, 3.0])) == -1.0
    assert pearson(np.array([1.0, 2.0]), np.array([10.0, 20.0])) == pytest.approx(1.0)


def test_diagnostics_carry_the_name_of_the_function():
    """Tests the two numbers that every surrogate reports about its fit."""
    assert goodness("upper", VALUES + 1, VALUES) == {
        "upper_r2": pytest.approx(1 - 4 / 14),
        "upper_mae": 1.0,
    }
