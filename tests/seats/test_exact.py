"""The program for small markets: where it is of use, and what it takes for an equilibrium."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from few_students import few_students

from boca.seats import exact
from boca.seats.budgets import BELOW
from boca.seats.exact import _Program, clearing_program, is_small
from boca.seats.following import HIGHEST_PRICE
from boca.seats.listing import SLACK

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
    assert are_best([A, A], [0.25 + SLACK, 0.25])  # which rounding is not
    assert not are_best([A, A], [0.25 + 3 * SLACK, 0.25])
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


@pytest.mark.parametrize(("listed", "is_tried"), [([400, 600], True), ([400, 601], False)])
def test_a_thousand_schedules_are_few(listed, is_tried):
    """Tests lists that are whole, at the size up to which the program is tried."""
    num = np.array(listed)
    rankings = SimpleNamespace(certain=num, num_listed=num)
    demand = SimpleNamespace(rankings=rankings, offer=SimpleNamespace(num_classes=1))
    assert is_small(demand) == is_tried


def rows_of(program):
    """The rows of a program as (lowest, {variable: coefficient}, highest)."""
    arrays = program.model.arrays()
    ends = list(zip(arrays.starts[:-1], arrays.starts[1:], strict=True))
    entries = [
        dict(zip(arrays.columns[a:b].tolist(), arrays.coefficients[a:b].tolist(), strict=True))
        for a, b in ends
    ]
    return list(zip(arrays.row_lower.tolist(), entries, arrays.row_upper.tolist(), strict=True))


FREE = float("inf")


def test_the_program_of_one_student_and_one_course_by_hand():
    """
    Tests variables and rows: price 0, budget 1, whether there is a price 2, course 3, nothing 4.
    What is not chosen is left out by twice the highest price, 2 H.
    """
    demand, _ = few_students([[5]], [1.0], [3])
    program = _Program(demand, 0.25)
    arrays = program.model.arrays()
    assert not arrays.maximise
    assert arrays.lower.tolist() == [0, 0.75, 0, 0, 0]
    assert arrays.upper.tolist() == [HIGHEST_PRICE, 1.25, 1, 1, 1]
    assert arrays.integer.tolist() == [False, False, True, True, True]
    most = 2 * HIGHEST_PRICE
    assert rows_of(program) == [
        (-FREE, {3: 1}, 3),  # seats
        (-FREE, {0: 1, 2: -HIGHEST_PRICE}, 0),
        (0, {3: 1, 2: -3}, FREE),  # a course with a price is full
        (1, {3: 1, 4: 1}, 1),
        (-FREE, {0: 1, 1: -1, 3: most}, most - 5e-6),  # the course within the budget
        (BELOW - most, {0: 1, 1: -1, 4: -most}, FREE),  # or beyond it, if nothing is chosen
        (-FREE, {1: -1, 4: most}, most - 5e-6),
        (BELOW - most, {1: -1}, FREE),
    ]


def test_of_equals_the_cheaper_is_chosen_by_hand():
    """
    Tests prices 0 and 1, budget 2, and the schedules A, B and nothing, 5 to 7: where B is chosen, A
    costs no less, and the other way round.
    """
    demand, _ = few_students([[5, 5]], [1.0], [1, 1])
    most = 2 * HIGHEST_PRICE
    ties = [row for row in rows_of(_Program(demand, 0.0)) if {0, 1} <= row[1].keys()]
    assert ties == [
        (-most, {0: 1, 1: -1, 6: -most}, FREE),
        (-most, {1: 1, 0: -1, 5: -most}, FREE),
    ]


def test_large_schedules_are_left_out_by_as_much_as_they_can_cost():
    """Tests two courses at once, which cost up to 2 H: 3 H leaves them out."""
    demand, _ = few_students([[5, 3]], [1.0], [1, 1], most=2.0)
    program = _Program(demand, 0.0)
    most = 3 * HIGHEST_PRICE
    both, first, second, nothing = program.takes[0].tolist()
    budget = int(program.budgets[0])
    rows = rows_of(program)
    assert (-FREE, {0: 1, 1: 1, budget: -1, both: most}, most - 5e-6) in rows
    worse = {first: -most, second: -most, nothing: -most}
    assert (BELOW - most, {0: 1, 1: 1, budget: -1, **worse}, FREE) in rows
    assert (BELOW - most, {1: 1, budget: -1, nothing: -most}, FREE) in rows


def test_envy_is_forbidden_by_hand():
    """
    Tests the second of two students, who has B: it must not see A, which it likes more, with the
    first, and may see B and nothing.
    """
    demand, asked = few_students([[5, 3], [5, 3]], [1.0, 1.0], [1, 1])
    program = _Program(demand, 0.0)
    before = len(rows_of(program))
    program.forbid(1, 1, 0, asked[1])
    first, second = program.takes
    assert rows_of(program)[before:] == [(-FREE, {int(second[1]): 1, int(first[0]): 1}, 1)]


def test_prices_are_rounded_to_a_grid(monkeypatch):
    """Tests six decimals, nothing below 0, budgets as they are, and the choice of each student."""
    demand, _ = few_students([[5, 3]], [1.0], [1, 1])
    program = _Program(demand, 0.25)
    x = np.zeros(8)
    x[:3] = 0.12345649, -1e-9, 1.1234567
    x[5:] = 0.25, 0.75, 0.0
    times = []

    def solve(model, params):
        times.append(params.time_limit)
        return SimpleNamespace(x=x)

    monkeypatch.setattr(exact, "solve", solve)
    monkeypatch.setattr(_Program, "_are_best", lambda *given: True)
    point = program.solve(7.0)
    assert point.prices.tolist() == [[0.123456, 0.0]]
    assert not np.signbit(point.prices).any()
    assert point.budgets.tolist() == [1.1234567]
    assert point.choice.tolist() == [1]
    assert point.error == 1  # A has a price and is empty
    assert times == [7]
    monkeypatch.setattr(exact, "solve", lambda *given: SimpleNamespace(x=None))
    assert program.solve(None) is None


def test_cuts_against_envy_end(monkeypatch):
    """Tests students who envy each other in every round, and one whose envy ends."""
    demand, asked = few_students([[5]] * 2, [1.0, 1.0], [1])
    solved, forbidden = [], []
    point = SimpleNamespace(prices=None, choice=[0, 1], budgets=None)
    monkeypatch.setattr(_Program, "solve", lambda self, left: solved.append(left) or point)
    monkeypatch.setattr(_Program, "forbid", lambda self, *given: forbidden.append(given))
    monkeypatch.setattr(exact, "order_breakers", lambda *given: [(1, 0)])
    assert clearing_program(demand, asked, 0.01, True, lambda: 3.0) is None
    assert solved == [3.0] * 30
    assert forbidden == [(1, 1, 0, asked[1])] * 30
    rounds = iter([[(1, 0)], []])
    monkeypatch.setattr(exact, "order_breakers", lambda *given: next(rounds))
    assert clearing_program(demand, asked, 0.01, True, lambda: None) is point
    assert len(solved) == 32
    assert clearing_program(demand, asked, 0.01, False, lambda: None) is point
    assert len(solved) == 33
