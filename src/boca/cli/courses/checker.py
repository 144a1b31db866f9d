"""
An assignment checked from its files alone, by other means than it was found.

Best schedules within a budget are looked for by a mixed-integer program per student; seats, prices,
budgets and envy are recomputed from their definitions. Nothing of the search is imported.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boca.cli.courses.answers import answers_of, learned
from boca.core.market import ROUNDING
from boca.core.randomness import Seeds
from boca.markets.courses import read_courses, read_result
from boca.milp import MilpParams, Model, solve

TOLERANCE = 1e-6
SLACK = 1e-9


@dataclass(frozen=True)
class Finding:
    """
    One claim, and what was found.

    Parameters
    ----------
    claim
        What should hold.
    problems
        Where it does not, in words; empty if it does.
    is_claimed
        Whether the files say that it holds. What they do not claim is only told.
    """

    claim: str
    problems: tuple[str, ...]
    is_claimed: bool = True

    @property
    def is_wrong(self) -> bool:
        return self.is_claimed and bool(self.problems)


def check_result(folder: Path, result: Path) -> list[Finding]:
    """
    Every claim of an assignment, checked.

    Parameters
    ----------
    folder
        The market's tables.
    result
        The assignment's files.
    """
    return list(_Check(folder, result).findings())


class _Check:
    def __init__(self, folder: Path, result: Path):
        self.file = read_courses(folder)
        self.result = read_result(result)
        self.facts: dict[str, Any] = self.result.facts
        if told := self.facts.get("learned"):
            self.file = learned(self.file, answers_of(self.file, bool(told["pooled"])))
        self.market = self.file.market
        self.names = [good.name for good in self.market.goods]
        self.students = [bidder.name for bidder in self.market.bidders]
        self.courses = {name: j for j, name in enumerate(self.names)}
        self.num = len(self.students)
        self.rows = np.zeros((self.num, len(self.names)), dtype=np.int64)
        self.unknown: list[str] = []
        for i, student in enumerate(self.students):
            for course in self.result.schedules.get(student, ()):
                if course in self.courses:
                    self.rows[i, self.courses[course]] += 1
                else:
                    self.unknown.append(f"{student} has {course}, which is not a course")
        self.unknown += [
            f"{student} is not in students"
            for student in self.result.schedules
            if student not in set(self.students)
        ]
        self.cancelled = {course for course, _ in self.facts["cancelled"]}
        self.held = np.zeros_like(self.rows)
        for student, courses in self.facts["held"].items():
            if student in self.students:
                for course in courses:
                    if course in self.courses and course not in self.cancelled:
                        self.held[self.students.index(student), self.courses[course]] = 1
        self.priorities = np.array(self.file.priorities or [0.0] * self.num)
        self.groups = list(self.file.groups or [""] * self.num)
        self.ratings = self.file.ratings.copy()
        if (kept := self.facts["kept"]) and kept["points"] is not None:
            for i, student in enumerate(self.students):
                for course in kept["courses"].get(student, ()):
                    if course in self.courses:
                        self.ratings[i, self.courses[course]] += kept["points"]
        self.final = np.array([self._budget(s, "final") for s in self.students])
        self.first = np.array([self._budget(s, "first") for s in self.students])
        self.prices = np.array([self._prices(i) for i in range(self.num)])
        self.is_whole = bool(np.isfinite(self.prices).all() and np.isfinite(self.final).all())
        self.costs = ((self.rows - self.held).clip(0) * self.prices).sum(axis=1)

    def _budget(self, student: str, name: str) -> float:
        entry = self.facts["budgets"].get(student)
        return float(entry[name]) if entry else float("nan")

    def _prices(self, i: int) -> np.ndarray:
        prices = self._lists().get(float(self.priorities[i]), {"": {}})
        row = prices.get(self.groups[i], prices[""])
        return np.array([float(row.get(name, np.nan)) for name in self.names])

    def _lists(self) -> dict[float, dict[str, dict[str, float]]]:
        """Prices by priority, group and course."""
        return {float(p["priority"]): p["prices"] for p in self.facts["price_lists"]}

    def findings(self) -> Iterator[Finding]:
        proven = self.facts["proven"]
        yield Finding("students and courses are those of the tables", tuple(self._names()))
        yield Finding(
            "everybody's limits hold, and nobody has a course twice", tuple(self._limits())
        )
        yield Finding("no course has more students than seats", tuple(self._seats()))
        yield Finding("counts are those of the assignment", tuple(self._counts()))
        yield Finding(
            "cancelled courses are empty, others reach their minimum", tuple(self._sizes())
        )
        yield Finding(
            "first budgets follow the order drawn from seed and names", tuple(self._order())
        )
        clears = proven["clearing_error"] == 0
        is_final = not proven["repaired"]
        yield Finding("every schedule is within its budget", tuple(self._budgets()), is_final)
        yield Finding("courses with a price are full", tuple(self._clears()), clears and is_final)
        demands, cheaper = self._demands()
        count = proven["students_with_best_affordable"] == self.num
        yield Finding("everybody has the best schedule within its budget", demands, count)
        yield Finding(
            "nobody could have one as good for less; with the above this is Pareto efficiency",
            cheaper,
            proven["pareto_efficient"],
        )
        beyond, against, pairs = self._envy()
        told = self.facts["envy"]["pairs"]
        wrong = () if pairs == told else (f"{pairs} pairs, the files say {told}",)
        yield Finding("the number of envious pairs", wrong)
        yield Finding("envy stays within one course", beyond, proven["envy_within_one_course"])
        yield Finding(
            "nobody envies a student behind it in the order",
            against,
            self.facts["envy"]["against_order"] == 0,
        )

    def _names(self) -> Iterator[str]:
        yield from self.unknown
        for student in self.students:
            if student not in self.facts["budgets"]:
                yield f"{student} has no budget"
        for j in np.flatnonzero(~np.isfinite(self.prices).all(axis=0)):
            yield f"{self.names[j]} has no price"

    def _limits(self) -> Iterator[str]:
        for i, student in enumerate(self.students):
            if (self.rows[i] > 1).any():
                yield f"{student} has a course twice"
            for limit in self.market.broken_limits(i, self.rows[i]):
                yield f"{student} breaks {limit.name}"
            if (self.held[i] > self.rows[i]).any():
                yield f"{student} lost a course that it held"

    def _seats(self) -> Iterator[str]:
        taken = self.rows.sum(axis=0)
        for j in np.flatnonzero(taken > self.market.capacities):
            yield f"{self.names[j]} has {taken[j]} students and {self.market.capacities[j]} seats"
        is_member = {g: np.array([x == g for x in self.groups]) for g in set(self.groups)}
        for course, pairs in enumerate(self.file.reserved):
            open_seats = self.market.capacities[course] - sum(s for _, s in pairs)
            reserved = dict(pairs)
            beyond = 0
            for group, members in is_member.items():
                beyond += max(0, int(self.rows[members, course].sum()) - reserved.get(group, 0))
            if beyond > open_seats:
                yield f"{self.names[course]} gives reserved seats to others"

    def _counts(self) -> Iterator[str]:
        for j, name in enumerate(self.names):
            if self.result.taken.get(name) != int(self.rows[:, j].sum()):
                yield f"{name}: {self.result.taken.get(name)} instead of {self.rows[:, j].sum()}"

    def _sizes(self) -> Iterator[str]:
        for j, name in enumerate(self.names):
            taken = int(self.rows[:, j].sum())
            if name in self.cancelled and taken:
                yield f"{name} is cancelled and has {taken} students"
            if self.file.minimums and name not in self.cancelled and taken < self.file.minimums[j]:
                yield f"{name} has {taken} students, its minimum is {self.file.minimums[j]}"

    def _order(self) -> Iterator[str]:
        seeds = Seeds(int(self.facts["seed"])).child("seats")
        draws = [(seeds.child("order", s).integer(), s) for s in self.students]
        places = {name: place for place, (_, name) in enumerate(sorted(draws))}
        spread = float(self.facts["budget_spread"])
        for i, student in enumerate(self.students):
            expected = 1 + spread * places[student] / self.num
            if abs(self.first[i] - expected) > TOLERANCE:
                yield f"{student} began with {self.first[i]:.6f} instead of {expected:.6f}"

    def _budgets(self) -> Iterator[str]:
        moves = float(self.facts["budget_moves"])
        for i, student in enumerate(self.students):
            if not self.costs[i] <= self.final[i] + TOLERANCE:
                yield f"{student} pays {self.costs[i]:.6f} with {self.final[i]:.6f}"
            if not abs(self.final[i] - self.first[i]) <= moves + TOLERANCE:
                yield f"{student}'s budget was moved by {self.final[i] - self.first[i]:+.4f}"

    def _pools(self, i: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Reserved and open seats that are left for a student's priority."""
        targets = np.array(self.file.targets or self.market.capacities)
        reserved = {g: np.zeros(len(self.names), dtype=int) for g in set(self.groups) - {""}}
        for j, pairs in enumerate(self.file.reserved):
            for group, seats in pairs:
                if group in reserved:
                    reserved[group][j] = seats
        together = np.array(
            [sum(s for _, s in self.file.reserved[j]) for j in range(len(self.names))]
            if self.file.reserved
            else [0] * len(self.names)
        )
        free = targets - together
        before = [k for k in range(self.num) if self.priorities[k] > self.priorities[i]]
        takers = [(k, self.rows[k]) for k in before]
        takers += [(k, self.held[k]) for k in range(self.num) if k not in set(before)]
        for k, row in takers:
            own = reserved.get(self.groups[k], np.zeros(len(self.names), dtype=int))
            from_reserved = (row > 0) & (own > 0)
            own -= from_reserved
            free = free - ((row > 0) & ~from_reserved)
        return reserved, np.maximum(free, 0)

    def _clears(self) -> Iterator[str]:
        for level in np.unique(self.priorities):
            students = np.flatnonzero(self.priorities == level)
            reserved, free = self._pools(int(students[0]))
            new = (self.rows - self.held)[students]
            lists = self._lists().get(float(level), {"": {}})
            open_prices = [float(lists[""].get(name, np.nan)) for name in self.names]
            beyond = np.zeros(len(self.names), dtype=int)
            for group in {self.groups[i] for i in students} | set(reserved):
                members = np.array([self.groups[i] == group for i in students])
                count = new[members].sum(axis=0)
                own = reserved.get(group, np.zeros(len(self.names), dtype=int))
                beyond += np.maximum(count - own, 0)
                for j, name in enumerate(self.names):
                    price = lists.get(group, lists[""]).get(name, np.nan)
                    if own[j] and price > 0 and count[j] < own[j]:
                        yield f"{name} costs {price:.3f} and has empty seats for {group}"
                    if own[j] and price < open_prices[j] - TOLERANCE and count[j] > own[j]:
                        yield f"{name} has more members of {group} than seats at their price"
            for j, name in enumerate(self.names):
                if name in self.cancelled:
                    continue
                if beyond[j] > free[j]:
                    yield f"{name} has {beyond[j]} students for {free[j]} open seats"
                if open_prices[j] > 0 and beyond[j] < free[j]:
                    yield f"{name} costs {open_prices[j]:.3f} and has empty seats"

    def _demands(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        better, cheaper = [], []
        if not self.is_whole:
            return ("prices or budgets are missing",), ("prices or budgets are missing",)
        seats: dict[tuple[float, str], np.ndarray] = {}
        for i, student in enumerate(self.students):
            key = (self.priorities[i], self.groups[i])
            if key not in seats:
                reserved, free = self._pools(i)
                own = reserved.get(self.groups[i], np.zeros(len(self.names), dtype=int))
                offered = np.array([name not in self.cancelled for name in self.names])
                seats[key] = offered & ((own > 0) | (free > 0))
            own_value = float(self._value(i, self.rows[i][None])[0])
            scale = max(1.0, abs(own_value))
            row = self._optimum(i, seats[key], None)
            best = float(self._value(i, row[None])[0])
            spent = float(((row - self.held[i]) * self.prices[i]).sum())
            if spent > self.final[i] + SLACK:
                best = own_value  # the solver took its tolerance for money
            if best > own_value + TOLERANCE * scale:
                better.append(f"{student} could afford {best:g} and has {own_value:g}")
                continue
            row = self._optimum(i, seats[key], own_value - TOLERANCE * scale)
            cost = float(((row - self.held[i]) * self.prices[i]).sum())
            if cost < self.costs[i] - TOLERANCE:
                cheaper.append(f"{student} pays {self.costs[i]:.6f} instead of {cost:.6f}")
        return tuple(better), tuple(cheaper)

    def _value(self, i: int, rows: np.ndarray) -> np.ndarray:
        """Utilities with required courses first, from the tables."""
        values: np.ndarray = rows @ self.ratings[i]
        for courses, points in self.file.adjustments[i]:
            values = values + points * (rows[:, list(courses)] > 0).all(axis=1)
        for choices in self.file.required[i] if self.file.required else ():
            values = values + self._bonus(i) * (rows[:, list(choices)] > 0).any(axis=1)
        return values

    def _bonus(self, i: int) -> float:
        points = sum(abs(p) for _, p in self.file.adjustments[i])
        return 1.0 + float(np.abs(self.ratings[i]).sum()) + 2 * points

    def _optimum(self, i: int, offered: np.ndarray, least: float | None) -> np.ndarray:
        """The best schedule within the budget; or the cheapest one worth at least ``least``."""
        model = Model(maximise=least is None)
        usable = offered | (self.held[i] > 0)
        takes = model.add_variables(
            len(self.names), self.held[i], usable.astype(float), integer=True
        )
        columns, worth = [*takes], [*self.ratings[i]]
        for courses, points in self.file.adjustments[i]:
            both = model.add_variables(1, 0, 1)[0]
            for course in courses:
                model.add_row([both, takes[course]], [1.0, -1.0], upper=0)
            model.add_row(
                [both, *takes[list(courses)]],
                [1.0, *[-1.0] * len(courses)],
                lower=1 - len(courses),
            )
            columns.append(both)
            worth.append(points)
        for choices in self.file.required[i] if self.file.required else ():
            met = model.add_variables(1, 0, 1)[0]
            model.add_row([met, *takes[list(choices)]], [1.0, *[-1.0] * len(choices)], upper=0)
            columns.append(met)
            worth.append(self._bonus(i))
        coefficients, bounds = self.market.limits(i)
        for row, bound in zip(coefficients, bounds, strict=True):
            if row[usable].sum() > bound + ROUNDING:
                model.add_row(takes, row, upper=float(bound) + ROUNDING)
        prices = np.where(self.held[i] > 0, 0.0, self.prices[i])
        if least is None:
            # A solver spends its tolerance as well, so it gets a little less.
            room = max(float(self.final[i]) - 3 * TOLERANCE, float(self.costs[i]))
            model.add_row(takes, prices, upper=room)
            model.add_cost(columns, worth)
        else:
            model.add_row(columns, worth, lower=least)
            model.add_cost(takes, prices)
        result = solve(model, MilpParams())
        if result.x is None:
            return np.array(self.rows[i])
        optimum: np.ndarray = np.rint(result.x[takes]).astype(np.int64)
        return optimum

    def _envy(self) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        """Envy beyond one course, envy against the order, and the number of envious pairs."""
        distinct, which = np.unique(self.rows, axis=0, return_inverse=True)
        which = which.ravel()
        parts, owner, dropped = _parts(distinct)
        beyond, against, pairs = [], [], 0
        allowed: dict[tuple[int, ...], np.ndarray] = {}
        for i, student in enumerate(self.students):
            key = tuple(map(id, self.market.bidders[i].limits))
            if key not in allowed and not self.held[i].any():
                allowed[key] = self._allows(i, parts)
            rows = parts if not self.held[i].any() else np.maximum(parts, self.held[i])
            fits = self._allows(i, rows) if self.held[i].any() else allowed[key]
            offered = np.array([name not in self.cancelled for name in self.names])
            values = np.where(fits, self._value(i, np.where(offered, rows, 0)), -np.inf)
            own = float(self._value(i, self.rows[i][None])[0])
            best = np.full(len(distinct), -np.inf)
            np.maximum.at(best, owner, values)
            wanted = best > own + TOLERANCE * max(1.0, abs(own))
            holders = wanted[which]
            pairs += int(holders.sum())
            alike = (self.priorities == self.priorities[i]) & (
                np.array(self.groups) == self.groups[i]
            )
            # Who holds courses from before is not compared with others.
            alike &= ~self.held.any(axis=1) & (not self.held[i].any())
            for k in np.flatnonzero(holders & alike & (self.first < self.first[i])):
                against.append(f"{student} envies {self.students[k]}")
            for number in np.flatnonzero(wanted):
                mine = owner == number
                without = [
                    values[mine & (dropped[:, c] > 0)].max()
                    for c in np.flatnonzero(distinct[number])
                ]
                if min(without) > own + TOLERANCE * max(1.0, abs(own)):
                    others = [self.students[k] for k in np.flatnonzero((which == number) & alike)]
                    beyond += [f"{student} envies {other} by more" for other in others]
        return tuple(beyond), tuple(against), pairs

    def _allows(self, i: int, rows: np.ndarray) -> np.ndarray:
        coefficients, bounds = self.market.limits(i)
        fits: np.ndarray = (rows @ coefficients.T <= bounds + ROUNDING).all(axis=1)
        return fits


def _parts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All parts of some schedules, whose part each is, and which courses it leaves out."""
    parts, owners, dropped = [], [], []
    for number, row in enumerate(rows):
        courses = np.flatnonzero(row)
        for bits in range(2 ** len(courses)):
            kept = courses[[bool(bits >> k & 1) for k in range(len(courses))]]
            part = np.zeros_like(row)
            part[kept] = 1
            parts.append(part)
            owners.append(number)
            dropped.append(row - part)
    return np.array(parts), np.array(owners), np.array(dropped)
