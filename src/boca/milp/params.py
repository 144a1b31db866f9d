"""How long and how exactly a solver works."""

from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError


@dataclass(frozen=True)
class MilpParams:
    """
    What a caller may ask of any solver.

    Parameters
    ----------
    time_limit
        Seconds of wall-clock time; no limit if None.
    gap
        The solver stops once the best solution is proven to be within this share of the optimum.
        Must be at least 0.
    absolute_gap
        The same as a difference and not as a share, for objectives near 0; the looser of the two
        counts. Must be at least 0.
    threads
        Must be positive. SCIP always uses one.
    solver
        Name of a backend: ``highs``, ``scip`` or ``gurobi``.
    """

    time_limit: float | None = None
    gap: float = 0.0
    absolute_gap: float = 1e-9
    threads: int = 1
    solver: str = "highs"

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit >= 0:
            raise InputError(f"Received the time limit {self.time_limit}; expected at least 0 s.")
        if not (np.isfinite(self.gap) and self.gap >= 0):
            raise InputError(f"Received the gap {self.gap}; expected a number of at least 0.")
        if not (np.isfinite(self.absolute_gap) and self.absolute_gap >= 0):
            raise InputError(
                f"Received the absolute gap {self.absolute_gap}; expected a number of at least 0."
            )
        if self.threads < 1:
            raise InputError(f"Received {self.threads} threads; expected at least 1.")
