"""Gurobi, for those who have a licence; the one in its package allows small models only."""

import numpy as np

from boca.core.errors import MissingExtra, SolverError
from boca.milp.model import ModelArrays
from boca.milp.params import MilpParams
from boca.milp.result import MilpResult, Status

try:
    import gurobipy
    from gurobipy import GRB
except ImportError:
    raise MissingExtra("gurobipy", "gurobi", "The solver Gurobi") from None

STATUSES = {
    GRB.OPTIMAL: Status.OPTIMAL,
    GRB.TIME_LIMIT: Status.TIME_LIMIT,
    GRB.INFEASIBLE: Status.INFEASIBLE,
    GRB.UNBOUNDED: Status.UNBOUNDED,
    GRB.INF_OR_UNBD: Status.UNBOUNDED,
}


def run(arrays: ModelArrays, params: MilpParams, start: np.ndarray | None) -> MilpResult:
    """Solves a model."""
    try:
        # The licence text is printed when the environment starts, so silence comes first.
        with (
            gurobipy.Env(params={"OutputFlag": 0, "LogToConsole": 0}) as env,
            gurobipy.Model(env=env) as model,
        ):
            return _run(model, arrays, params, start)
    except gurobipy.GurobiError as error:
        raise SolverError(
            f"Gurobi failed: {error}. If the licence is too small, use the solver 'highs'."
        ) from error


def _run(
    model: gurobipy.Model, arrays: ModelArrays, params: MilpParams, start: np.ndarray | None
) -> MilpResult:
    model.Params.Threads = params.threads
    model.Params.MIPGap = params.gap
    model.Params.MIPGapAbs = params.absolute_gap
    if params.time_limit is not None:
        model.Params.TimeLimit = params.time_limit

    variables = _add_variables(model, arrays)
    _add_rows(model, arrays, variables)
    if start is not None:
        for variable, value in zip(variables, start, strict=True):
            if np.isfinite(value):
                variable.Start = value
    model.optimize()

    if model.Status not in STATUSES:
        raise SolverError(f"Gurobi stopped with status {model.Status}.")
    status = STATUSES[model.Status]
    has_point = model.SolCount > 0 and status is not Status.UNBOUNDED
    x = np.array(model.getAttr("X", variables)) if has_point else None
    objective = model.ObjVal if has_point else np.nan
    return MilpResult(status, x, objective, _bound(model, arrays, status), model.Runtime)


def _add_variables(model: gurobipy.Model, arrays: ModelArrays) -> list[gurobipy.Var]:
    kinds = np.where(arrays.integer, GRB.INTEGER, GRB.CONTINUOUS).tolist()
    variables = model.addVars(
        arrays.num_variables,
        lb=arrays.lower.tolist(),
        ub=arrays.upper.tolist(),
        obj=arrays.costs.tolist(),
        vtype=kinds,
    ).values()
    model.ModelSense = GRB.MAXIMIZE if arrays.maximise else GRB.MINIMIZE
    model.ObjCon = arrays.offset
    model.update()
    return list(variables)


def _add_rows(model: gurobipy.Model, arrays: ModelArrays, variables: list[gurobipy.Var]) -> None:
    for r in range(arrays.num_rows):
        entries = slice(arrays.starts[r], arrays.starts[r + 1])
        total = gurobipy.LinExpr(
            arrays.coefficients[entries].tolist(),
            [variables[column] for column in arrays.columns[entries].tolist()],
        )
        lower, upper = float(arrays.row_lower[r]), float(arrays.row_upper[r])
        if lower == upper:
            model.addLConstr(total, GRB.EQUAL, upper)
            continue
        if np.isfinite(upper):
            model.addLConstr(total, GRB.LESS_EQUAL, upper)
        if np.isfinite(lower):
            model.addLConstr(total, GRB.GREATER_EQUAL, lower)


def _bound(model: gurobipy.Model, arrays: ModelArrays, status: Status) -> float:
    nothing = np.inf if arrays.maximise else -np.inf
    if status is Status.INFEASIBLE:
        return -nothing
    if status is Status.UNBOUNDED:
        return nothing
    bound = model.ObjBound if model.IsMIP else model.ObjVal if model.SolCount else nothing
    return float(bound) if abs(bound) < GRB.INFINITY else nothing
