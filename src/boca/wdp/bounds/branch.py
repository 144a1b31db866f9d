"""
One bidder's best bundle at prices, exactly: branch and bound on a monotone network.

Boxes of bundles are bounded a thousand at a time (see relaxation.py). Because the range of
every neuron is recomputed for each box, bounds tighten much faster than in a MILP whose big-M
coefficients are fixed at the root.
"""

import time
from collections.abc import Callable

import numpy as np

from boca.wdp.bounds.relaxation import BoxBounds, Relaxation

# Improvements of the bound of the first box and of every other one, which starts from its parent's.
FIRST_ROUNDS = 100
ROUNDS = 8
BEGUN = 6
BATCH = 1024


class Branching:
    """
    The open boxes of one search for a best bundle.

    Parameters
    ----------
    relaxation
        Network and prices.
    capacities
        The box of all bundles.
    allows
        Which bundles of a stack are allowed (limits, exclusions).
    tolerance
        Absolute distance of bound and utility that counts as none.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        capacities: np.ndarray,
        allows: Callable[[np.ndarray], np.ndarray],
        tolerance: float,
    ):
        self.relaxation = relaxation
        self.allows = allows
        self.tolerance = tolerance
        self.bundle: np.ndarray | None = None
        self.utility = -np.inf
        self.closed = -np.inf  # largest bound of a box that was closed
        self.num_boxes = 0
        # Hundreds of thousands of boxes can be open, so counts are kept as small as they fit.
        small = np.int16 if np.max(capacities) <= np.iinfo(np.int16).max else np.int64
        self.lower = np.zeros((1, len(capacities)), dtype=small)
        self.upper = np.asarray(capacities, dtype=small)[None]
        first = relaxation.bound(self.lower, self.upper, FIRST_ROUNDS)
        self.bounds, self.mixtures = first.bounds, first.mixtures

    def offer(self, bundles: np.ndarray) -> None:
        """Bundles that may be better than the best so far."""
        utilities = self.relaxation.utilities(bundles)
        for row in np.argsort(-utilities):
            if utilities[row] <= self.utility:
                break
            if self.allows(bundles[row][None])[0]:
                self.bundle, self.utility = bundles[row].astype(np.int64), float(utilities[row])

    @property
    def bound(self) -> float:
        """No allowed bundle has a larger utility."""
        return max(self.utility, self.closed, float(self.bounds.max(initial=-np.inf)))

    def step(self) -> None:
        """Bounds, tightens and splits the most promising boxes."""
        if len(self.bounds) > BATCH:
            rank = np.argpartition(-self.bounds, BATCH)
        else:
            rank = np.arange(len(self.bounds))
        rows, rest = rank[:BATCH], rank[BATCH:]
        lower, upper = self.lower[rows], self.upper[rows]
        before, mixtures = self.bounds[rows], self.mixtures[rows]
        self._keep(rest)

        self.num_boxes += len(rows)
        boxes = self.relaxation.bound(lower, upper, ROUNDS, mixtures, BEGUN)
        self.offer(boxes.corners)
        bounds = np.minimum(boxes.bounds, before)
        lower, upper = self._tightened(lower, upper, boxes)

        is_open = bounds > self.utility + self.tolerance
        self.closed = max(self.closed, float(bounds[~is_open].max(initial=-np.inf)))
        # A single bundle is its box's best corner, which was offered already.
        several = (lower != upper).any(axis=1)
        parts = (lower, upper, bounds, boxes.influence, boxes.mixtures)
        self._split(*(part[is_open & several] for part in parts))

    def _keep(self, rows: np.ndarray) -> None:
        self.lower, self.upper = self.lower[rows], self.upper[rows]
        self.bounds, self.mixtures = self.bounds[rows], self.mixtures[rows]

    def _tightened(
        self, lower: np.ndarray, upper: np.ndarray, boxes: BoxBounds
    ) -> tuple[np.ndarray, np.ndarray]:
        """
        Boxes without bundles that the linear bound rules out.

        A good that is one copy off the best corner costs its slope; more copies than the distance
        to the incumbent pays for cannot be part of a better bundle. What is cut off has at
        most the incumbent's utility plus the tolerance. The distance is from the bound that belongs
        to the slopes, even where the box had a smaller one before.
        """
        slopes, corners = boxes.slopes, boxes.corners
        room = boxes.bounds - (self.utility + self.tolerance)
        with np.errstate(divide="ignore", invalid="ignore"):
            copies = np.floor(np.maximum(room, 0)[:, None] / np.abs(slopes))
        # A slope of 0 rules nothing out (0 / 0 is undefined): then the box is as wide as it was.
        copies = np.fmin(copies, upper - lower).astype(lower.dtype)
        at_upper = corners >= upper
        cut_lower = np.where(at_upper, np.maximum(lower, upper - copies), lower)
        cut_upper = np.where(at_upper, upper, np.minimum(upper, lower + copies))
        if (cut_lower != lower).any() or (cut_upper != upper).any():
            self.closed = max(self.closed, self.utility + self.tolerance)
        return cut_lower, cut_upper

    def _split(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        bounds: np.ndarray,
        influence: np.ndarray,
        mixtures: np.ndarray,
    ) -> None:
        rows = np.arange(len(bounds))
        score = np.where(upper > lower, influence, -np.inf)
        good = score.argmax(axis=1)
        least, most = lower[rows, good], upper[rows, good]
        middle = least + np.floor_divide(most - least, 2)
        low_upper, high_lower = upper.copy(), lower.copy()
        low_upper[rows, good] = middle
        high_lower[rows, good] = middle + 1
        self.lower = np.concatenate([self.lower, lower, high_lower])
        self.upper = np.concatenate([self.upper, low_upper, upper])
        self.bounds = np.concatenate([self.bounds, bounds, bounds])
        self.mixtures = np.concatenate([self.mixtures, mixtures, mixtures])

    def prune(self) -> None:
        """Closes boxes that the incumbent has overtaken."""
        is_open = self.bounds > self.utility + self.tolerance
        if not is_open.all():
            self.closed = max(self.closed, float(self.bounds[~is_open].max()))
            self._keep(np.flatnonzero(is_open))

    def run(self, most_boxes: int, deadline: float = np.inf) -> bool:
        """
        Goes on until the best bundle is proven within the tolerance; says whether it is.

        Parameters
        ----------
        most_boxes
            Boxes after which to give up.
        deadline
            Reading of ``time.perf_counter`` at which to give up.
        """
        while self.bound > self.utility + self.tolerance:
            if self.num_boxes >= most_boxes or time.perf_counter() > deadline:
                return False
            self.step()
            self.prune()
        return True
