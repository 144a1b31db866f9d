"""Random course markets with every feature that tables can have, as files and as live requests."""

from dataclasses import dataclass, field

import numpy as np

DAYS = ("Mon", "Tue", "Wed")
# How often a market has each feature.
OFTEN = 0.35


@dataclass(frozen=True)
class RandomCourses:
    """
    One market.

    Parameters
    ----------
    files
        Content of each table, by the name of the file.
    earlier
        What students had in an earlier assignment, by name.
    loyalty
        Points for keeping a course; None if everybody keeps what is still possible.
    """

    files: dict[str, str]
    earlier: dict[str, list[str]] = field(default_factory=dict)
    loyalty: float | None = None


@dataclass
class _Drawn:
    rng: np.random.Generator
    num_students: int
    num_courses: int

    def has(self) -> bool:
        return bool(self.rng.random() < OFTEN)

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


def random_courses(seed: int, is_live: bool = False) -> RandomCourses:
    """
    A market of 2 to 8 students and 2 to 6 courses.

    Parameters
    ----------
    seed
        Of everything.
    is_live
        Without what allocations in the browser do not have: target, minimum, reserved, priority.
    """
    rng = np.random.default_rng(seed)
    drawn = _Drawn(rng, int(rng.integers(2, 9)), int(rng.integers(2, 7)))
    seats = [drawn.number(1, 4) for _ in range(drawn.num_courses)]
    courses = _courses(drawn, seats, is_live)
    students, holds = _students(drawn, seats, courses, is_live)
    files = {
        "courses.csv": _table(courses),
        "students.csv": _table(students),
        **_forms(drawn, students, courses),
    }
    if drawn.num_courses > 2 and drawn.has():
        files["conflicts.csv"] = "course,other\nC0,C1\n"
    if not drawn.has():
        return RandomCourses(files)
    earlier = {
        row["student"]: sorted(
            {*holds[row["student"]], *(c["course"] for c in courses if rng.random() < 0.3)}
        )
        for row in students
        if rng.random() < 0.7
    }
    loyalty = None if rng.random() < 0.5 else float(rng.choice([0.5, 20, 1e6]))
    return RandomCourses(files, earlier, loyalty)


def _courses(drawn: _Drawn, seats: list[int], is_live: bool) -> list[dict[str, str]]:
    with_slots, with_credits, with_sections = drawn.has(), drawn.has(), drawn.has()
    with_target, with_minimum, with_reserved = (not is_live and drawn.has() for _ in range(3))
    rows = []
    for j, num in enumerate(seats):
        row = {"course": f"C{j}", "seats": str(num)}
        if with_slots:
            day, hour = drawn.rng.choice(DAYS), drawn.number(9, 11)
            row["slots"] = f"{day} {hour}-{hour + 2}" if drawn.rng.random() < 0.6 else ""
        if with_credits:
            row["credits"] = str(drawn.number(1, 6))
        if with_sections:
            row["section"] = "S" if drawn.rng.random() < 0.3 else ""
        target = drawn.number(0 if with_target and num > 1 else num, num) if with_target else num
        if with_target:
            row["target"] = str(target)
        if with_minimum:
            row["minimum"] = str(drawn.number(0, num))
        if with_reserved:
            first = drawn.number(0, target)
            second = drawn.number(0, target - first)
            row["reserved"] = "; ".join(f"{g}: {n}" for g, n in (("a", first), ("b", second)) if n)
        rows.append(row)
    return rows


def _students(
    drawn: _Drawn, seats: list[int], courses: list[dict[str, str]], is_live: bool
) -> tuple[list[dict[str, str]], dict[str, list[str]]]:
    with_credits, with_lists, with_required = drawn.has(), drawn.has(), drawn.has()
    with_holds, with_groups = drawn.has(), drawn.has() or any("reserved" in c for c in courses)
    with_priority = not is_live and drawn.has()
    left = list(seats)
    rows, holds = [], {}
    for i in range(drawn.num_students):
        row = {"student": f"s{i}", "max_courses": str(drawn.number(1, 3))}
        if with_credits and drawn.rng.random() < 0.5:
            row["max_credits"] = str(drawn.number(3, 12))
        if with_lists and drawn.rng.random() < 0.3:
            row["forbidden"] = courses[drawn.number(0, len(courses) - 1)]["course"]
        if with_required and drawn.rng.random() < 0.5:
            row["required"] = courses[drawn.number(0, len(courses) - 1)]["course"]
        if with_groups:
            row["group"] = str(drawn.rng.choice(["", "a", "b"]))
        if with_priority:
            row["priority"] = str(drawn.number(0, 2))
        held: list[str] = []
        if with_holds and drawn.rng.random() < 0.4:
            j = drawn.number(0, len(courses) - 1)
            fits = "max_credits" not in row or float(row["max_credits"]) >= float(
                courses[j].get("credits", 1)
            )
            if left[j] and fits and row.get("forbidden") != courses[j]["course"]:
                held, left[j] = [courses[j]["course"]], left[j] - 1
                row["holds"] = held[0]
        holds[row["student"]] = held
        rows.append(row)
    return rows, holds


def _forms(
    drawn: _Drawn, students: list[dict[str, str]], courses: list[dict[str, str]]
) -> dict[str, str]:
    kind = drawn.number(0, 2)  # marks, whole points, points that hardly differ
    popular = drawn.rng.uniform(20, 80, len(courses))
    ratings, pairs = [], []
    for student in students:
        for j, course in enumerate(courses):
            if drawn.rng.random() < 0.15:
                continue
            points = (
                drawn.number(1, 3),
                drawn.number(1, 100),
                int(np.clip(popular[j] + drawn.rng.normal(0, 5), 1, 100)),
            )[kind]
            ratings.append(
                {"student": student["student"], "course": course["course"], "rating": str(points)}
            )
        if drawn.rng.random() < 0.4:
            a, b = drawn.rng.choice(len(courses), 2, replace=False)
            points = drawn.number(1, 40) * (1 if drawn.rng.random() < 0.5 else -1)
            pairs.append(
                {"student": student["student"], "courses": f"C{a} + C{b}", "points": str(points)}
            )
    if not ratings:
        ratings = [{"student": "s0", "course": "C0", "rating": "1"}]
    files = {"ratings.csv": _table(ratings)}
    if pairs:
        files["adjustments.csv"] = _table(pairs)
    return files


def _table(rows: list[dict[str, str]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(columns)]
    lines += [",".join(row.get(name, "") for name in columns) for row in rows]
    return "\n".join(lines) + "\n"
