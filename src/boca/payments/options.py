"""
Exactly one option per participant: covering, trades and rules as set packing.

An option of participant i has a worth w and uses rows: a whole number a_r, of either sign, of every
row r; everybody takes exactly one, and the uses of a row add up to at most its bound B_r. Adding
the same number to all uses of one participant and to the bound changes nothing, so with
-min a_r added, every use is at least 0: a row is a good with the capacity B_r - sum_i min a_r.
In the same way each worth is counted from the participant's smallest, and K is added to all of
them, K larger than all differences together: then more participants with an option are always
worth more, and everybody has one wherever that is possible at all. So the exact methods for bids
(:mod:`boca.payments.winners`) decide it, with their proofs and their rule for ties.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from time import perf_counter

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import SolverError
from boca.milp import MilpParams, Model, Status, solve
from boca.payments.bids import Packing
from boca.payments.effort import Effort
from boca.payments.winners import WinnerDetermination

# Rows of money are rows of large numbers of either sign, which searches over bids handle badly
# (12 to 15 s where a mixed-integer program takes 0.9 s): with one of them the program decides.

# Of many options, those of rules that ask for at least something make searches long (16 s where the
# program takes 2 s; benchmarks/award.py), so they get few nodes before the program has its turn.
FEW_NODES, FEW_ITERATIONS = 2_000, 1_000
# Whole worths up to this are left to the program as they are: it then knows that nothing lies
# between two of them.
MOST_WHOLE = 1e7
# What floating point may miss a row of money by; what is chosen is counted again exactly.
MONEY_SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class Options:
    """
    What every participant may take, one thing each.

    Parameters
    ----------
    owners
        Participant of each option, ascending from 0, each with at least one, ``(num_options,)``.
    worth
        In units of money, of either sign, ``(num_options,)``.
    uses
        Whole numbers of either sign, ``(num_options, num_rows)``.
    bounds
        Most of each row, ``(num_rows,)``.
    decimals
        As in :class:`boca.payments.bids.Packing`.
    money_rows
        Rows of money: coefficients ``(num_options,)``, exact numbers of any type, and the most of
        their sum.
    """

    owners: np.ndarray
    worth: np.ndarray
    uses: np.ndarray
    bounds: np.ndarray
    decimals: int | None = 0
    money_rows: tuple[tuple[np.ndarray, Fraction | float], ...] = ()

    @cached_property
    def num_participants(self) -> int:
        return int(self.owners.max(initial=-1)) + 1

    @cached_property
    def is_nothing(self) -> np.ndarray:
        """Whether an option is worth nothing and uses nothing, ``(num_options,)``."""
        is_nothing: np.ndarray = ~self.uses.any(axis=1) & (self.worth == 0)
        for coefficients, _ in self.money_rows:
            is_nothing &= coefficients == 0
        return is_nothing

    def keeps_rows(self, chosen: np.ndarray) -> bool:
        """Whether options together keep every row, counted exactly."""
        return bool((self.uses[chosen].sum(axis=0) <= self.bounds).all()) and all(
            sum(coefficients[chosen].tolist()) <= most for coefficients, most in self.money_rows
        )

    def keep(self, kept: np.ndarray) -> "Options":
        """The problem with only some options; everybody must still have one."""
        rows = tuple((coefficients[kept], most) for coefficients, most in self.money_rows)
        return Options(
            self.owners[kept],
            self.worth[kept],
            self.uses[kept],
            self.bounds,
            self.decimals,
            rows,
        )

    def smallest(self, numbers: np.ndarray) -> np.ndarray:
        """The smallest of every participant's numbers, ``(num_participants, ...)``."""
        _, firsts = np.unique(self.owners, return_index=True)
        least: np.ndarray = np.minimum.reduceat(numbers, firsts, axis=0)
        return least

    def packing(self) -> tuple[Packing, np.ndarray] | None:
        """
        The packing problem, and which option each of its bids is; None if nothing can be chosen.

        Rows that can never bind are left out, and options that do not fit by themselves.
        """
        least = self.smallest(self.uses)
        capacities = self.bounds - least.sum(axis=0)
        if (capacities < 0).any():
            return None
        uses = self.uses - least[self.owners]
        rows = np.flatnonzero(-self.smallest(-uses).sum(axis=0) > capacities)
        fits = np.flatnonzero((uses <= capacities).all(axis=1))
        if len(np.unique(self.owners[fits])) < self.num_participants:
            return None
        seats = np.ones((len(fits), 1), dtype=np.int64)
        above = self.worth - self.smallest(self.worth)[self.owners]
        largest = float(-self.smallest(-above).sum())
        return Packing(
            self.owners[fits],
            np.hstack([uses[np.ix_(fits, rows)], seats]),
            above[fits] + largest + 1.0,
            np.append(capacities[rows], self.num_participants),
            self.decimals,
        ), fits


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
    """

    options: np.ndarray
    worth: float
    bound: float
    method: str
    is_proven: bool


def choose(
    options: Options,
    effort: Effort,
    stage: str = "award",
    start: np.ndarray | None = None,
    solver: str | None = None,
) -> Chosen | None:
    """
    The best choice of one option for everybody; None if there is provably none.

    Parameters
    ----------
    options
        What there is to choose from.
    effort
        When to stop.
    stage
        What progress reports call it.
    start
        Options that can be chosen together, to begin with.
    solver
        Name of a solver that does all the work; None for our own methods where they are good.
    """
    if solver is not None or options.money_rows:
        return _by_program(options, effort, solver or "highs")
    made = options.packing()
    if made is None:
        return None
    few = replace(
        effort,
        few_nodes=FEW_NODES,
        iterations=FEW_ITERATIONS,
        search_nodes=(),
        to_the_end=False,
    )
    found = _by_packing(options, *made, few, stage, start)
    if found is not None and (found.is_proven or perf_counter() >= effort.deadline):
        return found if len(found.options) == options.num_participants else None
    again = _by_program(options, effort, "highs", None if found is None else found.options)
    if again is None or again.is_proven or perf_counter() >= effort.deadline:
        return again
    # Units of money below the solver's tolerance: our own methods go on to the end.
    last = _by_packing(options, *made, effort, stage, again.options)
    return again if last is None or last.worth < again.worth else last


def _by_packing(
    options: Options,
    packing: Packing,
    numbers: np.ndarray,
    effort: Effort,
    stage: str,
    start: np.ndarray | None,
) -> Chosen | None:
    """
    The choice by our own methods; with fewer options than participants where there is none.

    None where they found nothing in their time.
    """
    starts = [] if start is None else [np.flatnonzero(np.isin(numbers, start))]
    accepted = WinnerDetermination(packing, effort).accept(
        Economy.main(options.num_participants), stage, starts
    )
    if len(accepted.bids) < options.num_participants and not accepted.is_proven:
        return None
    taken = numbers[accepted.bids]
    worth = float(options.worth[taken].sum())
    return Chosen(
        taken, worth, worth + accepted.bound - accepted.surplus, accepted.method, accepted.is_proven
    )


def _by_program(
    options: Options, effort: Effort, solver: str, start: np.ndarray | None = None
) -> Chosen | None:
    """The choice by a mixed-integer program, checked in whole numbers."""
    largest = float(np.abs(options.worth).max(initial=1.0))
    is_small = options.decimals is not None and largest <= MOST_WHOLE
    scale = 1.0 if is_small else largest / 1e4
    model = Model(maximise=True)
    # Programs are solved sooner if to take nothing is no variable but an empty row.
    is_nothing = options.is_nothing
    taken = model.add_variables(
        len(options.owners),
        upper=np.where(is_nothing, 0.0, 1.0),
        integer=True,
        cost=options.worth / scale,
    )
    may_be_idle = np.isin(np.arange(options.num_participants), options.owners[is_nothing])
    for i, least in enumerate(np.where(may_be_idle, -np.inf, 1.0).tolist()):
        model.add_row(taken[(options.owners == i) & ~is_nothing], 1.0, lower=least, upper=1.0)
    for row, bound in enumerate(options.bounds.tolist()):
        columns = np.flatnonzero(options.uses[:, row])
        if len(columns):
            model.add_row(taken[columns], options.uses[columns, row], upper=bound)
        elif bound < 0:
            return None
    for coefficients, most in options.money_rows:
        numbers = coefficients.astype(float)
        size = float(np.abs(numbers).max(initial=1.0))
        model.add_row(taken, numbers / size, upper=(float(most) + MONEY_SLACK) / size)
    left = effort.deadline - perf_counter()
    seconds = max(left, 0.1) if np.isfinite(left) else None
    params = MilpParams(
        time_limit=seconds,
        gap=effort.gap,
        absolute_gap=0.5 if is_small else 0.0,  # nothing lies between two whole numbers
        solver=solver,
    )
    point = None if start is None else np.isin(np.arange(len(options.owners)), start).astype(float)
    result = solve(model, params, point)
    if result.x is None:
        if result.status is Status.INFEASIBLE:
            return None
        raise SolverError(
            "Time ran out before any award that satisfies the rules was found; allow more time."
        )
    is_taken = result.x.astype(bool)  # whole numbers
    is_idle = ~np.isin(np.arange(options.num_participants), options.owners[is_taken])
    nothing = np.flatnonzero(is_nothing)
    _, firsts = np.unique(options.owners[nothing], return_index=True)
    nothing = nothing[firsts]  # one for each who may be idle
    is_taken[nothing] = is_idle[options.owners[nothing]]
    chosen = np.flatnonzero(is_taken)
    if not options.keeps_rows(chosen):
        raise SolverError("A solver broke a rule by less than its tolerance; try another solver.")
    worth = float(options.worth[chosen].sum())
    bound = result.bound * scale
    if is_small:
        bound = float(np.floor(bound + 0.1))  # a solver's error is a small part of a unit
    is_optimal = result.status is Status.OPTIMAL
    is_proven = is_optimal and (is_small or options.decimals is None)
    return Chosen(chosen, worth, max(bound, worth), "milp", is_proven)


def restricted(options: Options, defaults: Sequence[int], without: Sequence[int]) -> Options:
    """
    The options where some participants take what they have without trade.

    Parameters
    ----------
    options
        Of everybody.
    defaults
        The option without trade of each participant.
    without
        Who takes it.
    """
    is_open = ~np.isin(options.owners, list(without))
    is_open[[defaults[i] for i in without]] = True
    return options.keep(np.flatnonzero(is_open))
