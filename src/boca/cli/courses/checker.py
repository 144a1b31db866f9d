"""
An assignment checked from its files alone, by other means than it was found.

Best schedules within a budget are looked for by a mixed-integer program per student; seats, prices,
budgets and envy are recomputed from their definitions. Nothing of the search is imported.
"""

from collections.abc import Iterator, Sequence
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
# Utilities that differ by less than this share are equal: sums in another order differ by less.
EQUAL = 1e-12
# Schedules that a solver takes for as good although they are not, before the search is given up.
MOST_REJECTED = 100


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

    @property
    def word(self) -> str:
        """What a table says: an answer to what is claimed, and none to what is not."""
        if not self.is_claimed:
            return "not claimed"
        return "NO" if self.problems else "yes"


class _Seats:
    """
    Seats of every course that are left, open ones and reserved ones.

    Parameters
    ----------
    seats
        Of every course ``(num_courses,)``.
    reserved
        Per course, pairs of a group and its seats; empty for none.
    """

    def __init__(self, seats: np.ndarray, reserved: Sequence[Sequence[tuple[str, int]]]):
        groups = sorted({group for pairs in reserved for group, count in pairs if count})
        self.reserved: dict[str, np.ndarray] = {
            group: np.zeros(len(seats), dtype=int) for group in groups
        }
        for course, pairs in enumerate(reserved):
            for group, count in pairs:
                if count:
                    self.reserved[group][course] = count
        self.open: np.ndarray = seats - sum(self.reserved.values(), np.zeros(len(seats), dtype=int))

    def of(self, group: str) -> np.ndarray:
        """Seats that are reserved for a group."""
        seats: np.ndarray = self.reserved.get(group, np.zeros(len(self.open), dtype=int))
        return seats

    def take(self, rows: np.ndarray, groups: Sequence[str]) -> np.ndarray:
        """
        Seats some students, and returns how many of them need a seat that is not theirs.

        Members take reserved seats first. Where open ones do not suffice, the group with most
        seats left gives one up, and so on.
        """
        for row, group in zip(rows, groups, strict=True):
            own = self.of(group)
            is_member = (row > 0) & (own > 0)
            own -= is_member
            self.open = self.open - ((row > 0) & ~is_member)
        beyond: np.ndarray = np.maximum(-self.open, 0)
        for course in np.flatnonzero(beyond):
            for _ in range(beyond[course]):
                most = max(self.reserved, key=lambda g: self.reserved[g][course], default="")
                if most and self.reserved[most][course]:
                    self.reserved[most][course] -= 1
        self.open = np.maximum(self.open, 0)
        return beyond


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
                    if course in self.courses:
                        self.held[self.students.index(student), self.courses[course]] = 1
        self.kept_rows = self._kept_rows()
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

    def _kept_rows(self) -> np.ndarray:
        """What students hold by the tables, and keep from before within seats and limits."""
        rows = np.zeros_like(self.rows)
        for i, courses in enumerate(self.file.held):
            rows[i, list(courses)] = 1
        kept = self.facts["kept"]
        if kept is None or kept["points"] is not None:
            return rows
        for i in np.argsort(np.array(self.students), kind="stable"):
            for name in kept["courses"].get(self.students[i], ()):
                j = self.courses.get(name)
                if j is None or rows[i, j] or rows[:, j].sum() >= self.market.capacities[j]:
                    continue
                rows[i, j] = 1
                if self.market.broken_limits(i, rows[i]):
                    rows[i, j] = 0
        return rows

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
        counts = {"pairs": pairs, "beyond_one_course": len(beyond), "against_order": len(against)}
        told = self.facts["envy"]
        wrong = tuple(
            f"{name.replace('_', ' ')}: {count}, the files say {told[name]}"
            for name, count in counts.items()
            if count != told[name]
        )
        yield Finding("the numbers of envious pairs", wrong)
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
            if (self.held[i] != self.kept_rows[i]).any():
                yield f"{student} holds other courses than it had and may keep"

    def _seats(self) -> Iterator[str]:
        taken = self.rows.sum(axis=0)
        for j in np.flatnonzero(taken > self.market.capacities):
            yield f"{self.names[j]} has {taken[j]} students and {self.market.capacities[j]} seats"
        new = (self.rows - self.held).clip(0)
        room = _Seats(self.market.capacities, self.file.reserved)
        room.take(self.held, self.groups)
        for level in np.unique(self.priorities)[::-1]:
            students = np.flatnonzero(self.priorities == level)
            beyond = room.take(new[students], [self.groups[i] for i in students])
            for j in np.flatnonzero(beyond):
                yield f"{self.names[j]} gives reserved seats to others"

    def _counts(self) -> Iterator[str]:
        for j, name in enumerate(self.names):
            if self.result.taken.get(name) != int(self.rows[:, j].sum()):
                yield f"{name}: {self.result.taken.get(name)} instead of {self.rows[:, j].sum()}"

    def _sizes(self) -> Iterator[str]:
        minimums = self.file.minimums or (0,) * len(self.names)
        before = dict(self.facts["cancelled"])
        for j, name in enumerate(self.names):
            taken, keepers = int(self.rows[:, j].sum()), int(self.kept_rows[:, j].sum())
            if name in self.cancelled and taken:
                yield f"{name} is cancelled and has {taken} students"
            if name in self.cancelled and keepers:
                yield f"{name} is cancelled although {keepers} students keep it"
            if name in self.cancelled and not before[name] < minimums[j]:
                yield f"{name} is cancelled with {before[name]} students; minimum {minimums[j]}"
            if name not in self.cancelled and not keepers and taken < minimums[j]:
                yield f"{name} has {taken} students, its minimum is {minimums[j]}"

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

    def _pools(self, i: int) -> _Seats:
        """Seats that kept courses and higher priorities leave a student's priority."""
        seats = _Seats(np.array(self.file.targets or self.market.capacities), self.file.reserved)
        seats.take(self.held, self.groups)
        new = (self.rows - self.held).clip(0)
        for level in np.unique(self.priorities)[::-1]:
            if level > self.priorities[i]:
                before = np.flatnonzero(self.priorities == level)
                seats.take(new[before], [self.groups[k] for k in before])
        return seats

    def _clears(self) -> Iterator[str]:
        for level in np.unique(self.priorities):
            students = np.flatnonzero(self.priorities == level)
            left = self._pools(int(students[0]))
            new = (self.rows - self.held)[students]
            lists = self._lists().get(float(level), {"": {}})
            open_prices = [float(lists[""].get(name, np.nan)) for name in self.names]
            beyond = np.zeros(len(self.names), dtype=int)
            for group in {self.groups[i] for i in students} | set(left.reserved):
                members = np.array([self.groups[i] == group for i in students])
                count = new[members].sum(axis=0)
                own = left.of(group)
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
                if beyond[j] > left.open[j]:
                    yield f"{name} has {beyond[j]} students for {left.open[j]} open seats"
                if open_prices[j] > 0 and beyond[j] < left.open[j]:
                    yield f"{name} costs {open_prices[j]:.3f} and has empty seats"

    def _demands(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        better, cheaper = [], []
        if not self.is_whole:
            return ("prices or budgets are missing",), ("prices or budgets are missing",)
        seats: dict[tuple[float, str], np.ndarray] = {}
        for i, student in enumerate(self.students):
            key = (self.priorities[i], self.groups[i])
            if key not in seats:
                left = self._pools(i)
                offered = np.array([name not in self.cancelled for name in self.names])
                seats[key] = offered & ((left.of(self.groups[i]) > 0) | (left.open > 0))
            own_value = float(self._value(i, self.rows[i][None])[0])
            scale = max(1.0, abs(own_value))
            row = self._optimum(i, seats[key])
            best = float(self._value(i, row[None])[0])
            spent = float(((row - self.held[i]) * self.prices[i]).sum())
            if spent > self.final[i] + SLACK:
                best = own_value  # the solver took its tolerance for money
            if best > own_value + EQUAL * scale:
                better.append(f"{student} could afford {best:g} and has {own_value:g}")
                continue
            row = self._cheapest(i, seats[key], own_value - EQUAL * scale)
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

    def _cheapest(self, i: int, offered: np.ndarray, least: float) -> np.ndarray:
        """The cheapest schedule that is worth ``least``, and not only by a solver's tolerance."""
        tolerance = TOLERANCE * max(1.0, abs(least))
        rejected: list[np.ndarray] = []
        for _ in range(MOST_REJECTED):
            row = self._optimum(i, offered, least - tolerance, rejected)
            if float(self._value(i, row[None])[0]) >= least:
                return row
            rejected.append(row)
        return np.array(self.rows[i])

    def _optimum(
        self,
        i: int,
        offered: np.ndarray,
        least: float | None = None,
        rejected: Sequence[np.ndarray] = (),
    ) -> np.ndarray:
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
        for row in rejected:
            model.add_row(takes, 1.0 - 2.0 * row, lower=1.0 - float(row.sum()))
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
            wanted = best > own + EQUAL * max(1.0, abs(own))
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
                if min(without) > own + EQUAL * max(1.0, abs(own)):
                    others = [self.students[k] for k in np.flatnonzero(which == number)]
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
