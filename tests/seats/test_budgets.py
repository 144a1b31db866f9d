"""Budgets moved a little: which choices they bring, and whose budget is moved."""

from dataclasses import replace

import numpy as np
import pytest
from few_students import few_students

from boca.seats import budgets as module
from boca.seats.budgets import BELOW, move_budgets, options_near, order_breakers

A, B, C = range(3)


def no_limit():
    return None


def moved(demand, asked, prices, spread, keep_order=False):
    """What everybody takes with budgets that are moved, and the point."""
    prices = np.atleast_2d(prices)
    point = move_budgets(demand, asked, prices, spread, keep_order, no_limit)
    assert point is not None
    schedules = demand.rankings.schedules(point.choice)
    courses = [[int(c) for c in row if c < demand.offer.num_courses] for row in schedules]
    return courses, point


def options_of(ratings, prices, spread=0.25):
    """Courses and budgets that one student with the budget 1 may be brought to."""
    demand, _ = few_students([ratings], [1.0], [1] * len(ratings))
    options = options_near(demand, np.array([prices]), spread)
    assert (options.student == 0).all()
    courses = demand.rankings.members[0, options.place, 0]
    return courses.tolist(), pytest.approx(options.budget.tolist(), abs=1e-12)


@pytest.mark.parametrize(
    ("ratings", "prices", "courses", "budgets"),
    [
        # One course whatever the budget: it stays where it is.
        ([3, 2], [0.5, 0.1], [A], [1]),
        # A at its price; B now; nothing just below the price of B.
        ([3, 2], [1.25, 0.875], [A, B, 2], [1.25, 1, 0.875 - BELOW]),
        # B is dearer than the better A, so no budget brings it.
        ([3, 2, 1], [0.875, 1.0, 0.5], [A, C], [1, 0.875 - BELOW]),
        # B and C are as good as each other, so nobody takes the dearer one.
        ([3, 2, 2], [1.125, 1.0, 0.875], [A, C, 3], [1.125, 1, 0.875 - BELOW]),
        # Of two courses at one price the better one is taken.
        ([3, 2, 1], [1.125, 1.125, 0.5], [A, C], [1.125, 1]),
        # No budget is moved further than it may be, though that is nearer to A than BELOW.
        ([3, 2], [0.75 + BELOW / 2, 0.5], [A, B], [1, 0.75]),
        # B has to be paid for, though that is nearer to A than BELOW.
        ([3, 2], [1.0 + BELOW / 2, 1.0], [A, B, 2], [1.0 + BELOW / 2, 1, 1 - BELOW]),
    ],
)
def test_options_by_hand(ratings, prices, courses, budgets):
    """Tests the choices of one student at budgets from 0.75 to 1.25, and the nearest budgets."""
    assert options_of(ratings, prices) == (courses, budgets)


@pytest.mark.parametrize("poorer", [0, 1])
def test_the_smaller_move_is_taken(poorer):
    """Tests two students at one seat: either can be moved off it, the nearer one is."""
    budgets = [1.005, 1.005]
    budgets[poorer] = 1.001
    demand, asked = few_students([[5], [5]], budgets, [1])
    courses, point = moved(demand, asked, [1.0], 0.01)
    assert courses[poorer] == []
    assert courses[1 - poorer] == [A]
    assert point.error == 0
    assert point.budgets[poorer] == pytest.approx(1 - BELOW)
    assert point.budgets[1 - poorer] == 1.005


def test_a_seat_counts_more_than_moves():
    """Tests three students who are moved as far as they may be, for a seat each that costs."""
    demand, asked = few_students([[5]] * 3, [0.99] * 3, [3])
    courses, point = moved(demand, asked, [1.0], 0.01)
    assert (courses, point.error) == ([[A]] * 3, 0)
    assert point.budgets.tolist() == pytest.approx([1.0] * 3)


def test_empty_seats_count_where_they_cost_something():
    """
    Tests a student who has A, or B and C instead. Two empty seats that are free are no error, so
    nothing is moved; if they cost something, they are more than the one of A.
    """
    demand, asked = few_students([[5, 2, 2]], [1.0], [1, 1, 1], sizes=[2, 1, 1], most=2.0)
    courses, point = moved(demand, asked, [1.0, 0.0, 0.0], 0.25)
    assert (courses, point.error) == ([[A]], 0)
    courses, point = moved(demand, asked, [1.0, 0.25, 0.25], 0.25)
    assert (courses, point.error) == ([[B, C]], 1)
    assert point.budgets.tolist() == pytest.approx([1 - BELOW])


@pytest.mark.parametrize(
    ("budgets", "courses"), [((1.0, 1.0), [[B, C], [B, C]]), ((0.99, 1.0), [[A], [B, C]])]
)
def test_a_seat_too_many_counts_as_much_as_an_empty_one(budgets, courses):
    """
    Tests two students with B and C, or A with less than 1, and one seat of B, two of C. Either B is
    oversold or a seat of C is empty; so nobody is moved, whichever of both it is at first.
    """
    demand, asked = few_students([[3, 2, 2]] * 2, budgets, [2, 1, 2], sizes=[2, 1, 1], most=2.0)
    found, point = moved(demand, asked, [0.0, 0.5, 0.5], 0.01)
    assert (found, point.error) == (courses, 1)
    assert point.budgets.tolist() == list(budgets)


def test_no_answer_of_the_solver_is_no_point(monkeypatch):
    """Tests a solver that found nothing in its time."""
    right = module.solve
    monkeypatch.setattr(module, "solve", lambda *given: replace(right(*given), x=None))
    demand, asked = few_students([[5]], [1.0], [1])
    assert move_budgets(demand, asked, np.array([[1.0]]), 0.01, False, no_limit) is None


def test_members_take_open_seats_at_the_same_price():
    """
    Tests a course with an open and a reserved seat. Two members have both while both cost the same;
    where the reserved one is cheaper, only one of them can have it.
    """
    seats = [[1], [1]]
    demand, asked = few_students([[5]] * 2, [1.0, 1.001], seats, classes=[1, 1])
    courses, point = moved(demand, asked, [[1.0], [1.0]], 0.01)
    assert (courses, point.error) == ([[A], [A]], 0)
    courses, point = moved(demand, asked, [[1.1], [1.0]], 0.01)
    assert (courses, point.error) == ([[], [A]], 1)  # the open seat is empty


def test_members_leave_open_seats_to_others():
    """Tests that a member in an open seat counts there: the other student cannot have it too."""
    seats = [[1], [1]]
    demand, asked = few_students([[5]] * 3, [1.002, 1.001, 1.0], seats, classes=[1, 1, 0])
    courses, point = moved(demand, asked, [[1.0], [1.0]], 0.01)
    assert (courses, point.error) == ([[A], [A], []], 0)


def test_two_groups_share_the_open_seats():
    """Tests a member of each of two groups without a reserved seat, at one open seat."""
    seats = [[1], [0], [0]]
    demand, asked = few_students([[5]] * 2, [1.001, 1.0], seats, classes=[1, 2])
    courses, point = moved(demand, asked, [[1.0]] * 3, 0.01)
    assert (courses, point.error) == ([[A], []], 0)


def test_order_is_kept_at_the_price_of_a_seat():
    """
    Tests two students at the one seat of A. The richer one could have C instead, the other one only
    B, which is full: moving the richer one clears, but it would envy the poorer one for A.
    """
    ratings = [[5, 0, 3], [5, 3, 0], [0, 5, 0]]
    demand, asked = few_students(ratings, [1.005, 1.001, 1.2], [1, 1, 1])
    prices = [1.0, 0.5, 0.0]
    courses, point = moved(demand, asked, prices, 0.01)
    assert (courses, point.error) == ([[C], [A], [B]], 0)
    courses, point = moved(demand, asked, prices, 0.01, keep_order=True)
    assert (courses, point.error) == ([[A], [A], [B]], 1)
    assert point.budgets.tolist() == [1.005, 1.001, 1.2]


def breakers(ratings, budgets, choice, moved_to, classes=None, prices=(1.0, 0.5)):
    """Pairs against the order where everybody has the course, or nothing, of ``choice``."""
    num_classes = 1 + max(classes or [0])
    demand, asked = few_students(
        ratings, budgets, np.ones((num_classes, 2), int), classes, most=2.0
    )
    members = demand.rankings.members
    places = [
        next(k for k, row in enumerate(members[i].tolist()) if sorted(row) == sorted(schedule))
        for i, schedule in enumerate(choice)
    ]
    prices = np.array([prices] * num_classes)
    return order_breakers(demand, asked, prices, np.array(places), np.array(moved_to))


def test_who_had_more_must_not_envy_who_had_less():
    """Tests the first student, who has B and likes A more, which the second one has."""
    none = 2
    ratings, has = [[5, 3], [5, 3]], [[B, none], [A, none]]
    assert breakers(ratings, [1.01, 1.0], has, [0.99, 1.0]) == [(0, 1)]
    assert breakers(ratings, [1.0, 1.0], has, [0.99, 1.0]) == []  # had as much
    assert breakers(ratings, [1.0, 1.01], has, [0.99, 1.0]) == []  # had less
    assert breakers(ratings, [1.01, 1.0], has, [0.99, 1.0], classes=[0, 1]) == []
    assert breakers(ratings, [1.01, 1.0], has, [0.99, 1.0], classes=[1, 1]) == [(0, 1)]
    assert breakers([[2, 3], [5, 3]], [1.01, 1.0], has, [0.99, 1.0]) == []  # likes B more
    three = [*has, [A, none]]  # the third one had more than the first
    assert breakers([[5, 3]] * 3, [1.01, 1.0, 1.02], three, [0.99, 1.0, 1.02]) == [(0, 1)]


def test_what_it_can_afford_nobody_envies():
    """Tests that a schedule within the budget is not looked at: one seat of A, and no other."""
    none = 2
    ratings = [[5, 3], [5, 3]]
    assert breakers(ratings, [1.01, 1.0], [[B, none], [A, none]], [1.0, 1.0]) == []
    assert breakers(ratings, [1.01, 1.0], [[B, none], [A, B]], [1.0, 1.0]) == [(0, 1)]  # 1.5
