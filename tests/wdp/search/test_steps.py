import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import KINDS, all_bundles, capacities, generators

from boca.functions import MonotoneNet, Scaled
from boca.wdp.search.steps import CallSteps, NetSteps, steps_of, unscaled


@given(generators(), capacities(), st.sampled_from(["monotone net", "scaled", "quadratic"]))
@settings(max_examples=60, deadline=None)
def test_steps_are_the_function_at_neighbours(rng, capacities, kind):
    """Tests the quick way against calling the function on every neighbour."""
    function = KINDS[kind](rng, capacities)
    steps = steps_of(function)
    bundles = all_bundles(capacities)
    step = np.where(bundles < capacities, 1, -1)

    after = steps.after(bundles.astype(np.int16), step.astype(np.int16))

    scale = 1 + abs(function(bundles)).max()
    assert steps.values(bundles) == pytest.approx(function(bundles), abs=1e-5 * scale)
    for good in range(len(capacities)):
        neighbours = bundles.copy()
        neighbours[:, good] += step[:, good]
        assert after[:, good] == pytest.approx(function(neighbours), abs=1e-5 * scale)


def test_scaled_networks_stay_quick():
    """Tests that units of money do not cost the fast path."""
    net = MonotoneNet([np.ones((2, 1))], [np.zeros(1)], [np.ones(1)], np.ones(1))
    inner, factor = unscaled(Scaled(Scaled(net, 2.0), 3.0))

    assert inner is net
    assert factor == 6
    assert isinstance(steps_of(Scaled(net, 2.0)), NetSteps)
    linear = MonotoneNet([], [], [], np.ones(2))
    assert isinstance(steps_of(linear), CallSteps)  # a net without layers has no first layer
