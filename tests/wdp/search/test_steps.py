from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import KINDS, all_bundles, capacities, generators

from boca.functions import MonotoneNet, Scaled
from boca.wdp.search import steps as stepping
from boca.wdp.search.steps import (
    CallSteps,
    NetStack,
    NetSteps,
    grouped,
    steps_of,
    unscaled,
)


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


@given(generators(), capacities(), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_stack_says_what_each_network_says(rng, capacities, num_nets):
    """Tests values and neighbours of many bundles, each by the network of its own member."""
    widths = rng.integers(1, 5, rng.integers(1, 3))
    nets = []
    for _ in range(num_nets):
        shapes = list(pairwise([len(capacities), *widths]))
        net = MonotoneNet(
            [rng.random(shape) for shape in shapes],
            [-0.5 * rng.random(n) for _, n in shapes],
            [1.5 * rng.random(n) for _, n in shapes],
            rng.random(widths[-1]),
            0.3 * rng.random(len(capacities)) if rng.random() < 0.5 else None,
            capacities,
        )
        nets.append(NetSteps(net, factor=1 + rng.random()))
        nets[-1].offset = np.float32(rng.random())  # as networks of savings have
    stack = NetStack(range(num_nets), nets)
    stack.rows = 3  # several blocks
    bundles = rng.integers(capacities + 1, size=(11, len(capacities)))
    who, step = rng.integers(num_nets, size=11), rng.choice([-1, 1], size=bundles.shape)
    values, after = stack.values(who, bundles), stack.after(who, bundles, step)
    for k, member in enumerate(who):
        own, at = nets[member], slice(k, k + 1)
        np.testing.assert_allclose(values[at], own.values(bundles[at]), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            after[at], own.after(bundles[at], step[at]), rtol=1e-4, atol=1e-5
        )


def test_many_networks_of_one_shape_are_stacked(monkeypatch):
    """Tests who stands with whom, and that others are asked alone."""
    monkeypatch.setattr(stepping, "MANY", 2)

    def net(width):
        ones = np.ones((2, width))
        return steps_of(
            MonotoneNet([ones], [np.zeros(width)], [np.ones(width)], np.ones(width), None, [1, 1])
        )

    other = CallSteps(MonotoneNet([], [], [], np.ones(2), None, [1, 1]))
    groups = grouped([net(3), other, net(4), net(3)])
    assert [group.places.tolist() for group in groups] == [[0, 3], [1], [2]]
    assert isinstance(groups[0], NetStack)
    monkeypatch.setattr(stepping, "MANY", 3)
    assert [g.places.tolist() for g in grouped([net(3), net(3)])] == [[0], [1]]
