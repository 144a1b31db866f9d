"""
Proofs to the unit where amounts are too large for a solver's tolerances.

With prices y >= 0 of the rows, from the linear relaxation and whatever rounding did to them,
nothing is worth more than

    bound = sum_i max_k (w_k - sum_r y_r a_rk) + sum_r y_r b_r

(weak duality), and a choice is worth the bound less its waste: what its options miss of their
owner's largest term, and y_r for every unit that it leaves of row r. Only choices that waste less
than the bound is above the best known choice could be better: few options, with small numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from boca.milp import Model, Status, solve_lp
from boca.payments.effort import Effort
from boca.payments.exact_rows import tightened
from boca.payments.program import Chosen, OutOfTime, Program

if TYPE_CHECKING:
    from boca.payments.options import Options

# Wastes of so many units are told apart to the unit by a solver.
MOST_WASTE = 10**7
# A solver's error in a sum of wastes, in units.
ERROR = 0.1
# Parts of one problem after which it counts as not proven.
MOST_PARTS = 300

Rows = list[tuple[np.ndarray, Fraction | float]]


def decided_to_the_unit(
    options: "Options", best: Chosen | None, effort: Effort, solver: str
) -> Chosen | None:
    """
    The best choice, proven wherever numbers and time permit; its bound holds in any case.

    A part of the problem whose bound is too far above the best choice for a solver's tolerances is
    split in two: some option is taken, or it is not.

    Parameters
    ----------
    options
        In whole units of money, or else nothing is added to what is known.
    best
        A choice that keeps all rows; None where a solver sees none.
    effort, solver
        As for the program that looked for it.
    """
    if options.decimals is None:
        return best
    most = np.inf if best is None else int(best.bound // 1)
    parts = [(np.arange(len(options.owners)), most)]
    chosen = None if best is None else best.options
    least = int(options.smallest(options.worth).sum()) - 1  # less than any choice is worth
    for _ in range(MOST_PARTS):
        if not parts or perf_counter() >= effort.deadline:
            break
        numbers, above = parts.pop()
        worth = least if chosen is None else int(options.total(chosen))
        part = _Part.of(options, numbers) if above > worth else None
        if part is None:
            continue
        above = min(above, part.bound)
        found = part.looked_at(worth, effort, solver)
        if found.better is not None:
            chosen = found.better
            parts.append((part.numbers, above))
        elif not found.is_done:
            parts += [(numbers, above) for numbers in part.halves()]
    if chosen is None:
        if parts:
            raise OutOfTime
        return None
    worth = int(options.total(chosen))
    bound = max([worth, *(above for _, above in parts)])
    method = "milp" if best is None else best.method
    return Chosen(chosen, float(worth), float(bound), method, bound == worth)


@dataclass(frozen=True)
class _Found:
    """A better choice, or whether there is provably none."""

    better: np.ndarray | None = None
    is_done: bool = False


@dataclass(frozen=True, eq=False)
class _Part:
    """
    Some of the options, with their wastes.

    Parameters
    ----------
    options
        These options.
    numbers
        Which of all options they are.
    rows
        All rows, with smaller numbers where these permit the same.
    prices
        Of every row.
    waste
        Of every option.
    limit
        What no choice is worth more than, before it is rounded to units.
    shares
        How much of each option the linear relaxation takes.
    """

    options: "Options"
    numbers: np.ndarray
    rows: Rows
    prices: list[Fraction]
    waste: np.ndarray
    limit: Fraction
    shares: np.ndarray

    @classmethod
    def of(cls, options: "Options", numbers: np.ndarray) -> "_Part | None":
        """The part of a problem with some of its options; None if nothing can be chosen."""
        while True:
            part = options.keep(numbers)
            if len(np.unique(part.owners)) < options.num_participants:
                return None
            rows: Rows = []
            can_be_taken = np.ones(len(numbers), dtype=bool)
            for row, most in part.all_rows:
                smaller, is_possible = tightened(part.owners, row, most)
                rows.append((smaller, most))
                can_be_taken &= is_possible
            if can_be_taken.all():
                break
            numbers = numbers[can_be_taken]
        relaxed = _relaxed(part, rows)
        if relaxed is None:
            return None
        prices, shares = relaxed
        rest = np.array([Fraction(int(worth)) for worth in part.worth], dtype=object)
        limit = Fraction(0)
        for price, (row, most) in zip(prices, rows, strict=True):
            if price:
                rest = rest - price * row
                limit += price * Fraction(most)
        firsts = np.flatnonzero(np.diff(part.owners, prepend=-1))
        largest = np.maximum.reduceat(rest, firsts)
        waste = largest[part.owners] - rest
        return cls(part, numbers, rows, prices, waste, limit + largest.sum(), shares)

    @property
    def bound(self) -> int:
        """No choice is worth more units."""
        return int(self.limit // 1)

    def looked_at(self, worth: int, effort: Effort, solver: str) -> _Found:
        """What there is above a worth."""
        budget = self.limit - worth - 1
        if budget < 0:
            return _Found(is_done=True)
        if len(self.numbers) == self.options.num_participants:  # one choice, which keeps all rows
            is_better = self.options.total(np.arange(len(self.numbers))) > worth
            return _Found(self.numbers) if is_better else _Found(is_done=True)
        if budget > MOST_WASTE:
            return self._rounded(worth)
        kept = np.flatnonzero(np.array(self.waste <= budget, dtype=bool))
        part = self.options.keep(kept)
        # Everything is counted from one option of everybody: from nothing, where that is one.
        order = np.lexsort((~part.is_nothing, part.owners))
        bases = order[np.flatnonzero(np.diff(part.owners[order], prepend=-1))]

        def above_base(numbers: np.ndarray) -> tuple[np.ndarray, Fraction]:
            return (numbers - numbers[bases][part.owners]).astype(float), numbers[bases].sum()

        costs, wasted = above_base(self.waste[kept])
        program = Program(part, costs, solver, maximise=False)
        for price, (row, most) in zip(self.prices, self.rows, strict=True):
            if price:
                numbers, used = above_base(row[kept])
                left = program.model.add_variables(1, upper=float(budget / price), cost=price)
                columns = np.concatenate([program.taken, left])
                room = float(most - used)
                program.model.add_row(columns, np.append(numbers, 1.0), lower=room, upper=room)
        if program.is_impossible:
            return _Found(is_done=True)
        try:
            # Nothing lies between two whole worths.
            result, chosen = program.solve(effort, 0.5)
        except OutOfTime:
            return _Found()
        if chosen is None:
            return _Found(is_done=True)
        if part.total(chosen) > worth:
            return _Found(self.numbers[kept[chosen]])
        return _Found(is_done=result.bound + float(wasted) > float(budget) + ERROR)

    def _rounded(self, worth: int) -> _Found:
        """Whether the linear relaxation takes whole options that are a better choice."""
        owners = self.options.owners
        order = np.lexsort((self.shares, owners))
        chosen = order[np.flatnonzero(np.diff(owners[order], append=-1))]
        is_better = self.options.total(chosen) > worth and not self.options.broken_rows(chosen)
        return _Found(self.numbers[chosen] if is_better else None)

    def halves(self) -> list[np.ndarray]:
        """The options that are left without one of them, and with it."""
        owners = self.options.owners
        has_choice = (np.bincount(owners) > 1)[owners]
        evenness = np.where(has_choice, 0.5 - np.abs(self.shares - 0.5), -1.0)
        k = int(np.argmax(evenness))
        is_other = np.arange(len(owners)) != k
        return [self.numbers[is_other], self.numbers[~is_other | (owners != owners[k])]]


def _relaxed(part: "Options", rows: Rows) -> tuple[list[Fraction], np.ndarray] | None:
    """Prices of the rows and shares of the options, from the linear relaxation; None if none."""
    scale = float(np.abs(part.worth).max(initial=1.0))
    sizes = [max(1.0, float(np.abs(row.astype(float)).max())) for row, _ in rows]
    model = Model(maximise=True)
    taken = model.add_variables(len(part.owners), upper=1.0, cost=part.worth / scale)
    for (row, most), size in zip(rows, sizes, strict=True):
        model.add_row(taken, row.astype(float) / size, upper=float(most) / size)
    for i in range(part.num_participants):
        model.add_row(taken[part.owners == i], 1.0, lower=1.0, upper=1.0)
    result = solve_lp(model)
    if result.status is Status.INFEASIBLE or result.duals is None or result.x is None:
        return None
    pairs = zip(result.duals[: len(rows)].tolist(), sizes, strict=True)
    # Parts of a unit that are powers of two, so that their products stay short.
    prices = [Fraction(round(max(0.0, dual) * scale / size * 2**20), 2**20) for dual, size in pairs]
    return prices, result.x
