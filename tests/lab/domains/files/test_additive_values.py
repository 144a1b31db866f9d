"""Tests of additive values with synergies."""

import itertools

import numpy as np
import pytest

from boca.functions import ValueFunction
from boca.lab.domains.files import AdditiveValues


def every_bundle(capacities) -> np.ndarray:
    return np.array(list(itertools.product(*(range(c + 1) for c in capacities))))


def test_additive_values_as_a_network_are_the_same_function():
    """Tests the form in which winner determination gets them, with copies and both signs."""
    values = AdditiveValues(
        capacities=np.array([2, 3, 1]),
        per_copy=np.array([2.0, 5.0, 4.0]),
        pairs=np.array([[0, 1], [1, 2]]),
        per_pair=np.array([3.0, -1.5]),
    )
    bundles = every_bundle([2, 3, 1])

    assert isinstance(values, ValueFunction)
    assert values(np.array([[2, 3, 1]])).tolist() == [4 + 15 + 4 + 2 * 3 - 1.5]
    np.testing.assert_allclose(values.as_net()(bundles), values(bundles), rtol=0, atol=1e-12)


def test_least_gain_is_reached_and_never_undercut():
    """Tests the formula that decides whether a value falls, against all single steps."""
    rng = np.random.default_rng(1)
    bundles = every_bundle([2, 1, 2, 1])
    for _ in range(20):
        values = AdditiveValues(
            np.array([2, 1, 2, 1]),
            rng.uniform(0, 5, 4),
            np.array([[0, 1], [0, 2], [1, 3], [2, 3]]),
            rng.uniform(-3, 3, 4),
        )
        for good, step in enumerate(np.eye(4, dtype=int)):
            fits = bundles[:, good] < values.capacities[good]
            gains = values(bundles[fits] + step) - values(bundles[fits])
            assert gains.min() == pytest.approx(values.least_gains()[good])
