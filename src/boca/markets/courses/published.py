"""
Published data about courses as the tables of a folder: a survey at UMass Amherst in 2024, and
instances that fairpyx keeps as JSON (such as those of Ariel University).

Neither is delivered with boca; both are public. What a format cannot say is left to the registrar:
the survey has no credits that a student may take, fairpyx no time slots.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boca.core.csv_text import csv_text
from boca.core.errors import InputError
from boca.core.files import read_bytes, read_text, write_atomically
from boca.core.wording import counted, shortened
from boca.markets.found import shown
from boca.markets.sheet_table import read_table

SURVEY, QUESTIONS, SHEET = "survey_data.csv", "survey_column_mapping.csv", "anonymized_courses.xlsx"
STATUS = ("Freshman", "Sophomore", "Junior", "Senior", "MS", "PhD")
# Of the survey: 1 is no interest, 7 the most, 8 a requirement of the major; courses that people
# planned to keep, where they did not say.
NO_INTEREST, MOST_INTEREST, USUAL_COURSES = 1, 8, 5
# No meeting lasts as long as this many minutes: "10:00 AM - 11:15 PM" is a slip.
LONGEST_MEETING = 6 * 60
ABOUT = re.compile(r"Course:\s*(\S+)\s+(\w+)(?:-([\d,]+))?\s+Schedule:\s*(.*?)\s+Instructor")
HOURS = re.compile(r"(\d{1,2}):(\d{2}) ([AP])M - (\d{1,2}):(\d{2}) ([AP])M")


@dataclass
class Tables:
    """
    Rows by column of each table, and what people should know about them.

    Parameters
    ----------
    courses, students
        One row each.
    ratings
        Student, course, points.
    conflicts
        Pairs of courses.
    notes
        What was left out or mended.
    """

    courses: list[dict[str, object]] = field(default_factory=list)
    students: list[dict[str, object]] = field(default_factory=list)
    ratings: list[dict[str, object]] = field(default_factory=list)
    conflicts: list[dict[str, object]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Writes what :func:`boca.markets.courses.read_courses` reads."""
        names = ("courses", "students", "ratings", "conflicts")
        there = [name for name in names if (folder / f"{name}.csv").exists()]
        if there:
            raise InputError(
                f"There is a {there[0]}.csv in '{folder}' already; choose another folder."
            )
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            rows = getattr(self, name)
            if rows:
                cells = [[row.get(head, "") for head in rows[0]] for row in rows]
                write_atomically(folder / f"{name}.csv", csv_text(tuple(rows[0]), cells, end="\n"))


def read_published(path: Path | str) -> Tables:
    """The tables in a fairpyx file or in the folder of the survey at UMass."""
    path = Path(path)
    if path.is_dir():
        missing = [name for name in (SURVEY, QUESTIONS, SHEET) if not (path / name).is_file()]
        if missing:
            raise InputError(
                f"There is no {missing[0]} in '{path}'; expected the folder 'resources' of the "
                f"UMass survey, with {SURVEY}, {QUESTIONS} and {SHEET}."
            )
        return _survey(path)
    return _fairpyx(path)


def _fairpyx(path: Path) -> Tables:
    try:
        data = json.loads(read_text(path, "fairpyx instance"))
    except (ValueError, RecursionError):
        raise _not_fairpyx(path, "found text that is not JSON") from None
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        found = "found half of a character, such as \\ud800, in a name"
        raise _not_fairpyx(path, found) from None
    if not isinstance(data, dict):
        raise _not_fairpyx(path, f"found {shown(data)}")
    values, seats = _table(path, data, "valuations"), _table(path, data, "item_capacities")
    for name, table in (("valuations", values), ("item_capacities", seats)):
        if not table:
            raise _not_fairpyx(path, f"{name}: found an empty table")
    most = data.get("agent_capacities")
    if isinstance(most, bool) or not isinstance(most, int | dict):
        raise _not_fairpyx(path, f"agent_capacities: found {shown(most)}")
    own, pairs = (
        _table(path, {key: data.get(key) or {}}, key)
        for key in ("agent_conflicts", "item_conflicts")
    )
    for key, table in (("agent_conflicts", own), ("item_conflicts", pairs)):
        for name, others in table.items():
            if not isinstance(others, list) or not all(isinstance(o, str) for o in others):
                where = f"{key} of '{shortened(name)}'"
                raise _not_fairpyx(path, f"{where}: found {shown(others)}, not a list of names")
    tables = Tables(courses=[{"course": course, "seats": count} for course, count in seats.items()])
    for student in values:
        limit = most.get(student) if isinstance(most, dict) else most
        if limit is None:
            raise _not_fairpyx(path, f"agent_capacities: found nothing for '{shortened(student)}'")
        forbidden = "; ".join(own.get(student, ()))
        row = {"student": student, "max_courses": limit, "forbidden": forbidden}
        tables.students.append(row)
        tables.ratings += [
            {"student": student, "course": course, "rating": value}
            for course, value in _table(path, values, student).items()
        ]
    once = {tuple(sorted((a, b))) for a, others in pairs.items() for b in others}
    tables.conflicts = [{"course": a, "other": b} for a, b in sorted(once)]
    return tables


def _table(path: Path, data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A table by its key."""
    table = data.get(key)
    if not isinstance(table, dict):
        found = shown(table) if key in data else "nothing"
        raise _not_fairpyx(path, f"{shortened(key)}: found {found}, not a table")
    return table


def _not_fairpyx(path: Path, found: str) -> InputError:
    return InputError(
        f"'{path}' is no fairpyx instance: {found}; expected JSON with the tables valuations, "
        "agent_capacities and item_capacities."
    )


def _survey(folder: Path) -> Tables:
    tables = Tables()
    names = _courses(folder, tables)
    rows = _rows(folder / SURVEY)
    header = _numbered(rows[0])
    idle = 0
    for cells in rows[1:]:
        row = dict(zip(header, cells, strict=False))
        marks = {names[column]: _mark(row.get(column, "")) for column in names}
        wanted = {course: mark for course, mark in marks.items() if mark > NO_INTEREST}
        if not wanted:
            idle += 1
            continue
        student, status = row.get("ResponseId", ""), _mark(row.get("1", ""))
        tables.students.append(
            {
                "student": student,
                "max_courses": _mark(row.get("3", "")) or _mark(row.get("2", "")) or USUAL_COURSES,
                "group": STATUS[status - 1] if 1 <= status <= len(STATUS) else "",
            }
        )
        scale = 100 / (MOST_INTEREST - NO_INTEREST)
        tables.ratings += [
            {"student": student, "course": course, "rating": round((mark - NO_INTEREST) * scale, 1)}
            for course, mark in wanted.items()
        ]
    if idle:
        tables.notes.append(f"{counted(idle, 'answer')} without interest in any course left out")
    if not tables.students:
        raise InputError(f"{SURVEY} rates no course; expected the columns '7_1', '7_2' and so on.")
    return tables


def _courses(folder: Path, tables: Tables) -> dict[str, str]:
    """The course that each column of the survey rates, after writing the courses down."""
    sections = _sections(folder / SHEET)
    names = {}
    for line in read_text(folder / QUESTIONS, "list of questions").splitlines()[1:]:
        column, _, text = line.partition("|")
        about = ABOUT.search(re.sub(r"<[^>]*>|&nbsp;", " ", text))
        if about is None:
            continue
        subject, catalog, numbers, when = about.groups()
        some = [int(number) for number in numbers.split(",")] if numbers else None
        held = [s for s in sections.get(catalog, ()) if some is None or s[0] in some]
        name = f"{subject} {catalog}" + (f"-{numbers.replace(',', '+')}" if numbers else "")
        if not held:
            tables.notes.append(f"{name} has no seats in {SHEET} and was left out")
            continue
        names[column] = name
        tables.courses.append(
            {
                "course": name,
                "seats": sum(seats for _, seats, _ in held),
                "credits": held[0][2],
                "slots": _slots(name, when, tables),
                "section": catalog,
            }
        )
    return names


def _sections(path: Path) -> dict[str, list[tuple[int, int, str]]]:
    """Number, seats and credits of each section, by catalogue number."""
    rows = [[cell.text.strip() for cell in row] for row in read_table(read_bytes(path, SHEET)).rows]
    header = rows[0] if rows else []
    needed = ("Catalog", "Section", "Enrl Capacity", "Credits")
    missing = [column for column in needed if column not in header]
    if missing:
        raise InputError(f"{SHEET} has no column '{missing[0]}'; expected {', '.join(needed)}.")
    found: dict[str, list[tuple[int, int, str]]] = {}
    for number, cells in enumerate(rows[1:], 2):
        catalog, section, seats, points = (
            cells[header.index(c)].removesuffix(".0") for c in needed
        )
        if not catalog:
            continue
        if not section.isdigit() or not seats.isdigit():
            raise InputError(
                f"{SHEET}, row {number}: found section '{section}' with '{seats}' seats; expected "
                "two whole numbers."
            )
        found.setdefault(catalog, []).append((int(section), int(seats), points))
    return found


def _slots(name: str, when: str, tables: Tables) -> str:
    """Meetings as courses.csv writes them; none by arrangement."""
    hours = HOURS.search(when)
    if hours is None:
        return ""
    start, end = (
        60 * (int(h) % 12 + 12 * (half == "P")) + int(minute)
        for h, minute, half in (hours.groups()[:3], hours.groups()[3:])
    )
    if end - start > LONGEST_MEETING:
        end -= 12 * 60
        tables.notes.append(f"{name} meets '{when}'; the end was taken as in the morning")
    times = f"{start // 60}:{start % 60:02}-{end // 60}:{end % 60:02}"
    days = re.findall("Mon|Tue|Wed|Thu|Fri", when[: hours.start()])
    return "; ".join(f"{day} {times}" for day in days)


def _rows(path: Path) -> list[list[str]]:
    rows = list(csv.reader(io.StringIO(read_text(path, "survey"))))
    if not rows:
        raise InputError(f"{path.name} is empty; expected a heading and one row per answer.")
    return rows


def _numbered(header: Sequence[str]) -> list[str]:
    """Names as the list of questions has them: the second '7 _1' is '7 _1.1'."""
    seen: Counter[str] = Counter()
    names = []
    for name in header:
        names.append(f"{name}.{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return names


def _mark(text: Any) -> int:
    """A whole number of an answer; 0 where there is none."""
    return int(text) if text.strip().isdigit() else 0
