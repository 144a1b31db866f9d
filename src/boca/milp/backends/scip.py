"""SCIP, a second solver for verification."""

import numpy as np

from boca.core.errors import MissingExtra, SolverError
from boca.milp.model import ModelArrays
from boca.milp.params import MilpParams
from boca.milp.result import MilpResult, Status

try:
    import pyscipopt
except ImportError:
    raise MissingExtra("pyscipopt", "scip", "The solver SCIP") from None

STATUSES = {
    "optimal": Status.OPTIMAL,
    "gaplimit": Status.OPTIMAL,
    "timelimit": Status.TIME_LIMIT,
    "infeasible": Status.INFEASIBLE,
    "unbounded": Status.UNBOUNDED,
    "inforunbd": Status.UNBOUNDED,
}


def run(arrays: ModelArrays, params: MilpParams, start: np.ndarray | None) -> MilpResult:
    """Solves a model."""
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.setParam("limits/gap", float(params.gap))
    scip.setParam("limits/absgap", float(params.absolute_gap))
    if params.time_limit is not None:
        scip.setParam("limits/time", float(params.time_limit))

    variables = _add_variables(scip, arrays)
    _add_rows(scip, arrays, variables)
    if start is not None:
        _add_start(scip, variables, np.asarray(start, dtype=float))
    scip.optimize()

    if scip.getStatus() not in STATUSES:
        raise SolverError(f"SCIP stopped with '{scip.getStatus()}'.")
    status = STATUSES[scip.getStatus()]
    has_point = scip.getNSols() > 0 and status is not Status.UNBOUNDED
    x = np.array([scip.getVal(variable) for variable in variables]) if has_point else None
    objective = scip.getObjVal() if has_point else np.nan
    return MilpResult(
        status, x, objective, _bound(scip, arrays, status), float(scip.getSolvingTime())
    )


def _add_variables(scip: pyscipopt.Model, arrays: ModelArrays) -> list[pyscipopt.Variable]:
    variables = [
        scip.addVar(
            vtype="I" if integer else "C",
            lb=None if np.isneginf(lower) else float(lower),
            ub=None if np.isposinf(upper) else float(upper),
        )
        for lower, upper, integer in zip(arrays.lower, arrays.upper, arrays.integer, strict=True)
    ]
    terms = (
        float(cost) * variable
        for cost, variable in zip(arrays.costs, variables, strict=True)
        if cost
    )
    objective = pyscipopt.quicksum(terms) + arrays.offset
    scip.setObjective(objective, "maximize" if arrays.maximise else "minimize")
    return variables


def _add_rows(
    scip: pyscipopt.Model, arrays: ModelArrays, variables: list[pyscipopt.Variable]
) -> None:
    for r in range(arrays.num_rows):
        entries = slice(arrays.starts[r], arrays.starts[r + 1])
        columns = arrays.columns[entries].tolist()
        total = pyscipopt.quicksum(
            coefficient * variables[column]
            for coefficient, column in zip(
                arrays.coefficients[entries].tolist(), columns, strict=True
            )
        )
        lower, upper = float(arrays.row_lower[r]), float(arrays.row_upper[r])
        if not columns:  # SCIP does not take rows without variables
            if lower > 0 or upper < 0:
                scip.addCons(variables[0] >= arrays.upper[0] + 1)
        elif lower == upper:
            scip.addCons(total == lower)
        else:
            if np.isfinite(upper):
                scip.addCons(total <= upper)
            if np.isfinite(lower):
                scip.addCons(total >= lower)


def _add_start(
    scip: pyscipopt.Model, variables: list[pyscipopt.Variable], start: np.ndarray
) -> None:
    known = np.isfinite(start)
    solution = scip.createSol() if known.all() else scip.createPartialSol()
    for variable, value in zip(variables, start, strict=True):
        if np.isfinite(value):
            scip.setSolVal(solution, variable, float(value))
    scip.addSol(solution)


def _bound(scip: pyscipopt.Model, arrays: ModelArrays, status: Status) -> float:
    nothing = np.inf if arrays.maximise else -np.inf
    if status is Status.INFEASIBLE:
        return -nothing
    if status is Status.UNBOUNDED or scip.isInfinity(abs(scip.getDualbound())):
        return nothing
    return float(scip.getDualbound())
