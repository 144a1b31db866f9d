"""The program for small markets: where it is of use, and what it takes for an equilibrium."""

from itertools import permutations

import numpy as np
import pytest
from few_students import few_students

from boca.seats import exact
from boca.seats.exact import _Program, clearing_program, is_small

A, B = range(2)


def test_equal_budgets_are_moved_apart():
    """
    Tests two students with one budget at one seat. Without moves no price clears, since both buy or
    neither does; with them, one may be above the price and one below it.
    """
    demand, asked = few_students([[5], [5]], [1.0, 1.0], [1])
    assert clearing_program(demand, asked, 0.0, False, lambda: None) is None
    assert clearing_program(demand, asked, 0.0, True, lambda: None) is None
    point = clearing_program(demand, asked, 0.01, False, lambda: None)
    assert point.error == 0
    assert sorted(point.choice.tolist()) == [0, 1]
    buyer = int(point.choice[1] == 0)
    price = point.prices[0, A]
    assert 0.99 <= point.budgets[1 - buyer] < price <= point.budgets[buyer] <= 1.01


@pytest.mark.parametrize("budgets", list(permutations((1.0, 1.001, 1.002))))
def test_order_is_kept(budgets):
    """Tests three students at one seat, whose budgets may be moved past each other."""
    demand, asked = few_students([[5]] * 3, budgets, [1])
    point = clearing_program(demand, asked, 0.01, True, lambda: None)
    assert point.error == 0
    assert (point.choice == 0).tolist() == [budget == 1.002 for budget in budgets]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_cheaper_of_two_equals_is_taken(order):
    """
    Tests a rich student who likes A and B equally, and two who like A only: A costs something, B
    nothing, so the rich one leaves A to the richer of the others.
    """
    ratings = np.array([[5, 5], [5, 0], [5, 0]])[list(order)]
    budgets = np.array([1.0, 0.5, 0.4])[list(order)]
    demand, asked = few_students(ratings, budgets, [1, 1])
    point = clearing_program(demand, asked, 0.01, False, lambda: None)
    assert point.error == 0
    courses = demand.rankings.schedules(point.choice)[:, 0]
    assert courses.tolist() == [(B, A, 2)[i] for i in order]
    assert 0.39 <= point.prices[0, A] <= 0.51
    assert point.prices[0, B] == 0


def test_choices_are_best_cheapest_and_paid():
    """Tests what is asked of a solver's choices, one after another."""
    demand, _ = few_students([[5, 5], [5, 3]], [1.0, 1.0], [1, 1])
    program = _Program(demand, 0.01)

    def are_best(choice, prices, budgets=(1.0, 1.0)):
        return program._are_best(np.array(choice), np.array([prices]), np.array(budgets))

    assert are_best([A, A], [0.5, 0.5])
    assert are_best([B, A], [0.5, 0.5])  # as good and at the same cost
    assert are_best([B, A], [0.5, 0.25])
    assert not are_best([A, A], [0.5, 0.25])  # the first could have B for less
    assert not are_best([B, B], [0.5, 0.25])  # the second likes A more
    assert not are_best([2, 2], [0.5, 0.25])
    assert are_best([B, A], [1.0, 0.5], (0.5, 1.0))  # all of both budgets
    assert not are_best([B, A], [1.0, 0.5], (0.5, 0.75))


def test_choices_that_are_not_best_are_no_point(monkeypatch):
    """Tests that a solver's answer counts only after it was checked."""
    demand, _ = few_students([[5]], [1.0], [1])
    assert _Program(demand, 0.01).solve(None) is not None
    monkeypatch.setattr(_Program, "_are_best", lambda *given: False)
    assert _Program(demand, 0.01).solve(None) is None


def test_a_small_market_has_all_schedules_and_one_price_list(monkeypatch):
    """Tests two students with three schedules each: two courses and nothing."""
    ratings = [[5, 3]] * 2
    demand, _ = few_students(ratings, [1.0, 1.0], [1, 1])
    assert is_small(demand)
    short, _ = few_students(ratings, [1.0, 1.0], [1, 1], num_ranked=1)
    assert not is_small(short)
    one_short, _ = few_students([[5, 3], [0, 0]], [1.0, 1.0], [1, 1], num_ranked=1)
    assert not is_small(one_short)
    grouped, _ = few_students(ratings, [1.0, 1.0], [[1, 1], [1, 1]], classes=[0, 1])
    assert not is_small(grouped)
    monkeypatch.setattr(exact, "MOST_SCHEDULES", 6)
    assert is_small(demand)
    monkeypatch.setattr(exact, "MOST_SCHEDULES", 5)
    assert not is_small(demand)
