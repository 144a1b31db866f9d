"""
How long it takes to share out seats, by students and courses.

    python benchmarks/courses.py
    python benchmarks/courses.py --sizes 100x25,500x25 --rival PYTHON

Drawn students (nine popular courses of 25, complements and substitutes), seats for 1.25 times what
they may take. Seconds of wall time and of all processors, as ratios to the first size too; every
row must have error 0, and nobody may be without courses who could afford one. `--forms COUNT` lets
each student rate COUNT courses only, as a form would.

With `--rival`, the Python of an environment in which fairpyx is installed (it needs numpy below 2),
its Course Match runs on the additive part of small markets and of the first sizes, through files.
It is asked for a result within a minute and stopped after five. (Its other equilibrium search,
A-CEEI, is not in what it releases.)
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from boca.functions import AdjustedSum
from boca.lab.domains.courses import NINE, draw_courses
from boca.seats import assign_seats

PATIENCE = 300  # seconds until fairpyx is stopped
SIZES = "100x25,500x25,2000x25,500x100,2000x100,1700x350"
RIVAL = """
import json, sys, time
data = json.load(open(sys.argv[1]))
from fairpyx import Instance, divide
from fairpyx.algorithms import course_match_algorithm
instance = Instance(valuations=data["ratings"], agent_capacities=data["most"],
                    item_capacities=data["seats"])
begin = time.perf_counter()
result = divide(course_match_algorithm, instance=instance, budget=data["budgets"], time=60)
print(json.dumps({"seconds": time.perf_counter() - begin, "result": result}))
"""


def size_of(text: str) -> tuple[int, int]:
    students, courses = text.split("x")
    return int(students), int(courses)


def drawn(students: int, courses: int, rated: int, seed: int):
    """A market, and utilities with at most so many courses rated above 0."""
    instance = draw_courses(replace(NINE, num_students=students, num_courses=courses), seed)
    utilities = []
    for utility in instance.utilities:
        ratings = utility.ratings.copy()
        ratings[np.argsort(-ratings, kind="stable")[rated:]] = 0
        utilities.append(AdjustedSum(ratings, utility.adjustments))
    return instance.market, utilities


def measure(students: int, courses: int, rated: int, seed: int) -> dict:
    market, utilities = drawn(students, courses, rated, seed)
    wall, cpu = time.perf_counter(), time.process_time()
    seating = assign_seats(market, utilities, seed=seed)
    row = {
        "seconds": time.perf_counter() - wall,
        "processor": time.process_time() - cpu,
        "error": seating.error,
        "attempts": seating.attempts,
        "proven": int(seating.is_best.sum()),
        "empty": int((seating.allocation.bundles.sum(axis=1) == 0).sum()),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }
    assert row["proven"] == students, "somebody could afford something better"
    return row


def rival(python: str, students: int, courses: int, seed: int) -> str:
    """fairpyx on the additive part, in an environment of its own."""
    market, utilities = drawn(students, courses, courses, seed)
    names = [good.name for good in market.goods]
    data = {
        "ratings": {
            b.name: dict(zip(names, map(float, u.ratings), strict=True))
            for b, u in zip(market.bidders, utilities, strict=True)
        },
        "most": {b.name: NINE.most for b in market.bidders},
        "seats": {good.name: good.capacity for good in market.goods},
        "budgets": {b.name: 1 + 0.04 * i / students for i, b in enumerate(market.bidders)},
    }
    additive = [AdjustedSum(u.ratings) for u in utilities]
    begin = time.perf_counter()
    seating = assign_seats(market, additive, seed=seed)
    ours = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "market.json"
        path.write_text(json.dumps(data))
        try:
            done = subprocess.run(
                [python, "-c", RIVAL, str(path)], capture_output=True, text=True, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            size = f"{students} x {courses}"
            return f"{size}, additive: ours {ours:.2f} s, fairpyx not within {PATIENCE} s"
    if done.returncode:
        return f"fairpyx failed: {done.stderr.strip().splitlines()[-1][:200]}"
    answer = json.loads(done.stdout.splitlines()[-1])
    values = [
        sum(data["ratings"][name][course] for course in courses_)
        for name, courses_ in answer["result"].items()
    ]
    return (
        f"{students} x {courses}, additive: ours {ours:.2f} s "
        f"(mean {seating.utilities.mean():.1f}, "
        f"least {seating.utilities.min():.1f}), fairpyx {answer['seconds']:.2f} s "
        f"(mean {np.mean(values):.1f}, least {np.min(values):.1f}), ratio "
        f"{answer['seconds'] / ours:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", default=SIZES, help="students x courses, separated by commas")
    parser.add_argument("--seed", type=int, default=20001)
    parser.add_argument("--forms", type=int, default=40, help="courses that a student rates")
    parser.add_argument("--rival", default="", help="Python with fairpyx")
    options = parser.parse_args()
    sizes = [size_of(text) for text in options.sizes.split(",")]
    print(
        f"{'size':>10} {'seconds':>8} {'processor':>9} {'ratio':>6} {'error':>5} {'attempts':>8} "
        f"{'proven':>6} {'empty':>5} {'GB':>5}"
    )
    first = None
    for students, courses in sizes:
        row = measure(students, courses, options.forms, options.seed)
        first = first or row["seconds"]
        print(
            f"{students:>5}x{courses:<4} {row['seconds']:8.2f} {row['processor']:9.2f} "
            f"{row['seconds'] / first:6.1f} {row['error']:5g} {row['attempts']:8} "
            f"{row['proven']:6} {row['empty']:5} {row['memory']:5.2f}",
            flush=True,
        )
    if options.rival:
        for students, courses in [(30, 10), *[s for s in sizes if s[0] <= 100]]:
            print(rival(options.rival, students, courses, options.seed), flush=True)


if __name__ == "__main__":
    sys.exit(main())
