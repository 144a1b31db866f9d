"""What a Gaussian process expects."""

import numpy as np
import pytest

from boca.core import InputError
from boca.functions.process import Process, parts


def test_parts_by_hand():
    """Tests 1, s, s^2 and exp(-d / 2) with s = 0.5 and d = 1.25 - 1 + 1."""
    expected = [1, 0.5, 0.25, np.exp(-0.5 * (1.25 - 1 + 1))]
    np.testing.assert_allclose(parts(np.array([[0.5, 1]]), np.array([[1.0, 0]]))[:, 0, 0], expected)


def test_values_are_sums_of_parts_around_centres():
    """Tests the quick sums against their definition, and that nothing is worth nothing."""
    rng = np.random.default_rng(0)
    centres, weights = rng.random((5, 3)), rng.normal(size=(4, 5))
    units, capacities = np.array([2.0, 1.0, 0.5]), [3, 1, 2]
    function = Process(centres, weights, units, 7.0, capacities)
    bundles = np.array([[3, 1, 2], [1, 0, 0], [0, 1, 1], [0, 0, 0]])
    each = parts(bundles[:3] / units, centres)
    expected = 7.0 * np.einsum("pk,prk->r", weights, each)
    np.testing.assert_allclose(function(bundles), [*expected, 0])


def test_weights_must_fit_the_centres():
    """Tests that a weight for every part and centre is asked for."""
    with pytest.raises(InputError, match="weights"):
        Process(np.ones((2, 1)), np.ones((4, 3)), np.ones(1))
