"""What bidders want at which prices: the answers to demand queries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from boca.core.bundle import as_counts
from boca.core.errors import InputError
from boca.core.frozen import read_only, set_fields
from boca.core.report import Reports


@dataclass(frozen=True, eq=False)
class Demands:
    """
    What one bidder has wanted at which prices, in the order it was asked. Immutable.

    Parameters
    ----------
    prices
        Price of one copy of each good ``(num_answers, num_goods)``, non-negative.
    bundles
        The chosen bundle at these prices ``(num_answers, num_goods)``; may repeat or be empty.
    """

    prices: np.ndarray
    bundles: np.ndarray

    if TYPE_CHECKING:  # nested lists will do, in any type checker's eyes too

        def __init__(self, prices: ArrayLike, bundles: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        prices = np.array(self.prices, dtype=np.float64)
        bundles = as_counts(self.bundles, "demands")
        if prices.ndim != 2 or prices.shape != bundles.shape:
            raise InputError(
                f"Received prices of shape {prices.shape} with bundles of shape {bundles.shape}; "
                "expected (num_answers, num_goods) for both."
            )
        if not np.isfinite(prices).all() or (prices < 0).any():
            raise InputError("Received a negative or undefined price; expected at least 0.")
        if (bundles < 0).any():
            raise InputError("Received a demand of a negative count; expected at least 0.")
        set_fields(self, prices=read_only(prices), bundles=read_only(bundles))

    @classmethod
    def empty(cls, num_goods: int) -> "Demands":
        """No answer yet."""
        return cls(np.zeros((0, num_goods)), np.zeros((0, num_goods), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.bundles)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of prices and chosen bundle."""
        return zip(self.prices, self.bundles, strict=True)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Demands)
            and np.array_equal(self.prices, other.prices)
            and np.array_equal(self.bundles, other.bundles)
        )

    def add(self, prices: Any, bundle: Any) -> "Demands":
        """These answers and one more."""
        num_goods = self.bundles.shape[1]
        row = as_counts(bundle, "demands").reshape(1, num_goods)
        costs = np.asarray(prices, dtype=float).reshape(1, num_goods)
        return Demands(np.concatenate([self.prices, costs]), np.concatenate([self.bundles, row]))

    def bids(self) -> Reports:
        """
        What the answers say about values: a bundle that was wanted is worth at least its price.

        One report for each bundle, with the highest price at which it was chosen; none for the
        empty bundle.
        """
        best: dict[tuple[int, ...], float] = {}
        for prices, bundle in self:
            if bundle.any():
                key = tuple(bundle.tolist())
                best[key] = max(best.get(key, 0.0), float(prices @ bundle))
        bundles = np.array(list(best), dtype=np.int64).reshape(-1, self.bundles.shape[1])
        return Reports(bundles, np.array(list(best.values())))

    def to_dict(self) -> dict[str, Any]:
        """The answers as plain values, for JSON."""
        return {"prices": self.prices.tolist(), "bundles": self.bundles.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any], num_goods: int) -> "Demands":
        """The inverse of :meth:`to_dict`."""
        return cls(
            np.array(data["prices"], dtype=float).reshape(-1, num_goods),
            np.array(data["bundles"], dtype=np.int64).reshape(-1, num_goods),
        )
