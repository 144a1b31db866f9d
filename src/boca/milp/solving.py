"""One call for all solvers, which rounds and checks what they say."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import numpy as np

from boca.core.errors import InputError, SolverError
from boca.milp.model import Model, ModelArrays
from boca.milp.params import MilpParams
from boca.milp.result import MilpResult

# Solver -> the package it needs. Each has a module in boca/milp/backends with
# `run(arrays, params, start) -> MilpResult`, which neither rounds nor checks.
SOLVERS = {"highs": "highspy", "scip": "pyscipopt", "gurobi": "gurobipy"}

# Integer variables further than this from a whole number, and rows missed by more than this
# once they are rounded, are a failure of the solver and not rounding.
TOLERANCE = 1e-5


def solve(
    model: Model, params: MilpParams | None = None, start: np.ndarray | None = None
) -> MilpResult:
    """
    Solves a mixed-integer linear program.

    A time limit and an infeasible model are statuses, not errors. The point that is returned has
    whole numbers where whole numbers belong, satisfies every row, and its objective is computed
    from it.

    Parameters
    ----------
    model
        What to solve.
    params
        Solver, time, gap.
    start
        A point ``(num_variables,)`` to begin from; entries that are not known are NaN and found
        by the solver. One that cannot be completed is ignored.
    """
    params = MilpParams() if params is None else params
    arrays = model.arrays()
    if start is not None and np.shape(start) != (arrays.num_variables,):
        raise InputError(
            f"Received a start of shape {np.shape(start)}; expected ({arrays.num_variables},)."
        )
    result = backend(params.solver).run(arrays, params, start)
    return _rounded(result, arrays, params.solver)


def backend(name: str) -> ModuleType:
    """The module that talks to a solver."""
    if name not in SOLVERS:
        raise InputError(f"Received the solver '{name}'; expected one of {', '.join(SOLVERS)}.")
    return import_module(f"boca.milp.backends.{name}")


def installed() -> tuple[str, ...]:
    """The solvers that can be used here."""
    return tuple(name for name, package in SOLVERS.items() if find_spec(package) is not None)


def _rounded(result: MilpResult, arrays: ModelArrays, solver: str) -> MilpResult:
    if result.x is None:
        worst = -np.inf if arrays.maximise else np.inf
        return MilpResult(result.status, None, worst, result.bound, result.seconds)

    x = np.array(result.x, dtype=float)
    whole = np.round(x[arrays.integer])
    fraction = np.abs(x[arrays.integer] - whole).max(initial=0.0)
    x[arrays.integer] = whole
    x = np.clip(x, arrays.lower, arrays.upper)
    missed = max(fraction, arrays.violation(x))
    if missed > TOLERANCE:
        raise SolverError(
            f"The solver '{solver}' returned a point that misses a row or a whole number by "
            f"{missed:.1e}; expected at most {TOLERANCE:.0e}. Scale the values to about [0, 1], or "
            "use another solver."
        )
    x.flags.writeable = False
    return MilpResult(result.status, x, arrays.objective(x), result.bound, result.seconds)
