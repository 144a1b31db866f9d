"""Bounds over boxes: valid for falling networks too, and exact where nothing bends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, generators, supply_net
from random_problems import lattices

from boca.functions import MonotoneNet
from boca.functions.supply import SupplyNet
from boca.wdp.bounds.relaxation import Relaxation


@given(generators(), lattices(most=64), st.integers(0, 6))
@settings(max_examples=150, deadline=None)
def test_bounds_hold_where_weights_are_negative(rng, capacities, rounds):
    """Tests networks of savings, whose first layer falls, on boxes with every bundle."""
    net = supply_net(rng, capacities)
    while not net.depth:
        net = supply_net(rng, capacities)
    prices = 0.3 * rng.normal(size=len(capacities))
    bundles = all_bundles(capacities)
    ends = np.sort(bundles[rng.integers(len(bundles), size=(5, 2))], axis=1)
    bounds = Relaxation(net, 2.0, prices).bound(ends[:, 0], ends[:, 1], rounds).bounds

    utilities = 2.0 * net(bundles) - bundles @ prices
    for k, (lower, upper) in enumerate(ends):
        inside = ((bundles >= lower) & (bundles <= upper)).all(axis=1)
        assert bounds[k] >= utilities[inside].max() - 1e-9


def test_the_smallest_activation_counts_falling_goods_from_the_other_corner():
    """Tests by hand that a neuron that falls below 0 is bounded by its chord, not by its line."""
    arrays = [np.array([[-2.0]])], [np.array([1.0])], [np.array([5.0])], np.array([1.0])
    net = SupplyNet(*arrays, None, np.array([1]))
    # The neuron is 1 at x = 0 and 0, cut off from -1, at x = 1; the chord is 1 - x.
    found = Relaxation(net, 1.0, np.array([-2.0])).bound(np.array([[0]]), np.array([[1]]), 3)
    assert found.bounds[0] == pytest.approx(2.0)


def test_bounds_are_exact_where_no_neuron_bends():
    """Tests that a box in which every neuron is linear is bounded by its best bundle."""
    arrays = [np.array([[1.0], [2.0]])], [np.array([0.0])], [np.array([9.0])], np.array([1.0])
    net = MonotoneNet(*arrays, None, np.array([2, 1]))
    prices = np.array([0.2, 0.5])
    found = Relaxation(net, 1.0, prices).bound(np.array([[0, 0]]), np.array([[2, 1]]), 4)
    assert found.bounds[0] == pytest.approx(1.0 + 2.0 - 0.4 - 0.5)
