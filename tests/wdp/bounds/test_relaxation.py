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


def test_utilities_are_values_in_another_unit_less_prices():
    """Tests a factor of 3, an offset and a skip connection, over goods of several copies."""
    arrays = [np.array([[1.0], [2.0]])], [np.array([-0.5])], [np.array([1.5])], np.array([4.0])
    net = SupplyNet(*arrays, np.array([0.5, 1.0]), np.array([2, 1]), offset=7.0)
    prices = np.array([0.2, 0.5])
    relaxation = Relaxation(net, 3.0, prices)
    bundles = all_bundles([2, 1])

    np.testing.assert_allclose(relaxation.utilities(bundles), 3 * net(bundles) - bundles @ prices)
    # A box with a single bundle leaves nothing open.
    exact = relaxation.bound(bundles, bundles, 0)
    np.testing.assert_allclose(exact.bounds, relaxation.utilities(bundles))


def test_a_chord_and_a_cut_off_are_mixed_by_hand():
    """
    Tests one neuron over three copies, clipped from x - 1 to between 0 and 1, in units of 6 with a
    price of 1. The chord from (0, 0) to where 1 is reached is (x - 1) / 2 + 1 / 2; the constant is
    1. At the centre, 1.5, the chord is lower: 6 x / 2 - x is 6 at x = 3. There the constant is
    lower, so that equal parts of both are taken next, 3 + x / 2, which is 4.5.
    """
    net = MonotoneNet(
        [np.array([[3.0]])], [np.array([-1.0])], [np.array([1.0])], np.array([6.0]), None, [3]
    )
    relaxation = Relaxation(net, 1.0, np.array([1.0]))
    lower, upper = np.array([[0]]), np.array([[3]])

    first = relaxation.bound(lower, upper, 0)
    assert (first.bounds[0], first.slopes[0, 0], first.corners[0, 0]) == (6, 2, 3)
    assert first.mixtures.tolist() == [[1]]
    # The chord is up to 1 / 2 too high where the neuron is 0, times 6, over three copies.
    assert first.influence[0, 0] == pytest.approx(3 * (6 / 2 + 1e-6 * 2), rel=1e-9)
    second = relaxation.bound(lower, upper, 1)
    assert (second.bounds[0], second.slopes[0, 0], second.corners[0, 0]) == (4.5, 0.5, 3)
    assert second.mixtures.tolist() == [[0.5]]
    # From mixtures that are worth three rounds, the first change is a quarter of the way.
    later = relaxation.bound(lower, upper, 1, second.mixtures, begun=3)
    assert later.mixtures.tolist() == [[0.375]]
