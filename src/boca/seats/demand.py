"""What students choose at prices: the best schedule within the budget, the cheapest of equals."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boca.seats.listing import SLACK
from boca.seats.offer import Offer
from boca.seats.rankings import Rankings

# Schedules looked at before the next part of the ranking is touched: most find theirs early.
BLOCKS = (16, 128, 1024)


@dataclass(frozen=True, eq=False)
class Demand:
    """
    Students' choices from their rankings.

    Choosing the cheapest of equally good schedules is what makes an equilibrium efficient: else
    somebody could give an expensive seat to a student who wants it and lose nothing.

    Parameters
    ----------
    rankings
        Their schedules, best first.
    offer
        Seats, and the class of every student.
    budgets
        ``(num_students,)``.
    """

    rankings: Rankings
    offer: Offer
    budgets: np.ndarray

    @cached_property
    def _first(self) -> np.ndarray:
        """The first block with the number type that indexing is quick with."""
        return self.keys(self.rankings.members[:, : BLOCKS[0]], np.arange(len(self.budgets)))

    def keys(self, members: np.ndarray, students: np.ndarray) -> np.ndarray:
        """Where :meth:`flat` has the prices of students' courses ``(num_students, ...)``."""
        keys = members.astype(np.intp)
        if self.offer.num_classes > 1:
            shift = self.offer.classes[students] * (self.offer.num_courses + 1)
            keys += shift.reshape(-1, *[1] * (keys.ndim - 1))
        return keys

    def flat(self, prices: np.ndarray) -> np.ndarray:
        """Prices in a row, with a 0 for padding after each class."""
        return np.pad(prices, ((0, 0), (0, 1))).ravel()

    def costs(self, prices: np.ndarray, choice: np.ndarray) -> np.ndarray:
        """What everybody pays for its choice ``(num_students,)``."""
        students = np.arange(len(choice))
        keys = self.keys(self.rankings.members[students, choice], students)
        costs: np.ndarray = self.flat(prices)[keys].sum(axis=1)
        return costs

    def block_costs(
        self, prices: np.ndarray, students: np.ndarray, low: int, high: int
    ) -> np.ndarray:
        """What the schedules ``low`` to ``high`` cost students ``(num, high - low)``."""
        if low == 0 and high <= BLOCKS[0]:
            keys = self._first if len(students) == len(self.budgets) else self._first[students]
            keys = keys[:, :high]
        else:
            keys = self.keys(self.rankings.members[students, low:high], students)
        flat = self.flat(prices)
        costs = flat[keys[..., 0]]
        for place in range(1, keys.shape[-1]):
            costs += flat[keys[..., place]]
        return costs

    def choose(
        self,
        prices: np.ndarray,
        students: np.ndarray | None = None,
        budgets: np.ndarray | None = None,
    ) -> np.ndarray:
        """
        The number of everybody's choice in its ranking.

        Parameters
        ----------
        prices
            ``(num_classes, num_courses)``.
        students
            Who chooses; everybody if None.
        budgets
            Of everybody, if not the usual ones.
        """
        everybody = np.arange(len(self.budgets))
        left = everybody if students is None else students
        allowance = (self.budgets if budgets is None else budgets) + SLACK
        choice = np.empty(len(left), dtype=np.int64)
        at = np.arange(len(left))
        low = 0
        for size in (*BLOCKS, self.rankings.num_ranked):
            high = min(low + size, self.rankings.num_ranked)
            fits = self.block_costs(prices, left, low, high) <= allowance[left, None]
            first = fits.argmax(axis=1)
            found = fits[np.arange(len(left)), first]
            choice[at[found]] = low + first[found]
            left, at, low = left[~found], at[~found], high
            if not len(left):
                break
        return self._cheapest(prices, everybody if students is None else students, choice)

    def _cheapest(
        self, prices: np.ndarray, students: np.ndarray, choice: np.ndarray
    ) -> np.ndarray:
        """The cheapest among schedules that are as good as the choice, the first of several."""
        ends = self.rankings.ends[students, choice]
        tied = np.flatnonzero(ends > choice + 1)
        if not len(tied):
            return choice
        lengths = ends[tied] - choice[tied]
        starts = np.cumsum(lengths) - lengths
        owner = np.repeat(students[tied], lengths)
        place = np.repeat(choice[tied] - starts, lengths) + np.arange(lengths.sum())
        keys = self.keys(self.rankings.members[owner, place], owner)
        costs = self.flat(prices)[keys].sum(axis=1)
        least = np.repeat(np.minimum.reduceat(costs, starts), lengths)
        place = np.where(costs <= least + SLACK, place, np.iinfo(place.dtype).max)
        choice[tied] = np.minimum.reduceat(place, starts)
        return choice

    def totals(self, choice: np.ndarray) -> np.ndarray:
        """Students of each class in each course."""
        return self.offer.totals(self.rankings.schedules(choice))

    def excess(self, choice: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """As :meth:`Offer.excess`, for choices."""
        return self.offer.excess(self.totals(choice), prices)
