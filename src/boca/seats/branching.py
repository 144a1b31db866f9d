"""
Branch and bound over schedules, for students with too many to list.

All schedules of one size are a level; a level is its parents, each with one course more. A schedule
that cannot reach the best utilities known, even with the best courses that may follow, is left out
with everything that would follow from it. Prices enter the bound by a Lagrange multiplier: no
schedule within the budget is worth more than ``multiplier * budget`` and the sum of
``shares - multiplier * prices`` over its courses.
"""

from typing import TYPE_CHECKING

import numpy as np

from boca.core.market import ROUNDING

if TYPE_CHECKING:
    from boca.seats.wish import Wish

# A threshold that too few schedules reach is lowered: so many times further from the best utility
# at least.
STEP = 1.1
# Schedules kept per size in the search itself: a bound on memory. What is left out by it makes
# what was found uncertain.
MOST_NODES = 1_500_000
# Halvings of the interval of the multiplier: enough for a bound that is a thousandth too large.
HALVINGS = 20
# A bound may be below a utility by rounding of sums.
MARGIN = 1e-9


def branch(
    search: "ScheduleSearch", top: int, threshold: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """
    Schedules of a student that include the best ``top``, in no order.

    Returns their places ``(num_schedules, most)``, their utilities, and a number such that every
    schedule with a larger utility is among them; minus infinity if these are all there are.

    Parameters
    ----------
    search
        The levels of the student's schedules.
    top
        How many are wanted.
    threshold
        A utility that about so many schedules reach.
    """
    while True:
        margin = MARGIN * max(1.0, abs(threshold))
        threshold = max(threshold - margin, search.nothing)
        members, values = search.run(threshold)
        count = int((values >= threshold).sum())
        reach = values >= threshold
        if search.left_out > -np.inf:
            return members[reach], values[reach], max(threshold, search.left_out)
        if threshold <= search.nothing:
            return members[reach], values[reach], -np.inf
        if count >= top:
            return members[reach], values[reach], threshold
        # Numbers grow about with the fifth power of the distance from the best one, as there are
        # about five courses in a schedule; rather too near than too far, which costs more.
        step = max(STEP, (top / max(count, 1)) ** (1 / search.wish.most))
        best = float(values.max(initial=search.nothing))
        threshold = best - step * max(best - threshold, margin)


class ScheduleSearch:
    """
    The levels of one student's schedules.

    Parameters
    ----------
    wish
        What it may hold and likes; its taste has parts.
    prices, budget
        As for :func:`~boca.seats.listing.best_schedules`.
    """

    def __init__(self, wish: "Wish", prices: np.ndarray | None, budget: float):
        self.wish = wish
        shares = wish.taste.shares(wish)
        for needed in wish.required:
            shares = shares + wish.bonus * np.isin(np.arange(wish.num), needed)
        self._prices = np.zeros(wish.num) if prices is None else prices
        self._budget = budget
        # What courses are worth by themselves gives a better multiplier than their shares, which
        # count every adjustment in full; any multiplier gives a bound.
        alone = wish.values(np.arange(wish.num)[:, None]) - wish.values(np.full((1, 1), wish.num))
        multiplier = 0.0 if prices is None else self._best_multiplier(alone)
        reduced = shares - multiplier * self._prices
        # Courses in the order of what they can bring: places by rank.
        self.order = np.argsort(-reduced, kind="stable")
        self._reduced = reduced[self.order]
        self._cost = self._prices[self.order]
        self._clashes = wish.clashes[np.ix_(self.order, self.order)]
        self._weights = wish.weights[:, self.order]
        self.nothing = float(wish.values(np.full((1, 1), wish.num))[0])
        self._start = self.nothing + (multiplier * budget if multiplier else 0.0)
        self._multiplier = multiplier
        # Sums of the first ones in the order, those that can bring something.
        self._sums = np.concatenate([[0.0], np.cumsum(np.maximum(self._reduced, 0))])
        self.left_out = -np.inf

    def _best_multiplier(self, worth: np.ndarray) -> float:
        """The multiplier with about the least bound for the empty schedule."""
        most = self.wish.most

        def bound(multiplier: float) -> float:
            reduced = np.maximum(worth - multiplier * self._prices, 0)
            best = np.partition(reduced, -most)[-most:] if most < len(reduced) else reduced
            return float(multiplier * self._budget + best.sum())

        low, high = 0.0, 4 * float(np.abs(worth).max(initial=0.0)) / max(self._budget, 1e-9)
        for _ in range(HALVINGS):  # the bound is convex in the multiplier
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, right) if bound(left) <= bound(right) else (left, high)
        return low

    def run(self, threshold: float, width: int = MOST_NODES) -> tuple[np.ndarray, np.ndarray]:
        """
        All schedules whose bound reaches the threshold, but at most ``width`` of each size.

        ``left_out`` is the largest bound among those left out for want of width.
        """
        wish, num, most = self.wish, self.wish.num, self.wish.most
        self.left_out = -np.inf
        ranks = np.zeros((1, 0), dtype=np.int64)
        bounds, cost = (
            np.array([self._start]),
            np.zeros(1),
        )  # of what is taken, without what follows
        used = np.zeros((len(self._weights), 1))
        all_members, all_values = [np.full((0, most), num)], [np.zeros(0)]
        for size in range(1, most + 1):
            # The best that may follow a course are the next ones in the order.
            ahead = self._sums[np.minimum(np.arange(num) + most - size + 1, num)] - self._sums[:-1]
            ranks, parent = self._extended(
                ranks, np.searchsorted(-ahead, bounds - threshold, "right")
            )
            newest = ranks[:, -1]
            cost = cost[parent] + self._cost[newest]
            used = used[:, parent] + self._weights[:, newest]
            kept = (cost <= self._budget) & (used <= wish.room[:, None] + ROUNDING).all(axis=0)
            kept = np.flatnonzero(kept)
            for place in range(size - 1):
                kept = kept[~self._clashes[ranks[kept, place], newest[kept]]]
            ranks, cost, used = ranks[kept], cost[kept], used[:, kept]
            bounds = wish.at_most(self.order[ranks], most - size) - self._multiplier * cost
            bounds += self._start - self.nothing
            following = ranks[:, -1] + 1
            full = bounds + self._sums[np.minimum(following + most - size, num)]
            full -= self._sums[following]
            kept = np.flatnonzero(full >= threshold)
            if len(kept) > width:
                order = np.argpartition(-full[kept], width - 1)
                self.left_out = max(self.left_out, float(full[kept[order[width:]]].max()))
                kept = kept[np.sort(order[:width])]
            ranks, cost, used, bounds = ranks[kept], cost[kept], used[:, kept], bounds[kept]
            members = np.full((len(kept), most), num)
            members[:, :size] = self.order[ranks]
            all_members.append(members)
            all_values.append(wish.values(members))
        return np.concatenate(all_members), np.concatenate(all_values)

    def _extended(self, ranks: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """
        Every schedule with one more course of a higher rank, and its parent's row.

        Parameters
        ----------
        ranks
            Schedules ``(num_schedules, size)``.
        ends
            Per schedule, the rank before which the new course must be.
        """
        last = ranks[:, -1] if ranks.shape[1] else np.full(len(ranks), -1)
        extensions = np.maximum(ends - 1 - last, 0)
        parent = np.repeat(np.arange(len(ranks)), extensions)
        before = np.repeat(np.cumsum(extensions) - extensions, extensions)
        newest = last[parent] + 1 + np.arange(len(parent)) - before
        return np.column_stack([ranks[parent], newest]), parent
