"""HiGHS, the solver that is always there."""

import threading

import highspy
import numpy as np

from boca.core.errors import SolverError
from boca.milp.model import ModelArrays
from boca.milp.params import MilpParams
from boca.milp.result import MilpResult, Status

STATUSES = {
    highspy.HighsModelStatus.kOptimal: Status.OPTIMAL,
    highspy.HighsModelStatus.kTimeLimit: Status.TIME_LIMIT,
    highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: Status.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: Status.UNBOUNDED,
}

MAXIMISE = highspy.ObjSense.kMaximize


class _Threads:
    """
    The number of threads that HiGHS has started in this process.

    HiGHS starts its threads once; a solve that asks for another number then returns nothing at
    once. So the threads are stopped before the number changes.
    """

    started: int | None = None
    lock = threading.Lock()

    @classmethod
    def use(cls, number: int) -> None:
        with cls.lock:
            if cls.started not in (None, number):
                highspy.Highs.resetGlobalScheduler(True)
            cls.started = number


def quiet(threads: int, time_limit: float | None) -> highspy.Highs:
    """A solver without output."""
    _Threads.use(threads)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", threads)
    if time_limit is not None:
        highs.setOptionValue("time_limit", float(time_limit))
    return highs


def load(highs: highspy.Highs, arrays: ModelArrays) -> None:
    """Hands a model to the solver."""
    sense = MAXIMISE if arrays.maximise else highspy.ObjSense.kMinimize
    answer = highs.passModel(
        arrays.num_variables,
        arrays.num_rows,
        len(arrays.columns),
        int(highspy.MatrixFormat.kRowwise),
        int(sense),
        arrays.offset,
        arrays.costs,
        arrays.lower,
        arrays.upper,
        arrays.row_lower,
        arrays.row_upper,
        arrays.starts.astype(np.int32),
        arrays.columns.astype(np.int32),
        arrays.coefficients,
        arrays.integer.astype(np.int32),
    )
    if refused(answer):
        raise SolverError("HiGHS refused the model.")


def refused(answer: highspy.HighsStatus) -> bool:
    """Whether the solver did not accept what it was handed."""
    return answer == highspy.HighsStatus.kError


def status_of(highs: highspy.Highs) -> Status:
    """Why the solver stopped; an error if it failed."""
    status = highs.getModelStatus()
    if status not in STATUSES:
        raise SolverError(f"HiGHS stopped with '{highs.modelStatusToString(status)}'.")
    return STATUSES[status]


def run(arrays: ModelArrays, params: MilpParams, start: np.ndarray | None) -> MilpResult:
    """Solves a model."""
    highs = quiet(params.threads, params.time_limit)
    highs.setOptionValue("mip_rel_gap", float(params.gap))
    highs.setOptionValue("mip_abs_gap", float(params.absolute_gap))
    load(highs, arrays)
    if start is not None:
        entries = np.flatnonzero(np.isfinite(start)).astype(np.int32)
        highs.setSolution(len(entries), entries, np.asarray(start, dtype=float)[entries])
    highs.run()

    status = status_of(highs)
    info = highs.getInfo()
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    has_point = feasible and status not in (Status.INFEASIBLE, Status.UNBOUNDED)
    x = np.array(highs.getSolution().col_value) if has_point else None
    return MilpResult(
        status, x, info.objective_function_value, _bound(arrays, status, info), highs.getRunTime()
    )


def _bound(arrays: ModelArrays, status: Status, info: highspy.HighsInfo) -> float:
    """The best bound; without integer variables the optimum is its own bound."""
    nothing = np.inf if arrays.maximise else -np.inf
    if status is Status.INFEASIBLE:
        return -nothing
    if status is Status.UNBOUNDED:
        return nothing
    if not arrays.integer.any():
        return info.objective_function_value if status is Status.OPTIMAL else nothing
    return info.mip_dual_bound if np.isfinite(info.mip_dual_bound) else nothing
