"""Tests of branch and bound on networks: each step by hand, and the end by brute force."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles, generators, monotone_net
from random_problems import lattices

from boca.functions import MonotoneNet
from boca.wdp.bounds import branch as module
from boca.wdp.bounds.branch import Branching
from boca.wdp.bounds.relaxation import BoxBounds, Relaxation


def deep_net(rng, capacities):
    """A random net with at least one layer."""
    while True:
        net = monotone_net(rng, capacities)
        if net.depth:
            return net


class Scripted:
    """A relaxation that answers along a script and notes what it was asked."""

    def __init__(self, *answers, worth=(1.0, 1.0)):
        self.answers, self.asked, self.worth = list(answers), [], np.array(worth)

    def bound(self, lower, upper, rounds, start=None, begun=1):
        start = None if start is None else start.tolist()
        self.asked.append((lower.tolist(), upper.tolist(), rounds, start, begun))
        return self.answers.pop(0)

    def utilities(self, bundles):
        return bundles @ self.worth


def boxes(bounds, slopes=(), corners=(), influence=(), mixtures=()):
    """What a relaxation says about boxes, one row each."""
    return BoxBounds(
        *(np.array(part, float) for part in (bounds, slopes, corners)),
        *(np.array(part, float) for part in (influence, mixtures)),
    )


def everything(bundles):
    return np.ones(len(bundles), bool)


ROOT = boxes([10.0], mixtures=[[0.5]])


def test_boxes_are_bounded_tightened_and_split_by_hand():
    """
    Tests three steps over three copies of a good and one of another, with a tolerance of 0.5.

    The first corner, (3, 0), is worth 3. 8 - 3.5 is left for slopes of 2 and -1, so that 2 copies
    of the first good may be missing, and all of the second taken; its influence splits the box.
    """
    relaxation = Scripted(
        ROOT,
        boxes([8.0], [[2, -1]], [[3, 0]], [[1, 5]], [[0.25]]),
        boxes([9.0, 3.25], [[1, 0], [1, 1]], [[3, 0], [3, 1]], [[0.1, 99]] * 2, [[0.125], [0.75]]),
        boxes([6.0, 7.0], [[1, 0]] * 2, [[2, 0], [3, 0]], [[1, 1]] * 2, [[0.1], [0.2]]),
    )
    branching = Branching(relaxation, np.array([3, 1]), everything, 0.5)
    assert relaxation.asked == [([[0, 0]], [[3, 1]], 100, None, 1)]
    assert (branching.bundle, branching.utility, branching.bound) == (None, -np.inf, 10)

    branching.step()
    assert relaxation.asked[1] == ([[0, 0]], [[3, 1]], 8, [[0.5]], 6)
    assert (branching.bundle.tolist(), branching.utility) == ([3, 0], 3)
    assert branching.closed == 3.5  # what was cut off is worth no more
    assert (branching.lower.tolist(), branching.upper.tolist()) == (
        [[1, 0], [1, 1]],
        [[3, 0], [3, 1]],
    )
    assert (branching.bounds.tolist(), branching.num_boxes, branching.bound) == ([8, 8], 1, 8)

    # The first box was bounded by 8 before, and only its first good is open; the second is closed.
    branching.step()
    assert relaxation.asked[2] == ([[1, 0], [1, 1]], [[3, 0], [3, 1]], 8, [[0.25], [0.25]], 6)
    assert (branching.bundle.tolist(), branching.utility, branching.closed) == ([3, 1], 4, 4.5)
    assert (branching.lower.tolist(), branching.upper.tolist()) == (
        [[1, 0], [3, 0]],
        [[2, 0], [3, 0]],
    )
    assert (branching.bounds.tolist(), branching.num_boxes) == ([8, 8], 3)
    assert branching.mixtures.tolist() == [[0.125], [0.125]]

    # The second box is one bundle, its corner: it is gone. The first is split into its two.
    branching.step()
    assert (branching.lower.tolist(), branching.upper.tolist()) == (
        [[1, 0], [2, 0]],
        [[1, 0], [2, 0]],
    )
    assert (branching.bounds.tolist(), branching.num_boxes) == ([6, 6], 5)
    assert (branching.bundle.tolist(), branching.closed, branching.bound) == ([3, 1], 4.5, 6)


def branching_at(utility=3.0, tolerance=0.5, capacities=(4, 4), allows=everything):
    """A search that knows a bundle of this utility."""
    branching = Branching(Scripted(ROOT), np.array(capacities), allows, tolerance)
    branching.utility = utility
    return branching


def test_slopes_rule_copies_out_by_hand():
    """
    Tests boxes from (1, 0) to (4, 4): 4.5 - 3.5 pays for no copy at a slope of 2, two at 0.5 and,
    to either side of the corner, one at -1; a slope of 0 rules nothing out, even if nothing is
    left to pay with.
    """
    branching = branching_at()
    lower, upper = np.array([[1, 0]], np.int16), np.array([[4, 4]], np.int16)

    def tightened(bound, slopes, corners):
        ends = branching._tightened(lower, upper, boxes([bound], [slopes], [corners]))
        return [end[0].tolist() for end in ends]

    assert tightened(9.5, [2, 1], [4, 4]) == [[1, 0], [4, 4]]
    assert branching.closed == -np.inf  # nothing was cut off
    assert tightened(3.5, [0, 0], [4, 0]) == [[1, 0], [4, 4]]
    assert branching.closed == -np.inf
    assert tightened(4.5, [2, 0.5], [4, 4]) == [[4, 2], [4, 4]]
    assert branching.closed == 3.5
    branching.closed = -np.inf
    assert tightened(4.5, [-0.5, -1], [1, 0]) == [[1, 0], [3, 1]]
    assert branching.closed == 3.5
    branching.closed = 7.0
    assert tightened(3.0, [2, -2], [4, 0]) == [[4, 0], [4, 0]]
    assert branching.closed == 7
    branching.closed = -np.inf
    assert tightened(4.5, [0.3, -1], [4, 0]) == [[1, 0], [4, 1]]
    assert branching.closed == 3.5  # an upper end alone
    lower, upper = np.array([[15_000] * 2], np.int16), np.array([[20_000] * 2], np.int16)
    assert tightened(4.5, [0, 0], [20_000, 15_000]) == [[15_000] * 2, [20_000] * 2]


def test_the_best_allowed_bundle_is_kept():
    """Tests that equals do not replace each other, and who comes next where one is not allowed."""
    branching = branching_at(-np.inf, allows=lambda rows: rows.sum(axis=1) != 6)
    branching.offer(np.array([[2, 4], [1, 2], [2, 3], [0, 1]]))
    assert (branching.bundle.tolist(), branching.utility) == ([2, 3], 5)
    branching.offer(np.array([[3, 2], [4, 1]]))
    assert branching.bundle.tolist() == [2, 3]
    branching.offer(np.array([[3, 3]]))
    assert branching.bundle.tolist() == [2, 3]
    branching.offer(np.array([[4, 3]]))
    assert (branching.bundle.tolist(), branching.utility) == ([4, 3], 7)
    assert branching.bundle.dtype == np.int64
    assert branching.bound == 10


def test_boxes_that_were_overtaken_are_closed():
    """Tests bounds around 3 + 0.5: exactly there, nothing better is left in a box."""
    branching = branching_at()
    branching.bounds = np.array([3.5, 3.75, 2.0])
    branching.lower = branching.upper = branching.mixtures = np.arange(3)[:, None]
    branching.prune()
    assert (branching.bounds.tolist(), branching.closed) == ([3.75], 3.5)
    assert branching.lower.tolist() == branching.mixtures.tolist() == [[1]]
    branching.closed = 9.0
    branching.bounds = np.array([3.25])
    branching.prune()
    assert (len(branching.bounds), branching.closed, branching.bound) == (0, 9, 9)
    branching.closed = -np.inf
    assert branching.bound == 3  # the bundle itself


def test_a_step_closes_what_reaches_the_incumbent_exactly():
    """Tests two boxes with bounds of 3.5 and 3.25, which a tolerance of 0.5 makes equal to 3."""
    branching = branching_at()
    branching.lower, branching.upper = np.zeros((2, 2), int), np.ones((2, 2), int)
    branching.bounds, branching.mixtures = np.array([9.0, 9.0]), np.zeros((2, 1))
    slopes, corners = [[0, 0]] * 2, [[1, 1]] * 2
    branching.relaxation.answers = [boxes([3.5, 3.25], slopes, corners, slopes, [[0], [0]])]
    branching.step()
    assert (len(branching.bounds), branching.closed) == (0, 3.5)


def test_boxes_are_taken_in_batches_the_best_first(monkeypatch):
    """Tests three boxes in batches of two, and exactly one batch."""
    monkeypatch.setattr(module, "BATCH", 2)
    for bounds, taken, left in (([5.0, 9.0, 7.0], [1, 2], [0]), ([5.0, 9.0], [0, 1], [])):
        branching = branching_at()
        branching.lower = branching.upper = np.arange(len(bounds))[:, None].repeat(2, axis=1)
        branching.bounds, branching.mixtures = np.array(bounds), np.zeros((len(bounds), 1))
        still = [[0, 0]] * 2
        branching.relaxation.answers = [boxes([0, 0], still, still, still, [[0], [0]])]
        branching.step()
        asked = [row[0] for row in branching.relaxation.asked[-1][0]]
        assert sorted(asked) == taken
        assert branching.lower[:, 0].tolist() == left
        assert branching.bounds.tolist() == [bounds[k] for k in left]
        assert branching.num_boxes == 2


def test_a_batch_is_a_thousand_boxes():
    """Tests how many boxes are bounded at a time where two thousand are open."""
    branching = branching_at()
    branching.lower = branching.upper = np.zeros((2000, 2), int)
    branching.bounds, branching.mixtures = np.full(2000, 9.0), np.zeros((2000, 1))
    still = np.zeros((1024, 2))
    branching.relaxation.answers = [boxes(np.zeros(1024), still, still, still, still[:, :1])]
    branching.step()
    assert len(branching.relaxation.asked[-1][0]) == 1024


@pytest.mark.parametrize(("most", "kind"), [(32_767, np.int16), (32_768, np.int64)])
def test_counts_of_copies_fit(most, kind):
    """Tests the largest count that fits into 16 bits."""
    assert branching_at(capacities=(most, 1)).upper.dtype == kind


@pytest.mark.parametrize(
    ("bound", "most_boxes", "deadline", "is_proven", "num_steps"),
    [
        (3.5, 9, 7.0, True, 0),  # within the tolerance of 0.5 of 3
        (3.75, 9, 7.0, True, 1),
        (3.75, 0, 7.0, False, 0),
        (3.75, 1, 7.0, True, 1),
        (3.75, 9, 5.0, True, 1),  # the time is just over
        (3.75, 9, 4.5, False, 0),
    ],
)
def test_when_a_search_ends(monkeypatch, bound, most_boxes, deadline, is_proven, num_steps):
    """Tests proof, number and time, at 5 o'clock: one box, whose second bound is below 3."""
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: 5.0))
    branching = branching_at()
    branching.bounds = np.array([bound])
    branching.relaxation.answers = [boxes([2.0], [[0, 0]], [[0, 0]], [[0, 0]], [[0]])]
    assert branching.run(most_boxes, deadline) == is_proven
    assert branching.num_boxes == num_steps


def test_boxes_that_were_overtaken_are_not_looked_at_again(monkeypatch):
    """
    Tests four boxes in batches of three. A bundle of 4.9 comes to light, which closes the fourth,
    bounded by 5, as well; of the others only the first goes on, in two parts.
    """
    monkeypatch.setattr(module, "BATCH", 3)
    branching = branching_at()
    branching.lower, branching.upper = np.zeros((4, 2), int), np.ones((4, 2), int)
    branching.bounds, branching.mixtures = np.array([9.0, 8.0, 7.0, 5.0]), np.zeros((4, 1))
    branching.relaxation.worth = np.array([4.9, 0.0])
    still, corners = [[0, 0]] * 3, [[1, 0]] * 3
    branching.relaxation.answers = [
        boxes([6.0, 2.0, 2.0], still, corners, still, [[0]] * 3),
        boxes([2.0, 2.0], still[:2], corners[:2], still[:2], [[0]] * 2),
    ]
    assert branching.run(100)
    assert branching.num_boxes == 5
    assert (branching.utility, branching.closed) == (4.9, 5.0)


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
