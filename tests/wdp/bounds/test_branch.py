import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, generators, monotone_net
from random_problems import lattices

from boca.functions import MonotoneNet
from boca.wdp.bounds.branch import Branching
from boca.wdp.bounds.relaxation import Relaxation


def deep_net(rng, capacities):
    """A random net with at least one layer."""
    while True:
        net = monotone_net(rng, capacities)
        if net.depth:
            return net


@given(generators(), lattices(most=64), st.integers(0, 6))
@settings(max_examples=150, deadline=None)
def test_bounds_are_never_below_a_bundle_of_the_box(rng, capacities, rounds):
    """Tests the relaxation on random boxes, where every bundle can be looked at."""
    net = deep_net(rng, capacities)
    prices = rng.normal(size=len(capacities))
    relaxation = Relaxation(net, 2.0, prices)
    bundles = all_bundles(capacities)
    ends = np.sort(bundles[rng.integers(len(bundles), size=(5, 2))], axis=1)
    lower, upper = ends[:, 0], ends[:, 1]

    found = relaxation.bound(lower, upper, rounds)

    utilities = 2.0 * net(bundles) - bundles @ prices
    assert relaxation.utilities(bundles) == pytest.approx(utilities)
    for k in range(5):
        inside = ((bundles >= lower[k]) & (bundles <= upper[k])).all(axis=1)
        assert found.bounds[k] >= utilities[inside].max() - 1e-9
        # The slopes are those of a linear function above the network, largest at the corner.
        linear = found.bounds[k] + (bundles[inside] - found.corners[k]) @ found.slopes[k]
        assert (linear >= utilities[inside] - 1e-9).all()


@given(generators(), lattices(most=128), st.sampled_from([0.0, 0.05]))
@settings(max_examples=100, deadline=None)
def test_best_bundle_agrees_with_brute_force(rng, capacities, tolerance):
    """Tests exactness, with bundles that are not allowed and with a tolerance."""
    net = deep_net(rng, capacities)
    prices = 0.3 * rng.random(len(capacities))
    bundles = all_bundles(capacities)
    allowed = rng.random(len(bundles)) < 0.8
    names = {tuple(bundle) for bundle in bundles[allowed].tolist()}

    branching = Branching(
        Relaxation(net, 1.0, prices),
        capacities,
        lambda rows: np.array([tuple(row) in names for row in rows.astype(int).tolist()], bool),
        tolerance,
    )
    finished = branching.run(most_boxes=100_000)

    assert finished
    if not allowed.any():
        assert branching.bundle is None
        return
    best = (net(bundles) - bundles @ prices)[allowed].max()
    assert best - tolerance - 1e-9 <= branching.utility <= best + 1e-9
    assert tuple(branching.bundle.tolist()) in names
    assert branching.bound >= best - 1e-9
    assert branching.bound <= branching.utility + tolerance + 1e-9


def test_unfinished_bounds_are_valid():
    """Tests that giving up leaves a bound, because a time limit is a status."""
    rng = np.random.default_rng(0)
    capacities = np.ones(10, dtype=int)
    net = deep_net(rng, capacities)
    prices = 0.05 * rng.random(10)
    branching = Branching(
        Relaxation(net, 1.0, prices), capacities, lambda rows: np.ones(len(rows), bool), 0.0
    )

    branching.run(most_boxes=1)

    bundles = all_bundles(capacities)
    assert branching.bound >= (net(bundles) - bundles @ prices).max() - 1e-9


def test_a_tighter_earlier_bound_does_not_cut_the_best_bundle_off():
    """
    Tests a box whose second bound (few rounds) is looser than its first: only the second belongs
    to the slopes by which goods are ruled out. Either of the first two goods saturates the network.
    """
    capacities = np.array([1, 1, 2])
    net = MonotoneNet(
        weights=[[[0.55774455], [0.36807994], [0.21494196]], [[0.73638587]]],
        biases=[[-0.25404091], [0.0]],
        cutoffs=[[1.24851919], [0.05516604]],
        output=[0.56753981],
        capacities=capacities,
    )
    prices = np.array([0.1682996, 0.06959014, 0.109609])
    factor = 6926.579514268227
    utilities = factor * net(all_bundles(capacities)) - all_bundles(capacities) @ prices

    relaxation = Relaxation(net, factor, prices)
    branching = Branching(relaxation, capacities, lambda rows: np.ones(len(rows), bool), 1e-9)

    assert branching.run(10_000)
    assert branching.utility == pytest.approx(utilities.max(), rel=1e-12)
    assert branching.bound >= utilities.max()
    assert branching.bundle.tolist() == [0, 1, 0]


@given(
    generators(),
    st.lists(st.integers(1, 12), min_size=1, max_size=3).map(np.array),
    st.sampled_from([0.0, 0.02]),
)
@settings(max_examples=100, deadline=None)
def test_many_copies_agree_with_brute_force(rng, capacities, tolerance):
    """
    Tests goods with up to twelve copies: how many copies a slope rules out must not be limited by
    anything but the box.
    """
    net = deep_net(rng, capacities)
    prices = 0.3 * rng.random(len(capacities)) * rng.integers(0, 2, len(capacities))
    bundles = all_bundles(capacities)

    branching = Branching(
        Relaxation(net, 1.0, prices), capacities, lambda rows: np.ones(len(rows), bool), tolerance
    )

    assert branching.run(most_boxes=100_000)
    best = (net(bundles) - bundles @ prices).max()
    assert best - tolerance - 1e-9 <= branching.utility <= best + 1e-9
    assert branching.bound >= best - 1e-9


@pytest.mark.parametrize("copies", [9_999, 12_000, 20_000, 40_000])
def test_thousands_of_copies(copies):
    """
    Tests a value that grows to the last copy: the best bundle is the full one, even where a count
    of copies does not fit into 16 bits or is larger than any number that stands for "no limit".
    """
    capacities = np.array([copies, 1])
    net = MonotoneNet([[[1.0], [0.1]]], [[-0.2]], [[2.0]], [1.0], capacities=capacities)
    prices = np.array([0.01 / copies, 0.01])

    branching = Branching(
        Relaxation(net, 1.0, prices), capacities, lambda rows: np.ones(len(rows), bool), 1e-9
    )

    assert branching.run(most_boxes=100_000)
    assert branching.bundle.tolist() == [copies, 1]
    assert branching.utility == pytest.approx(1.1 - 0.2 - 0.02)
    assert branching.bound >= branching.utility
