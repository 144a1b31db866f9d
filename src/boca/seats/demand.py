"""What students choose at prices: the best schedule within the budget, the cheapest of equals."""

from dataclasses import dataclass, replace

import numpy as np

from boca.seats.listing import SLACK
from boca.seats.offer import Offer
from boca.seats.rankings import Rankings, in_planes

# Prices of a schedule may change by so much in sum before what matters near them is found again.
ROOM = 0.15
# Numbers in one block of costs while that is found: 80 MB.
MOST_AT_ONCE = 10_000_000
# Schedules looked at before the next part of the ranking is touched: most find theirs early.
BLOCKS = (16, 64, 192, 512, 1024)


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
        flat = self.flat(prices)
        shift = self.offer.classes[students, None] * (self.offer.num_courses + 1)
        costs = np.zeros((len(students), high - low))
        # Course by course, since each place of all schedules lies in a row: several times as quick
        # as an index of whole schedules. Numbers are never out of range, so nothing is clipped.
        for courses in self.rankings.planes:
            keys = courses[students, low:high]
            costs += flat.take(keys + shift if self.offer.num_classes > 1 else keys, mode="clip")
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

    def _cheapest(self, prices: np.ndarray, students: np.ndarray, choice: np.ndarray) -> np.ndarray:
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

    def near(self, prices: np.ndarray) -> "NearDemand":
        """The same choices, quicker, as long as prices stay near these."""
        return NearDemand.of(self, prices)

    def totals(self, choice: np.ndarray) -> np.ndarray:
        """Students of each class in each course."""
        return self.offer.totals(self.rankings.schedules(choice))

    def excess(self, choice: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """As :meth:`Offer.excess`, for choices."""
        return self.offer.excess(self.totals(choice), prices)


@dataclass(frozen=True, eq=False)
class NearDemand:
    """
    Demand near some prices, from the few schedules that matter there.

    While the prices of no schedule change by more than ``ROOM`` in sum, what costs a student more
    than its budget and that room stays out of reach, and nothing after a schedule that costs less
    than the budget without that room is ever needed. Choices are those of the whole rankings.

    Parameters
    ----------
    whole
        The demand from whole rankings.
    centre
        The prices.
    few
        The demand from what matters there.
    places
        Where each of its schedules is in the whole rankings ``(num_students, num_ranked)``.
    """

    whole: Demand
    centre: np.ndarray
    few: Demand
    places: np.ndarray

    @classmethod
    def of(cls, demand: Demand, prices: np.ndarray) -> "NearDemand":
        """What matters near some prices."""
        rankings = demand.rankings
        num = rankings.num_students
        kept: list[np.ndarray] = []
        step = max(1, MOST_AT_ONCE // rankings.num_ranked)
        for low in range(0, num, step):
            students = np.arange(low, min(low + step, num))
            costs = demand.block_costs(prices, students, 0, rankings.num_ranked)
            budgets = demand.budgets[students, None]
            safe = costs <= budgets - ROOM
            first = np.where(safe.any(axis=1), safe.argmax(axis=1), rankings.num_ranked - 1)
            ends = rankings.ends[students, first]  # those as good may be cheaper
            matters = (costs <= budgets + ROOM) & (np.arange(rankings.num_ranked) < ends[:, None])
            kept += [np.flatnonzero(row) for row in matters]
        count = max(len(row) for row in kept)
        last = np.array([row[-1] for row in kept])
        places = np.repeat(last[:, None], count, axis=1)
        for i, row in enumerate(kept):
            places[i, : len(row)] = row
        students = np.arange(num)[:, None]
        utilities = rankings.utilities[students, places]
        ends = np.full((num, count), count, dtype=np.int32)
        ties = rankings.ends[students, places]
        for column in range(count - 2, -1, -1):
            same = ties[:, column] == ties[:, column + 1]
            ends[:, column] = np.where(same, ends[:, column + 1], column + 1)
        listed = np.array([len(row) for row in kept])
        ends = np.minimum(ends, np.maximum(listed[:, None], np.arange(count) + 1))
        few = replace(
            rankings,
            members=in_planes([plane[students, places] for plane in rankings.planes]),
            utilities=utilities,
            ends=ends,
        )
        return cls(demand, prices, replace(demand, rankings=few), places)

    def reaches(self, prices: np.ndarray) -> bool:
        """Whether choices at these prices can be told from what matters here."""
        changes = np.abs(prices - self.centre)
        most = self.few.rankings.members.shape[2]
        if most < changes.shape[1]:
            changes = np.partition(changes, -most, axis=1)[:, -most:]
        return bool(changes.sum(axis=1).max() < ROOM - SLACK)

    def choose(self, prices: np.ndarray, students: np.ndarray | None = None) -> np.ndarray:
        """As :meth:`Demand.choose`."""
        if not self.reaches(prices):
            return self.whole.choose(prices, students)
        rows = np.arange(len(self.places)) if students is None else students
        choice: np.ndarray = self.places[rows, self.few.choose(prices, students)]
        return choice
