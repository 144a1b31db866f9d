"""The best schedules of all students in arrays, which grow where prices ask for more."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from os import cpu_count
from typing import TypeVar

import numpy as np

from boca.seats.listing import ScheduleListing, best_schedules
from boca.seats.wish import Wish

Input = TypeVar("Input")
Output = TypeVar("Output")

# Where a student can afford nothing that is listed, its best schedules within these shares of the
# budget are added, so many of each. Lower levels are needed: prices rise after the step.
SHARES = (0.9, 1.0, 1.03)
NUM_ADDED = 200
NUM_ADDED_BRANCHED = 50
# Branch and bound takes longer the more schedules are wanted, and few students need many.
MOST_BRANCHED = 256


@dataclass(frozen=True, eq=False)
class Rankings:
    """
    Every student's schedules by falling utility.

    Parameters
    ----------
    members
        Courses ``(num_students, num_ranked, most)``, padded with the number of courses. After a
        student's last schedule come empty ones.
    utilities
        ``(num_students, num_ranked)``; that of nothing for the empty ones.
    ends
        Where the schedules of the same utility end ``(num_students, num_ranked)``.
    certain
        Per student, how many at the beginning are complete: no schedule as good as these is
        missing. More than all of them if every schedule is listed.
    num_listed
        Schedules of each student, the last one of which is nothing ``(num_students,)``.
    num_courses
        Courses of the market.
    """

    members: np.ndarray
    utilities: np.ndarray
    ends: np.ndarray
    certain: np.ndarray
    num_listed: np.ndarray
    num_courses: int

    @property
    def num_students(self) -> int:
        return len(self.members)

    @property
    def num_ranked(self) -> int:
        return int(self.members.shape[1])

    @property
    def planes(self) -> np.ndarray:
        """The courses at each place of all schedules ``(most, num_students, num_ranked)``."""
        return np.moveaxis(self.members, -1, 0)

    @property
    def has_ties(self) -> bool:
        """Whether somebody likes several schedules equally."""
        return bool((self.ends > np.arange(1, self.num_ranked + 1)).any())

    def without_ties(self, lots: np.ndarray) -> "Rankings":
        """
        Equally good schedules in the order of lots, each of them better than the next one.

        Parameters
        ----------
        lots
            A number per student and course ``(num_students, num_courses)``; a schedule has the sum
            of its courses' numbers, so that schedules with much in common stay close.
        """
        drawn = np.pad(lots, ((0, 0), (0, 1)))
        sums = np.zeros(self.utilities.shape)
        for plane in self.planes:
            sums += np.take_along_axis(drawn, plane.astype(np.intp), axis=1)
        # Tied ones stay between the same two places, so what is certain stays so. Nothing, and what
        # only fills the table after it, stays last.
        sums[np.arange(self.num_ranked) >= self.num_listed[:, None] - 1] = np.inf
        order = np.lexsort((sums, self.ends), axis=1)
        return replace(
            self,
            members=in_planes([np.take_along_axis(plane, order, axis=1) for plane in self.planes]),
            ends=np.tile(np.arange(1, self.num_ranked + 1, dtype=np.int32), (len(order), 1)),
        )

    def schedules(self, choice: np.ndarray, students: np.ndarray | None = None) -> np.ndarray:
        """The chosen schedules ``(num_students, most)``, padded."""
        rows = np.arange(self.num_students) if students is None else students
        schedules: np.ndarray = self.members[rows, choice]
        return schedules


def rank(wishes: Sequence[Wish], num_ranked: int, num_courses: int) -> Rankings:
    """
    The best schedules of every student.

    Parameters
    ----------
    wishes
        What they may hold and like.
    num_ranked
        How many to list for each.
    num_courses
        Courses of the market.
    """

    def listing_of(wish: Wish) -> ScheduleListing:
        return best_schedules(
            wish, num_ranked if wish.is_listed else min(num_ranked, MOST_BRANCHED)
        )

    return _stacked(
        [_Part.of(w, x) for w, x in zip(wishes, in_parallel(listing_of, wishes), strict=True)],
        num_courses,
    )


def widened(
    rankings: Rankings,
    wishes: Sequence[Wish],
    students: np.ndarray,
    prices: np.ndarray,
    budgets: np.ndarray,
) -> Rankings:
    """
    Rankings with the best schedules that some students can afford.

    Parameters
    ----------
    rankings
        What is listed so far.
    wishes
        What students may hold and like.
    students
        Whose schedules are wanted ``(num,)``.
    prices
        What courses cost each of these students ``(num, num_courses)``.
    budgets
        Their budgets ``(num,)``.
    """

    def parts(number: int) -> list[ScheduleListing]:
        wish = wishes[students[number]]
        own = prices[number][wish.courses]
        wanted = NUM_ADDED if wish.is_listed else NUM_ADDED_BRANCHED
        return [best_schedules(wish, wanted, own, share * budgets[number]) for share in SHARES]

    added = dict(zip(students.tolist(), in_parallel(parts, range(len(students))), strict=True))
    joined = []
    for i in range(rankings.num_students):
        rows = slice(rankings.num_listed[i])
        part = _Part(
            rankings.members[i, rows], rankings.utilities[i, rows], int(rankings.certain[i])
        )
        for listing in added.get(i, ()):
            part = part.joined(_Part.of(wishes[i], listing))
        joined.append(part)
    return _stacked(joined, rankings.num_courses)


@dataclass(frozen=True, eq=False)
class _Part:
    """One student's rows: courses, utilities (the last one is nothing), certain ones."""

    members: np.ndarray
    utilities: np.ndarray
    certain: int

    @classmethod
    def of(cls, wish: Wish, listing: ScheduleListing) -> "_Part":
        courses = np.append(wish.courses, wish.taste.num_goods)[listing.members]
        nothing = np.full((1, courses.shape[1]), wish.taste.num_goods)
        certain = listing.certain + listing.is_all  # then nothing is certain as well
        return cls(
            np.concatenate([courses, nothing]),
            np.append(listing.utilities, listing.nothing),
            certain,
        )

    def joined(self, other: "_Part") -> "_Part":
        """Both, each schedule once; what is certain stays certain, since the rest is worse."""
        width = max(self.members.shape[1], other.members.shape[1])
        last = int(self.members[-1, 0])
        members = np.concatenate([_wide(p.members, width, last) for p in (self, other)])
        utilities = np.concatenate([self.utilities, other.utilities])
        _, first = np.unique(np.sort(members, axis=1), axis=0, return_index=True)
        order = first[np.lexsort((first, -utilities[first]))]
        # Nothing is last, even where rounding makes a schedule look as good.
        order = np.append(order[order != len(self.utilities) - 1], len(self.utilities) - 1)
        return _Part(members[order], utilities[order], self.certain)


def _wide(members: np.ndarray, width: int, padding: int) -> np.ndarray:
    missing = width - members.shape[1]
    return np.pad(members, ((0, 0), (0, missing)), constant_values=padding)


def in_planes(planes: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """Courses as :attr:`Rankings.members`, from one array per place of a schedule."""
    members: np.ndarray = np.moveaxis(np.asarray(planes), 0, -1)
    return members


def _stacked(parts: Sequence[_Part], num_courses: int) -> Rankings:
    num_ranked = max(len(part.utilities) for part in parts)
    most = max(part.members.shape[1] for part in parts)
    planes = np.full((most, len(parts), num_ranked), num_courses, dtype=np.int16)
    members = in_planes(planes)
    utilities = np.empty((len(parts), num_ranked))
    ends = np.empty((len(parts), num_ranked), dtype=np.int32)
    for i, part in enumerate(parts):
        count = len(part.utilities)
        members[i, :count, : part.members.shape[1]] = part.members
        utilities[i, :count] = part.utilities
        utilities[i, count:] = part.utilities[-1]
        changes = np.flatnonzero(np.diff(part.utilities) < 0) + 1
        bounds = np.concatenate([[0], changes, [count]])
        ends[i, :count] = np.repeat(bounds[1:], np.diff(bounds))
        ends[i, count - 1 :] = np.arange(count, num_ranked + 1)
    certain = np.array([part.certain for part in parts])
    num_listed = np.array([len(part.utilities) for part in parts])
    return Rankings(members, utilities, ends, certain, num_listed, num_courses)


def in_parallel(function: Callable[[Input], Output], inputs: Iterable[Input]) -> list[Output]:
    """The results in the order of the inputs, computed by as many threads as there are cores."""
    with ThreadPoolExecutor(cpu_count()) as pool:
        return list(pool.map(function, inputs))
