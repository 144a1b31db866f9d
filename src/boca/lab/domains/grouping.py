"""Identical licences: between a bundle of named items and a count of each kind."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boca.core.allocation import Allocation
from boca.core.errors import InputError


@dataclass(frozen=True)
class Grouping:
    """
    Which items are copies of which good.

    Parameters
    ----------
    goods
        The good of each item, ``0`` to ``num_goods - 1``, every one at least once.
    names
        The goods' names.
    """

    goods: tuple[int, ...]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if set(self.goods) != set(range(len(self.names))):
            raise InputError(
                f"Items are grouped into the goods {sorted(set(self.goods))}; expected every "
                f"one of 0 to {len(self.names) - 1}."
            )

    @cached_property
    def capacities(self) -> np.ndarray:
        """How many items each good has, ``(num_goods,)``."""
        return np.bincount(self.goods)

    @cached_property
    def _membership(self) -> np.ndarray:
        """1 where an item is a copy of a good, ``(num_items, num_goods)``."""
        same: np.ndarray = np.array(self.goods)[:, None] == np.arange(len(self.names))
        return same.astype(np.float32)

    @cached_property
    def _rank(self) -> np.ndarray:
        """How many copies of the same good come before an item, ``(num_items,)``."""
        same = np.array(self.goods)[:, None] == np.array(self.goods)
        rank: np.ndarray = np.tril(same, -1).sum(axis=1)
        return rank

    def to_counts(self, items: np.ndarray) -> np.ndarray:
        """Item bundles ``(num_bundles, num_items)`` to counts ``(num_bundles, num_goods)``."""
        # Small whole numbers are exact in single precision, and its product is the quick one.
        counts: np.ndarray = np.atleast_2d(items).astype(np.float32) @ self._membership
        return counts.astype(np.int64)

    def to_items(self, counts: np.ndarray) -> np.ndarray:
        """Counts to item bundles; of identical items those with the lowest index are taken."""
        counts = np.atleast_2d(counts)
        return (self._rank < counts[:, list(self.goods)]).astype(np.int64)

    def allocation_to_counts(self, allocation: Allocation) -> Allocation:
        """An allocation of items as one of counts."""
        return Allocation(self.to_counts(allocation.bundles))

    def allocation_to_items(self, allocation: Allocation) -> Allocation:
        """An allocation of counts as one of items; earlier bidders get the lower indices."""
        upto = self.to_items(np.cumsum(allocation.bundles, axis=0))  # (num_bidders, num_items)
        return Allocation(np.diff(upto, axis=0, prepend=0))
