"""Who would rather have somebody else's schedule, or a part of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boca.seats.listing import EQUAL
from boca.seats.wish import Wish


def best_parts(wish: Wish, schedules: np.ndarray) -> np.ndarray:
    """
    A student's utility of the best part of each schedule that it may hold itself.

    Parameters
    ----------
    wish
        What the student may hold and likes.
    schedules
        Courses ``(num_schedules, width)``, padded with the number of courses.
    """
    members = np.sort(wish.places[schedules], axis=1)  # (num_schedules, width), padding last
    width = max(1, int((members < wish.num).sum(axis=1).max(initial=0)))
    members = members[:, :width]
    bits = (np.arange(2**width)[:, None] >> np.arange(width)) & 1 > 0  # (parts, width)
    best = np.empty(len(members))
    step = max(1, (1 << 18) // len(bits))
    for low in range(0, len(members), step):
        block = members[low : low + step]
        parts = np.where(bits[None], block[:, None, :], wish.num).reshape(-1, width)
        values = wish.values(parts)
        values[~wish.allows(parts)] = -np.inf
        best[low : low + step] = values.reshape(len(block), len(bits)).max(axis=1)
    return best


def is_more(values: np.ndarray, own: float) -> np.ndarray:
    """Which utilities are larger than the student's own, rounding apart."""
    more: np.ndarray = values > own + EQUAL * max(1.0, abs(own))
    return more


def envied(wish: Wish, own: float, schedules: np.ndarray) -> np.ndarray:
    """Which schedules a student with the utility ``own`` would rather have."""
    return is_more(best_parts(wish, schedules), own)


@dataclass(frozen=True)
class Envy:
    """
    Envy among students.

    Parameters
    ----------
    pairs
        Pairs of a student and somebody whose schedule it would rather have.
    beyond_one
        Pairs in which it still would after the course is taken away that matters most to it.
    against_order
        Pairs in which the other one is behind it in the order of tie-breaking, although neither
        priority nor reserved seats tell the two apart.
    largest
        The largest gain by having another's schedule, as a share of the own utility.
    students
        Per student, how many others it envies.
    """

    pairs: int
    beyond_one: int
    against_order: int
    largest: float
    students: tuple[int, ...]


def measure_envy(
    wishes: Sequence[Wish],
    schedules: np.ndarray,
    base_budgets: np.ndarray,
    kinds: np.ndarray,
) -> Envy:
    """
    All envy in an assignment, from utilities alone.

    Parameters
    ----------
    wishes
        What students may hold and like.
    schedules
        What they get besides what they hold, ``(num_students, width)`` padded courses.
    base_budgets
        Budgets before any was moved: the order.
    kinds
        Students of different kinds (priority, group) are told apart on purpose, so that only pairs
        of one kind count as against the order ``(num_students,)``.
    """
    distinct, which = np.unique(np.sort(schedules, axis=1), axis=0, return_inverse=True)
    which = which.ravel()
    pairs = beyond = against = 0
    largest = 0.0
    counts = []
    for i, wish in enumerate(wishes):
        own = float(wish.values(np.sort(wish.places[schedules[i]])[None])[0])
        wanted = _wanted(wish, own, distinct)
        if not len(wanted):
            counts.append(0)
            continue
        values = best_parts(wish, distinct[wanted])
        more = is_more(values, own)
        wanted, values = wanted[more], values[more]
        holders = np.isin(which, wanted)
        counts.append(int(holders.sum()))
        pairs += counts[-1]
        against += int((holders & (base_budgets < base_budgets[i]) & (kinds == kinds[i])).sum())
        if len(wanted):
            largest = max(largest, (float(values.max()) - own) / max(abs(own), 1e-9))
        for number in wanted:
            if _beyond_one(wish, own, distinct[number]):
                beyond += int((which == number).sum())
    return Envy(pairs, beyond, against, largest, tuple(counts))


def _wanted(wish: Wish, own: float, schedules: np.ndarray) -> np.ndarray:
    """Schedules that may be worth more than the own one, by what their courses can bring."""
    if not wish.taste.has_parts:
        return np.arange(len(schedules))
    shares = wish.taste.shares(wish)
    for needed in wish.required:
        shares = shares + wish.bonus * np.isin(np.arange(wish.num), needed)
    nothing = float(wish.values(np.full((1, 1), wish.num))[0])
    most = np.append(np.maximum(shares, 0), 0.0)[wish.places[schedules]].sum(axis=1) + nothing
    return np.flatnonzero(most > own)


def _beyond_one(wish: Wish, own: float, schedule: np.ndarray) -> bool:
    """Whether a student wants a schedule even without any one of its courses."""
    width = len(schedule)
    without = np.repeat(schedule[None], width, axis=0)
    without[np.arange(width), np.arange(width)] = wish.taste.num_goods
    return bool(is_more(best_parts(wish, without), own).all())
