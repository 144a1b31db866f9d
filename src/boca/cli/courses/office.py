"""From files to a seating and back: what the course commands share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions import AdjustedSum, Adjustment, Quadratic, ValueFunction
from boca.markets.courses import CourseMarket, CourseResult, read_result, write_result
from boca.seats import SearchProgress, Seating, SeatParams, SeatRules, assign_seats

FORMAT = 1
# Adjustments up to which each is looked at by itself.
FEW_SETS = 20


@dataclass(frozen=True)
class KeptSeats:
    """
    An earlier assignment that the new one stays close to.

    Parameters
    ----------
    courses
        What students had, by name.
    points
        Added to the utility for each course that a student keeps; None if everybody keeps all that
        is still possible.
    """

    courses: dict[str, tuple[str, ...]]
    points: float | None


def read_kept(folder: Path, points: float | None) -> KeptSeats:
    """The schedules of an earlier assignment."""
    if points is not None and not (np.isfinite(points) and points >= 0):
        raise InputError(f"Received {points} points for keeping a course; expected at least 0.")
    return KeptSeats(read_result(folder).schedules, points)


def utilities_of(file: CourseMarket, kept: KeptSeats | None = None) -> list[ValueFunction]:
    """Everybody's ratings and adjustments as a function, with points for what is kept."""
    numbers = {good.name: j for j, good in enumerate(file.market.goods)}
    utilities: list[ValueFunction] = []
    for i, bidder in enumerate(file.market.bidders):
        ratings = file.ratings[i].copy()
        if kept is not None and kept.points is not None:
            had = [numbers[c] for c in kept.courses.get(bidder.name, ()) if c in numbers]
            ratings[had] += kept.points
        utilities.append(_function(ratings, file.adjustments[i], file.market.capacities))
    return utilities


def _function(
    ratings: np.ndarray, sets: Sequence[tuple[tuple[int, ...], float]], capacities: np.ndarray
) -> ValueFunction:
    """Ratings and adjustments; many pairs are ranked faster as one quadratic function."""
    if len(sets) <= FEW_SETS or any(len(courses) > 2 for courses, _ in sets):
        adjustments = (Adjustment.together(np.array(courses), points) for courses, points in sets)
        return AdjustedSum(ratings, tuple(adjustments), capacities)
    matrix = np.zeros((len(ratings), len(ratings)))
    for courses, points in sets:
        matrix[courses] += points
    return Quadratic(matrix, ratings, capacities)


def rules_of(file: CourseMarket, kept: KeptSeats | None = None) -> SeatRules:
    """The registrar's rules; with what students keep for certain."""
    rules = SeatRules(
        file.targets,
        file.minimums,
        file.required,
        file.held,
        file.priorities,
        file.groups,
        file.reserved,
    )
    if kept is None or kept.points is not None:
        return rules
    return replace(rules, held=_still_possible(file, kept))


def _still_possible(file: CourseMarket, kept: KeptSeats) -> tuple[tuple[int, ...], ...]:
    """What students had and may still have: within seats and limits, earlier names first."""
    market = file.market
    numbers = {good.name: j for j, good in enumerate(market.goods)}
    held = [list(courses) for courses in file.held or ((),) * market.num_bidders]
    left = market.capacities - np.bincount(
        [c for courses in held for c in courses], minlength=market.num_goods
    )
    for i in sorted(range(market.num_bidders), key=lambda i: market.bidders[i].name):
        for name in kept.courses.get(market.bidders[i].name, ()):
            course = numbers.get(name)
            if course is None or course in held[i] or left[course] <= 0:
                continue
            row = np.zeros(market.num_goods, dtype=np.int64)
            row[[*held[i], course]] = 1
            if not market.broken_limits(i, row):
                held[i].append(course)
                left[course] -= 1
    return tuple(tuple(courses) for courses in held)


def share_out(
    file: CourseMarket,
    params: SeatParams,
    seed: int,
    kept: KeptSeats | None = None,
    time_limit: float | None = None,
    on_progress: Callable[[SearchProgress], None] | None = None,
) -> Seating:
    """The seating of a folder's market."""
    return assign_seats(
        file.market,
        utilities_of(file, kept),
        rules_of(file, kept),
        params,
        seed,
        time_limit,
        on_progress,
    )


def save(
    folder: Path,
    file: CourseMarket,
    seating: Seating,
    params: SeatParams,
    seed: int,
    kept: KeptSeats | None,
    told: dict[str, Any] | None = None,
) -> CourseResult:
    """Writes a seating's files and returns what they say; ``told`` is about students' answers."""
    market = file.market
    names = [good.name for good in market.goods]
    students = [bidder.name for bidder in market.bidders]
    held = seating.rules.held or ((),) * market.num_bidders
    paid = {
        (students[i], names[j]): 0.0 if j in held[i] else float(seating.prices_of(i)[j])
        for i, j in np.argwhere(seating.allocation.bundles).tolist()
    }
    envy = seating.envy
    facts: dict[str, Any] = {
        "format": FORMAT,
        "seed": seed,
        "budget_spread": params.budget_spread,
        "budget_moves": params.budget_moves,
        "proven": seating.proven(),
        "envy": {
            "pairs": envy.pairs,
            "beyond_one_course": envy.beyond_one,
            "against_order": envy.against_order,
            "largest": envy.largest,
        },
        "cancelled": [[names[course], count] for course, count in seating.cancelled],
        "changed_by_cancellation": list(seating.num_changed),
        "price_lists": [
            {
                "priority": prices.priority,
                "prices": {
                    group: dict(zip(names, map(float, row), strict=True))
                    for group, row in zip(prices.groups, prices.prices, strict=True)
                },
            }
            for prices in seating.price_lists
        ],
        "budgets": {
            student: {
                "first": float(seating.base_budgets[i]),
                "final": float(seating.budgets[i]),
                "utility": float(seating.utilities[i]),
                "better": int(seating.num_better[i]),
                "best_affordable": bool(seating.is_best[i]),
            }
            for i, student in enumerate(students)
        },
        "held": {students[i]: [names[c] for c in held[i]] for i in range(len(held)) if held[i]},
        "learned": told,
        "kept": None
        if kept is None
        else {
            "points": kept.points,
            "courses": {name: list(courses) for name, courses in kept.courses.items()},
        },
    }
    result = CourseResult(
        {student: seating.schedule(i) for i, student in enumerate(students)},
        {name: int(count) for name, count in zip(names, seating.taken, strict=True)},
        facts,
    )
    write_result(folder, result, paid, {g.name: g.capacity for g in market.goods})
    return result
