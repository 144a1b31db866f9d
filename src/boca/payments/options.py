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

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from time import perf_counter

import numpy as np

from boca.core.economy import Economy
from boca.core.money import MOST_DECIMALS, MOST_EXACT
from boca.milp import Status
from boca.payments.accepted import SOLVER_ERROR, Accepted
from boca.payments.bids import Packing
from boca.payments.effort import Effort
from boca.payments.program import Chosen, OutOfTime, Program
from boca.payments.waste import decided_to_the_unit
from boca.payments.winners import WinnerDetermination

# Rows of money are rows of large numbers of either sign, which searches over bids handle badly
# (12 to 15 s where a mixed-integer program takes 0.9 s): with one of them the program decides.

# Of many options, those of rules that ask for at least something make searches long (16 s where the
# program takes 2 s; benchmarks/award.py), so they get few nodes before the program has its turn.
FEW_NODES, FEW_ITERATIONS = 2_000, 1_000
# Of a limited time, they get this share: where they prove nothing soon, the program finds more.
FEW_SHARE = 0.1
# Uses of all options beyond which a single step of theirs may take longer than the time there is.
MOST_CELLS = 200_000
# Whole worths up to this are left to the program as they are: it then knows that nothing lies
# between two of them.
MOST_WHOLE = 1e7
# Amounts without a unit up to this are told apart where it matters to anybody; a larger one has so
# many digits that a solver's tolerance may be more than all others.
MOST_WITHOUT_UNIT = MOST_EXACT / 10**MOST_DECIMALS


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
    def firsts(self) -> np.ndarray:
        """The first option of everybody, ``(num_participants,)``."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    @cached_property
    def is_plain(self) -> bool:
        """Whether everybody may take nothing, and all else is worth something and uses goods."""
        has_nothing = bool(self.is_nothing[self.firsts].all()) and not self.money_rows
        # A purchase that nobody offers for uses nothing either; its bounds are below 0.
        return has_nothing and bool((self.uses >= 0).all() and (self.bounds >= 0).all())

    @cached_property
    def is_nothing(self) -> np.ndarray:
        """Whether an option is worth nothing and uses nothing, ``(num_options,)``."""
        is_nothing: np.ndarray = ~self.uses.any(axis=1) & (self.worth == 0)
        for coefficients, _ in self.money_rows:
            is_nothing &= coefficients == 0
        return is_nothing

    @property
    def all_rows(self) -> list[tuple[np.ndarray, Fraction | float]]:
        """Uses and money alike: coefficients of the options, and the most of their sum."""
        uses = [(self.uses[:, row], int(bound)) for row, bound in enumerate(self.bounds.tolist())]
        return [*uses, *self.money_rows]

    def broken_rows(self, chosen: np.ndarray) -> list[tuple[np.ndarray, Fraction | float]]:
        """The rows that options together do not keep, counted exactly."""
        broken = np.flatnonzero(self.uses[chosen].sum(axis=0) > self.bounds)
        rows: list[tuple[np.ndarray, Fraction | float]] = [
            (self.uses[:, row], int(self.bounds[row])) for row in broken
        ]
        return rows + [
            (row, most) for row, most in self.money_rows if sum(row[chosen].tolist()) > most
        ]

    def total(self, chosen: np.ndarray) -> float:
        """What options are worth together."""
        return float(self.worth[chosen].sum())

    @cached_property
    def is_exact_packing(self) -> bool:
        """Whether our own methods can decide it, to the unit."""
        if self.money_rows or self.decimals is None:
            return False
        made = self.packing()
        return made is not None and made[0].is_whole

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
        least: np.ndarray = np.minimum.reduceat(numbers, self.firsts, axis=0)
        return least

    def packing(self) -> tuple[Packing, np.ndarray] | None:
        """
        The packing problem, and which option each of its bids is; None if nothing can be chosen.

        Plain options are bids as they are, of which nobody needs one. Of others, rows that can
        never bind are left out, and options that do not fit by themselves.
        """
        if self.is_plain:
            is_bid = (self.uses <= self.bounds).all(axis=1) & (self.worth > 0)
            numbers = np.flatnonzero(is_bid)
            owners, uses = self.owners[numbers], self.uses[numbers]
            return Packing(owners, uses, self.worth[numbers], self.bounds, self.decimals), numbers
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
    if options.is_plain and solver is None:
        return _by_bids(options, effort, stage, start)
    if solver is not None or options.money_rows:
        return _no_worse(options, start, lambda: _by_program(options, effort, solver or "highs"))
    made = options.packing()
    if made is None:
        return None
    if options.decimals is not None and not made[0].is_whole:
        return _by_program(options, effort, "highs", start)  # sums would lose their units
    few = replace(
        effort,
        few_nodes=FEW_NODES,
        iterations=FEW_ITERATIONS,
        search_nodes=(),
        to_the_end=False,
    )
    is_limited = np.isfinite(effort.deadline)
    found = None
    if not (is_limited and options.uses.size > MOST_CELLS):
        found = _by_packing(options, *made, few.for_share(FEW_SHARE), stage, start)
    if found is not None and (found.is_proven or perf_counter() >= effort.deadline):
        return found if len(found.options) == options.num_participants else None
    begin = start if found is None else found.options
    if begin is not None and start is not None and options.total(start) > options.total(begin):
        begin = start
    again = _no_worse(options, begin, lambda: _by_program(options, effort, "highs", begin))
    if again is None or again.is_proven or perf_counter() >= effort.deadline:
        return again
    # Units of money below the solver's tolerance: our own methods go on to the end.
    last = _by_packing(options, *made, effort, stage, again.options)
    return again if last is None or last.worth < again.worth else last


def _by_bids(options: Options, effort: Effort, stage: str, start: np.ndarray | None) -> Chosen:
    """The choice of plain options, of which nobody needs one."""
    made = options.packing()
    assert made is not None  # nothing fits always
    packing, numbers = made
    starts = [] if start is None else [places_of(start, numbers)]
    everybody = Economy.main(options.num_participants)
    accepted = WinnerDetermination(packing, effort).accept(everybody, stage, starts)
    return accepted_options(options, packing, numbers, accepted)


def places_of(options: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Places of those options that are among some numbers; both ascending."""
    places = np.searchsorted(numbers, options)
    is_there = places < len(numbers)
    is_there[is_there] = numbers[places[is_there]] == options[is_there]
    return places[is_there]


def accepted_options(
    options: Options, packing: Packing, numbers: np.ndarray, accepted: Accepted
) -> Chosen:
    """Accepted bids of plain options: whoever wins nothing takes its first option."""
    taken = options.firsts.copy()
    taken[packing.owners[accepted.bids]] = numbers[accepted.bids]
    return Chosen(taken, accepted.surplus, accepted.bound, accepted.method, accepted.is_proven)


def _no_worse(
    options: Options, start: np.ndarray | None, solve: Callable[[], Chosen | None]
) -> Chosen | None:
    """What a solver finds in its time, or the choice that is known if it finds nothing better."""
    try:
        found = solve()
    except OutOfTime:
        if start is None:
            raise
        found = None
    else:
        if start is None or found is None or found.worth >= options.total(start):
            return found
    most = -float(options.smallest(-options.worth).sum()) if found is None else found.bound
    return Chosen(start, options.total(start), most, "search", False, False)


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
    worth = options.total(taken)
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
    program = Program(options, options.worth / scale, solver, maximise=True)
    if program.is_impossible:
        return None
    # Nothing lies between two whole numbers.
    result, chosen = program.solve(effort, 0.5 if is_small else 0.0, start)
    has_units = options.decimals is not None and not is_small
    if chosen is None:
        # A large number may have cost a row all that it allows.
        return decided_to_the_unit(options, None, effort, solver) if has_units else None
    worth = options.total(chosen)
    bound = result.bound * scale
    if is_small:
        bound = float(np.floor(bound + 0.1))  # a solver's error is a small part of a unit
    else:
        # Tolerances are a part of the largest amount that is not proven to be of no use.
        bound += SOLVER_ERROR * (scale if largest <= MOST_WITHOUT_UNIT else largest)
        bound += 1e-12 * abs(bound)
    is_optimal = result.status is Status.OPTIMAL
    has_no_unit = options.decimals is None and largest <= MOST_WITHOUT_UNIT
    is_proven = is_optimal and (is_small or has_no_unit)
    made = Chosen(chosen, worth, max(bound, worth), "milp", is_proven, is_optimal)
    if not has_units or effort.gap or options.is_exact_packing:
        return made
    return decided_to_the_unit(options, made, effort, solver)
