"""What a solver answers."""

from dataclasses import dataclass
from enum import Enum

import numpy as np


class Status(Enum):
    """
    Why a solver stopped.

    OPTIMAL
        The solution is optimal within the gap that was asked for.
    TIME_LIMIT
        The time is over; there may be a solution, and there is a bound.
    INFEASIBLE
        There is no solution.
    UNBOUNDED
        There is no best solution, or none at all: solvers do not always tell the two apart.
    """

    OPTIMAL = "optimal"
    TIME_LIMIT = "time limit"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True)
class MilpResult:
    """
    The outcome of one solve.

    Parameters
    ----------
    status
        Why the solver stopped.
    x
        The best point ``(num_variables,)``, integer variables rounded; None if there is none.
    objective
        Objective at ``x``; minus infinity (plus, when minimising) without a point.
    bound
        No point is better than this. Infinite where nothing was proven.
    seconds
        Wall-clock time of the solver.
    """

    status: Status
    x: np.ndarray | None
    objective: float
    bound: float
    seconds: float

    @property
    def gap(self) -> float:
        """``|bound - objective| / |objective|``; infinite without a point or a bound."""
        if self.x is None or not np.isfinite(self.bound):
            return np.inf
        difference = abs(self.bound - self.objective)
        size = abs(self.objective) or 1.0
        return 0.0 if difference <= 1e-12 * size else difference / size


@dataclass(frozen=True)
class LpResult:
    """
    The outcome of one linear program.

    Parameters
    ----------
    status
        Why the solver stopped.
    x
        The best point ``(num_variables,)``; None if there is none.
    objective
        Objective at ``x``.
    duals
        One number per row, such that ``costs - duals @ matrix`` are the reduced costs; at least 0
        for a row with an upper bound that holds a maximum down. None without a point.
    seconds
        Wall-clock time of the solver.
    iterations
        Pivots of the simplex method.
    """

    status: Status
    x: np.ndarray | None
    objective: float
    duals: np.ndarray | None
    seconds: float
    iterations: int = 0
