"""
Branch and bound over schedules, for students with too many to list.

All schedules of one size are a level; a level is its parents, each with one course more. A schedule
whose courses, together with the best ones that may still follow, cannot reach the best utilities
known is left out with everything that would follow from it. Prices enter the bound by a Lagrange
multiplier: no schedule within the budget is worth more than
``multiplier * budget + sum of (shares - multiplier * prices)`` over its courses.
"""

from typing import TYPE_CHECKING

import numpy as np

from boca.core.market import ROUNDING

if TYPE_CHECKING:
    from boca.seats.wish import Wish

# Schedules kept per size while a first threshold is found: twice as many as are wanted gave about
# the threshold of a search without bounds (40 courses, 5 each, 256 to 2,048 schedules wanted).
WIDTHS = 2
LEAST_WIDTH = 256
# The same in the search itself, which is a bound on memory; what it leaves out is not certain.
MOST_NODES = 1_500_000
# Halvings of the interval of the multiplier: enough for a bound that is a thousandth too large.
HALVINGS = 20
# A bound may be below a utility by rounding of sums.
MARGIN = 1e-9


def branch(
    wish: "Wish", top: int, prices: np.ndarray | None, budget: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """
    Schedules of a student that include the best ``top``, in no order.

    Returns their places ``(num_schedules, most)``, their utilities, and a number such that every
    schedule with a larger utility is among them; minus infinity if these are all there are.

    Parameters
    ----------
    wish
        What it may hold and likes; its taste has parts.
    top
        How many are wanted.
    prices, budget
        As for :func:`~boca.seats.listing.best_schedules`.
    """
    search = _Search(wish, prices, budget)
    _, values = search.run(-np.inf, max(WIDTHS * top, LEAST_WIDTH))
    threshold = -np.inf if len(values) < top else float(np.partition(values, -top)[-top])
    margin = MARGIN * max(1.0, float(np.abs(values).max(initial=0.0)))
    members, values = search.run(threshold - margin, MOST_NODES)
    least = max(threshold - margin, search.left_out)
    return members, values, least


class _Search:
    """The levels of one student's schedules; a course's rank says how much it can bring at most."""

    def __init__(self, wish: "Wish", prices: np.ndarray | None, budget: float):
        self._wish = wish
        shares = wish.taste.shares(wish)
        for needed in wish.required:
            shares = shares + wish.bonus * np.isin(np.arange(wish.num), needed)
        self._prices = np.zeros(wish.num) if prices is None else prices
        self._budget = budget
        multiplier = 0.0 if prices is None else self._multiplier(shares)
        reduced = shares - multiplier * self._prices
        # Courses in the order of what they can bring: places by rank.
        self._order = np.argsort(-reduced, kind="stable")
        self._reduced = reduced[self._order]
        self._cost = self._prices[self._order]
        self._clashes = wish.clashes[np.ix_(self._order, self._order)]
        self._weights = wish.weights[:, self._order]
        nothing = float(wish.values(np.full((1, 1), wish.num))[0])
        self._start = nothing + (multiplier * budget if multiplier else 0.0)
        # best[r]: the sum of the r largest positive ones; the tails likewise.
        self._sums = np.concatenate([[0.0], np.cumsum(np.maximum(self._reduced, 0))])
        self.left_out = -np.inf

    def _multiplier(self, shares: np.ndarray) -> float:
        """The multiplier with about the least bound for the empty schedule."""
        most = self._wish.most

        def bound(multiplier: float) -> float:
            reduced = np.maximum(shares - multiplier * self._prices, 0)
            best = np.partition(reduced, -most)[-most:] if most < len(reduced) else reduced
            return float(multiplier * self._budget + best.sum())

        low, high = 0.0, 4 * float(np.abs(shares).max(initial=0.0)) / max(self._budget, 1e-9)
        for _ in range(HALVINGS):  # the bound is convex in the multiplier
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, right) if bound(left) <= bound(right) else (left, high)
        return low

    def run(self, threshold: float, width: int) -> tuple[np.ndarray, np.ndarray]:
        """
        All schedules whose bound reaches the threshold, but at most ``width`` of each size.

        ``left_out`` is the largest bound among those left out for want of width.
        """
        wish, num, most = self._wish, self._wish.num, self._wish.most
        self.left_out = -np.inf
        ranks = np.zeros((1, 0), dtype=np.int16)
        reduced, cost = np.zeros(1), np.zeros(1)
        used = np.zeros((len(self._weights), 1))
        all_members, all_values = [], []
        for size in range(1, most + 1):
            ranks, parent = self._extended(ranks)
            newest = ranks[:, -1]
            reduced = reduced[parent] + self._reduced[newest]
            cost = cost[parent] + self._cost[newest]
            used = used[:, parent] + self._weights[:, newest]
            # The best that may follow are the next ones in the order.
            following = np.minimum(newest + 1 + most - size, num)
            bounds = self._start + reduced + self._sums[following] - self._sums[newest + 1]
            kept = (bounds >= threshold) & (cost <= self._budget)
            kept &= (used <= wish.room[:, None] + ROUNDING).all(axis=0)
            kept = np.flatnonzero(kept)
            for place in range(size - 1):
                kept = kept[~self._clashes[ranks[kept, place], newest[kept]]]
            if len(kept) > width:
                order = np.argpartition(-bounds[kept], width - 1)
                self.left_out = max(self.left_out, float(bounds[kept[order[width:]]].max()))
                kept = np.sort(kept[order[:width]])
            ranks, reduced, cost = ranks[kept], reduced[kept], cost[kept]
            used = used[:, kept]
            members = np.full((len(kept), most), num, dtype=np.int64)
            members[:, :size] = self._order[ranks]
            all_members.append(members)
            all_values.append(wish.values(members))
        return np.concatenate(all_members), np.concatenate(all_values)

    def _extended(self, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Every schedule with one more course of a higher rank, and its parent's row."""
        ends = ranks[:, -1].astype(np.int64) if ranks.shape[1] else np.full(len(ranks), -1)
        extensions = self._wish.num - 1 - ends
        parent = np.repeat(np.arange(len(ranks)), extensions)
        before = np.repeat(np.cumsum(extensions) - extensions, extensions)
        newest = ends[parent] + 1 + np.arange(len(parent)) - before
        return np.column_stack([ranks[parent], newest]).astype(np.int16), parent
