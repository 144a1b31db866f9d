"""Options as a program: against all choices, and with solvers that err or run out of time."""

from itertools import product

import numpy as np
import pytest

from boca.core import SolverError
from boca.milp import MilpResult, Status
from boca.payments import program as module
from boca.payments.effort import Effort
from boca.payments.options import Options
from boca.payments.program import OutOfTime, Program

# Two who take nothing or one of two things, of which three units are there.
OPTIONS = Options(
    np.array([0, 0, 0, 1, 1]),
    np.array([0.0, 5, 9, 0, 4]),
    np.array([[0], [1], [3], [0], [1]]),
    np.array([3]),
)


def random_options(seed):
    """Four participants, some of whom may take nothing, two rows and one of money."""
    rng = np.random.default_rng(seed)
    owners = np.repeat(np.arange(4), rng.integers(1, 4, 4))
    num = len(owners)
    worth, uses = rng.integers(-5, 9, num).astype(float), rng.integers(-2, 4, (num, 2))
    uses[:, 1] *= int(rng.integers(0, 2))  # a row that nobody uses
    money = np.array([int(w) for w in rng.integers(-9, 10, num)], dtype=object)
    for i in range(4):
        if rng.random() < 0.6:
            first = int(np.flatnonzero(owners == i)[0])
            worth[first], uses[first], money[first] = 0, 0, 0
    bounds = rng.integers(-1, 7, 2)
    return Options(owners, worth, uses, bounds, 0, ((money, int(rng.integers(-3, 9))),))


def by_trying(options, worth):
    """What choices that keep all rows are worth."""
    sides = [np.flatnonzero(options.owners == i) for i in range(options.num_participants)]
    choices = [np.array(c) for c in product(*sides)]
    return [float(worth[c].sum()) for c in choices if not options.broken_rows(c)]


@pytest.mark.parametrize("maximise", [True, False])
def test_the_best_choice_keeps_all_rows(maximise):
    """Tests sixty problems, some without any choice, with costs that are not the worths."""
    num_impossible = 0
    for seed in range(60):
        options = random_options(22000 + seed)
        costs = np.where(options.is_nothing, 0.0, options.worth)
        worths = by_trying(options, costs)
        program = Program(options, costs, "highs", maximise)
        result, chosen = program.solve(Effort(), 0.5)
        if not worths or program.is_impossible:
            assert not worths
            assert chosen is None or program.is_impossible
            num_impossible += 1
            continue
        assert options.owners[chosen].tolist() == [0, 1, 2, 3]
        assert not options.broken_rows(chosen)
        assert costs[chosen].sum() == (max(worths) if maximise else min(worths))
        assert result.status is Status.OPTIMAL
    assert 0 < num_impossible < 50


def test_a_row_that_nobody_can_keep_is_known_at_once():
    """Tests bounds of 0 and below of a row that no option uses."""
    for bound, is_impossible in ((0, False), (-1, True)):
        options = Options(np.zeros(1, int), np.zeros(1), np.zeros((1, 1), int), np.array([bound]))
        assert Program(options, options.worth, "highs", True).is_impossible == is_impossible


class Solver:
    """A solver that says what it is told to say."""

    def __init__(self, monkeypatch, *answers):
        self.answers, self.asked = list(answers), []
        monkeypatch.setattr(module, "solve", self.solve)

    def solve(self, model, params, point):
        self.asked.append((model.arrays(), params, None if point is None else point.tolist()))
        status, x = self.answers.pop(0)
        return MilpResult(status, None if x is None else np.array(x, dtype=float), 0.0, 0.0, 0.0)


def program_of(options=OPTIONS):
    return Program(options, options.worth, "scip", True)


FINE, BROKEN = [0, 0, 1, 0, 0], [0, 0, 1, 0, 1]


def test_a_solver_is_told_what_it_may_do(monkeypatch):
    """Tests gap, solver, differences that do not matter, what is left of the time, and a start."""
    solver = Solver(monkeypatch, *[(Status.OPTIMAL, FINE)] * 4)
    monkeypatch.setattr(module, "perf_counter", lambda: 107.0)
    _, chosen = program_of().solve(Effort(gap=0.25), 0.5, np.array([1, 3]))
    assert chosen.tolist() == [2, 3]
    arrays, params, point = solver.asked[0]
    assert (params.solver, params.gap, params.absolute_gap) == ("scip", 0.25, 0.5)
    assert params.time_limit is None
    assert point == [0, 1, 0, 1, 0]
    assert arrays.maximise
    assert arrays.upper.tolist() == [0, 1, 1, 0, 1]  # nothing is no variable
    assert arrays.row_upper.tolist() == [1, 1, 3]
    assert np.isinf(arrays.row_lower).all()
    for seconds, left in ((10.0, 3.0), (7.05, 0.1), (5.0, 0.1)):
        program_of().solve(Effort(seconds, began=100.0), 0.5)
        assert solver.asked[-1][1].time_limit == pytest.approx(left)
        assert solver.asked[-1][2] is None


def test_who_may_not_be_idle_takes_something(monkeypatch):
    """Tests somebody whose first option uses something, so that one of both has to be taken."""
    solver = Solver(monkeypatch, (Status.OPTIMAL, [0, 1]))
    options = Options(np.zeros(2, int), np.array([0.0, 3]), np.array([[1], [2]]), np.array([2]))
    _, chosen = Program(options, options.worth, "highs", False).solve(Effort(), 0.5)
    assert chosen.tolist() == [1]
    arrays = solver.asked[0][0]
    assert (arrays.row_lower[0], arrays.row_upper[0]) == (1, 1)
    assert not arrays.maximise


def test_of_several_ways_to_take_nothing_the_first_is_taken(monkeypatch):
    options = Options(
        np.array([0, 0, 1, 1, 1]), np.array([0.0, 2, 0, 0, 3]), np.array([[0], [1], [0], [0], [1]]),
        np.array([1]),
    )  # fmt: skip
    Solver(monkeypatch, (Status.OPTIMAL, [0, 1, 0, 0, 0]))
    assert program_of(options).solve(Effort(), 0.5)[1].tolist() == [1, 2]


def test_rows_of_money_are_scaled_and_have_a_little_room(monkeypatch):
    """Tests coefficients up to 400 and at most 300, and the smallest size, which is 1."""
    for money, most, numbers, upper in (
        ([0, 400, 0, 100], 300, [1, 0.25], (300 + 1e-6) / 400),
        ([0, -0.5, 0, 0.25], 0.25, [-0.5, 0.25], 0.25 + 1e-6),
    ):
        solver = Solver(monkeypatch, (Status.OPTIMAL, [0, 0, 0, 0]))
        options = Options(
            np.array([0, 0, 1, 1]), np.array([0.0, 5, 0, 4]), np.zeros((4, 0), int),
            np.zeros(0, int), 0, ((np.array(money, dtype=object), most),),
        )  # fmt: skip
        program_of(options).solve(Effort(), 0.5)
        arrays = solver.asked[0][0]
        assert arrays.coefficients[arrays.starts[2] :].tolist() == numbers
        assert arrays.row_upper[2] == pytest.approx(upper, rel=1e-12)


def test_what_breaks_a_row_is_forbidden_and_the_solver_goes_on(monkeypatch):
    """Tests four units of three: what forbids it permits every choice that keeps the row."""
    solver = Solver(monkeypatch, (Status.OPTIMAL, BROKEN), (Status.OPTIMAL, FINE))
    _, chosen = program_of().solve(Effort(), 0.5)
    assert chosen.tolist() == [2, 3]
    before, after = solver.asked[0][0], solver.asked[1][0]
    assert after.num_rows == before.num_rows + 1
    row = np.zeros(5)
    row[after.columns[after.starts[-2] :]] = after.coefficients[after.starts[-2] :]
    assert row @ BROKEN > after.row_upper[-1]
    for chosen in product((0, 1, 2), (3, 4)):
        taken = np.isin(np.arange(5), chosen) & ~OPTIONS.is_nothing
        assert OPTIONS.broken_rows(np.array(chosen)) or row @ taken <= after.row_upper[-1]


def test_a_cut_counts_those_who_take_nothing(monkeypatch):
    """
    Tests a row that asks for two units: that both take nothing breaks it, so that one of them has
    to take something, which is no variable of the program.
    """
    asks = Options(OPTIONS.owners, OPTIONS.worth, -OPTIONS.uses, np.array([-1]))
    solver = Solver(monkeypatch, (Status.OPTIMAL, [0] * 5), (Status.OPTIMAL, [0, 1, 0, 0, 0]))
    _, chosen = program_of(asks).solve(Effort(), 0.5)
    assert chosen.tolist() == [1, 3]
    after = solver.asked[1][0]
    row = np.zeros(5)
    row[after.columns[after.starts[-2] :]] = after.coefficients[after.starts[-2] :]
    assert (row.tolist(), after.row_upper[-1]) == ([0, -1, -1, 0, -1], -1)


def test_who_breaks_the_same_row_again_is_no_solver(monkeypatch):
    Solver(monkeypatch, (Status.OPTIMAL, BROKEN), (Status.OPTIMAL, BROKEN))
    with pytest.raises(SolverError, match="and again"):
        program_of().solve(Effort(), 0.5)


@pytest.mark.parametrize("status", [Status.TIME_LIMIT, Status.OPTIMAL])
def test_time_that_ran_out_is_no_proof_that_there_is_nothing(monkeypatch, status):
    """Tests no point, with and without a proof, and a point that breaks a row at the deadline."""
    Solver(monkeypatch, (status, None), (Status.INFEASIBLE, None))
    with pytest.raises(OutOfTime, match="allow more time"):
        program_of().solve(Effort(), 0.5)
    result, chosen = program_of().solve(Effort(), 0.5)
    assert (result.status, chosen) == (Status.INFEASIBLE, None)
    Solver(monkeypatch, (Status.OPTIMAL, BROKEN), (Status.OPTIMAL, FINE))
    monkeypatch.setattr(module, "perf_counter", lambda: 110.0)
    with pytest.raises(OutOfTime):
        program_of().solve(Effort(10.0, began=100.0), 0.5)
