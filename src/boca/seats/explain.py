"""Why a student got less than it wanted, in numbers."""

from dataclasses import dataclass

import numpy as np

from boca.seats.listing import best_schedules
from boca.seats.seating import Seating


@dataclass(frozen=True)
class Shortfall:
    """
    A student's most liked schedule compared with what it got.

    Parameters
    ----------
    student
        The student's number.
    wanted
        Courses of the most liked schedule that it did not get.
    instead
        Courses that it got instead.
    cost, budget
        What the most liked schedule costs, and what the student had.
    without
        Courses of the most liked schedule without which the rest would have been affordable, if
        one is enough; else empty.
    """

    student: int
    wanted: tuple[int, ...]
    instead: tuple[int, ...]
    cost: float
    budget: float
    without: tuple[int, ...]


def reason_for(seating: Seating, student: int) -> Shortfall | None:
    """Why a student has not its most liked schedule; None if it has one as good."""
    if seating.num_better[student] == 0:
        return None
    wish = seating.wishes[student]
    best = best_schedules(wish, 1)
    places = best.members[0]
    liked = wish.courses[places[places < wish.num]]
    prices = seating.prices_of(student)
    held = seating.rules.held[student] if seating.rules.held else ()
    got = np.setdiff1d(np.flatnonzero(seating.allocation.bundles[student]), held)
    cost, budget = float(prices[liked].sum()), float(seating.budgets[student])
    single = [int(c) for c in liked if cost - prices[c] <= budget]
    return Shortfall(
        student,
        tuple(int(c) for c in np.setdiff1d(liked, got)),
        tuple(int(c) for c in np.setdiff1d(got, liked)),
        cost,
        budget,
        tuple(single),
    )
