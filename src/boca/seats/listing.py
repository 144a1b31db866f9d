"""One student's best schedules, best first: all that it may hold, or those within a budget."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from boca.core.market import ROUNDING
from boca.seats.branching import ScheduleSearch, branch
from boca.seats.template import Template, num_subsets, template
from boca.seats.wish import Wish

# Utilities that differ by less than this share of the largest one are equal: sums in another order
# differ by less, and who fills in a form does not mean such differences.
EQUAL = 1e-12
# Subsets in a table that is only a first look.
SMALL_TABLE = 16_000
# What a schedule may cost beyond a budget: rounding of its sum.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class ScheduleListing:
    """
    Some of a student's schedules by falling utility, all better than nothing.

    Parameters
    ----------
    members
        Places of the wish ``(num_schedules, most)``, padded with ``wish.num``.
    utilities
        Their utilities ``(num_schedules,)``; equal ones are exactly equal.
    certain
        No schedule that is missing is as good as any of the first ``certain`` ones.
    nothing
        Utility of adding no course.
    least
        No schedule that is missing is better than this; minus infinity if none is missing.
    """

    members: np.ndarray
    utilities: np.ndarray
    certain: int
    nothing: float
    least: float

    @property
    def is_all(self) -> bool:
        """Whether no schedule that was asked for is missing."""
        return self.least == -np.inf


def best_schedules(
    wish: Wish, top: int, prices: np.ndarray | None = None, budget: float = np.inf
) -> ScheduleListing:
    """
    The best schedules of a student.

    Parameters
    ----------
    wish
        What it may hold and likes.
    top
        How many are wanted, at least where there are so many. Positive.
    prices, budget
        If given, only schedules that cost at most the budget; one price per place ``(num,)``.
    """
    if wish.num == 0 or wish.most == 0:
        nothing = float(wish.values(np.full((1, 1), wish.num))[0])
        return ScheduleListing(np.full((0, 1), wish.num), np.zeros(0), 0, nothing, -np.inf)
    if wish.is_listed:
        return _from_table(wish, top, prices, budget)
    return _branched(wish, top, prices, budget)


def _branched(wish: Wish, top: int, prices: np.ndarray | None, budget: float) -> ScheduleListing:
    search = ScheduleSearch(wish, prices, budget + SLACK)
    # The best schedules of the courses that can bring most say what is worth looking for.
    few = np.sort(search.order[: _num_in_table(wish.most)])
    first = _from_table(wish.only(few), top, None if prices is None else prices[few], budget)
    threshold = first.utilities[-1] if len(first.utilities) else search.nothing
    members, values, least = branch(search, top, float(threshold))
    return _sorted(members, values, search.nothing, least)


@lru_cache
def _num_in_table(most: int) -> int:
    """So many courses that their schedules are listed in a millisecond."""
    num = most + 1
    while num_subsets(num + 1, most) <= SMALL_TABLE:
        num += 1
    return num


def _from_table(wish: Wish, top: int, prices: np.ndarray | None, budget: float) -> ScheduleListing:
    table = template(wish.num, wish.most)
    values = wish.taste.of_table(wish, table)
    for needed in wish.required:
        values += wish.bonus * table.contains[needed].any(axis=0)
    nothing = float(values[0])
    allowed = _allowed(wish, table)
    if allowed is not None:
        values = np.where(allowed, values, -np.inf)
    if prices is not None:
        values[table.sums(prices) > budget + SLACK] = -np.inf
    better = np.flatnonzero(values > nothing)
    least = -np.inf
    if len(better) > top:
        some = values[better]
        kept = np.argpartition(-some, top - 1)[:top]
        least = float(some[kept].min())
        better = better[np.sort(kept)]
    return _sorted(table.members[better], values[better], nothing, least)


def _sorted(
    members: np.ndarray, values: np.ndarray, nothing: float, least: float
) -> ScheduleListing:
    """A listing from schedules in any order; those at or below ``least`` may not be all."""
    unit = EQUAL * max(1.0, float(np.abs(values).max(initial=0.0)))
    rounded = np.rint(values / unit) * unit
    better = rounded > nothing + unit / 2
    members, rounded = members[better], rounded[better]
    order = np.argsort(-rounded, kind="stable")
    certain = int((rounded > least + unit).sum())
    return ScheduleListing(members[order], rounded[order], certain, nothing, least)


def _allowed(wish: Wish, table: Template) -> np.ndarray | None:
    """Which subsets keep the student's limits; None if all do."""
    if not wish.clashes.any() and not len(wish.weights):
        return None
    return _allowed_by(
        wish.num,
        wish.most,
        wish.clashes.tobytes(),
        wish.weights.tobytes(),
        wish.room.tobytes(),
    )


@lru_cache(maxsize=64)
def _allowed_by(num: int, most: int, clashes: bytes, weights: bytes, room: bytes) -> np.ndarray:
    """The same for everybody with these limits."""
    table = template(num, most)
    allowed = np.ones(table.num_subsets, dtype=bool)
    for a, b in np.argwhere(np.triu(np.frombuffer(clashes, dtype=bool).reshape(num, num))):
        allowed &= ~(table.contains[a] & table.contains[b])
    bounds = np.frombuffer(room)
    for row, bound in zip(np.frombuffer(weights).reshape(len(bounds), num), bounds, strict=True):
        allowed &= table.sums(row) <= bound + ROUNDING
    allowed.flags.writeable = False
    return allowed
