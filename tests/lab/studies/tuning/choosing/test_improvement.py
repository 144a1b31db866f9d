"""The next point of a search."""

import numpy as np
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution

from boca.lab.studies.tuning.choosing.improvement import (
    MOST_COMPRESSED,
    Tried,
    compress,
    first_point,
    log_improvement,
    propose,
)
from boca.lab.studies.tuning.choosing.unit_cube import UnitCube

pytestmark = pytest.mark.slow

CUBE = UnitCube(
    {
        "x": FloatDistribution(0.0, 1.0),
        "y": FloatDistribution(0.0, 1.0),
        "kind": CategoricalDistribution(("good", "bad")),
    }
)


def value(point):
    """Best at (0.3, 0.7) with the good kind."""
    distance = (point["x"] - 0.3) ** 2 + (point["y"] - 0.7) ** 2
    return 1 + distance + (point["kind"] == "bad") * 0.3


def first_tries(num=12):
    """Points before anything is known, with their values."""
    points = [first_point(CUBE, number, seed=1) for number in range(num)]
    return [Tried(point, value(point)) for point in points]


def spread(points):
    """The mean distance between points."""
    rows = np.array([CUBE.row_of(point) for point in points])
    return np.linalg.norm(rows[:, None] - rows[None], axis=2).mean()


def test_expected_improvement_is_its_integral():
    """Tests the formula against an average over many draws, and that it never overflows."""
    draws = np.random.default_rng(0).standard_normal(400_000)
    for mean, deviation, best in ((0.0, 1.0, 0.5), (2.0, 0.5, 1.0), (-1.0, 2.0, 0.0)):
        simulated = np.maximum(best - (mean + deviation * draws), 0).mean()
        (log,) = log_improvement(np.array([mean]), np.array([deviation]), best)
        assert np.exp(log) == pytest.approx(simulated, rel=0.05)

    far = log_improvement(np.array([7.9, 8.1, 50.0, 60.0]), np.ones(4), 0.0)
    assert np.isfinite(far).all()
    assert (np.diff(far) < 0).all()


def test_bad_values_are_alike_and_good_ones_are_not():
    """Tests compression by hand: the median is one unit away from the best."""
    numbers = compress(np.array([1.0, 2.0, 3.0, 1e15, 1e9]))

    assert numbers == pytest.approx(
        [0.0, np.log(1.5), np.log(2.0), MOST_COMPRESSED, MOST_COMPRESSED]
    )
    assert compress(np.array([2.0, 2.0])) == pytest.approx([0.0, 0.0])


def test_search_comes_near_the_best_point():
    """Tests a whole search: a dozen more trials are better than many random ones would be."""
    tried = first_tries()
    for number in range(12):
        point = propose(CUBE, tried, np.random.default_rng(number))
        tried.append(Tried(point, value(point)))

    assert min(one.value for one in tried) < 1.001  # 0.3 % of random points
    assert sum(one.point["kind"] == "good" for one in tried[12:]) >= 9


def test_point_under_way_is_not_proposed_again():
    """Tests that two processes do not try the same at the same time."""
    tried = first_tries(6)
    points = []
    for number in range(4):
        under_way = [Tried(point, None) for point in points]
        points.append(propose(CUBE, [*tried, *under_way], np.random.default_rng(number)))
    alone = [propose(CUBE, tried, np.random.default_rng(number)) for number in range(4)]

    assert spread(points) > 2 * spread(alone)
