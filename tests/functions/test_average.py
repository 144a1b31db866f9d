"""Several networks as one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, capacities, generators

from boca.core import InputError
from boca.functions import MonotoneNet
from boca.functions.average import Optimistic, average_net


def nets_of(rng, limits, depth, num):
    """Networks of one depth; widths may differ."""
    nets = []
    for _ in range(num):
        widths = [len(limits), *rng.integers(1, 5, depth)]
        shapes = list(pairwise(widths))
        nets.append(
            MonotoneNet(
                [rng.random(shape) for shape in shapes],
                [-rng.random(n) for _, n in shapes],
                [rng.random(n) for _, n in shapes],
                rng.random(widths[-1]),
                rng.random(len(limits)),
                limits,
            )
        )
    return nets


@settings(max_examples=50, deadline=None)
@given(generators(), capacities(), st.integers(0, 3), st.integers(1, 4))
def test_average_net_is_the_average(rng, limits, depth, num):
    """Tests the joined network against averaging values, at any depth."""
    nets = nets_of(rng, limits, depth, num)
    bundles = all_bundles(limits)
    expected = np.mean([net(bundles) for net in nets], axis=0)
    np.testing.assert_allclose(average_net(nets)(bundles), expected, atol=1e-12)


def test_networks_that_do_not_fit_are_refused():
    """Tests the message, since joining layers of different networks would mix them up."""
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="different depths"):
        average_net([*nets_of(rng, [1, 1], 1, 1), *nets_of(rng, [1, 1], 2, 1)])
    with pytest.raises(InputError, match="no networks"):
        average_net([])


def test_optimism_is_mean_plus_spread():
    """Tests the formula by hand: 2 and 4 have mean 3 and standard deviation 1."""
    nets = [MonotoneNet([], [], [], np.array([w])) for w in (2.0, 4.0)]
    np.testing.assert_allclose(Optimistic(nets, 0.5)([[1], [0]]), [3.5, 0.0])
    with pytest.raises(InputError, match="zero or more"):
        Optimistic(nets, -1.0)
    with pytest.raises(InputError, match="different goods"):
        Optimistic([nets[0], MonotoneNet([], [], [], np.ones(2))], 1.0)
