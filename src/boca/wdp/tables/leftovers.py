"""
Exact set packing over the bundles that prices leave over.

At any prices, an allocation's welfare is the Lagrangian bound minus what each bidder gives up
against its favourite bundle, minus the price of what stays unsold:

    welfare = bound - sum_i deficit_i(bundle_i) - prices . unsold,
    deficit_i(x) = max_y (A_i(y) - prices . y) - (A_i(x) - prices . x) >= 0.

So an allocation within ``slack`` of the bound uses only bundles with a deficit of at most
``slack``, and their deficits add up to at most that. Good prices leave a few hundred bundles out of
millions, and the best allocation follows by joining them bidder after bidder.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Partial allocations that are kept at most, and pairs that are looked at together.
MOST_STATES = 2_000_000
PAIRS = 1 << 22


@dataclass(frozen=True, eq=False)
class Candidates:
    """
    The bundles of one bidder that are left.

    Parameters
    ----------
    bundles
        Integer matrix ``(num_bundles, num_goods)``.
    deficits
        What each gives up against the bidder's favourite, ``(num_bundles,)``.
    """

    bundles: np.ndarray
    deficits: np.ndarray


class Packer:
    """
    Counts of goods in the bits of one integer, so that bundles add and are compared at once.

    Every good has a field with one bit more than its capacity needs. Filling the field up to just
    below that bit at full capacity makes the bit flip when the capacity is exceeded.
    """

    def __init__(self, capacities: np.ndarray):
        widths = np.array([int(c).bit_length() + 1 for c in capacities])
        ends = np.cumsum(widths)
        self.fits = bool(ends[-1] <= 63)
        starts = ends - widths
        if self.fits:
            self.shifts = np.int64(1) << starts.astype(np.int64)
            tops = np.int64(1) << (ends - 1).astype(np.int64)
            self.guard = np.int64(tops.sum())
            # Adding this to a count sets the guard bit exactly when the count is too large.
            self.offset = np.int64((tops - (np.asarray(capacities) + 1) * self.shifts).sum())

    def keys(self, bundles: np.ndarray) -> np.ndarray:
        """One integer per bundle."""
        keys: np.ndarray = bundles.astype(np.int64) @ self.shifts
        return keys

    def fit(self, sums: np.ndarray) -> np.ndarray:
        """Whether sums of two feasible keys are within capacities."""
        fits: np.ndarray = ((sums + self.offset) & self.guard) == 0
        return fits


def pack(
    candidates: Sequence[Candidates], capacities: np.ndarray, prices: np.ndarray, slack: float
) -> tuple[np.ndarray, float] | None:
    """
    The allocation with the smallest total deficit, if that is at most ``slack``.

    Parameters
    ----------
    candidates
        For each bidder all its bundles with a deficit of at most ``slack``.
    capacities, prices
        Of each good, ``(num_goods,)``; prices are non-negative.
    slack
        Largest total deficit of interest.

    Returns
    -------
    tuple or None
        Bundles ``(num_bidders, num_goods)`` and the total deficit, price of the unsold included;
        None if no allocation is within ``slack``.

    Raises
    ------
    TooMany
        If there are too many partial allocations.
    """
    packer = Packer(capacities)
    if not packer.fits:
        raise TooMany
    order = sorted(range(len(candidates)), key=lambda i: len(candidates[i].deficits))
    used = np.zeros(1, dtype=np.int64)
    deficits = np.zeros(1)
    history: list[tuple[np.ndarray, np.ndarray]] = []
    for i in order:
        state, chosen, used, deficits = _join(packer, used, deficits, candidates[i], slack)
        history.append((state, chosen))
        if not len(used):
            return None

    # Undo the keys: what is left of every good has a price.
    fields = (used[:, None] // packer.shifts) % (2 * _powers(capacities))
    totals = deficits + (capacities - fields) @ prices
    last = int(totals.argmin())
    if totals[last] > slack:
        return None

    bundles = np.zeros((len(candidates), len(capacities)), dtype=np.int64)
    place = last
    for i, (state, chosen) in zip(reversed(order), reversed(history), strict=True):
        bundles[i] = candidates[i].bundles[chosen[place]]
        place = state[place]
    return bundles, float(totals[last])


class TooMany(Exception):
    """There are too many bundles or partial allocations to go through."""


def _powers(capacities: np.ndarray) -> np.ndarray:
    return np.array([1 << int(c).bit_length() for c in capacities], dtype=np.int64)


def _join(
    packer: Packer, used: np.ndarray, deficits: np.ndarray, candidates: Candidates, slack: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Partial allocations with one more bidder: the former state, the bundle, key, deficit."""
    rank = np.argsort(candidates.deficits, kind="stable")
    costs = candidates.deficits[rank]
    keys = packer.keys(candidates.bundles[rank])
    states, columns = [], []
    kept, first = 0, 0
    while first < len(used):
        # States are in the order of their deficits, so the first one allows the most bundles.
        num = int(np.searchsorted(costs, slack - deficits[first], side="right"))
        if not num:
            break
        last = min(len(used), first + max(1, PAIRS // num))
        good = packer.fit(used[first:last, None] + keys[:num])
        good &= deficits[first:last, None] + costs[:num] <= slack
        state, column = np.nonzero(good)
        states.append(state + first)
        columns.append(column)
        kept += len(state)
        if kept > 4 * MOST_STATES:
            raise TooMany
        first = last
    if not kept:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing, np.zeros(0)

    state, column = np.concatenate(states), np.concatenate(columns)
    total = deficits[state] + costs[column]
    key = used[state] + keys[column]
    # Of partial allocations that use the same goods only the best matters.
    by_deficit = np.argsort(total, kind="stable")
    _, unique = np.unique(key[by_deficit], return_index=True)
    best = by_deficit[np.sort(unique)]
    if len(best) > MOST_STATES:
        raise TooMany
    return state[best], rank[column[best]], key[best], total[best]
