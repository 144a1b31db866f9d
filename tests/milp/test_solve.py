"""The contract of a solver, run for every one that is installed."""

import sys
from importlib import import_module, reload
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import generators

from boca.core.errors import InputError, MissingExtra, SolverError
from boca.milp import MilpParams, MilpResult, Model, Status, installed, solve
from boca.milp import solve as solve_function

SOLVERS = installed()


def knapsack(num_items=18, seed=3) -> Model:
    """A multi-dimensional knapsack that no solver finishes in presolve."""
    rng = np.random.default_rng(seed)
    model = Model()
    items = model.add_variables(num_items, 0, 1, integer=True)
    weights = rng.integers(10, 100, (3, num_items)).astype(float)
    model.add_cost(items, weights.mean(axis=0) + rng.integers(0, 10, num_items))
    model.add_rows(np.tile(items, (3, 1)), weights, upper=weights.sum(axis=1) // 3)
    return model


def small_model() -> Model:
    """``max 5 a + 4 b + 3 c + 1`` with three rows; the optimum is a = 1, c = 2, worth 12."""
    model = Model()
    model.offset = 1.0
    numbers = model.add_variables(3, 0, [1, 3, 2], integer=True, cost=[5, 4, 3])
    model.add_rows(np.tile(numbers, (3, 1)), [[2, 3, 1], [4, 1, 2], [3, 4, 2]], upper=[5, 11, 8])
    return model


def brute_force(model: Model, ranges) -> float | None:
    """The best objective over all whole numbers; None if no point is feasible."""
    arrays = model.arrays()
    points = [np.array(point, dtype=float) for point in product(*ranges)]
    values = [arrays.objective(p) for p in points if arrays.violation(p) <= 1e-9]
    if not values:
        return None
    return max(values) if arrays.maximise else min(values)


def test_every_solver_whose_package_is_there_is_tested():
    """Tests that this file does not pass because a solver is overlooked."""
    extras = {"scip": "pyscipopt", "gurobi": "gurobipy"}
    there = {name for name, package in extras.items() if find_spec(package) is not None}
    assert set(SOLVERS) == {"highs"} | there


@pytest.mark.parametrize("solver", SOLVERS)
class TestEverySolver:
    def test_optimum_by_hand(self, solver):
        """Tests objective, offset, bound and whole numbers."""
        result = solve(small_model(), MilpParams(solver=solver))

        assert result.status is Status.OPTIMAL
        assert result.x.tolist() == [1, 0, 2]
        assert result.objective == 12
        assert result.bound == pytest.approx(12)
        assert result.gap == pytest.approx(0, abs=1e-9)

    def test_continuous_variables_and_minimisation(self, solver):
        """Tests the other sense, equality rows and rows with two sides."""
        model = Model(maximise=False)
        x, y = model.add_variables(2, -np.inf, np.inf, integer=[True, False], cost=[1, 2])
        model.add_row([x, y], [1.0, 1.0], lower=2.5, upper=2.5)
        model.add_row([x, y], [1.0, -1.0], lower=-10, upper=1)

        result = solve(model, MilpParams(solver=solver))

        assert result.status is Status.OPTIMAL  # x <= 1.75, so x = 1
        assert result.x == pytest.approx([1, 1.5])
        assert result.objective == pytest.approx(4)
        assert result.bound == pytest.approx(4)

    def test_pure_linear_program(self, solver):
        """Tests that the optimum of a program without integers is its own bound."""
        model = Model()
        model.add_variables(2, cost=[3, 2])
        model.add_rows([[0, 1], [0, 1]], [[1, 1], [1, 3]], upper=[4, 6])

        result = solve(model, MilpParams(solver=solver))

        assert result.objective == pytest.approx(12)
        assert result.bound == pytest.approx(12)

    def test_infeasible_is_a_status(self, solver):
        """Tests that a model without solution is an answer and not an error."""
        model = Model()
        model.add_variables(2, 0, 1, integer=True)
        model.add_row([0, 1], 1.0, lower=3)

        result = solve(model, MilpParams(solver=solver))

        assert result.status is Status.INFEASIBLE
        assert result.x is None
        assert result.objective == result.bound == -np.inf

    def test_a_row_without_variables_can_be_infeasible(self, solver):
        """Tests that ``0 >= 1`` is not dropped, since an excluded bundle can become that."""
        model = Model()
        model.add_variables(1, 0, 1, integer=True)
        model.add_row([0], [0.0], lower=1)

        assert solve(model, MilpParams(solver=solver)).status is Status.INFEASIBLE

    def test_unbounded_is_a_status(self, solver):
        """Tests a model that lacks a bound."""
        model = Model()
        model.add_variables(1, integer=True, cost=1)

        result = solve(model, MilpParams(solver=solver))

        assert result.status is Status.UNBOUNDED
        assert result.x is None

    def test_time_limit_is_a_status(self, solver):
        """Tests that no time at all gives no point, no claim and no error."""
        result = solve(knapsack(), MilpParams(solver=solver, time_limit=0.0))

        assert result.status is Status.TIME_LIMIT
        assert result.bound >= solve(knapsack(), MilpParams(solver=solver, gap=0.05)).objective

    def test_gap_is_respected(self, solver):
        """Tests that a loose gap is proven by the bound that comes with it."""
        exact = solve(knapsack(), MilpParams(solver=solver))
        loose = solve(knapsack(), MilpParams(solver=solver, gap=0.1))

        assert exact.gap <= 1e-6
        assert loose.gap <= 0.1 + 1e-6
        assert loose.objective <= exact.objective + 1e-6
        assert loose.bound >= exact.objective - 1e-6

    def test_absolute_gap_is_respected(self, solver):
        """Tests the gap that pricing uses, where the optimum may be next to 0."""
        exact = solve(knapsack(), MilpParams(solver=solver))
        loose = solve(knapsack(), MilpParams(solver=solver, absolute_gap=30.0))

        assert exact.objective - 30 - 1e-6 <= loose.objective <= exact.objective + 1e-6
        assert exact.objective - 1e-6 <= loose.bound <= loose.objective + 30 + 1e-6

    def test_complete_start_is_used(self, solver):
        """Tests that an optimal start survives a gap that would accept far less."""
        exact = solve(knapsack(), MilpParams(solver=solver))

        result = solve(knapsack(), MilpParams(solver=solver, gap=10.0), start=exact.x)

        assert result.objective == pytest.approx(exact.objective)

    def test_partial_and_impossible_starts(self, solver):
        """Tests that unknown entries are completed, and a start that breaks rows does no harm."""
        partial = np.array([1.0, np.nan, np.nan])
        impossible = np.array([1.0, 3.0, 2.0])

        for start in (partial, impossible):
            assert solve(small_model(), MilpParams(solver=solver), start).objective == 12

    def test_thread_counts_may_change(self, solver):
        """Tests that a second number of threads does not make HiGHS return nothing."""
        objectives = [
            solve(knapsack(), MilpParams(solver=solver, threads=threads)).objective
            for threads in (1, 2, 1)
        ]

        assert objectives == pytest.approx([objectives[0]] * 3)

    def test_nothing_is_printed(self, solver, capfd):
        """Tests that neither a log nor a licence text reaches the terminal."""
        solve(small_model(), MilpParams(solver=solver))

        assert capfd.readouterr() == ("", "")

    @given(rng=generators())
    @settings(max_examples=15, deadline=None)
    def test_random_models_agree_with_brute_force(self, solver, rng):
        """Tests small integer programs of both senses, some of them infeasible."""
        model = Model(maximise=bool(rng.integers(2)))
        upper = rng.integers(1, 4, 4)
        numbers = model.add_variables(4, 0, upper, integer=True, cost=rng.integers(-5, 6, 4))
        sides = np.sort(rng.integers(-8, 9, (2, 3)), axis=0)
        model.add_rows(
            np.tile(numbers, (3, 1)), rng.integers(-4, 5, (3, 4)), lower=sides[0], upper=sides[1]
        )

        result = solve(model, MilpParams(solver=solver))
        best = brute_force(model, [range(u + 1) for u in upper])

        if best is None:
            assert result.status is Status.INFEASIBLE
        else:
            assert result.status is Status.OPTIMAL
            assert result.objective == pytest.approx(best)
            assert result.bound == pytest.approx(best)


@pytest.mark.parametrize(("solver", "package"), [("scip", "pyscipopt"), ("gurobi", "gurobipy")])
def test_a_missing_extra_explains_itself(solver, package, monkeypatch):
    """Tests that a solver which is not installed says how to install it."""
    pytest.importorskip(package)
    module = import_module(f"boca.milp.backends.{solver}")
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtra, match=rf"pip install 'boca-assignment\[{solver}\]'"):
        reload(module)

    monkeypatch.undo()
    reload(module)


def test_unknown_solver():
    """Tests that a misspelt name lists the right ones."""
    with pytest.raises(InputError, match="expected one of highs, scip, gurobi"):
        solve(small_model(), MilpParams(solver="cplex"))


def test_start_of_the_wrong_length():
    """Tests that a start for another model is refused."""
    with pytest.raises(InputError, match="start of shape"):
        solve(small_model(), start=np.zeros(2))


@pytest.mark.skipif("gurobi" not in SOLVERS, reason="gurobipy is not installed")
def test_a_licence_that_is_too_small_says_so():
    """Tests the size limit of the licence that comes with the package, if that is the one."""
    model = Model()
    model.add_variables(3000, 0, 1, integer=True, cost=1.0)
    try:
        result = solve(model, MilpParams(solver="gurobi"))
    except SolverError as error:
        assert "licence" in str(error)  # noqa: PT017
    else:
        assert result.objective == 3000


@pytest.mark.parametrize(
    ("x", "message"), [([0.5, 0.0, 0.0], "5.0e-01"), ([1.0, 3.0, 2.0], "misses a row")]
)
def test_a_wrong_answer_is_not_passed_on(x, message, monkeypatch):
    """Tests the one place where answers are rounded and checked, with a solver that lies."""

    class Liar:
        @staticmethod
        def run(arrays, params, start):
            return MilpResult(Status.OPTIMAL, np.array(x), 99.0, 99.0, 0.0)

    monkeypatch.setitem(solve_function.__globals__, "backend", lambda name: Liar)

    with pytest.raises(SolverError, match=message):
        solve(small_model())


def test_almost_whole_numbers_are_rounded_to_the_nearest(monkeypatch):
    """Tests that 0.999999 is 1, and that the objective belongs to the rounded point."""

    class Sloppy:
        @staticmethod
        def run(arrays, params, start):
            return MilpResult(Status.OPTIMAL, np.array([1 - 1e-6, 1e-6, 2.0]), 11.9, 12.0, 0.0)

    monkeypatch.setitem(solve_function.__globals__, "backend", lambda name: Sloppy)

    result = solve(small_model())

    assert result.x.tolist() == [1, 0, 2]
    assert result.objective == 12
