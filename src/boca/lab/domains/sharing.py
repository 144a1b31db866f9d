"""
Exact sharing by dynamic programming, one bidder at a time.

``best[s]`` is the largest welfare of the bidders so far from the supply ``s``; not all of it need
be used. Adding a bidder takes, for every supply, the best split between it and the others.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boca.lab.domains.value_tables import SubsetTable


def share_counts(tables: Sequence[np.ndarray], num_goods: int) -> list[np.ndarray]:
    """
    Shares goods with capacities: one table of ``best`` before the first and after each bidder.

    Parameters
    ----------
    tables
        One per bidder: values by counts in the last ``num_goods`` axes, all of one shape there.
        Axes before these are problems solved side by side and broadcast. Minus infinity forbids.
    num_goods
        Number of goods.
    """
    shape = tables[0].shape[-num_goods:]
    stages = [np.zeros(shape)]
    for table in tables:
        others = stages[-1]
        batch = np.broadcast_shapes(table.shape[:-num_goods], others.shape[:-num_goods])
        best: np.ndarray = np.full(batch + shape, -np.inf)
        for counts in np.ndindex(*shape):
            value = table[(..., *counts)][(...,) + (None,) * num_goods]
            more: Any = (..., *(slice(count, None) for count in counts))
            left: Any = (..., *(slice(s - count) for s, count in zip(shape, counts, strict=True)))
            np.maximum(best[more], value + others[left], out=best[more])
        stages.append(best)
    return stages


def trace_counts(tables: Sequence[np.ndarray], stages: Sequence[np.ndarray]) -> np.ndarray:
    """
    The counts of every bidder, ``(num_bidders, num_goods)``, that make up the last stage's best.

    Takes tables and stages of one problem, without axes for others. Of equally good counts the
    first in lexicographic order is taken, so that what adds nothing stays unsold.
    """
    supply = np.array(tables[0].shape) - 1
    shares = np.zeros((len(tables), len(supply)), dtype=np.int64)
    for bidder in reversed(range(len(tables))):
        window = tuple(slice(count + 1) for count in supply)
        # Reversed, the others' entry at counts c is what is left after taking c.
        totals = tables[bidder][window] + np.flip(stages[bidder][window])
        shares[bidder] = np.unravel_index(np.argmax(totals), totals.shape)
        supply = supply - shares[bidder]
    return shares


def add_bidder(others: np.ndarray, function: SubsetTable) -> np.ndarray:
    """
    Adds a bidder with a table over its items of interest to ``others``, best by subset of items.

    Costs ``3 ** k * 2 ** (m - k)`` for k items of interest out of m; minus infinity forbids.
    """
    old = _interest_first(others, function)  # (2 ** k, 2 ** (m - k))
    new = old + function.table[0]
    subsets = np.arange(len(function.table))
    for taken in np.flatnonzero(np.isfinite(function.table)):
        left = subsets[subsets & taken == 0]
        within = left | taken
        new[within] = np.maximum(new[within], function.table[taken] + old[left])
    return _interest_back(new, function)


def share_subsets(functions: Sequence[SubsetTable], last: int) -> tuple[float, np.ndarray]:
    """
    The largest welfare, and bundles ``(num_bidders, num_items)`` that reach it.

    Parameters
    ----------
    functions
        One per bidder. Minus infinity forbids a bundle.
    last
        The bidder with the most items of interest: coming last, it costs one pass only.
    """
    order = [i for i in range(len(functions)) if i != last] + [last]
    stages = [np.zeros(2 ** functions[last].num_items)]
    for bidder in order[:-1]:
        stages.append(add_bidder(stages[-1], functions[bidder]))

    welfare, in_order = trace_subsets([functions[i] for i in order], stages)
    bundles = np.empty_like(in_order)
    bundles[order] = in_order
    return welfare, bundles


def trace_subsets(
    functions: Sequence[SubsetTable], stages: Sequence[np.ndarray]
) -> tuple[float, np.ndarray]:
    """
    The largest welfare and the bundles ``(num_bidders, num_items)`` that make it up.

    ``stages[i]`` is best by subset before bidder i is added. Of equally good subsets the lowest
    is taken, so that what adds nothing stays unsold.
    """
    welfare = None
    supply = len(stages[0]) - 1
    bundles = np.zeros((len(functions), functions[0].num_items), dtype=np.int64)
    for bidder in reversed(range(len(functions))):
        function = functions[bidder]
        masks = subset_masks(function.items)  # (2 ** k,)
        totals = np.where(
            masks & ~supply == 0, function.table + stages[bidder][supply & ~masks], -np.inf
        )
        if welfare is None:
            welfare = float(totals.max())
        taken = int(masks[np.argmax(totals)])
        bundles[bidder] = (taken >> np.arange(bundles.shape[1])) & 1
        supply &= ~taken
    return welfare or 0.0, bundles


def subset_masks(items: Sequence[int]) -> np.ndarray:
    """Bit mask over all items of every subset of some items, ``(2 ** len(items),)``."""
    masks = np.zeros(1, dtype=np.int64)
    for item in items:
        masks = np.concatenate([masks, masks | (1 << item)])
    return masks


def _axes(function: SubsetTable) -> list[int]:
    """Axes of the items of interest, most significant first, in an array with one axis an item."""
    return [function.num_items - 1 - item for item in reversed(function.items)]


def _interest_first(best: np.ndarray, function: SubsetTable) -> np.ndarray:
    """Turns best by subset into a matrix with a row for every subset of interest."""
    axes = _axes(function)
    cube = best.reshape((2,) * function.num_items)
    return np.moveaxis(cube, axes, range(len(axes))).reshape(len(function.table), -1)


def _interest_back(matrix: np.ndarray, function: SubsetTable) -> np.ndarray:
    """The inverse of :func:`_interest_first`."""
    axes = _axes(function)
    cube = matrix.reshape((2,) * function.num_items)
    return np.moveaxis(cube, range(len(axes)), axes).reshape(-1)
