"""Tests of the cheapest point that meets all demands."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from boca.core import SolverError
from boca.payments.projection import CheapestPoint, _solved


def cheapest(upper, demands) -> list[Fraction]:
    point = CheapestPoint(upper)
    for members, least in demands:
        point.require(members, least)
    return point.point


def test_nothing_is_paid_where_nothing_is_asked():
    """Tests the start."""
    assert cheapest([3, 4], []) == [0, 0]


def test_what_is_missing_is_shared_equally():
    """Tests thirds, which no float is."""
    assert cheapest([9, 9, 9], [((0, 1, 2), 10)]) == [Fraction(10, 3)] * 3


def test_a_share_ends_at_the_bid():
    """Tests that the others take over what one cannot pay."""
    assert cheapest([1, 9, 9], [((0, 1, 2), 10)]) == [1, Fraction(9, 2), Fraction(9, 2)]


def test_the_sum_is_smallest_before_the_distance_is():
    """Tests that one bidder pays 6 for two groups where 6 and 6 of others would be nearer to 0."""
    assert cheapest([9, 9, 9], [((0, 1), 6), ((0, 2), 6)]) == [6, 0, 0]


def test_a_demand_that_cannot_be_met_is_met_as_far_as_possible():
    """Tests the cut at the bids, which unproven allocations need."""
    assert cheapest([2, 3], [((0, 1), 100)]) == [2, 3]


def test_units_decide_among_millions_of_millions():
    """Tests demands of 10^12 beside one of 1."""
    assert cheapest([10**12] * 3, [((0, 1), 10**12), ((2,), 1)]) == [10**12 // 2, 10**12 // 2, 1]


def test_a_degenerate_face_does_not_overcharge():
    """
    Tests three groups that ask for the same sum of overlapping winners.

    Pulled far down the direction of falling revenue, a projection in floats once returned a point
    outside all bounds with the right sum; cut off at the bounds, it charged ten times the least
    revenue.
    """
    demands = [((0, 1, 2, 3, 4, 5), 1), ((1, 3), 1), ((0, 2, 3, 4, 5), 1)]
    assert cheapest([3, 4, 4, 5, 1, 4], demands) == [0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("seed", range(120))
def test_demands_are_met_at_the_least_sum_and_distance(seed):
    """Tests against a linear program and a general-purpose method; small numbers make ties."""
    rng = np.random.default_rng(seed)
    num = int(rng.integers(1, 8))
    upper = rng.integers(0, 6, num)
    rows = (rng.random((int(rng.integers(1, 7)), num)) < 0.5).astype(float)
    least = np.minimum(rng.integers(0, 9, len(rows)), rows @ upper)
    demands = [(np.flatnonzero(row).tolist(), int(b)) for row, b in zip(rows, least, strict=True)]

    exact = cheapest(upper.tolist(), demands)

    assert all(sum(exact[i] for i in members) >= b for members, b in demands)
    assert all(0 <= x <= u for x, u in zip(exact, upper.tolist(), strict=True))
    bounds = np.stack([np.zeros(num), upper], axis=1)
    smallest = linprog(np.ones(num), -rows, -least, bounds=bounds).fun
    point = np.array(exact, dtype=float)
    assert point.sum() == pytest.approx(smallest, abs=1e-8)
    other = minimize(
        lambda x: (x**2).sum(),
        upper.astype(float),
        jac=lambda x: 2 * x,
        bounds=bounds,
        constraints=[
            {"type": "ineq", "fun": lambda x: rows @ x - least},
            {"type": "ineq", "fun": lambda x: smallest + 1e-9 - x.sum()},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    if other.success:
        assert (point**2).sum() <= other.fun + 1e-6


def test_the_order_of_demands_does_not_matter():
    """Tests that rows that gave way to later ones leave nothing behind."""
    demands = [((0, 1), 5), ((1, 2), 7), ((0, 2), 4), ((0, 1, 2), 9)]
    points = {
        tuple(cheapest([6, 4, 5], [*first, *(d for d in demands if d not in first)]))
        for first in combinations(demands, 2)
    }

    assert len(points) == 1


def test_the_sum_is_pulled_by_more_than_any_number_on_the_way():
    """
    Tests M for two variables of 3 and 4: 8 bits for each of 3 rows of 2 bits, twice the 3 bits of
    7, and 64 more.
    """
    pull = 2 ** (8 * 3 * 2 + 2 * 3 + 64)
    assert CheapestPoint([3, 4])._multipliers == {("lower", 0): pull, ("lower", 1): pull}


def test_a_row_gives_way_at_the_moment_another_is_satisfied():
    """Tests demands that touch each other: 2 of the first alone are half of 4 of both."""
    point = CheapestPoint([4, 4])
    point.require((0, 1), 4)
    point.require((0,), 2)
    assert point.point == [2, 2]
    point.require((1,), 4)
    assert point.point == [2, 4]
    point.require((0, 1), 6)
    assert point.point == [2, 4]
    point.require((0, 1), 7)
    assert point.point == [3, 4]


def test_equations_are_solved_in_fractions():
    """Tests two equations by hand, whose first row has no part in the second unknown."""
    two, one, nothing = Fraction(2), Fraction(1), Fraction(0)
    assert _solved([[two, one], [one, two]], [Fraction(4), Fraction(5)]) == [1, 2]
    assert _solved([[two, nothing], [nothing, two]], [one, two]) == [Fraction(1, 2), 1]
    assert _solved([], []) == []


def test_what_contradicts_itself_is_an_error():
    """Tests a variable that must be at least 0 and at most -1."""
    with pytest.raises(SolverError, match="contradict each other"):
        cheapest([-1], [((0,), 0)])
