"""
Linear programs with duals, and one that grows by columns.

HiGHS is loaded by the first program that is solved: a server imports this module for its names
and never solves anything itself.
"""

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from boca.core.errors import InputError, SolverError
from boca.milp.model import Model
from boca.milp.result import LpResult, Status

if TYPE_CHECKING:
    import highspy

# What HiGHS calls its methods; the dual simplex is its own choice.
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4


def solve_lp(
    model: Model, threads: int = 1, time_limit: float | None = None, relax: bool = False
) -> LpResult:
    """
    Solves a linear program and gives its duals.

    Parameters
    ----------
    model
        What to solve. Integrality is refused, because a program with it has no duals.
    threads, time_limit
        As in :class:`~boca.milp.params.MilpParams`.
    relax
        Whether integrality is dropped instead of refused.
    """
    from boca.milp.backends.highs import load, quiet

    arrays = model.arrays()
    if relax:
        arrays = replace(arrays, integer=np.zeros_like(arrays.integer))
    if arrays.integer.any():
        raise InputError("The model has integer variables; expected a linear program.")
    highs = quiet(threads, time_limit)
    load(highs, arrays)
    return _run(highs)


class MasterLP:
    """
    A linear program that grows: rows are fixed, columns are added, each solve starts warm.

    The master of column generation: ``max costs . x`` subject to ``matrix @ x <= row_upper`` and
    ``lower <= x <= upper``.

    Parameters
    ----------
    row_upper
        Right-hand sides ``(num_rows,)``.
    row_lower
        Lower sides ``(num_rows,)``; none if None.
    threads
        As in :class:`~boca.milp.params.MilpParams`.
    tolerance
        Reduced costs below this count as 0; between 1e-10 and 1e-4.
    """

    def __init__(
        self,
        row_upper: Any,
        row_lower: Any = None,
        threads: int = 1,
        tolerance: float = 1e-7,
    ):
        from boca.milp.backends.highs import MAXIMISE, quiet

        upper = np.asarray(row_upper, dtype=float)
        lower = np.full(len(upper), -np.inf) if row_lower is None else np.asarray(row_lower, float)
        self.num_rows = len(upper)
        self._highs = quiet(threads, None)
        # Few pivots separate one solve from the next, and presolve would throw the basis away.
        self._highs.setOptionValue("presolve", "off")
        self._highs.setOptionValue("solver", "simplex")
        self._highs.setOptionValue("dual_feasibility_tolerance", tolerance)
        self._highs.changeObjectiveSense(MAXIMISE)
        nothing = np.zeros(0)
        self._highs.addRows(
            self.num_rows,
            lower,
            upper,
            0,
            np.zeros(self.num_rows, dtype=np.int32),
            nothing.astype(np.int32),
            nothing,
        )

    @property
    def num_columns(self) -> int:
        return self._highs.getNumCol()

    def add_columns(
        self, costs: Any, matrix: Any, lower: Any = 0.0, upper: Any = np.inf
    ) -> np.ndarray:
        """
        New columns; returns their numbers ``(num_columns,)``.

        Parameters
        ----------
        costs
            Objective of each ``(num_columns,)``.
        matrix
            Their entries, ``(num_rows, num_columns)``.
        lower, upper
            Bounds, one number for all or one each.
        """
        from boca.milp.backends.highs import refused

        costs = np.atleast_1d(np.asarray(costs, dtype=float))
        entries = np.asarray(matrix, dtype=float).reshape(self.num_rows, len(costs))
        columns, rows = np.nonzero(entries.T)
        starts = np.searchsorted(columns, np.arange(len(costs)))
        answer = self._highs.addCols(
            len(costs),
            costs,
            np.broadcast_to(np.asarray(lower, float), costs.shape).copy(),
            np.broadcast_to(np.asarray(upper, float), costs.shape).copy(),
            len(rows),
            starts.astype(np.int32),
            rows.astype(np.int32),
            entries[rows, columns],
        )
        if refused(answer):
            raise SolverError("HiGHS refused the columns.")
        return np.arange(self.num_columns - len(costs), self.num_columns)

    def change_column_bounds(self, columns: np.ndarray, lower: Any, upper: Any) -> None:
        """
        New bounds of some columns.

        Parameters
        ----------
        columns
            Their numbers, as :meth:`add_columns` gave them.
        lower, upper
            One number for all or one each; (0, 0) switches a column off.
        """
        self._highs.changeColsBounds(
            len(columns),
            columns.astype(np.int32),
            np.broadcast_to(np.asarray(lower, float), columns.shape).copy(),
            np.broadcast_to(np.asarray(upper, float), columns.shape).copy(),
        )

    def solve(self) -> LpResult:
        """The optimum over the columns so far."""
        if not self.num_columns:
            raise InputError("The master has no columns yet; add some before solving.")
        try:
            return _run(self._highs)
        except SolverError:
            # From the last basis HiGHS can lose its way ("Unknown", with tight tolerances and
            # many ties); from the beginning it finds it.
            self._highs.clearSolver()
        try:
            return _run(self._highs)
        except SolverError:
            # In one of ten thousand programs the dual simplex does not even then.
            self._highs.clearSolver()
            self._highs.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        try:
            return _run(self._highs)
        finally:
            self._highs.setOptionValue("simplex_strategy", DUAL_SIMPLEX)


def _run(highs: "highspy.Highs") -> LpResult:
    from boca.milp.backends.highs import status_of

    began = perf_counter()
    highs.run()
    seconds = perf_counter() - began  # HiGHS' own clock adds up over solves
    status = status_of(highs)
    info = highs.getInfo()
    iterations = max(0, info.simplex_iteration_count)
    if status is not Status.OPTIMAL:
        return LpResult(status, None, np.nan, None, seconds, iterations)
    solution = highs.getSolution()
    objective = info.objective_function_value
    duals = np.array(solution.row_dual)
    return LpResult(status, np.array(solution.col_value), objective, duals, seconds, iterations)
