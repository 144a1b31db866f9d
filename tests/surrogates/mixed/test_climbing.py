"""Hill climbing inside compiled programs."""

from itertools import pairwise

import numpy as np

from boca.core import Bidder, Good, Limit, Market
from boca.surrogates.mixed.answers import room_of
from boca.surrogates.mixed.climbing import climb, neighbours
from boca.surrogates.mvnn.network import Weights, evaluate

CAPACITIES = np.array([1, 2, 3])


def network(rng, layers=2) -> Weights:
    """A random monotone network over three goods."""
    widths = [3, *([4] * layers)]
    shapes = list(pairwise(widths))
    return Weights(
        tuple(rng.random(shape).astype(np.float32) for shape in shapes),
        tuple(-rng.random(n).astype(np.float32) * 0.3 for _, n in shapes),
        tuple(rng.random(n).astype(np.float32) for _, n in shapes),
        rng.random(4).astype(np.float32),
        rng.random(3).astype(np.float32),
    )


def market_of(limits=()) -> Market:
    goods = tuple(Good(f"good {j}", int(c)) for j, c in enumerate(CAPACITIES))
    return Market(goods, (Bidder("one", limits=limits),))


def test_neighbours_are_the_values_after_a_step():
    """Tests the shortcut through the first layer against evaluating every neighbour."""
    rng = np.random.default_rng(0)
    weights = network(rng)
    bundles = (rng.integers(0, CAPACITIES + 1, (5, 3)) / CAPACITIES).astype(np.float32)
    step = (1 / CAPACITIES).astype(np.float32)
    expected = [evaluate(weights, bundles + step * row) for row in np.eye(3, dtype=np.float32)]
    np.testing.assert_allclose(neighbours(weights, bundles, step), np.array(expected).T, atol=1e-6)


def test_climbing_ends_where_no_move_helps():
    """Tests that the end is a local optimum of value less cost, within capacities."""
    rng = np.random.default_rng(1)
    weights = network(rng)
    costs = rng.random((8, 3)).astype(np.float32)
    room = room_of(market_of(), 0)
    found = np.asarray(climb(weights, np.zeros((8, 3), np.float32), costs, room, 20))
    counts = np.round(found * CAPACITIES)
    np.testing.assert_allclose(found * CAPACITIES, counts, atol=1e-5)
    assert (counts >= 0).all()
    assert (counts <= CAPACITIES).all()
    here = evaluate(weights, found) - (costs * found).sum(axis=1)
    for sign in (-1, 1):
        for good in range(3):
            moved = counts.copy()
            moved[:, good] += sign
            inside = (moved[:, good] >= 0) & (moved[:, good] <= CAPACITIES[good])
            x = (moved / CAPACITIES).astype(np.float32)
            there = evaluate(weights, x) - (costs * x).sum(axis=1)
            assert (there[inside] <= here[inside] + 1e-5).all()


def test_limits_are_respected():
    """Tests that goods for nothing are taken up to a bidder's limit, and none that it forbids."""
    weights = network(np.random.default_rng(2), layers=1)
    limits = (Limit((1.0, 1.0, 1.0), 2.0), Limit((0.0, 0.0, 1.0), 0.0))
    room = room_of(market_of(limits), 0)
    found = climb(weights, np.zeros((1, 3), np.float32), np.zeros(3, np.float32), room, 20)
    counts = np.round(np.asarray(found)[0] * CAPACITIES)
    assert counts.sum() == 2
    assert counts[2] == 0
