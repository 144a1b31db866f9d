"""Utilities seen from one student's courses: quick where the parts of the function are known."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from boca.functions import AdjustedSum, Adjustment, Quadratic, ValueFunction

if TYPE_CHECKING:
    from boca.seats.template import Template
    from boca.seats.wish import Wish


class Taste(Protocol):
    """
    A utility function in the form that listing schedules needs.

    ``of_table`` and ``of_members`` count what the student holds already as well.
    """

    @property
    def has_parts(self) -> bool:
        """Whether it is known what a course can add at most."""
        ...

    @property
    def num_goods(self) -> int: ...

    def parts(self, wish: "Wish") -> list[Any]:
        """What the other methods need of a wish each time, as ``wish.parts``."""
        ...

    def can_gain(self, held: np.ndarray) -> np.ndarray:
        """Which courses can be worth adding to some schedule ``(num_goods,)``."""
        ...

    def shares(self, wish: "Wish") -> np.ndarray:
        """Numbers per place ``(num,)`` whose sum over a schedule is at least its gain."""
        ...

    def at_most(self, wish: "Wish", members: np.ndarray, more: int) -> np.ndarray:
        """
        What schedules can be worth with up to ``more`` other courses, the shares of those apart.

        Parameters
        ----------
        wish
            The student.
        members
            Places ``(num_schedules, width)``, without padding.
        more
            Courses that may follow.
        """
        ...

    def span(self, wish: "Wish") -> float:
        """At least the difference of the utilities of any two schedules."""
        ...

    def of_table(self, wish: "Wish", table: "Template") -> np.ndarray:
        """Utility of every subset of a template of the wish's places."""
        ...

    def of_members(self, wish: "Wish", members: np.ndarray) -> np.ndarray:
        """Utility of schedules: places ``(num_schedules, width)``, padded with ``wish.num``."""
        ...


def taste_of(utility: ValueFunction, num_goods: int) -> Taste:
    """The taste of a student with a utility function."""
    if isinstance(utility, AdjustedSum):
        return _Adjusted(utility)
    if isinstance(utility, Quadratic):
        return _Pairwise(utility)
    return _Asked(utility, num_goods)


def _swing(numbers: np.ndarray) -> float:
    return float(numbers.max() - numbers.min())


def _sums(numbers: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The sums of the members' numbers; quicker than a sum over short rows."""
    if not members.shape[1]:
        return np.zeros(len(members), dtype=numbers.dtype)
    totals: np.ndarray = numbers[members[:, 0]]
    for place in range(1, members.shape[1]):
        totals += numbers[members[:, place]]
    return totals


class _Adjusted:
    """Ratings with adjustments of sets."""

    has_parts = True

    def __init__(self, function: AdjustedSum):
        self._function = function
        self.num_goods = function.num_goods
        self._ratings = function.ratings
        self._sets = function.adjustments

    def can_gain(self, held: np.ndarray) -> np.ndarray:
        most = self._ratings.copy()
        for part in self._sets:
            most[part.goods] += _swing(part.points) + self._factor_swing(part)
        can_gain: np.ndarray = most > 0
        return can_gain

    def _factor_swing(self, part: Adjustment) -> float:
        """By how much one good more can change what the factors of a set are worth."""
        total = np.abs(self._ratings[part.goods]).sum()
        return float((_swing(part.factors) + np.abs(part.factors).max()) * total)

    def shares(self, wish: "Wish") -> np.ndarray:
        shares = self._ratings.copy()
        for part in self._sets:
            if np.isin(part.goods, wish.held).any():
                # What is held brings the set closer to its points: one good may bring them all.
                shares[part.goods] += _swing(part.points) + self._factor_swing(part)
                continue
            ratings = self._ratings[part.goods]
            shares[part.goods] += max(0.0, part.factors.max()) * np.maximum(ratings, 0)
            shares[part.goods] += max(0.0, -part.factors.min()) * np.maximum(-ratings, 0)
            # t goods bring points[t] together: the largest share of one of them.
            gains = (part.points[1:] - part.points[0]) / np.arange(1, len(part.points))
            shares[part.goods] += max(0.0, float(gains.max()))
        result: np.ndarray = shares[wish.courses]
        return result

    def at_most(self, wish: "Wish", members: np.ndarray, more: int) -> np.ndarray:
        ratings = self._ratings[wish.courses]
        values: np.ndarray = _sums(ratings, members) + self._ratings[wish.held].sum()
        for places, held, points, factors in wish.parts:
            is_in = np.zeros(wish.num, dtype=np.int64)
            is_in[places] = 1
            taken = _sums(is_in, members)
            counts = range(len(places) + 1)
            # The best and the worst of what the set can become, by the number taken so far.
            reach = [slice(t, t + more + 1) for t in counts]
            best_points = np.array([points[: len(places) + 1][part].max() for part in reach])
            if points[0] == 0:
                # Points of a set that is not begun are in the shares of what follows.
                best_points[0] = 0.0
            values += best_points[taken]
            if factors.any():
                highest = np.array([factors[: len(places) + 1][part].max() for part in reach])
                lowest = np.array([factors[: len(places) + 1][part].min() for part in reach])
                sums = held + _sums(is_in * ratings, members)
                values += np.maximum(highest[taken] * sums, lowest[taken] * sums)
        return values

    def span(self, wish: "Wish") -> float:
        total = np.abs(self._ratings).sum()
        for part in self._sets:
            total += part.points.max() - part.points.min()
            total += np.abs(part.factors).max() * np.abs(self._ratings[part.goods]).sum()
        return 2 * float(total)

    def parts(self, wish: "Wish") -> list[tuple[np.ndarray, float, np.ndarray, np.ndarray]]:
        """Per set: its places, ratings already held, and points and factors by places taken."""
        parts = []
        for part in self._sets:
            is_held = np.isin(part.goods, wish.held)
            places = wish.places[part.goods[~is_held]]
            places = places[places < wish.num]
            count = int(is_held.sum())
            if count + len(places) == 0:
                continue
            parts.append(
                (
                    places,
                    float(self._ratings[part.goods[is_held]].sum()),
                    part.points[count:],
                    part.factors[count:],
                )
            )
        return parts

    def of_table(self, wish: "Wish", table: "Template") -> np.ndarray:
        ratings = self._ratings[wish.courses]
        values = table.sums(ratings, float(self._ratings[wish.held].sum()))
        for places, held, points, factors in wish.parts:
            if len(places) == len(points) - 1 > 0 and not (points[:-1].any() or factors.any()):
                # Points for the whole set, the usual case: few schedules have it.
                values[np.logical_and.reduce(table.contains[places])] += points[-1]
                continue
            taken = table.contains[places].sum(axis=0, dtype=np.uint8)
            if points.any():
                values += points[taken]
            if factors.any():
                sums = np.full(table.num_subsets, held)
                for place in places:
                    sums += ratings[place] * table.contains[place]
                values += factors[taken] * sums
        return values

    def of_members(self, wish: "Wish", members: np.ndarray) -> np.ndarray:
        ratings = np.append(self._ratings[wish.courses], 0.0)
        values: np.ndarray = _sums(ratings, members) + self._ratings[wish.held].sum()
        for places, held, points, factors in wish.parts:
            is_in = np.zeros(wish.num + 1, dtype=np.int64)
            is_in[places] = 1
            taken = _sums(is_in, members)
            values += points[taken]
            if factors.any():
                values += factors[taken] * (held + _sums(is_in * ratings, members))
        return values


class _Pairwise:
    """Quadratic functions: a worth per course and one per pair."""

    has_parts = True

    def __init__(self, function: Quadratic):
        self.num_goods = function.num_goods
        self._single = function.linear + np.diag(function.matrix)
        self._pairs = 2 * (function.matrix - np.diag(np.diag(function.matrix)))

    def can_gain(self, held: np.ndarray) -> np.ndarray:
        result: np.ndarray = self._single + np.maximum(self._pairs, 0).sum(axis=1) > 0
        return result

    def shares(self, wish: "Wish") -> np.ndarray:
        single, pairs = wish.parts
        best = -np.sort(-np.maximum(pairs, 0), axis=1)[:, : max(wish.most - 1, 0)]
        result: np.ndarray = single + best.sum(axis=1) / 2
        return result

    def at_most(self, wish: "Wish", members: np.ndarray, more: int) -> np.ndarray:
        _, pairs = wish.parts
        best = -np.sort(-np.maximum(pairs, 0), axis=1)[:, :more].sum(axis=1)
        result: np.ndarray = self.of_members(wish, members) + _sums(best, members)
        return result

    def span(self, wish: "Wish") -> float:
        return 2 * float(np.abs(self._single).sum() + np.abs(self._pairs).sum() / 2)

    def parts(self, wish: "Wish") -> list[np.ndarray]:
        """What each place adds to what is held, and what each pair does."""
        single = self._single[wish.courses] + self._pairs[np.ix_(wish.courses, wish.held)].sum(
            axis=1
        )
        return [single, self._pairs[np.ix_(wish.courses, wish.courses)]]

    def _start(self, wish: "Wish") -> float:
        own = self._pairs[np.ix_(wish.held, wish.held)].sum() / 2
        return float(self._single[wish.held].sum() + own)

    def of_table(self, wish: "Wish", table: "Template") -> np.ndarray:
        single, pairs = wish.parts
        gains = single[table.last]
        flat = pairs.ravel()
        for size in range(2, table.most + 1):
            rows = slice(table.levels[size], table.levels[size + 1])
            for place in range(size - 1):
                gains[rows] += flat[
                    table.members[rows, place].astype(np.int64) * wish.num + table.last[rows]
                ]
        values = np.empty(table.num_subsets)
        values[0] = self._start(wish)
        for low, high in zip(table.levels[1:-1], table.levels[2:], strict=True):
            values[low:high] = values[table.parents[low:high]] + gains[low:high]
        return values

    def of_members(self, wish: "Wish", members: np.ndarray) -> np.ndarray:
        single, pairs = wish.parts
        values = _sums(np.append(single, 0.0), members) + self._start(wish)
        padded = np.pad(pairs, (0, 1))
        for a in range(members.shape[1]):
            for b in range(a):
                values += padded[members[:, a], members[:, b]]
        return values


class _Asked:
    """Any other function: it can be evaluated, and that is all."""

    has_parts = False

    def __init__(self, function: ValueFunction, num_goods: int):
        self._function = function
        self.num_goods = num_goods

    def parts(self, wish: "Wish") -> list[np.ndarray]:
        return []

    def can_gain(self, held: np.ndarray) -> np.ndarray:
        return np.ones(self.num_goods, dtype=bool)

    def shares(self, wish: "Wish") -> np.ndarray:
        raise NotImplementedError("schedules of a function that is only asked are all listed")

    def at_most(self, wish: "Wish", members: np.ndarray, more: int) -> np.ndarray:
        raise NotImplementedError("schedules of a function that is only asked are all listed")

    def span(self, wish: "Wish") -> float:
        from boca.seats.template import template

        values = self.of_table(wish, template(wish.num, wish.most))
        return float(values.max() - values.min())

    def of_table(self, wish: "Wish", table: "Template") -> np.ndarray:
        return self.of_members(wish, table.members)

    def of_members(self, wish: "Wish", members: np.ndarray) -> np.ndarray:
        values = np.empty(len(members))
        step = 1 << 14
        for low in range(0, len(members), step):
            part = members[low : low + step]
            rows = np.zeros((len(part), self.num_goods + 1), dtype=np.int64)
            courses = np.append(wish.courses, self.num_goods)[part]
            rows[np.arange(len(part))[:, None], courses] = 1
            rows[:, wish.held] = 1
            values[low : low + step] = self._function(rows[:, : self.num_goods])
        return values
