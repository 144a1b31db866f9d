"""Courses and students as a log tells them, and what a student may hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from boca_verify.bodies import Body, Damaged

# By how much credits may exceed a limit: rounding of their sum.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LoggedCourses:
    """
    What a log offers.

    Parameters
    ----------
    name
        Of the allocation.
    names, seats, credits
        Of every course.
    clashes
        Pairs of courses that exclude each other: the smaller number first.
    """

    name: str
    names: tuple[str, ...]
    seats: tuple[int, ...]
    credits: tuple[float, ...]
    clashes: frozenset[tuple[int, int]]

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.names)}

    def words(self, courses: Iterable[int]) -> str:
        return ", ".join(self.names[j] for j in sorted(courses)) or "nothing"

    def schedule(self, body: Body, key: str) -> tuple[int, ...]:
        """Courses of a record, by their numbers; Damaged if one does not exist or comes twice."""
        names = body.texts(key)
        unknown = [name for name in names if name not in self.numbers]
        if unknown:
            raise Damaged(f"there is no course '{unknown[0]}'.")
        if len(set(names)) < len(names):
            raise Damaged(f"'{key}' names a course twice.")
        return tuple(sorted(self.numbers[name] for name in names))


def read_courses(market: Body) -> LoggedCourses:
    """The courses of a ``configured`` or ``changed`` record."""
    rows = list(market.parts("courses"))
    names = tuple(row.text("name") for row in rows)
    if not names or len(set(names)) < len(names):
        raise Damaged("courses are missing, or two have one name.")
    slots = [[_slot(slot) for slot in row.list("slots")] for row in rows]
    sections = [row.text("section") for row in rows]
    numbers = {name: j for j, name in enumerate(names)}
    clashes = {
        (a, b)
        for a, b in combinations(range(len(names)), 2)
        if (sections[a] and sections[a] == sections[b]) or _overlap(slots[a], slots[b])
    }
    for pair in market.list("conflicts"):
        if not isinstance(pair, list) or len(pair) != 2 or not set(pair) <= numbers.keys():
            raise Damaged(f"{pair!r:.60} is not a pair of courses.")
        a, b = sorted(numbers[name] for name in pair)
        clashes.add((a, b))
    return LoggedCourses(
        market.text("name"),
        names,
        tuple(row.whole("seats", 1) for row in rows),
        tuple(row.number("credits") for row in rows),
        frozenset(clashes),
    )


def _slot(slot: Any) -> tuple[int, int, int]:
    is_good = isinstance(slot, list) and len(slot) == 3 and all(type(n) is int for n in slot)
    if not is_good:
        raise Damaged(f"{slot!r:.60} is not a day with two minutes.")
    day, start, end = slot
    return day, start, end


def _overlap(one: Sequence[tuple[int, int, int]], other: Sequence[tuple[int, int, int]]) -> bool:
    return any(d == e and a < y and x < b for d, a, b in one for e, x, y in other)


@dataclass(frozen=True)
class LoggedStudent:
    """
    What one student may hold.

    Parameters
    ----------
    name
        Of the student.
    allowed
        Courses that it may take.
    max_courses, max_credits
        At most so many; None for any number.
    required
        Sets of courses of which one each is needed.
    holds
        What it has already.
    """

    name: str
    allowed: frozenset[int]
    max_courses: int | None
    max_credits: float | None
    required: tuple[frozenset[int], ...]
    holds: frozenset[int]

    def problem(self, courses: Sequence[int], offer: LoggedCourses) -> str:
        """What keeps the student from a schedule; empty if nothing does."""
        banned = [j for j in courses if j not in self.allowed]
        if banned:
            return f"may not take {offer.names[banned[0]]}"
        if self.max_courses is not None and len(courses) > self.max_courses:
            return f"has {len(courses)} courses; at most {self.max_courses} are allowed"
        total = sum(offer.credits[j] for j in courses)
        if self.max_credits is not None and total > self.max_credits + ROUNDING:
            return f"has {total:g} credits; at most {self.max_credits:g} are allowed"
        for pair in combinations(sorted(courses), 2):
            if pair in offer.clashes:
                return f"has {offer.names[pair[0]]} and {offer.names[pair[1]]}, which clash"
        return ""

    def num_met(self, courses: Iterable[int]) -> int:
        """How much of what is required a schedule has."""
        taken = set(courses)
        return sum(bool(choices & taken) for choices in self.required)


def read_student(row: Mapping[str, Any] | Body, offer: LoggedCourses) -> LoggedStudent:
    """One student of an ``enrolled`` record."""
    body = row if isinstance(row, Body) else Body(row)
    listed = {key: _courses(body.texts(key), offer) for key in ("allowed", "forbidden", "holds")}
    required = body.list("required")
    if not all(isinstance(choices, list) for choices in required):
        raise Damaged("'required' is not a list of lists.")
    allowed = listed["allowed"] or frozenset(range(len(offer.names)))
    most = body.number("max_courses") if body.has("max_courses") else None
    return LoggedStudent(
        body.text("name"),
        allowed - listed["forbidden"],
        None if most is None else int(most),
        body.number("max_credits") if body.has("max_credits") else None,
        tuple(_courses(choices, offer) for choices in required),
        listed["holds"],
    )


def _courses(names: Iterable[Any], offer: LoggedCourses) -> frozenset[int]:
    numbers = []
    for name in names:
        if name not in offer.numbers:
            raise Damaged(f"there is no course {name!r:.60}.")
        numbers.append(offer.numbers[name])
    return frozenset(numbers)
