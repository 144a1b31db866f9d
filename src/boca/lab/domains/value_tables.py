"""Value functions as tables: a query is an index and a look-up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boca.core.frozen import read_only, set_fields


def subset_sums(numbers: Sequence[float]) -> np.ndarray:
    """Sum of every subset, ``(2 ** len(numbers),)``; bit k of an index stands for number k."""
    sums = np.zeros(1)
    for number in numbers:
        sums = np.concatenate([sums, sums + number])
    return sums


def subset_sizes(num_items: int) -> np.ndarray:
    """Number of items in every subset, ``(2 ** num_items,)`` integers."""
    return subset_sums([1.0] * num_items).astype(np.int64)


@dataclass(frozen=True, eq=False)
class SubsetTable:
    """
    A value for every subset of the items of interest; other items change nothing.

    Parameters
    ----------
    num_items
        All items of the domain, each of capacity 1.
    items
        The items of interest.
    table
        Values ``(2 ** len(items),)``; bit k of an index stands for ``items[k]``.
    """

    num_items: int
    items: tuple[int, ...]
    table: np.ndarray

    def __post_init__(self) -> None:
        set_fields(self, table=read_only(np.array(self.table, dtype=np.float64)))

    @property
    def capacities(self) -> np.ndarray:
        return np.ones(self.num_items, dtype=np.int64)

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        weights = np.zeros(self.num_items)
        weights[list(self.items)] = 2.0 ** np.arange(len(self.items))
        # Powers of two below 2^53 add up exactly in doubles, whatever the order.
        masks = np.atleast_2d(bundles) @ weights  # (num_bundles,)
        return self.table[masks.astype(np.int64)]


def without_value(function: SubsetTable) -> SubsetTable:
    """The function of a bidder that takes no part: nothing is worth anything to it."""
    return replace(function, table=np.where(np.isneginf(function.table), -np.inf, 0.0))


@dataclass(frozen=True, eq=False)
class CountTable:
    """
    A value for every combination of counts.

    Parameters
    ----------
    table
        Values, one axis per good: ``table[2, 0, 1]`` is the value of two copies of the first good
        and one of the third.
    """

    table: np.ndarray

    def __post_init__(self) -> None:
        set_fields(self, table=read_only(np.array(self.table, dtype=np.float64)))

    @property
    def capacities(self) -> np.ndarray:
        return np.array(self.table.shape, dtype=np.int64) - 1

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        counts = np.atleast_2d(bundles).astype(np.int64, copy=False)
        values: np.ndarray = self.table[tuple(counts.T)]
        return values
