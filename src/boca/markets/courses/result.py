"""An assignment as files: who gets what, what courses cost, and what is claimed about it."""

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boca.core.csv_text import csv_text, unquoted
from boca.core.errors import InputError
from boca.core.files import read_text, write_atomically
from boca.core.wording import printable

ASSIGNMENT, COURSES, FAIRNESS = "assignment.csv", "courses_out.csv", "fairness.json"


@dataclass(frozen=True)
class CourseResult:
    """
    What an assignment's files say, as plain values.

    Parameters
    ----------
    schedules
        Names of everybody's courses, by the student's name.
    taken
        Students in each course, by its name.
    facts
        Prices, budgets, order and claims: the content of ``fairness.json``.
    """

    schedules: dict[str, tuple[str, ...]]
    taken: dict[str, int]
    facts: dict[str, Any]


def write_result(
    folder: Path,
    result: CourseResult,
    paid: dict[tuple[str, str], float],
    seats: dict[str, int],
) -> None:
    """
    Writes the three files; readers never see half of one.

    Parameters
    ----------
    folder
        Where; made if it is missing.
    result
        What to write.
    paid
        Price per student and course.
    seats
        Seats per course.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        (student, course, f"{paid[student, course]:.9g}")
        for student, courses in result.schedules.items()
        for course in courses
    ]
    write_atomically(folder / ASSIGNMENT, csv_text(("student", "course", "price"), rows, end="\n"))
    open_prices = result.facts["price_lists"][-1]["prices"][""]
    cancelled = {course for course, _ in result.facts["cancelled"]}
    rows_out = [
        (c, n, result.taken[c], f"{open_prices[c]:.9g}", "cancelled" if c in cancelled else "")
        for c, n in seats.items()
    ]
    header = ("course", "seats", "taken", "price", "remark")
    write_atomically(folder / COURSES, csv_text(header, rows_out, end="\n"))
    write_atomically(folder / FAIRNESS, json.dumps(result.facts, indent=1, ensure_ascii=False))


def read_result(folder: Path | str) -> CourseResult:
    """An assignment from its files."""
    folder = Path(folder)
    shown = printable(str(folder))
    if not (folder / FAIRNESS).is_file():
        raise InputError(
            f"There is no assignment in '{shown}': {FAIRNESS} is missing. Make one with: boca "
            "courses assign"
        )
    try:
        facts = json.loads(read_text(folder / FAIRNESS, "file of an assignment"))
        _check_facts(facts)
        schedules: dict[str, list[str]] = {name: [] for name in facts["budgets"]}
        for row in _rows(folder / ASSIGNMENT):
            schedules.setdefault(row["student"], []).append(row["course"])
        taken = {row["course"]: int(row["taken"]) for row in _rows(folder / COURSES)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"The assignment in '{shown}' cannot be read ({type(error).__name__}: "
            f"{printable(str(error))[:100]}); expected the files as boca wrote them."
        ) from None
    return CourseResult({name: tuple(courses) for name, courses in schedules.items()}, taken, facts)


def _check_facts(facts: Any) -> None:
    """Raises an error of Python's own unless everything has its place and kind."""
    numbers = ("seed", "budget_spread", "budget_moves")
    if not all(math.isfinite(float(facts[name])) for name in numbers):
        raise ValueError("seed, spread and moves must be numbers")
    int(facts["seed"])
    for prices in facts["price_lists"]:
        float(prices["priority"])
        for row in (prices["prices"][""], *prices["prices"].values()):
            sum(float(price) for price in row.values())
    if not facts["price_lists"]:
        raise ValueError("no prices")
    for entry in facts["budgets"].values():
        sum(float(entry[name]) for name in ("first", "final"))
    for name in (
        "clearing_error",
        "students_with_best_affordable",
        "pareto_efficient",
        "envy_within_one_course",
        "repaired",
    ):
        float(facts["proven"][name])
    sum(float(facts["envy"][name]) for name in ("pairs", "beyond_one_course", "against_order"))
    for course, count in facts["cancelled"]:
        if not isinstance(course, str) or int(count) < 0:
            raise TypeError("a cancelled course is a text and a number")
    lists = [facts["held"]]
    if facts["kept"] is not None:
        lists.append(facts["kept"]["courses"])
        if facts["kept"]["points"] is not None:
            float(facts["kept"]["points"])
    for some in lists:
        for courses in some.values():
            if not all(isinstance(course, str) for course in courses):
                raise TypeError("courses must be texts")


def _rows(path: Path) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO(read_text(path, "file of an assignment")))
    return [{k: unquoted(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
