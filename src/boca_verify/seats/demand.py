"""
Whether a student could afford a better schedule: branch and bound in whole numbers.

Every number is an integer of Python's own, so that no comparison is decided by rounding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from boca_verify.bodies import Body
from boca_verify.errors import Undecided
from boca_verify.seats.tables import (
    ROUNDING,
    LoggedCourses,
    LoggedStudent,
    read_courses,
    read_student,
)

# Parts of a budget; multipliers of prices are counted in them.
BUDGET = 10**12
# Schedules that are looked at for one student before giving up.
MOST_NODES = 2_000_000
# Multipliers of prices that are tried for the bound, as shares of what the best course is worth.
SHARES = tuple(range(41))


@dataclass(frozen=True)
class OpenSeats:
    """
    What can be had.

    Parameters
    ----------
    seats, prices
        Of every course, in parts of a budget.
    held
        Seats that are taken by students who keep them.
    """

    seats: tuple[int, ...]
    prices: tuple[int, ...]
    held: tuple[int, ...]


@dataclass(frozen=True)
class SeatedStudent:
    """
    One student with its utility and what it got.

    Parameters
    ----------
    offer, limits
        The courses, and what it may hold.
    ratings, pairs
        Worth of each course, and what two of them add (the smaller number first).
    courses, held, budget
        Its schedule, what of it is its own, and what it can spend on the rest.
    """

    offer: LoggedCourses
    limits: LoggedStudent
    ratings: tuple[int, ...]
    pairs: Mapping[tuple[int, int], int]
    courses: tuple[int, ...]
    held: tuple[int, ...]
    budget: int

    @classmethod
    def of(cls, tables: Mapping[str, Any], student: int, row: Mapping[str, Any]) -> "SeatedStudent":
        """From plain values: the tables of an allocation, and a result."""
        offer = read_courses(Body(dict(tables)))
        return cls(
            offer,
            read_student(tables["students"][student], offer),
            tuple(row["ratings"]),
            pair_table(row["pairs"]),
            tuple(row["courses"]),
            tuple(row["held"]),
            row["budget"],
        )

    @cached_property
    def bonus(self) -> int:
        """What one required course is worth: more than everything else together."""
        pairs = sum(map(abs, self.pairs.values()))
        return 1 + 2 * (sum(map(abs, self.ratings)) + pairs)

    def wanting(self, course: int) -> "SeatedStudent":
        """The same student if a course were worth more than all others, what is required apart."""
        most = 1 + 2 * (sum(map(abs, self.ratings)) + sum(map(abs, self.pairs.values())))
        ratings = tuple(n + most * (j == course) for j, n in enumerate(self.ratings))
        return replace(self, ratings=ratings)

    def value(self, courses: Sequence[int]) -> int:
        """Of one schedule, required courses first."""
        worth = sum(self.ratings[j] for j in courses)
        ordered = sorted(courses)
        pairs = sum(
            self.pairs.get((a, b), 0) for k, a in enumerate(ordered) for b in ordered[k + 1 :]
        )
        return worth + pairs + self.bonus * self.limits.num_met(courses)


def pair_table(pairs: Sequence[Sequence[int]]) -> dict[tuple[int, int], int]:
    """Effects of pairs by their courses."""
    table: dict[tuple[int, int], int] = {}
    for a, b, points in pairs:
        key = (min(a, b), max(a, b))
        table[key] = table.get(key, 0) + points
    return table


def better_schedule(
    student: SeatedStudent, seats: OpenSeats, most_nodes: int = MOST_NODES
) -> tuple[int, ...] | None:
    """A better schedule that the student could afford; None if there is none."""
    return _Search(student, seats, most_nodes).run()


def best_schedule(student: SeatedStudent, seats: OpenSeats) -> tuple[int, ...]:
    """What the student likes best of all that it could afford; its own where nothing is better."""
    while (better := better_schedule(student, seats)) is not None:
        student = replace(student, courses=better)
    return student.courses


class _Search:
    """Depth first; a course is in or out, those that can bring most first."""

    def __init__(self, student: SeatedStudent, seats: OpenSeats, most_nodes: int):
        self.student, self.nodes_left = student, most_nodes
        limits, offer, held = student.limits, student.offer, set(student.held)
        self.prices = seats.prices
        self.room = (len(offer.names) if limits.max_courses is None else limits.max_courses) - len(
            held
        )
        self.clashes: dict[int, set[int]] = {}
        for a, b in offer.clashes:
            self.clashes.setdefault(a, set()).add(b)
            self.clashes.setdefault(b, set()).add(a)
        self.own = student.value(student.courses)
        met = [choices for choices in limits.required if not choices & held]
        usable = [
            j
            for j in sorted(limits.allowed - held)
            if seats.prices[j] <= student.budget
            and seats.seats[j] > seats.held[j]
            and not self.clashes.get(j, set()) & held
        ]
        # With a bonus for every open requirement that a course meets: too much rather than too
        # little, so that bounds are bounds.
        self.worth = {
            j: student.ratings[j]
            + sum(self._pair(j, h) for h in held)
            + student.bonus * sum(j in choices for choices in met)
            for j in usable
        }
        self.hopes = {j: self._hope(j, usable) for j in usable}
        self.rate = self._rate()
        self.order = sorted(usable, key=lambda j: -(self.hopes[j] * BUDGET - self._toll(j)))

    def _pair(self, a: int, b: int) -> int:
        return self.student.pairs.get((min(a, b), max(a, b)), 0)

    def _hope(self, j: int, usable: Sequence[int]) -> int:
        """Twice what a course can bring: half of each pair belongs to each of its courses."""
        effects = sorted((self._pair(j, k) for k in usable if k != j), reverse=True)
        best = sum(effect for effect in effects[: max(self.room - 1, 0)] if effect > 0)
        return 2 * self.worth[j] + best

    def _toll(self, j: int) -> int:
        return self.rate * self.prices[j]

    def _rate(self) -> int:
        """What a part of the budget is worth, such that the first bound is small."""
        best = max(self.hopes.values(), default=0)
        rates = [max(best, 0) * share // 20 for share in SHARES]

        def bound(rate: int) -> int:
            gains = sorted((h * BUDGET - rate * self.prices[j] for j, h in self.hopes.items()))
            return rate * self.student.budget + sum(g for g in gains[-max(self.room, 0) :] if g > 0)

        return min(rates, key=bound) if self.room > 0 else 0

    def run(self) -> tuple[int, ...] | None:
        student = self.student
        base = student.value(student.held)
        if base > self.own:
            return student.held
        credits = sum(student.offer.credits[j] for j in student.held)
        gains = dict(self.hopes)
        return self._look((), base, 0, credits, 0, gains)

    def _look(
        self,
        taken: tuple[int, ...],
        hoped: int,
        cost: int,
        credits: float,
        start: int,
        gains: dict[int, int],
    ) -> tuple[int, ...] | None:
        """
        The courses from ``start`` on, added to what was taken.

        ``hoped`` is the value with every bonus that was hoped for; ``gains`` is twice what each
        course can bring to it, with half of all pairs among those that may follow.
        """
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise Undecided(
                f"Gave up looking for a better schedule of {self.student.limits.name}; nothing is "
                "known about it."
            )
        left = self.room - len(taken)
        if left <= 0:
            return None
        limits, offer = self.student.limits, self.student.offer
        rest = self.order[start:]
        spare = self.rate * (self.student.budget - cost)
        nets = [gains[j] * BUDGET - self._toll(j) if j in gains else None for j in rest]
        for k, j in enumerate(rest):
            if j not in gains:
                continue
            later = sorted((n for n in nets[k:] if n is not None and n > 0), reverse=True)
            if 2 * hoped * BUDGET + spare + sum(later[:left]) <= 2 * self.own * BUDGET:
                return None
            total = cost + self.prices[j]
            sum_of = credits + offer.credits[j]
            if total > self.student.budget or (
                limits.max_credits is not None and sum_of > limits.max_credits + ROUNDING
            ):
                continue
            now = (*taken, j)
            value = self.student.value((*self.student.held, *now))
            if value > self.own:
                return tuple(sorted((*self.student.held, *now)))
            more = {
                f: g + 2 * self._pair(f, j)
                for f, g in gains.items()
                if f not in self.clashes.get(j, ())
            }
            gained = self.worth[j] + sum(self._pair(j, t) for t in taken)
            found = self._look(now, hoped + gained, total, sum_of, start + k + 1, more)
            if found is not None:
                return found
        return None
