"""Courses with seats and students as a market."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.market import Bidder, Market
from boca.markets.courses import CourseMarket, from_plain
from boca.markets.courses.slots import overlapping


@dataclass(frozen=True, eq=False)
class SeatMarket(Market):
    """
    Courses with seats as goods and students as bidders.

    Parameters
    ----------
    tables
        What it was made from; see :attr:`boca.markets.courses.CourseMarket.tables`.
    """

    tables: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Mapping[str, Any]) -> "SeatMarket":
        """The market of some tables."""
        market = from_plain(tables).market
        return cls(market.goods, market.bidders, market.name, tables=dict(tables))

    @cached_property
    def file(self) -> CourseMarket:
        """What a registrar wrote down."""
        return from_plain(self.tables)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Course -> its number."""
        return {good.name: j for j, good in enumerate(self.goods)}

    @property
    def offer(self) -> dict[str, Any]:
        """What everybody may know: all but the students."""
        return {name: table for name, table in self.tables.items() if name != "students"}

    @property
    def students(self) -> tuple[dict[str, Any], ...]:
        return tuple(self.tables["students"])

    def to_dict(self) -> dict[str, Any]:
        """What everybody may know, as plain values."""
        return self.offer

    def to_plain(self) -> dict[str, Any]:
        """All that it was made from; limits would be many times as long."""
        return self.tables

    def seen_by(self, student: int | None) -> "SeatMarket":
        """The market without other students: their names are nobody's business."""
        if student is None:
            return self._unnamed
        blank = self._unnamed
        bidders, rows = list(blank.bidders), list(blank.students)
        bidders[student], rows[student] = self.bidders[student], self.students[student]
        # Every part was checked when it was made; a page needs it many times a second.
        seen = copy(blank)
        seen.__dict__.update(
            bidders=tuple(bidders),
            tables={**self.offer, "students": rows},
            numbers=self.numbers,
            clashes=self.clashes,
        )
        return seen

    @cached_property
    def _unnamed(self) -> "SeatMarket":
        names = [f"student {i + 1}" for i in range(self.num_bidders)]
        tables = {**self.offer, "students": [{**BLANK, "name": name} for name in names]}
        bidders = tuple(Bidder(name) for name in names)
        return SeatMarket(self.goods, bidders, self.name, tables=tables)

    def schedule(self, courses: Sequence[str]) -> np.ndarray:
        """Courses as a bundle; a KeyError if there is no such course."""
        bundle = np.zeros(self.num_goods, dtype=np.int64)
        bundle[[self.numbers[course] for course in courses]] = 1
        return bundle

    def names(self, bundle: np.ndarray) -> tuple[str, ...]:
        """A bundle as courses."""
        return tuple(self.goods[j].name for j in np.flatnonzero(bundle))

    def may_take(self, student: int) -> list[int]:
        """Courses that a student may take, one at a time or among others."""
        alone = self.allows(student, np.eye(self.num_goods, dtype=np.int64))
        return np.flatnonzero(alone).tolist()

    @cached_property
    def clashes(self) -> tuple[frozenset[int], ...]:
        """Per course, courses that nobody can take with it: times, sections, conflicts."""
        rows = self.tables["courses"]
        numbers = self.numbers
        pairs: list[set[int]] = [set() for _ in rows]
        slots = [[tuple(slot) for slot in row["slots"]] for row in rows]
        sections: dict[str, list[int]] = {}
        for j, row in enumerate(rows):
            if row["section"]:
                sections.setdefault(row["section"], []).append(j)
        listed = [[numbers[a], numbers[b]] for a, b in self.tables["conflicts"]]
        for members in (*overlapping(slots), *sections.values(), *listed):
            for j in members:
                pairs[j] |= set(members) - {j}
        return tuple(frozenset(some) for some in pairs)


# A student of whom nothing is told.
BLANK: dict[str, Any] = {
    "max_courses": None, "max_credits": None, "allowed": [], "forbidden": [], "holds": [],
    "required": [],
}  # fmt: skip


def is_courses(market: Market | None) -> bool:
    """Whether a market shares out seats of courses."""
    return isinstance(market, SeatMarket)


def seats_of(market: Market) -> SeatMarket:
    """The market of an allocation of courses; other markets do not come here."""
    assert isinstance(market, SeatMarket), "not an allocation of courses"
    return market
