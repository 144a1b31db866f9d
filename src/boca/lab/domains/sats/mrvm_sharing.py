"""
Exact sharing in MRVM: regions are independent but for the coverage of national bidders.

Each national bidder is given a class: it misses no region, at most one, or any number. Once the
classes and with them the coverage factors are fixed, a region's best welfare depends only on
which national bidders get something there, and a second programme runs over the regions with the
state "which national bidders have missed one already". The best class combination is the optimum:
a bidder in too modest a class is only undervalued.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from boca.lab.domains.sharing import share_counts, trace_counts

NUM_CLASSES = 3  # misses no region, at most one, any number

Presence = tuple[int, ...]  # whether each national bidder gets something in a region: 0 or 1


def share_regions(
    tables: Sequence[np.ndarray], coverages: Sequence[Sequence[float]]
) -> tuple[float, np.ndarray]:
    """
    The largest welfare, and counts ``(num_bidders, num_regions, num_bands)`` that reach it.

    Parameters
    ----------
    tables
        One per bidder: value of each region by counts, ``(num_regions, ...)``.
    coverages
        One per bidder: factor when no region, one, or more are missed, never growing.
    """
    national = [i for i, factors in enumerate(coverages) if set(factors) != {1.0}]
    num_regions, num_bands = len(tables[0]), tables[0].ndim - 1

    welfare = _region_welfare(tables, coverages, national)
    best = -np.inf
    classes: tuple[int, ...] = ()
    served: tuple[Presence, ...] = ()
    for combination in product(range(NUM_CLASSES), repeat=len(national)):
        fixed_classes: Any = (slice(None), *combination)
        total, choice = _cover(welfare[fixed_classes], combination)
        if total > best:
            best, classes, served = total, combination, choice

    shares = np.zeros((len(tables), num_regions, num_bands), dtype=np.int64)
    for region in range(num_regions):
        fixed = [table[region] for table in tables]
        for bidder, kind, present in zip(national, classes, served[region], strict=True):
            variants = _with_coverage(tables[bidder], coverages[bidder])
            fixed[bidder] = variants[region, kind, present]
        shares[:, region] = trace_counts(fixed, share_counts(fixed, num_bands))
    return float(best), shares


def _with_coverage(table: np.ndarray, coverage: Sequence[float]) -> np.ndarray:
    """
    A national bidder's table by region, class, and whether it gets something there (0 or 1).

    What contradicts the latter is minus infinity.
    """
    scaled = np.stack([factor * table for factor in coverage], axis=1)  # (regions, classes, ...)
    nothing: Any = (..., *(0,) * (table.ndim - 1))
    absent = np.full_like(scaled, -np.inf)
    absent[nothing] = 0.0
    present = scaled.copy()
    present[nothing] = -np.inf
    return np.stack([absent, present], axis=2)


def _region_welfare(
    tables: Sequence[np.ndarray], coverages: Sequence[Sequence[float]], national: Sequence[int]
) -> np.ndarray:
    """
    Best welfare of every region from all its lots.

    Axes: region, then the class of each national bidder, then whether each gets something.
    """
    num_bands, count = tables[0].ndim - 1, len(national)
    shape = tables[0].shape[1:]
    spread = []
    for i, table in enumerate(tables):
        if i not in national:
            spread.append(table.reshape(len(table), *(1,) * (2 * count), *shape))
    for k, i in enumerate(national):
        axes = [1] * (2 * count)
        axes[k], axes[count + k] = NUM_CLASSES, 2
        spread.append(
            _with_coverage(tables[i], coverages[i]).reshape(len(tables[i]), *axes, *shape)
        )
    everything: Any = (..., *(-1,) * num_bands)
    welfare: np.ndarray = share_counts(spread, num_bands)[-1][everything]
    return welfare


def _cover(welfare: np.ndarray, classes: tuple[int, ...]) -> tuple[float, tuple[Presence, ...]]:
    """
    Chooses for every region which national bidders get something there.

    Parameters
    ----------
    welfare
        Best welfare by region and by presence (0 or 1) of each national bidder.
    classes
        Regions that each national bidder may miss: none, one, or (2) any number.

    Returns
    -------
        The total, and for every region the presence of each national bidder.
    """
    # State: regions missed so far, counted for bidders that may miss one. State -> total, choices.
    states: dict[tuple[int, ...], tuple[float, tuple[Presence, ...]]]
    states = {(0,) * len(classes): (0.0, ())}
    for region in welfare:
        reached: dict[tuple[int, ...], tuple[float, tuple[Presence, ...]]] = {}
        for missed, (total, choices) in states.items():
            for presence in product((0, 1), repeat=len(classes)):
                after = tuple(
                    m + (1 - p) if kind < 2 else 0
                    for m, p, kind in zip(missed, presence, classes, strict=True)
                )
                if any(m > kind for m, kind in zip(after, classes, strict=True)):
                    continue
                candidate = total + float(region[presence])
                if after not in reached or candidate > reached[after][0]:
                    reached[after] = (candidate, (*choices, presence))
        states = reached
    return max(states.values(), key=lambda state: state[0])
