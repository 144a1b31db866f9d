"""What one student may hold, and how much it likes it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.market import ROUNDING, Market
from boca.functions import ValueFunction
from boca.seats.rules import SeatRules
from boca.seats.tastes import Taste, taste_of
from boca.seats.template import num_subsets

# Subsets that are listed one by one for a student, at most: 25 courses with 5 each make 68,406.
# Beyond, utilities with known parts are searched by branch and bound.
MOST_LISTED = 80_000
# The same for utilities that can only be asked; then the most liked courses alone are looked at.
MOST_ASKED = 270_000


@dataclass(frozen=True, eq=False)
class Wish:
    """
    One student's possible schedules and their utilities.

    Courses have two numbers: that of the market and the place in ``courses``. Padding is the number
    after the last place.

    Parameters
    ----------
    taste
        The utility, as a function of schedules.
    courses
        The courses that the student may add to what it holds, ``(num,)`` market numbers. The order
        breaks ties between schedules.
    held
        The courses it has already, market numbers.
    most
        Courses that it can add at most.
    clashes
        Pairs of courses that exclude each other ``(num, num)``.
    weights, room
        Other limits: ``weights @ schedule <= room``, shapes ``(num_limits, num)`` and
        ``(num_limits,)``.
    required
        Places of which one each is needed.
    complete
        Whether every course that could be of use is among ``courses``.
    """

    taste: Taste
    courses: np.ndarray
    held: np.ndarray
    most: int
    clashes: np.ndarray
    weights: np.ndarray
    room: np.ndarray
    required: tuple[np.ndarray, ...] = ()
    complete: bool = True

    @property
    def num(self) -> int:
        return len(self.courses)

    @cached_property
    def places(self) -> np.ndarray:
        """Place of every course of the market; ``num`` for those that do not matter."""
        places = np.full(self.taste.num_goods + 1, self.num)
        places[self.courses] = np.arange(self.num)
        return places

    @property
    def is_listed(self) -> bool:
        """Whether all schedules can be listed."""
        return num_subsets(self.num, self.most) <= (
            MOST_LISTED if self.taste.has_parts else MOST_ASKED
        )

    def only(self, kept: np.ndarray) -> "Wish":
        """The wish with some of its courses, by their places."""
        count = len(kept)
        back = np.full(self.num + 1, count)
        back[kept] = np.arange(count)
        required = [back[group] for group in self.required]
        return replace(
            self,
            courses=self.courses[kept],
            most=min(self.most, count),
            clashes=self.clashes[np.ix_(kept, kept)],
            weights=self.weights[:, kept],
            required=tuple(g[g < count] for g in required if (g < count).any()),
        )

    @cached_property
    def parts(self) -> list[Any]:
        """What the taste prepares once."""
        return self.taste.parts(self)

    @cached_property
    def bonus(self) -> float:
        """What one required course is worth: more than everything else together."""
        return self.taste.span(self) + 1.0 if self.required else 0.0

    def values(self, members: np.ndarray) -> np.ndarray:
        """
        Utility of schedules, required courses included.

        Parameters
        ----------
        members
            Places ``(num_schedules, width)``, padded with ``num``.
        """
        result: np.ndarray = self.taste.of_members(self, members) + self._bonuses(members)
        return result

    def at_most(self, members: np.ndarray, more: int) -> np.ndarray:
        """As for a taste; required courses that may follow are in their shares."""
        result: np.ndarray = self.taste.at_most(self, members, more) + self._bonuses(members)
        return result

    def _bonuses(self, members: np.ndarray) -> np.ndarray:
        total = np.zeros(len(members))
        for needed in self.required:
            total += self.bonus * np.isin(members, needed).any(axis=1)
        return total

    def allows(self, members: np.ndarray) -> np.ndarray:
        """Whether the student may hold each schedule (places, padded with ``num``)."""
        allowed: np.ndarray = (members < self.num).sum(axis=1) <= self.most
        clashes = np.pad(self.clashes, (0, 1))
        for a in range(members.shape[1]):
            for b in range(a):
                allowed &= ~clashes[members[:, a], members[:, b]]
        for weights, room in zip(self.weights, self.room, strict=True):
            allowed &= np.append(weights, 0.0)[members].sum(axis=1) <= room + ROUNDING
        return allowed


def wishes(
    market: Market,
    utilities: Sequence[ValueFunction],
    rules: SeatRules,
    orders: Sequence[np.ndarray],
    offered: Sequence[np.ndarray],
) -> list[Wish]:
    """
    The wish of every student.

    Parameters
    ----------
    market, utilities, rules
        As for :func:`~boca.seats.assign.assign_seats`.
    orders
        Per student, the order of courses that breaks its ties ``(num_goods,)``.
    offered
        Per student, which courses take place and may have a seat for it ``(num_goods,)``.
    """
    known = _Limits(market)
    return [
        _wish(
            taste_of(utilities[i], market.num_goods),
            known.of(i),
            np.array(rules.held[i] if rules.held else (), dtype=np.int64),
            rules.required[i] if rules.required else (),
            orders[i],
            offered[i],
        )
        for i in range(market.num_bidders)
    ]


class _Limits:
    """The limits of students as arrays; most students share theirs, so each is read once."""

    def __init__(self, market: Market):
        self._market = market
        self._known: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}

    def of(self, bidder: int) -> tuple[np.ndarray, np.ndarray]:
        key = tuple(map(id, self._market.bidders[bidder].limits))
        if key not in self._known:
            self._known[key] = self._market.limits(bidder)
        return self._known[key]


def _wish(
    taste: Taste,
    limits: tuple[np.ndarray, np.ndarray],
    held: np.ndarray,
    required: tuple[tuple[int, ...], ...],
    order: np.ndarray,
    offered: np.ndarray,
) -> Wish:
    weights, bounds = limits
    room = bounds - weights[:, held].sum(axis=1)
    alone = (weights <= room[:, None] + ROUNDING).all(axis=0) & offered  # fits by itself
    alone[held] = False
    needed = np.zeros(taste.num_goods, dtype=bool)
    open_needs = [c for c in required if not np.isin(c, held).any()]
    for choices in open_needs:
        needed[list(choices)] = True
    courses = order[(alone & (taste.can_gain(held) | needed))[order]]
    weights = weights[:, courses]
    clashes, rest = _pairs(weights, room)
    wish = Wish(
        taste,
        courses,
        held,
        _most(weights, room),
        clashes,
        weights[rest],
        room[rest],
    )
    places = wish.places
    groups = [places[list(choices)] for choices in open_needs]
    groups = [group[group < wish.num] for group in groups]
    wish = replace(wish, required=tuple(group for group in groups if len(group)))
    return wish if wish.is_listed or taste.has_parts else _most_liked(wish, needed)


def _most(weights: np.ndarray, room: np.ndarray) -> int:
    """Courses that fit at most, one limit at a time."""
    most = weights.shape[1]
    for row, bound in zip(weights, room, strict=True):
        most = min(most, int((np.cumsum(np.sort(row)) <= bound + ROUNDING).sum()))
    return int(most)


def _pairs(weights: np.ndarray, room: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Which courses exclude each other, and which limits say more than that.

    A limit whose two lightest courses exclude each other is a clique; one that counts all courses
    alike is in the number of courses.
    """
    num = weights.shape[1]
    clashes = np.zeros((num, num), dtype=bool)
    rest = []
    for number, (row, bound) in enumerate(zip(weights, room, strict=True)):
        heavy = np.flatnonzero(row > 0)
        if len(heavy) < 2:
            continue
        light = np.sort(row[heavy])
        if light.sum() <= bound + ROUNDING:
            continue
        pairs = row[heavy][:, None] + row[heavy] > bound + ROUNDING
        clashes[np.ix_(heavy, heavy)] |= pairs
        is_clique = light[:2].sum() > bound + ROUNDING
        is_count = len(heavy) == num and light[0] == light[-1]
        if not (is_clique or is_count):
            rest.append(number)
    np.fill_diagonal(clashes, False)
    return clashes, np.array(rest, dtype=np.int64)


def _most_liked(wish: Wish, needed: np.ndarray) -> Wish:
    """The wish with as many courses as can be listed, the most liked by themselves."""
    alone = wish.taste.of_members(wish, np.arange(wish.num)[:, None])
    alone[needed[wish.courses]] = np.inf
    best = np.argsort(-alone, kind="stable")
    count = wish.num
    while num_subsets(count, min(wish.most, count)) > MOST_ASKED:
        count -= 1
    return replace(wish.only(np.sort(best[:count])), complete=False)
