"""
Who would rather have somebody else's schedule, or a part of it.

Matrices of whole numbers below 2^53 are multiplied as floats, which is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boca_verify.bodies import Damaged
from boca_verify.seats.demand import SeatedStudent
from boca_verify.seats.tables import ROUNDING

# Parts of all schedules together that are looked at; more are a task for another program.
MOST_PARTS = 2_000_000
EXACT = 2**53


@dataclass(frozen=True)
class EnvyCounts:
    """Pairs of students, as ``assigned`` counts them."""

    envious: int
    beyond_one: int
    against_order: int


def count_envy(students: Sequence[SeatedStudent], firsts: Sequence[int]) -> EnvyCounts:
    """
    All envy in an assignment.

    Parameters
    ----------
    students
        Everybody.
    firsts
        Budgets by the order alone: whoever has less is behind.
    """
    distinct = sorted({student.courses for student in students})
    which = np.array([distinct.index(student.courses) for student in students])
    if sum(2 ** len(courses) for courses in distinct) > MOST_PARTS:
        raise Damaged("there are too many parts of schedules to look for envy.")
    num = len(students[0].offer.names)
    parts, owners, dropped = _parts(distinct, num)
    budgets = np.array(firsts, dtype=object)
    is_free = np.array([not student.held for student in students])
    envious = beyond = against = 0
    for i, student in enumerate(students):
        values = _values(student, parts)
        own = student.value(student.courses)
        best = np.full(len(distinct), -np.inf)
        np.maximum.at(best, owners, values)
        wanted = best > own
        holders = wanted[which]
        envious += int(holders.sum())
        # Whoever holds courses from before is told apart from everybody else.
        behind = (budgets < budgets[i]).astype(bool) & is_free & is_free[i]
        against += int((holders & behind).sum())
        for number in np.flatnonzero(wanted):
            mine = owners == number
            without = [values[mine & dropped[:, course]].max() for course in distinct[int(number)]]
            if min(without, default=np.inf) > own:
                beyond += int((which == number).sum())
    return EnvyCounts(envious, beyond, against)


def _parts(
    schedules: Sequence[tuple[int, ...]], num: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All parts of some schedules, whose part each is, and which courses it leaves out."""
    rows, owners, dropped = [], [], []
    for number, courses in enumerate(schedules):
        bits = (np.arange(2 ** len(courses))[:, None] >> np.arange(len(courses))) & 1 > 0
        part = np.zeros((len(bits), num), dtype=bool)
        part[:, list(courses)] = bits
        out = np.zeros((len(bits), num), dtype=bool)
        out[:, list(courses)] = ~bits
        rows.append(part)
        dropped.append(out)
        owners.append(np.full(len(bits), number))
    return np.concatenate(rows), np.concatenate(owners), np.concatenate(dropped)


def _values(student: SeatedStudent, parts: np.ndarray) -> np.ndarray:
    """What parts are worth to a student besides what it holds; minus infinity if not allowed."""
    limits, offer = student.limits, student.offer
    num = len(offer.names)
    largest = student.bonus * (2 + len(limits.required))
    if largest >= EXACT:
        raise Damaged(f"the utilities of {limits.name} are too large to be compared exactly.")
    rows = parts.astype(float)
    rows[:, list(student.held)] = 1
    ratings = np.array(student.ratings, dtype=float)
    effects = np.zeros((num, num))
    for (a, b), points in student.pairs.items():
        effects[a, b] = points
    values = rows @ ratings
    if student.pairs:
        values += ((rows @ effects) * rows).sum(axis=1)
    for choices in limits.required:
        values += student.bonus * (rows[:, list(choices)] > 0).any(axis=1)
    allowed = np.zeros(num, dtype=bool)
    allowed[list(limits.allowed)] = True
    fits = ~(rows[:, ~allowed] > 0).any(axis=1)
    if limits.max_courses is not None:
        fits &= rows.sum(axis=1) <= limits.max_courses
    if limits.max_credits is not None:
        fits &= rows @ np.array(offer.credits) <= limits.max_credits + ROUNDING
    if offer.clashes:
        clash = np.zeros((num, num))
        for a, b in offer.clashes:
            clash[a, b] = 1
        fits &= ((rows @ clash) * rows).sum(axis=1) == 0
    result: np.ndarray = np.where(fits, values, -np.inf)
    return result
