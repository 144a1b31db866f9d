"""
Dynamic programming over all sets of goods.

The best welfare of a group of bidders, for every set of goods that they may share, comes from
those of two smaller groups by a max-plus convolution:

    welfare_AB(S) = max over T <= S of welfare_A(S - T) + welfare_B(T).

That takes 3^m operations for m goods (more with capacities), whatever the functions look like.
Goods are split into low and high ones: pairs of parts of the high goods are laid out side by side,
so that every pair of parts of the low goods is one operation on a long array.
"""

import numpy as np

from boca.wdp.tables.value_table import Lattice, Table

# Low goods have at most about this many bundles; a tile of pairs of high parts this many entries.
LOW = 1 << 7
TILE = 1 << 13

# Convolutions with more pairs than this take minutes.
MOST_PAIRS = 2_000_000_000


def num_pairs(lattice: Lattice) -> int:
    """How many pairs of a set and a part of it there are."""
    pairs = 1
    for capacity in lattice.capacities:
        pairs *= (capacity + 1) * (capacity + 2) // 2
    return pairs


def solve_subsets(tables: list[Table]) -> tuple[np.ndarray, float]:
    """
    An optimal allocation from the tables of all bidders.

    Returns the bundles ``(num_bidders, num_goods)`` and their welfare by the tables; the
    welfare is minus infinity if there is no allocation.
    """
    lattice = tables[0].lattice
    values = [table.values for table in tables]
    half = (len(values) + 1) // 2
    left = Groups(lattice, values[:half])
    right = Groups(lattice, values[half:])
    # What the left half does not use is the right half's.
    totals = left.best[-1] + right.best[-1][::-1] if values[half:] else left.best[-1]
    share = int(totals.argmax())
    rest = lattice.size - 1 - share
    numbers = left.split(share) + (right.split(rest) if values[half:] else [])
    return lattice.bundles(np.array(numbers)), float(totals[share])


class Groups:
    """
    The best welfare of the first k of some bidders, for every k and every set of goods.

    Parameters
    ----------
    lattice
        The sets of goods.
    values
        One table ``(lattice.size,)`` a bidder.
    """

    def __init__(self, lattice: Lattice, values: list[np.ndarray]):
        self.lattice = lattice
        self.values = values
        # Nobody has to take all that is there.
        self.best = [_running_maximum(lattice, values[0])] if values else []
        for own in values[1:]:
            self.best.append(convolve(lattice, self.best[-1], own))

    def split(self, number: int) -> list[int]:
        """The number of each bidder's bundle in a best allocation of a set of goods."""
        whole = self.lattice.bundles(np.array([number]))[0]
        chosen: list[int] = []
        for k in reversed(range(1, len(self.values))):
            parts = _parts(self.lattice, whole)
            rests = self.lattice.numbers(whole[None])[0] - parts
            best = int((self.best[k - 1][rests] + self.values[k][parts]).argmax())
            chosen.append(int(parts[best]))
            whole = whole - self.lattice.bundles(parts[best : best + 1])[0]
        parts = _parts(self.lattice, whole)
        chosen.append(int(parts[self.values[0][parts].argmax()]))
        return chosen[::-1]


def convolve(lattice: Lattice, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The max-plus convolution of two tables ``(lattice.size,)`` over all sets and parts."""
    split = int(np.searchsorted(np.cumprod(lattice.radices), LOW, side="right"))
    low, high = Lattice(lattice.capacities[:split]), Lattice(lattice.capacities[split:])
    dtype = np.result_type(first, second)
    rows_first = np.ascontiguousarray(first.reshape(high.size, low.size).T, dtype=dtype)
    rows_second = np.ascontiguousarray(second.reshape(high.size, low.size).T, dtype=dtype)
    low_wholes, low_parts = _pairs(low)
    wholes, parts = _pairs(high)
    answer = np.empty((low.size, high.size), dtype=dtype)
    low_list = list(zip(low_wholes.tolist(), low_parts.tolist(), strict=True))

    # Tiles end where a whole ends, so that its maximum is taken within one tile.
    ends = np.append(np.flatnonzero(np.diff(wholes)) + 1, len(wholes))
    start = 0
    while start < len(wholes):
        reach = int(np.searchsorted(ends, start + TILE))
        stop = int(ends[min(reach, len(ends) - 1)])
        whole, part = wholes[start:stop], parts[start:stop]
        mine = list(rows_first.take(whole - part, axis=1))
        theirs = list(rows_second.take(part, axis=1))
        sums = np.full((low.size, stop - start), -np.inf, dtype=dtype)
        rows = list(sums)
        scratch = np.empty(stop - start, dtype=dtype)
        for w, p in low_list:
            np.add(mine[w - p], theirs[p], out=scratch)
            np.maximum(rows[w], scratch, out=rows[w])
        begins = np.flatnonzero(np.diff(whole, prepend=-1))
        answer[:, whole[begins]] = np.maximum.reduceat(sums, begins, axis=1)
        start = stop
    return np.ascontiguousarray(answer.T).ravel()


def _pairs(lattice: Lattice) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of all sets with all their parts, in the order of the sets."""
    wholes, parts = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for capacity, stride in zip(lattice.capacities, lattice.strides, strict=True):
        own = [(a, b) for a in range(capacity + 1) for b in range(a + 1)]
        whole, part = np.array(own).T * stride
        wholes = (wholes[:, None] + whole).ravel()
        parts = (parts[:, None] + part).ravel()
    order = np.argsort(wholes, kind="stable")
    return wholes[order], parts[order]


def _parts(lattice: Lattice, whole: np.ndarray) -> np.ndarray:
    """Numbers of all parts of a bundle."""
    numbers = np.zeros(1, dtype=np.int64)
    for count, stride in zip(whole, lattice.strides, strict=True):
        numbers = (numbers[:, None] + np.arange(count + 1) * stride).ravel()
    return numbers


def _running_maximum(lattice: Lattice, values: np.ndarray) -> np.ndarray:
    """For every set the largest value of one of its parts."""
    grid = values.reshape(tuple(lattice.radices[::-1]))
    for axis in range(grid.ndim):
        grid = np.maximum.accumulate(grid, axis=axis)
    return grid.ravel()
