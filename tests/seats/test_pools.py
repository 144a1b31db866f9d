"""Pools of seats: who sits where, when reservations give way, and what always adds up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import Bidder, Good, Market
from boca.functions import AdjustedSum
from boca.seats import SeatRules, assign_seats
from boca.seats.pools import Pools, SeatDesk


def pools(*rows):
    room = np.array(rows)
    return Pools(room, np.zeros_like(room), np.zeros_like(room))


def column(*rows):
    return np.array(rows)[:, None]


def desk(seats, held, reserved, groups, targets=()):
    """One course, held by some students."""
    market = Market((Good("course", seats),), tuple(Bidder(f"s{i}") for i in range(len(groups))))
    rules = SeatRules(
        targets=targets,
        held=tuple((0,) if i in held else () for i in range(len(groups))),
        groups=tuple(groups),
        reserved=(tuple(reserved.items()),),
    )
    rules.check(market)
    return market, SeatDesk(market, rules)


def test_members_take_reserved_seats_first():
    """Tests that a member leaves open seats to others while its group has one."""
    after = pools([2], [1]).with_given(column(1, 2))
    assert after.left.ravel().tolist() == [0, 0]
    assert after.given.ravel().tolist() == [2, 1]  # the second member sits on an open one
    assert after.room.ravel().tolist() == [2, 1]


def test_reservations_give_way_one_seat_at_a_time_from_the_largest_rest():
    """Tests four open seats too few: the group with most left gives, and equals in turn."""
    after = pools([0], [3], [1]).with_held(column(3, 0, 0))
    assert after.left.ravel().tolist() == [0, 0, 1]  # 3, 2, 1: the first of equals gives
    assert after.room.ravel().tolist() == [3, 0, 1]
    assert after.held.ravel().tolist() == [3, 0, 0]
    assert pools([0], [2], [2]).with_held(column(1, 0, 0)).room.ravel().tolist() == [1, 1, 2]


def test_a_group_that_sits_on_its_seats_cannot_give_them():
    """Tests that only seats which are left give way."""
    after = pools([1], [2], [2]).with_held(column(2, 2, 0))
    assert after.left.ravel().tolist() == [0, 0, 1]
    assert after.held.ravel().tolist() == [2, 2, 0]
    assert after.room.ravel().tolist() == [2, 2, 1]


def test_a_target_grows_when_more_is_kept_than_it_has():
    """Tests that nothing is left, and nothing owed, where nobody has a seat to give."""
    after = pools([1], [1]).with_held(column(4, 0))
    assert after.left.ravel().tolist() == [0, 0]
    assert after.room.ravel().tolist() == [4, 0]


def test_more_seats_than_there_are_are_noticed():
    """Tests the invariant that every pool asserts."""
    room = np.array([[1]])
    with pytest.raises(AssertionError, match="more seats are held and given"):
        Pools(room, np.array([[1]]), np.array([[1]]))
    with pytest.raises(AssertionError):
        Pools(room, np.array([[-1]]), np.array([[0]]))
    with pytest.raises(AssertionError):
        Pools(room, np.array([[0]]), np.array([[-1]]))


def test_held_seats_are_in_targets_and_rooms():
    """Tests room 4, two of them reserved, three kept by outsiders: one is left, for members."""
    market, seats = desk(4, {0, 1, 2}, {"a": 2}, ["", "", "", "a", "a"])
    assert seats.hard.left.ravel().tolist() == [0, 1]
    assert seats.targets.left.ravel().tolist() == [0, 1]
    assert not seats.has_seats(0).any()
    assert seats.has_seats(3).all()
    seats.give(market, np.array([3]), np.array([[0]]))
    assert seats.hard.left.ravel().tolist() == [0, 0]
    assert not seats.has_seats(4).any()


def test_targets_and_rooms_differ():
    """Tests that the search fills the target, and the room is the limit."""
    _, seats = desk(5, {0}, {"a": 1}, ["", "", "a"], targets=(3,))
    assert seats.offer(np.array([1, 2])).seats.ravel().tolist() == [1, 1]
    assert seats.hard_offer(np.array([1, 2])).seats.ravel().tolist() == [3, 1]
    assert seats.offer(np.array([1, 2])).classes.tolist() == [0, 1]


def test_nobody_is_given_a_seat_that_is_reserved_for_others():
    """Tests that giving, unlike keeping, never makes a reservation give way in the room."""
    market, seats = desk(2, set(), {"a": 2}, ["", "a"])
    with pytest.raises(AssertionError, match="a reserved seat was given to somebody else"):
        seats.give(market, np.array([0]), np.array([[0]]))


def test_a_stranger_keeps_a_reserved_seat_and_nothing_is_given_twice():
    """Tests two seats, both reserved, one held by a stranger: the members get the other one."""
    market = Market((Good("course", 2),), tuple(Bidder(f"s{i}") for i in range(3)))
    rules = SeatRules(held=((0,), (), ()), groups=("", "a", "a"), reserved=((("a", 2),),))
    seating = assign_seats(market, [AdjustedSum([1.0])] * 3, rules)
    assert seating.taken.tolist() == [2]
    assert seating.allocation.bundles[0, 0] == 1


def test_a_course_that_students_keep_is_not_cancelled():
    """Tests a new minimum: what is kept takes place, and the registrar is told; another goes."""
    market = Market((Good("kept", 5), Good("lonely", 5)), tuple(Bidder(f"s{i}") for i in range(3)))
    rules = SeatRules(minimums=(4, 4), held=((0,), (0,), ()))
    seating = assign_seats(market, [AdjustedSum([1.0, 1.0])] * 3, rules)
    assert seating.taken.tolist() == [3, 0]
    assert [course for course, _ in seating.cancelled] == [1]
    assert seating.kept_below_minimum == (0,)
    words = "not cancelled, since students keep it: kept with 3 students, below its minimum of 4"
    assert words in seating.summary()


@st.composite
def students_of_a_course(draw):
    groups = draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=8))
    seats = draw(st.integers(1, 8))
    target = draw(st.integers(0, seats))
    first = draw(st.integers(0, target))
    reserved = {"a": first, "b": draw(st.integers(0, target - first))}
    held = set(draw(st.permutations(range(len(groups))))[: draw(st.integers(0, seats))])
    return seats, target, reserved, groups, held


@settings(max_examples=300, deadline=None)
@given(students_of_a_course())
def test_left_held_and_given_add_up(case):
    """Tests the invariant, and that whoever finds no seat finds only seats of others."""
    seats, target, reserved, groups, held = case
    market, desk_ = desk(seats, held, reserved, groups, (target,))
    for pool, room in ((desk_.hard, seats), (desk_.targets, max(target, len(held)))):
        assert pool.room.sum() == room
        assert pool.held.sum() == len(held)
        assert (pool.left + pool.held + pool.given == pool.room).all()
    # One after the other, as long as there is a seat; nobody else's is touched.
    for i in [i for i in range(len(groups)) if i not in held]:
        left = desk_.hard.left.ravel()
        if left[desk_.classes[i]] > 0 or left[0] > 0:
            desk_.give(market, np.array([i]), np.array([[0]]))
    assert desk_.hard.given.sum() + len(held) <= seats
    everybody = {desk_.classes[i] for i in range(len(groups)) if i not in held}
    taken = int(desk_.hard.given.sum())
    if taken < len(groups) - len(held):  # somebody found none: what is left is for others
        assert any(not desk_.hard.left[[0, c]].any() for c in everybody)
