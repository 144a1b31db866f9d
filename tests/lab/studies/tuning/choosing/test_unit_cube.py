"""Hyperparameters as points of a unit cube."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from boca.lab.studies.tuning.choosing.unit_cube import UnitCube

RANGES = {
    "rate": FloatDistribution(0.001, 0.1, log=True),
    "share": FloatDistribution(-1.0, 1.0),
    "quarter": FloatDistribution(0.0, 1.0, step=0.25),
    "epochs": IntDistribution(4000, 8000, step=500),
    "units": IntDistribution(1, 64, log=True),
    "kind": CategoricalDistribution(("a", "b", "c")),
}
CUBE = UnitCube(RANGES)


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_every_row_means_a_point_that_can_be_taken(row):
    """Tests that a point is in its ranges, and is found again from its own row."""
    point = CUBE.point_of(row)

    for name, distribution in RANGES.items():
        assert distribution._contains(distribution.to_internal_repr(point[name]))
    again = CUBE.point_of(CUBE.row_of(point))
    assert again.pop("kind") == point.pop("kind")
    assert again == pytest.approx(point)


def test_ends_and_middles():
    """Tests coordinates by hand."""
    point = {
        "rate": 0.01,
        "share": 0.0,
        "quarter": 0.75,
        "epochs": 8000,
        "units": 8,
        "kind": "b",
    }

    assert CUBE.row_of(point) == pytest.approx([0.5, 0.5, 0.75, 1.0, 0.5, 0.5])
    assert CUBE.point_of([0.5, 0.5, 0.8, 0.97, 0.5, 0.4]) == point | {"rate": pytest.approx(0.01)}


def test_any_two_choices_are_as_far_apart_as_two_ends():
    """Tests that choices have no order, which the numbers of a coordinate would give them."""
    rows = CUBE.snapped(np.array([[0.5] * 5 + [place] for place in (0.1, 0.5, 0.9)]))
    axes = CUBE.axes(rows)
    distances = [np.linalg.norm(axes[i] - axes[j]) for i, j in ((0, 1), (0, 2), (1, 2))]

    assert distances == pytest.approx([1.0, 1.0, 1.0])


def test_neighbours_are_near_and_can_be_taken():
    """Tests that each differs from the middle, none leaves the cube, and steps are kept."""
    middle = CUBE.row_of(CUBE.point_of([0.02, 0.98, 0.5, 0.5, 0.5, 0.5]))
    rows = CUBE.neighbours(middle, 500, 0.1, np.random.default_rng(0))

    assert ((rows >= 0) & (rows <= 1)).all()
    assert np.allclose(CUBE.snapped(rows), rows)
    assert np.median(np.abs(rows - middle)[:, :2].max(axis=1)) < 0.2
    assert {CUBE.point_of(row)["kind"] for row in rows} == {"a", "b", "c"}
    assert (np.abs(rows - middle).max(axis=1) > 0).mean() > 0.8
