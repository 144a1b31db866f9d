"""Options as a mixed-integer program, whose answers keep every row exactly."""

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from boca.core.errors import SolverError
from boca.milp import MilpParams, MilpResult, Model, Status, solve
from boca.payments.effort import Effort
from boca.payments.exact_rows import cuts

if TYPE_CHECKING:
    from boca.payments.options import Options

# What floating point may miss a row of money by; what is chosen is counted again exactly.
MONEY_SLACK = 1e-6


class OutOfTime(SolverError):
    """Raised where time ran out before any choice was found."""

    def __init__(self) -> None:
        super().__init__(
            "Time ran out before any award that satisfies the rules was found; allow more time."
        )


@dataclass(frozen=True, eq=False)
class Chosen:
    """
    One option for everybody.

    Parameters
    ----------
    options
        The option of each participant, ``(num_participants,)``.
    worth
        Of all of them together, in units.
    bound
        No choice is worth more, in units.
    method
        Which part ended the work: ``search``, ``branching`` or ``milp``.
    is_proven
        Whether nothing is better.
    is_finished
        Whether a solver that did all the work came to its end.
    """

    options: np.ndarray
    worth: float
    bound: float
    method: str
    is_proven: bool
    is_finished: bool = True


class Program:
    """
    One binary variable per option, except for those that are nothing.

    Parameters
    ----------
    options
        What there is to choose from.
    costs
        Of every option, scaled for a solver, ``(num_options,)``.
    solver
        Its name.
    maximise
        Whether the sum is to be large.
    """

    def __init__(self, options: "Options", costs: np.ndarray, solver: str, maximise: bool):
        self.options, self.solver = options, solver
        self.model = model = Model(maximise=maximise)
        # Programs are solved sooner if to take nothing is no variable but an empty row.
        is_nothing = options.is_nothing
        self.taken = taken = model.add_variables(
            len(options.owners),
            upper=np.where(is_nothing, 0.0, 1.0),
            integer=True,
            cost=costs,
        )
        may_be_idle = np.isin(np.arange(options.num_participants), options.owners[is_nothing])
        for i, least in enumerate(np.where(may_be_idle, -np.inf, 1.0).tolist()):
            model.add_row(taken[(options.owners == i) & ~is_nothing], 1.0, lower=least, upper=1.0)
        self.is_impossible = False
        for row, bound in enumerate(options.bounds.tolist()):
            columns = np.flatnonzero(options.uses[:, row])
            if len(columns):
                model.add_row(taken[columns], options.uses[columns, row], upper=bound)
            elif bound < 0:
                self.is_impossible = True
        for coefficients, most in options.money_rows:
            numbers = coefficients.astype(float)
            size = float(np.abs(numbers).max(initial=1.0))
            model.add_row(taken, numbers / size, upper=(float(most) + MONEY_SLACK) / size)

    def solve(
        self, effort: Effort, absolute_gap: float, start: np.ndarray | None = None
    ) -> tuple[MilpResult, np.ndarray | None]:
        """
        The solver's answer, and the option of everybody; None where there is provably no choice.

        Solvers keep rows up to a tolerance. What breaks one exactly is forbidden, and they go on.

        Parameters
        ----------
        effort
            When to stop.
        absolute_gap
            Differences in scaled costs that do not matter.
        start
            Options that can be chosen together, to begin with.
        """
        options = self.options
        point = None
        if start is not None:
            point = np.isin(np.arange(len(options.owners)), start).astype(float)
        refused: set[bytes] = set()
        while True:
            left = effort.deadline - perf_counter()
            params = MilpParams(
                time_limit=max(left, 0.1) if np.isfinite(left) else None,
                gap=effort.gap,
                absolute_gap=absolute_gap,
                solver=self.solver,
            )
            result = solve(self.model, params, point)
            if result.x is None:
                if result.status is Status.INFEASIBLE:
                    return result, None
                raise OutOfTime
            chosen = self._completed(result.x[self.taken].astype(bool))  # whole numbers
            broken = options.broken_rows(chosen)
            if not broken:
                return result, chosen
            if chosen.tobytes() in refused:
                raise SolverError("A solver broke a rule by less than its tolerance, and again.")
            refused.add(chosen.tobytes())
            if perf_counter() >= effort.deadline:
                raise OutOfTime
            for columns, most in cuts(options.owners, broken, chosen):
                self._forbid(columns, most)

    def _completed(self, is_taken: np.ndarray) -> np.ndarray:
        """One option for everybody: of those who take none, the first that is nothing."""
        options = self.options
        is_idle = ~np.isin(np.arange(options.num_participants), options.owners[is_taken])
        nothing = np.flatnonzero(options.is_nothing)
        _, firsts = np.unique(options.owners[nothing], return_index=True)
        nothing = nothing[firsts]  # one for each who may be idle
        is_taken[nothing] = is_idle[options.owners[nothing]]
        return np.flatnonzero(is_taken)

    def _forbid(self, columns: np.ndarray, most: int) -> None:
        """More than so many of some options; to take nothing is to take none of the others."""
        options = self.options
        is_in = np.isin(np.arange(len(options.owners)), columns)
        counts_nothing = np.isin(options.owners, options.owners[is_in & options.is_nothing])
        weights = np.where(counts_nothing, is_in - 1.0, is_in * 1.0)
        weights[options.is_nothing] = 0.0
        used = np.flatnonzero(weights)
        most -= len(np.unique(options.owners[counts_nothing]))
        self.model.add_row(self.taken[used], weights[used], upper=float(most))
