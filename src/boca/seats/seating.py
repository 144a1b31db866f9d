"""Who sits where, at which prices, and what is proven about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.allocation import Allocation
from boca.core.market import Market
from boca.seats.envy import Envy, measure_envy
from boca.seats.rules import SeatRules
from boca.seats.wish import Wish


@dataclass(frozen=True, eq=False)
class PriceList:
    """
    What courses cost the students of one priority.

    Parameters
    ----------
    priority
        Their level.
    groups
        An empty text for open seats, then the names of groups with reserved seats.
    prices
        ``(num_groups, num_courses)``.
    """

    priority: float
    groups: tuple[str, ...]
    prices: np.ndarray


@dataclass(frozen=True, eq=False)
class Seating:
    """
    An assignment of seats with what was found on the way.

    Students and courses are numbered as in the market.

    Parameters
    ----------
    market, rules
        What was shared out, and by which rules.
    allocation
        Everybody's courses, those held before included.
    price_lists
        One per priority, the highest first.
    costs
        What everybody's schedule costs ``(num_students,)``; courses held before cost nothing.
    base_budgets, budgets
        Budgets by the order of tie-breaking, and after some were moved ``(num_students,)``.
    utilities
        Of everybody's schedule ``(num_students,)``.
    num_better
        Schedules that a student would rather have, of courses with seats when it is its turn
        ``(num_students,)``.
    is_best
        Whether it is proven that a student can afford nothing better ``(num_students,)``.
    is_complete
        Whether all courses of use to the student were considered ``(num_students,)``.
    error
        Clearing error: 0 if no seat is oversold and every course with a price is full.
    bound
        The error that some prices reach in any market of this size (Budish, 2011).
    is_repaired
        Whether over-subscription had to be ended and seats filled after the search.
    ties_by_lot
        Whether lots decided between schedules that a student likes equally.
    stopped
        Why the search ended: ``cleared``, ``attempts``, ``time limit`` or ``interrupted``.
    cancelled
        Courses that were cancelled for want of students, in this order, each with the number of
        students it had.
    num_changed
        Students whose schedule changed by each of these cancellations.
    attempts
        Starts of the search in all.
    seconds
        Wall-clock time.
    wishes
        What students may hold and like, for questions about envy.
    """

    market: Market
    rules: SeatRules
    allocation: Allocation
    price_lists: tuple[PriceList, ...]
    costs: np.ndarray
    base_budgets: np.ndarray
    budgets: np.ndarray
    utilities: np.ndarray
    num_better: np.ndarray
    is_best: np.ndarray
    is_complete: np.ndarray
    error: float
    bound: float
    is_repaired: bool
    ties_by_lot: bool
    stopped: str
    cancelled: tuple[tuple[int, int], ...]
    num_changed: tuple[int, ...]
    attempts: int
    seconds: float
    wishes: Sequence[Wish]

    @property
    def prices(self) -> np.ndarray:
        """Prices of open seats for those who choose last ``(num_courses,)``."""
        row: np.ndarray = self.price_lists[-1].prices[0]
        return row

    def prices_of(self, student: int) -> np.ndarray:
        """What every course costs a student ``(num_courses,)``."""
        priority = self.rules.priorities[student] if self.rules.priorities else 0.0
        prices = next(p for p in self.price_lists if p.priority == priority)
        group = self.rules.groups[student] if self.rules.groups else ""
        row = prices.groups.index(group) if group in prices.groups else 0
        own: np.ndarray = prices.prices[row]
        return own

    def schedule(self, student: int) -> tuple[str, ...]:
        """The names of a student's courses."""
        row = self.allocation.bundles[student]
        return tuple(self.market.goods[j].name for j in np.flatnonzero(row))

    @cached_property
    def taken(self) -> np.ndarray:
        """Students in each course ``(num_courses,)``."""
        taken: np.ndarray = self.allocation.bundles.sum(axis=0)
        return taken

    @cached_property
    def envy(self) -> Envy:
        """All envy, from utilities alone; it takes seconds for a thousand students."""
        schedules = padded(self.allocation.bundles)
        return measure_envy(
            self.wishes, schedules, self.base_budgets, kinds(self.rules, self.market)
        )

    @property
    def is_efficient(self) -> bool:
        """
        Whether it is proven that nobody can gain unless somebody loses, courses held before apart.

        With priorities it is not: somebody who chose first and did not care which of two courses to
        take may have taken the one that a later student wanted. The same holds for lots between
        equals.
        """
        is_cleared = self.error == 0 and not self.is_repaired and len(self.price_lists) == 1
        return bool(is_cleared and self._is_each_best and not self.ties_by_lot)

    @property
    def _is_each_best(self) -> bool:
        return bool((self.is_best & self.is_complete).all())

    @property
    def is_within_one_course(self) -> bool:
        """
        Whether nobody envies anybody by more than one course, as :class:`Envy` counts it.

        It follows from budgets that are close for students whom neither priority nor reserved
        seats nor courses held before tell apart; among others it may be so or not.
        """
        return self.envy.beyond_one == 0

    @property
    def kept_below_minimum(self) -> tuple[int, ...]:
        """Courses with fewer students than their minimum, which are kept by some of them."""
        minimums = np.array(self.rules.minimums or (0,) * self.market.num_goods)
        gone = [course for course, _ in self.cancelled]
        below = np.flatnonzero(self.taken < minimums)
        return tuple(course for course in below.tolist() if course not in gone)

    def proven(self) -> dict[str, Any]:
        """What is known of the assignment, as plain values."""
        return {
            "clearing_error": self.error,
            "bound_on_error": self.bound,
            "no_seat_oversold": bool((self.taken <= self.market.capacities).all()),
            "students_with_best_affordable": int(self.is_best.sum()),
            "students_with_all_courses_considered": int(self.is_complete.sum()),
            "pareto_efficient": self.is_efficient,
            "envy_within_one_course": self.is_within_one_course,
            "repaired": self.is_repaired,
            "ties_by_lot": self.ties_by_lot,
            "stopped": self.stopped,
        }

    def summary(self) -> str:
        """The assignment in a few lines."""
        num = self.market.num_bidders
        without = int((self.allocation.bundles.sum(axis=1) == 0).sum())
        first = int((self.num_better == 0).sum())
        lines = [
            f"{counted(num, 'student')}, {counted(self.market.num_goods, 'course')}: "
            f"clearing error {self.error:g} "
            f"after {counted(self.attempts, 'attempt')} in {self.seconds:.1f} s ({self.stopped})",
            f"best schedule of all: {counted(first, 'student')}; no course at all: "
            f"{counted(without, 'student')}; {counted(int((self.prices > 0).sum()), 'course')} "
            "with a price",
        ]
        lines += ["lots decided between equally good schedules"] * self.ties_by_lot
        lines += [
            f"cancelled: {self.market.goods[course].name} with {counted(count, 'student')}"
            for course, count in self.cancelled
        ]
        lines += [
            f"not cancelled, since students keep it: {self.market.goods[course].name} with "
            f"{counted(int(self.taken[course]), 'student')}, below its minimum of "
            f"{self.rules.minimums[course]}"
            for course in self.kept_below_minimum
        ]
        return "\n".join(lines)


def counted(number: int, noun: str) -> str:
    """A number of things, such as ``1 student`` or ``1,700 students``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def padded(bundles: np.ndarray) -> np.ndarray:
    """Schedules as lists of courses ``(num_students, most)``, padded with their number."""
    num_students, num_courses = bundles.shape
    most = max(1, int(bundles.sum(axis=1).max(initial=0)))
    rows = np.full((num_students, most), num_courses)
    students, courses = np.nonzero(bundles)
    starts = np.searchsorted(students, np.arange(num_students))
    rows[students, np.arange(len(students)) - starts[students]] = courses
    return rows


def kinds(rules: SeatRules, market: Market) -> np.ndarray:
    """
    A number per student; equal ones have the same priority and group, and hold nothing.

    Who already has courses is of a kind of its own.
    """
    pairs = [
        (
            rules.priorities[i] if rules.priorities else 0.0,
            rules.groups[i] if rules.groups else "",
            i if rules.held and rules.held[i] else -1,
        )
        for i in range(market.num_bidders)
    ]
    known = {pair: number for number, pair in enumerate(sorted(set(pairs)))}
    return np.array([known[pair] for pair in pairs])
