"""Functions that are trusted near one bundle."""

import numpy as np
import pytest

from boca.core import InputError
from boca.functions import MonotoneNet
from boca.functions.near import Near

LINEAR = MonotoneNet([], [], [], np.array([3.0, 6.0]), capacities=[3, 2])


def test_copies_beyond_the_distance_cost():
    """Tests the penalty by hand: two copies are free, each further one costs 10."""
    near = Near(LINEAR, np.array([1, 0]), radius=2, penalty=10.0)
    bundles = np.array([[1, 0], [3, 0], [2, 2], [0, 2]])  # distances 0, 2, 3, 3
    np.testing.assert_allclose(near(bundles), LINEAR(bundles) - [0, 0, 10, 10])
    assert near.capacities.tolist() == [3, 2]


def test_centres_outside_the_market_are_refused():
    """Tests that a centre obeys capacities, and radius and penalty are not negative."""
    with pytest.raises(InputError, match="expected between 0 and 3"):
        Near(LINEAR, np.array([4, 0]), 1, 1.0)
    with pytest.raises(InputError, match="zero or more"):
        Near(LINEAR, np.array([1, 0]), -1, 1.0)
