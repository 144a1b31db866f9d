"""A course market as the tables that a registrar would write."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from boca.core.csv_text import csv_text
from boca.core.files import write_atomically
from boca.core.market import Market
from boca.markets.courses.read import CourseMarket

# Points that differ from 0 by less are rounding of an inversion.
LEAST_POINTS = 1e-9


def write_courses(
    folder: Path,
    market: Market,
    most: int,
    slots: Sequence[str],
    ratings: np.ndarray,
    sets: Sequence[Sequence[tuple[tuple[int, ...], np.ndarray]]],
) -> None:
    """
    Writes courses, students, ratings and adjustments.

    Parameters
    ----------
    folder
        Where; made if it is missing.
    market
        Courses with seats, and students.
    most
        Courses per student.
    slots
        Meetings per course; none if empty.
    ratings
        ``(num_students, num_courses)``.
    sets
        Per student, sets of courses and the factors by which ratings change with the number of
        them that is taken. They are written as points for each part of the set, which is the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = [good.name for good in market.goods]
    students = [bidder.name for bidder in market.bidders]
    courses = [
        [good.name, good.capacity, slots[j] if slots else ""] for j, good in enumerate(market.goods)
    ]
    _write(folder / "courses.csv", ["course", "seats", "slots"], courses)
    _write(folder / "students.csv", ["student", "max_courses"], [[s, most] for s in students])
    rated = [
        [student, names[j], repr(float(ratings[i, j]))]
        for i, student in enumerate(students)
        for j in np.flatnonzero(ratings[i])
    ]
    _write(folder / "ratings.csv", ["student", "course", "rating"], rated)
    points = [
        [student, " + ".join(names[c] for c in part), repr(value)]
        for i, student in enumerate(students)
        for goods, factors in sets[i]
        for part, value in _points(goods, factors, ratings[i], most)
    ]
    if points:
        _write(folder / "adjustments.csv", ["student", "courses", "points"], points)


def write_comparisons(folder: Path, file: CourseMarket) -> None:
    """
    Writes the answers and open questions of all students, answers first.

    Parameters
    ----------
    folder
        Where the market's other tables are.
    file
        Students, courses, answers and questions.
    """
    names = [good.name for good in file.market.goods]

    def courses(bundle: np.ndarray) -> str:
        return "; ".join(names[j] for j in np.flatnonzero(bundle))

    rows = []
    for bidder, answers, questions in zip(
        file.market.bidders, file.comparisons, file.questions, strict=True
    ):
        rows += [[bidder.name, courses(c.first), courses(c.second), c.answer] for c in answers]
        rows += [[bidder.name, courses(one), courses(other), ""] for one, other in questions]
    _write(folder / "comparisons.csv", ["student", "first", "second", "answer"], rows)


def _points(
    goods: Sequence[int], factors: np.ndarray, ratings: np.ndarray, most: int
) -> list[tuple[tuple[int, ...], float]]:
    """Points of parts of a set whose sums are what the factors change (inclusion-exclusion)."""
    own: dict[tuple[int, ...], float] = {}
    for size in range(2, min(len(goods), most) + 1):
        for part in combinations(sorted(goods), size):
            total = float(factors[size] * ratings[list(part)].sum())
            smaller = (p for k in range(2, size) for p in combinations(part, k))
            own[part] = total - sum(own[p] for p in smaller)
    return [(part, value) for part, value in own.items() if abs(value) > LEAST_POINTS]


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    write_atomically(path, csv_text(header, rows, end="\n"))
