"""
A folder of tables as a course market: courses, students, ratings, and perhaps more.

    courses.csv       course, seats, target, minimum, credits, slots, section, reserved
    students.csv      student, max_courses, max_credits, allowed, forbidden, required, holds,
                      priority, group
    ratings.csv       student, course, rating; or one row per student and one column per course
    adjustments.csv   student, courses (A + B), points
    conflicts.csv     course, other
    comparisons.csv   student, first, second (schedules: A; B; C), answer (first, second, same)

Only the first columns of courses and students are needed. Lists are separated by semicolons. Every
table may be an .xlsx file instead. All mistakes are named at once, with file, row and column.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.comparison import Answer, Comparison, Comparisons
from boca.core.errors import InputError
from boca.core.files import read_bytes
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.message import msg
from boca.core.wording import did_you_mean, printable, shortened
from boca.markets.courses.slots import Slot, overlapping, parse_slots
from boca.markets.found import number_in
from boca.markets.limits_of_size import MOST_BIDDERS, MOST_LETTERS_OF_NAME
from boca.markets.sheet_table import read_table

MOST_MISTAKES = 20
MOST_COURSES = 2_000
MOST_ROWS = 1_000_000
LARGEST_RATING = 1e6
COURSE_COLUMNS = (
    "course",
    "seats",
    "target",
    "minimum",
    "credits",
    "slots",
    "section",
    "reserved",
)
STUDENT_COLUMNS = (
    "student",
    "max_courses",
    "max_credits",
    "allowed",
    "forbidden",
    "required",
    "holds",
    "priority",
    "group",
)
COMPARISON_COLUMNS = ("student", "first", "second", "answer")
# What people may write; a question without an answer is still open.
ANSWER_WORDS: dict[str, Answer] = {
    "first": "first",
    "second": "second",
    "same": "same",
    "about the same": "same",
}


@dataclass(frozen=True, eq=False)
class CourseMarket:
    """
    What a registrar wrote down, as plain values.

    Courses and students are numbered as in the market.

    Parameters
    ----------
    market
        Courses with seats, students with limits.
    ratings
        Points per student and course ``(num_students, num_courses)``; 0 for none.
    adjustments
        Per student, sets of courses and the points for taking all of them.
    targets, minimums, required, held, priorities, groups, reserved
        The rules, in the form of :class:`~boca.seats.rules.SeatRules`.
    warnings
        What is allowed but may be a slip.
    comparisons, questions
        Per student, its answers to comparisons of schedules, and pairs of schedules that it has
        not answered yet; empty if there is no such table.
    tables
        Courses, students and conflicts as plain values, from which
        :func:`from_plain` makes the market again.
    """

    market: Market
    ratings: np.ndarray
    adjustments: tuple[tuple[tuple[tuple[int, ...], float], ...], ...]
    targets: tuple[int, ...] = ()
    minimums: tuple[int, ...] = ()
    required: tuple[tuple[tuple[int, ...], ...], ...] = ()
    held: tuple[tuple[int, ...], ...] = ()
    priorities: tuple[float, ...] = ()
    groups: tuple[str, ...] = ()
    reserved: tuple[tuple[tuple[str, int], ...], ...] = ()
    warnings: tuple[str, ...] = ()
    comparisons: tuple[Comparisons, ...] = ()
    questions: tuple[tuple[tuple[np.ndarray, np.ndarray], ...], ...] = ()
    tables: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Mistakes:
    """All that is wrong in a folder, to be said at once."""

    title: str
    found: list[str] = field(default_factory=list)

    def add(self, table: "_Table", row: int, column: str, problem: str) -> None:
        self.found.append(f"{table.name}, row {row}, column '{shortened(column, 40)}': {problem}")

    def stop_if_any(self) -> None:
        if not self.found:
            return
        more = len(self.found) - MOST_MISTAKES
        shown = self.found[:MOST_MISTAKES] + ([f"and {more} more"] if more > 0 else [])
        count = "1 mistake" if len(self.found) == 1 else f"{len(self.found)} mistakes"
        lines = "\n".join(f"  {line}" for line in shown)
        raise InputError(f"{printable(self.title)} has {count}:\n{lines}")


@dataclass
class _Table:
    """One file: its name and its rows, each with its number and its cells by column."""

    name: str
    columns: list[str]
    rows: list[tuple[int, dict[str, str]]]


def read_courses(folder: Path | str) -> CourseMarket:
    """The market in a folder; raises one InputError with all mistakes."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(
            f"There is no folder '{printable(str(folder))}'; expected one with courses.csv, "
            "students.csv and ratings.csv. docs/courses.md describes them."
        )
    files = {
        path.name: partial(read_bytes, path, f"table {path.stem}")
        for path in folder.iterdir()
        if path.suffix in (".csv", ".xlsx")
    }
    return _Reader(str(folder), folder.resolve().name or "courses", files).read()


def read_course_files(files: Mapping[str, bytes], name: str) -> CourseMarket:
    """
    The market in some files that somebody sent; raises one InputError with all mistakes.

    Parameters
    ----------
    files
        Content by the name of the file; ratings may be missing, as students give them later.
    name
        What the market is called.
    """
    reader = _Reader(
        "The upload", name, {file: partial(bytes, content) for file, content in files.items()}
    )
    return reader.read(needs_ratings=False)


class _Reader:
    def __init__(self, title: str, name: str, files: Mapping[str, Callable[[], bytes]]):
        self.name, self.files = name, files
        self.mistakes = _Mistakes(title)
        self.marks: dict[str, str | None] = {}

    def read(self, needs_ratings: bool = True) -> CourseMarket:
        courses = self._table("courses", COURSE_COLUMNS, needed=("course", "seats"))
        students = self._table("students", STUDENT_COLUMNS, needed=("student",))
        ratings = self._table("ratings", None, ("student",), not needs_ratings)
        adjustments = self._table(
            "adjustments", ("student", "courses", "points"), ("student", "courses", "points"), True
        )
        conflicts = self._table("conflicts", ("course", "other"), ("course", "other"), True)
        comparisons = self._table("comparisons", COMPARISON_COLUMNS, COMPARISON_COLUMNS, True)
        self.mistakes.stop_if_any()
        assert courses
        assert students
        self._courses(courses)
        self._students(students)
        matrix = self._ratings(ratings)
        sets = self._adjustments(adjustments)
        pairs = self._conflicts(conflicts)
        answers, questions = self._comparisons(comparisons)
        self.mistakes.stop_if_any()
        market = self._market(matrix, sets, pairs)
        if comparisons is None:
            return market
        return replace(
            market,
            comparisons=tuple(map(Comparisons, answers)),
            questions=tuple(map(tuple, questions)),
        )

    def _table(
        self,
        name: str,
        known: tuple[str, ...] | None,
        needed: tuple[str, ...] = (),
        optional: bool = False,
    ) -> _Table | None:
        """A table of the folder, with its columns checked; None if there is none."""
        there = [file for file in (f"{name}.csv", f"{name}.xlsx") if file in self.files]
        if len(there) == 2:
            self.mistakes.found.append(f"{name}: found a .csv and an .xlsx file; keep one of them")
            return None
        if not there:
            if not optional:
                self.mistakes.found.append(f"there is no {name}.csv; docs/courses.md describes it")
            return None
        try:
            sheet = read_table(self.files[there[0]](), MOST_ROWS, MOST_COURSES + 1)
        except InputError as error:
            self.mistakes.found.append(f"{there[0]}: {error}")
            return None
        # Where commas separate decimals, numbers are written with a point in what follows.
        self.marks[there[0]] = sheet.mark
        rows = [[cell.text for cell in row] for row in sheet.rows]
        header = [cell.strip() for cell in rows[0]] if rows else []
        while header and not header[-1]:
            header.pop()
        table = _Table(there[0], header, [])
        missing = [column for column in needed if column not in header]
        if missing:
            self.mistakes.found.append(
                f"{table.name}, row 1: the column '{missing[0]}' is missing; expected "
                f"{', '.join(known or needed)}"
            )
            return None
        for column in header:
            if header.count(column) > 1:
                self.mistakes.add(table, 1, column, "found twice; give each its own name")
                return None
            if known is not None and column not in known:
                self.mistakes.add(
                    table, 1, column, f"means nothing here; {did_you_mean(column, known)}"
                )
        for number, cells in enumerate(rows[1:], 2):
            texts = [cell.strip() for cell in cells]
            if not any(texts):
                continue
            if any(texts[len(header) :]):
                self.mistakes.add(
                    table,
                    number,
                    "after the last",
                    "found a cell without a heading; are quotes "
                    "missing around a text with a comma?",
                )
                continue
            texts += [""] * (len(header) - len(texts))
            table.rows.append((number, dict(zip(header, texts, strict=False))))
        if not table.rows:
            self.mistakes.found.append(f"{table.name} has no rows below its heading")
        return table

    def _name(self, table: _Table, row: int, column: str, text: str) -> str | None:
        if not text or not text.isprintable() or len(text) > MOST_LETTERS_OF_NAME:
            self.mistakes.add(
                table, row, column, f"found '{shortened(text)}'; expected a name in one line"
            )
            return None
        return text

    def _number(
        self,
        table: _Table,
        row: int,
        column: str,
        text: str,
        least: float,
        most: float,
        whole: bool = False,
    ) -> float | None:
        number = number_in(text.replace(",", ".") if self.marks[table.name] == "," else text)
        kind = "a whole number" if whole else "a number"
        # Bounds are finite, so that this holds for nan, infinite and very long numbers as well.
        if isinstance(number, str) or not least <= number <= most:
            bounds = f"from {least:g} to {most:g}"
            self.mistakes.add(
                table, row, column, f"found '{shortened(text)}'; expected {kind} {bounds}"
            )
            return None
        if whole and number != int(number):
            self.mistakes.add(
                table, row, column, f"found '{shortened(text)}'; expected a whole number"
            )
            return None
        return float(number)

    def _courses(self, table: _Table) -> None:
        self.courses: dict[str, int] = {}
        self.seats: list[int] = []
        self.targets: list[int] = []
        self.minimums: list[int] = []
        self.credits: list[float] = []
        self.slots: list[tuple[Slot, ...]] = []
        self.sections: dict[str, list[int]] = {}
        self.reserved: list[tuple[tuple[str, int], ...]] = []
        if len(table.rows) > MOST_COURSES:
            self.mistakes.found.append(
                f"{table.name} has {len(table.rows):,} courses; expected at most {MOST_COURSES:,}"
            )
            return
        for row, cells in table.rows:
            name = self._name(table, row, "course", cells["course"])
            if name is None:
                continue
            if name in self.courses:
                self.mistakes.add(
                    table, row, "course", f"found '{shortened(name)}' again; name each course once"
                )
                continue
            number = len(self.courses)
            self.courses[name] = number
            seats = self._number(table, row, "seats", cells["seats"], 1, 1e6, whole=True) or 1
            self.seats.append(int(seats))
            self.targets.append(int(self._optional(table, row, cells, "target", 0, seats, seats)))
            self.minimums.append(int(self._optional(table, row, cells, "minimum", 0, seats, 0)))
            self.credits.append(self._optional(table, row, cells, "credits", 0, 1e4, 1, False))
            self.slots.append(self._slots(table, row, cells.get("slots", "")))
            if section := cells.get("section", ""):
                self.sections.setdefault(section, []).append(number)
            self.reserved.append(self._reserved(table, row, cells.get("reserved", ""), seats))

    def _optional(
        self,
        table: _Table,
        row: int,
        cells: dict[str, str],
        column: str,
        least: float,
        most: float,
        otherwise: float,
        whole: bool = True,
    ) -> float:
        text = cells.get(column, "")
        if not text:
            return otherwise
        number = self._number(table, row, column, text, least, most, whole)
        return otherwise if number is None else number

    def _slots(self, table: _Table, row: int, text: str) -> tuple[Slot, ...]:
        try:
            return parse_slots(text)
        except ValueError as error:
            self.mistakes.add(table, row, "slots", str(error))
            return ()

    def _reserved(
        self, table: _Table, row: int, text: str, seats: float
    ) -> tuple[tuple[str, int], ...]:
        pairs: dict[str, int] = {}
        for part in text.split(";"):
            if not part.strip():
                continue
            group, _, count = part.rpartition(":")
            number = number_in(count.strip())
            if not group.strip() or not isinstance(number, int) or not 0 <= number <= seats:
                self.mistakes.add(
                    table,
                    row,
                    "reserved",
                    f"found '{shortened(part.strip())}'; expected a group and a number of seats, "
                    "such as Physics: 10",
                )
                continue
            pairs[group.strip()] = pairs.get(group.strip(), 0) + number
        if sum(pairs.values()) > seats:
            self.mistakes.add(
                table, row, "reserved", f"reserves {sum(pairs.values())} of {seats:g} seats"
            )
            return ()
        return tuple(pairs.items())

    def _students(self, table: _Table) -> None:
        self.students: dict[str, int] = {}
        self.rows: list[dict[str, str]] = []
        self.max_courses: list[float | None] = []
        self.max_credits: list[float | None] = []
        self.lists: list[dict[str, list[int]]] = []
        self.required: list[tuple[tuple[int, ...], ...]] = []
        self.priorities: list[float] = []
        self.groups: list[str] = []
        if len(table.rows) > MOST_BIDDERS:
            self.mistakes.found.append(
                f"{table.name} has {len(table.rows):,} students; expected at most {MOST_BIDDERS:,}"
            )
            return
        for row, cells in table.rows:
            name = self._name(table, row, "student", cells["student"])
            if name is None:
                continue
            if name in self.students:
                self.mistakes.add(
                    table, row, "student", f"found '{shortened(name)}' again; one row each"
                )
                continue
            self.students[name] = len(self.students)
            most = [
                self._number(table, row, column, cells[column], 0, 1e4, column == "max_courses")
                if cells.get(column)
                else None
                for column in ("max_courses", "max_credits")
            ]
            self.max_courses.append(most[0])
            self.max_credits.append(most[1])
            self.lists.append(
                {
                    column: list(self._listed(table, row, column, cells.get(column, "")))
                    for column in ("allowed", "forbidden", "holds")
                }
            )
            self.required.append(self._required(table, row, cells.get("required", "")))
            self.priorities.append(
                self._optional(table, row, cells, "priority", -1e6, 1e6, 0, False)
            )
            self.groups.append(cells.get("group", ""))

    def _course(self, table: _Table, row: int, column: str, name: str) -> int | None:
        if name not in self.courses:
            self.mistakes.add(
                table,
                row,
                column,
                f"found '{shortened(name)}', which is not a course; "
                f"{did_you_mean(name, self.courses)}",
            )
            return None
        return self.courses[name]

    def _listed(self, table: _Table, row: int, column: str, text: str) -> Iterator[int]:
        for part in text.split(";"):
            if part.strip():
                course = self._course(table, row, column, part.strip())
                if course is not None:
                    yield course

    def _required(self, table: _Table, row: int, text: str) -> tuple[tuple[int, ...], ...]:
        needs = []
        for part in text.split(";"):
            name = part.strip()
            if name in self.sections:
                needs.append(tuple(self.sections[name]))
            elif name and (course := self._course(table, row, "required", name)) is not None:
                needs.append((course,))
        return tuple(needs)

    def _student(self, table: _Table, row: int, name: str) -> int | None:
        if name not in self.students:
            self.mistakes.add(
                table,
                row,
                "student",
                f"found '{shortened(name)}', who is not in students; "
                f"{did_you_mean(name, self.students)}",
            )
            return None
        return self.students[name]

    def _ratings(self, table: _Table | None) -> np.ndarray:
        matrix = np.full((max(1, len(self.students)), max(1, len(self.courses))), np.nan)
        if table is None:
            return np.zeros(matrix.shape)
        is_long = set(table.columns) == {"student", "course", "rating"}
        for row, cells in table.rows:
            student = self._student(table, row, cells["student"])
            if is_long:
                pairs = [("course", cells["course"], "rating", cells["rating"])]
            else:
                pairs = [(c, c, c, text) for c, text in cells.items() if c != "student" and text]
            for place, name, column, text in pairs:
                course = self._course(table, 1 if not is_long else row, place, name)
                number = self._number(table, row, column, text, 0, LARGEST_RATING)
                if student is None or course is None or number is None:
                    continue
                if not np.isnan(matrix[student, course]):
                    self.mistakes.add(
                        table, row, column, f"rates '{shortened(name)}' again; once each"
                    )
                matrix[student, course] = number
        ratings: np.ndarray = np.nan_to_num(matrix)
        return ratings

    def _adjustments(self, table: _Table | None) -> list[list[tuple[tuple[int, ...], float]]]:
        sets: list[list[tuple[tuple[int, ...], float]]] = [[] for _ in self.students]
        for row, cells in table.rows if table else ():
            student = self._student(table, row, cells["student"])  # type: ignore[arg-type]
            names = [part.strip() for part in cells["courses"].split(" + ")]
            courses = [self._course(table, row, "courses", name) for name in names]  # type: ignore[arg-type]
            points = self._number(
                table,  # type: ignore[arg-type]
                row,
                "points",
                cells["points"],
                -LARGEST_RATING,
                LARGEST_RATING,
            )
            if len(set(names)) < 2 or len(set(names)) < len(names):
                self.mistakes.add(
                    table,  # type: ignore[arg-type]
                    row,
                    "courses",
                    f"found '{shortened(cells['courses'])}'; expected different courses, such as "
                    "Algebra + Logic",
                )
            elif student is not None and points is not None and None not in courses:
                sets[student].append((tuple(c for c in courses if c is not None), points))
        return sets

    def _conflicts(self, table: _Table | None) -> list[tuple[int, int]]:
        pairs = []
        for row, cells in table.rows if table else ():
            first = self._course(table, row, "course", cells["course"])  # type: ignore[arg-type]
            second = self._course(table, row, "other", cells["other"])  # type: ignore[arg-type]
            if first is None or second is None:
                continue
            if first == second:
                self.mistakes.add(table, row, "other", "a course cannot conflict with itself")  # type: ignore[arg-type]
                continue
            pairs.append((first, second))
        return pairs

    def _comparisons(
        self, table: _Table | None
    ) -> tuple[list[tuple[Comparison, ...]], list[list[tuple[np.ndarray, np.ndarray]]]]:
        """Per student, answers in their order, and questions without an answer."""
        answers: list[tuple[Comparison, ...]] = [() for _ in self.students]
        questions: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in self.students]
        if table is None:
            return answers, questions
        for row, cells in table.rows:
            student = self._student(table, row, cells["student"])
            first, second = (self._schedule(table, row, c, cells[c]) for c in ("first", "second"))
            word = cells["answer"].lower()
            if word and word not in ANSWER_WORDS:
                self.mistakes.add(
                    table,
                    row,
                    "answer",
                    f"found '{shortened(cells['answer'])}'; expected first, second or same, or "
                    "nothing while the question is open",
                )
            if student is None or first is None or second is None:
                continue
            if np.array_equal(first, second):
                self.mistakes.add(table, row, "second", "is the first schedule again")
            elif not word:
                questions[student].append((first, second))
            elif word in ANSWER_WORDS:
                answers[student] += (Comparison(first, second, ANSWER_WORDS[word]),)
        return answers, questions

    def _schedule(self, table: _Table, row: int, column: str, text: str) -> np.ndarray | None:
        """A schedule, such as ``Algebra; Logic``, as a bundle; empty for none."""
        names = [part.strip() for part in text.split(";") if part.strip()]
        courses = [self._course(table, row, column, name) for name in names]
        if None in courses:
            return None
        bundle = np.zeros(len(self.courses), dtype=np.int64)
        bundle[[c for c in courses if c is not None]] = 1
        return bundle

    def _market(
        self,
        matrix: np.ndarray,
        sets: list[list[tuple[tuple[int, ...], float]]],
        pairs: Sequence[tuple[int, int]],
    ) -> CourseMarket:
        names = list(self.courses)
        shared = [
            self._limit(
                courses,
                msg(
                    "one at a time: {goods}",
                    goods=shortened(", ".join(names[c] for c in courses), 100),
                ),
            )
            for courses in overlapping(self.slots)
        ]
        shared += [
            self._limit(courses, msg("one section of {goods}", goods=shortened(section, 100)))
            for section, courses in self.sections.items()
            if len(courses) > 1
        ]
        shared += [
            self._limit(
                pair,
                msg(
                    "not together: {one} and {other}",
                    one=shortened(names[pair[0]], 50),
                    other=shortened(names[pair[1]], 50),
                ),
            )
            for pair in pairs
        ]
        known: dict[tuple[str, object], Limit] = {}  # equal limits are one object
        bidders = []
        for i, name in enumerate(self.students):
            limits = [*shared, *self._own_limits(i, known)]
            bidders.append(Bidder(name, self.groups[i], tuple(limits)))
        goods = tuple(Good(n, s) for n, s in zip(names, self.seats, strict=True))
        held = tuple(tuple(dict.fromkeys(lists["holds"])) for lists in self.lists)
        return CourseMarket(
            Market(goods, tuple(bidders), self.name),
            matrix,
            tuple(tuple(part) for part in sets),
            tuple(self.targets) if self.targets != self.seats else (),
            tuple(self.minimums) if any(self.minimums) else (),
            tuple(self.required) if any(self.required) else (),
            held if any(held) else (),
            tuple(self.priorities) if len(set(self.priorities)) > 1 else (),
            tuple(self.groups) if any(self.reserved) else (),
            tuple(self.reserved) if any(self.reserved) else (),
            tuple(self._warnings(matrix)),
            tables=self._plain(pairs),
        )

    def _plain(self, pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
        """What :func:`from_plain` reads; names for numbers."""
        names = list(self.courses)
        sections = {c: section for section, some in self.sections.items() for c in some}
        courses = [
            {
                "name": name,
                "seats": self.seats[j],
                "credits": self.credits[j],
                "slots": [list(slot) for slot in self.slots[j]],
                "section": sections.get(j, ""),
            }
            for name, j in self.courses.items()
        ]
        students = [
            {
                "name": name,
                "max_courses": self.max_courses[i],
                "max_credits": self.max_credits[i],
                **{
                    column: [names[c] for c in self.lists[i][column]]
                    for column in ("allowed", "forbidden", "holds")
                },
                "required": [[names[c] for c in choices] for choices in self.required[i]],
            }
            for name, i in self.students.items()
        ]
        conflicts = [[names[a], names[b]] for a, b in pairs]
        return {
            "name": self.name,
            "courses": courses,
            "students": students,
            "conflicts": conflicts,
        }

    @classmethod
    def of_plain(cls, tables: Mapping[str, Any]) -> "_Reader":
        """A reader that has read what :meth:`_plain` wrote."""
        reader = cls("The tables", tables["name"], {})
        courses, students = tables["courses"], tables["students"]
        numbers = reader.courses = {row["name"]: j for j, row in enumerate(courses)}
        reader.seats = [row["seats"] for row in courses]
        reader.targets, reader.minimums = list(reader.seats), [0] * len(courses)
        reader.credits = [row["credits"] for row in courses]
        reader.slots = [tuple((d, a, b) for d, a, b in row["slots"]) for row in courses]
        reader.sections, reader.reserved = {}, [()] * len(courses)
        for j, row in enumerate(courses):
            if row["section"]:
                reader.sections.setdefault(row["section"], []).append(j)
        reader.students = {row["name"]: i for i, row in enumerate(students)}
        reader.max_courses = [row["max_courses"] for row in students]
        reader.max_credits = [row["max_credits"] for row in students]
        reader.lists = [
            {
                column: [numbers[c] for c in row[column]]
                for column in ("allowed", "forbidden", "holds")
            }
            for row in students
        ]
        reader.required = [
            tuple(tuple(numbers[c] for c in choices) for choices in row["required"])
            for row in students
        ]
        reader.priorities, reader.groups = [0.0] * len(students), [""] * len(students)
        return reader

    def _limit(self, courses: Sequence[int], name: str, bound: float = 1.0) -> Limit:
        row = np.zeros(len(self.courses))
        row[list(courses)] = 1.0
        return Limit(tuple(row), bound, name)

    def _own_limits(self, i: int, known: dict[tuple[str, object], Limit]) -> list[Limit]:
        num = len(self.courses)
        limits = []

        def add(kind: str, key: object, limit: Limit) -> None:
            limits.append(known.setdefault((kind, key), limit))

        if (most := self.max_courses[i]) is not None:
            add("courses", most, Limit((1.0,) * num, most, "max_courses"))
        if (most := self.max_credits[i]) is not None:
            add("credits", most, Limit(tuple(self.credits), most, "max_credits"))
        banned = set(self.lists[i]["forbidden"])
        if self.lists[i]["allowed"]:
            banned |= set(range(num)) - set(self.lists[i]["allowed"])
        if banned:
            key = tuple(sorted(banned))
            add("banned", key, self._limit(key, "not allowed", 0.0))
        return limits

    def _warnings(self, matrix: np.ndarray) -> Iterator[str]:
        names = list(self.courses)
        unrated = [names[j] for j in np.flatnonzero(~(matrix > 0).any(axis=0))]
        if unrated:
            yield f"nobody rated {_some(unrated)}"
        silent = [n for n, i in self.students.items() if not (matrix[i] > 0).any()]
        if silent:
            yield f"no ratings from {_some(silent)}"


def from_plain(tables: Mapping[str, Any]) -> CourseMarket:
    """The market of :attr:`CourseMarket.tables`, without ratings and answers."""
    reader = _Reader.of_plain(tables)
    pairs = [(reader.courses[a], reader.courses[b]) for a, b in tables["conflicts"]]
    matrix = np.zeros((len(reader.students), len(reader.courses)))
    return reader._market(matrix, [[] for _ in reader.students], pairs)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(shortened(name, 40) for name in names[:3]) + more
