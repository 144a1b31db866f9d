"""Who sits on which kind of seat: open ones, and those that are reserved for groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boca.core.market import Market
from boca.seats.offer import Offer
from boca.seats.rules import SeatRules


@dataclass(frozen=True, eq=False)
class Pools:
    """
    Seats by pool and course, all ``(num_pools, num_courses)``: open ones in row 0, then one row per
    group. In every pool and course, ``left + held + given = room`` and ``left >= 0``.

    A member's seat is a reserved one of its group while there is one, else an open one. Where more
    open seats are needed than there are, reservations give way, one seat at a time from the group
    that has most of them left; and where nobody has one left, there are as many seats as students
    (a target may be exceeded, up to the room).

    Parameters
    ----------
    room
        Seats.
    held, given
        Of these, the ones that students had before, and those given away since.
    """

    room: np.ndarray
    held: np.ndarray
    given: np.ndarray

    def __post_init__(self) -> None:
        assert (self.held >= 0).all()
        assert (self.given >= 0).all()
        assert (self.left >= 0).all(), "more seats are held and given than there are"

    @property
    def left(self) -> np.ndarray:
        seats: np.ndarray = self.room - self.held - self.given
        return seats

    def with_held(self, totals: np.ndarray) -> "Pools":
        """After students of each class keep seats, ``totals`` as in :meth:`Offer.totals`."""
        room, seated = self._seated(totals)
        return replace(self, room=room, held=self.held + seated)

    def with_given(self, totals: np.ndarray) -> "Pools":
        """After students of each class get seats."""
        room, seated = self._seated(totals)
        return replace(self, room=room, given=self.given + seated)

    def _seated(self, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How large pools are then, and from which of them the seats are taken."""
        left, room = self.left, self.room.copy()
        seated = np.zeros_like(room)
        seated[1:] = np.minimum(totals[1:], left[1:])
        seated[0] = totals.sum(axis=0) - seated[1:].sum(axis=0)
        rests = left - seated
        for course, owed in enumerate((-rests[0]).tolist()):
            for _ in range(owed):
                if rests[1:, course].any():
                    group = 1 + int(rests[1:, course].argmax())
                    rests[group, course] -= 1
                    room[group, course] -= 1
                room[0, course] += 1
        return room, seated


class SeatDesk:
    """
    Seats that are left as targets, which the search fills, and in the rooms, which is the limit.

    Parameters
    ----------
    market, rules
        Courses and students.
    """

    def __init__(self, market: Market, rules: SeatRules):
        reserved = rules.reserved or ((),) * market.num_goods
        self.groups = sorted({group for pairs in reserved for group, seats in pairs if seats})
        numbers = {group: number for number, group in enumerate(self.groups, 1)}
        names = rules.groups or ("",) * market.num_bidders
        self.classes = np.array([numbers.get(name, 0) for name in names])
        rooms = np.zeros((len(self.groups) + 1, market.num_goods), dtype=np.int64)
        for course, pairs in enumerate(reserved):
            for group, seats in pairs:
                if seats:
                    rooms[numbers[group], course] = seats
        held = np.zeros_like(rooms)
        for i, courses in enumerate(rules.held):
            held[self.classes[i], list(courses)] += 1
        self.targets = _pools(rooms, rules.seats(market)).with_held(held)
        self.hard = _pools(rooms, market.capacities).with_held(held)
        self._check(market)

    def offer(self, students: np.ndarray) -> Offer:
        """What the search fills with some students."""
        return Offer(self.targets.left, self.classes[students])

    def hard_offer(self, students: np.ndarray) -> Offer:
        """What may not be exceeded by some students."""
        return Offer(self.hard.left, self.classes[students])

    def has_seats(self, student: int) -> np.ndarray:
        """In which courses a student could find a seat."""
        left = self.targets.left
        seats: np.ndarray = (left[self.classes[student]] > 0) | (left[0] > 0)
        return seats

    def give(self, market: Market, students: np.ndarray, schedules: np.ndarray) -> None:
        """Gives students the seats of their schedules."""
        totals = self.offer(students).totals(schedules)
        self.targets = self.targets.with_given(totals)
        before = self.hard.room
        self.hard = self.hard.with_given(totals)
        assert (self.hard.room == before).all(), "a reserved seat was given to somebody else"
        self._check(market)

    def _check(self, market: Market) -> None:
        assert (self.hard.room.sum(axis=0) == market.capacities).all()
        assert (self.targets.left <= self.hard.left).all()


def _pools(reserved: np.ndarray, seats: Sequence[int] | np.ndarray) -> Pools:
    room = reserved.copy()
    room[0] = np.asarray(seats) - reserved.sum(axis=0)
    nothing = np.zeros_like(room)
    return Pools(room, nothing, nothing)
