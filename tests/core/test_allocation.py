"""Tests of the executable definition of feasibility."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core import (
    Allocation,
    Bidder,
    Economy,
    Good,
    InfeasibleAllocation,
    InputError,
    Limit,
    Market,
    check_feasible,
)
from boca.core.allocation import violations

LIMIT = Limit((1.0, 1.0), 2.0, "two seats")
MARKET = Market((Good("A", 2), Good("B", 3)), (Bidder("ann"), Bidder("ben", limits=(LIMIT,))))


def test_empty_allocation_is_feasible():
    """Tests that giving nothing to anybody is always possible."""
    empty = Allocation.empty(MARKET)

    check_feasible(empty, MARKET)
    assert empty.unsold(MARKET).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("bundles", "message"),
    [
        ([[2, 0], [1, 0]], "good 'A' is given away 3 times, but there are 2"),
        ([[0, 0], [1, 2]], "bidder 'ben' exceeds its limit 'two seats': 3 > 2"),
        ([[-1, 0], [0, 0]], "bidder 'ann' gets -1 copies of 'A'"),
        ([[0, 0]], r"shape \(1, 2\), expected \(2, 2\)"),
    ],
)
def test_infeasible_allocations_are_explained(bundles, message):
    """Tests every way to break the definition."""
    with pytest.raises(InfeasibleAllocation, match=message):
        check_feasible(Allocation(np.array(bundles)), MARKET)


def test_outsiders_get_nothing():
    """Tests that a marginal economy cannot hand goods to the bidder it leaves out."""
    allocation = Allocation(np.array([[1, 0], [0, 1]]))

    check_feasible(allocation, MARKET, Economy.main(2))
    with pytest.raises(InfeasibleAllocation, match="bidder 'ann' gets goods without taking part"):
        check_feasible(allocation, MARKET, Economy.without(0, 2))


def test_all_violations_are_listed():
    """Tests that somebody who repairs an allocation sees all that is wrong at once."""
    assert len(violations(Allocation(np.array([[3, 0], [0, 4]])), MARKET)) == 3


@given(st.lists(st.integers(-1, 4), min_size=4, max_size=4))
def test_definition_agrees_with_a_second_one(counts):
    """Tests the definition against plain loops over goods and bidders."""
    bundles = np.array(counts).reshape(2, 2)
    expected = (
        all(c >= 0 for c in counts)
        and all(sum(bundles[:, j]) <= MARKET.goods[j].capacity for j in range(2))
        and sum(bundles[1]) <= 2
    )
    assert (not violations(Allocation(bundles), MARKET)) == expected


def test_fractions_are_not_rounded_away():
    """Tests that a fractional allocation is refused, not cut down to a smaller feasible one."""
    with pytest.raises(InputError, match="not whole numbers"):
        Allocation(np.array([[0.9, 0.0], [0.0, 0.0]]))


def test_allocations_compare_by_content_and_cannot_change():
    """Tests that an allocation is a value."""
    source = np.array([[1, 0], [0, 1]])
    allocation = Allocation(source)
    source[0, 0] = 0

    assert allocation == Allocation(np.array([[1, 0], [0, 1]]))
    assert allocation != Allocation.empty(MARKET)
    with pytest.raises(ValueError, match="read-only"):
        allocation.bundles[0, 0] = 2


def test_every_way_to_share_two_goods_is_counted():
    """Tests by hand: two goods and two bidders can be shared in 3 x 3 ways."""
    market = Market.simple(2, 2)
    every = itertools.product([0, 1], repeat=4)

    feasible = [c for c in every if not violations(Allocation(np.reshape(c, (2, 2))), market)]
    assert len(feasible) == 9


def test_a_plain_matrix_can_be_checked_too():
    """Tests that nobody has to wrap a matrix only to hear whether it is feasible."""
    market = Market.simple(2, 2)
    check_feasible([[1, 0], [0, 1]], market)
    with pytest.raises(InfeasibleAllocation, match="given away 2 times"):
        check_feasible(np.array([[1, 0], [1, 0]]), market)
