"""One question to one bidder, with the reason for asking it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.bundle import as_counts, bundle_key
from boca.core.errors import InputError
from boca.core.frozen import read_only, set_fields


@dataclass(frozen=True)
class Reason:
    """
    Why a question is asked.

    Parameters
    ----------
    source
        The step that chose it, such as ``initial``, ``marginal``, ``main`` or ``clock``.
    economy
        The economy whose best allocation contains the bundle, in words; empty where none does.
    displaced
        Whether the economy's best bundle was known already, so that this is the best unasked one.
    predicted
        Value of the acquisition at the bundle, in units of value.
    mean, upper, envelope
        What the surrogate's parts say about the bundle, where they exist.
    """

    source: str
    economy: str = ""
    displaced: bool = False
    predicted: float | None = None
    mean: float | None = None
    upper: float | None = None
    envelope: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The reason as plain values, for JSON; what is unknown is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, eq=False)
class Query:
    """
    "What is this bundle worth to you?"

    Parameters
    ----------
    bidder
        Index of the bidder who is asked.
    bundle
        Copies of each good, integer vector ``(num_goods,)``; read-only.
    reason
        Why it is asked.
    """

    bidder: int
    bundle: np.ndarray
    reason: Reason

    def __post_init__(self) -> None:
        set_fields(self, bundle=read_only(as_counts(self.bundle, "a bundle")))

    @property
    def key(self) -> tuple[int, bytes]:
        """A hashable name of bidder and bundle."""
        return self.bidder, bundle_key(self.bundle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and (self.key, self.reason) == (other.key, other.reason)

    def __hash__(self) -> int:
        return hash(self.key)

    def to_dict(self) -> dict[str, Any]:
        """The query as plain values, for JSON."""
        return {
            "bidder": self.bidder,
            "bundle": self.bundle.tolist(),
            "reason": self.reason.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Query":
        """The inverse of :meth:`to_dict`."""
        return cls(data["bidder"], np.array(data["bundle"]), Reason(**data["reason"]))


@dataclass(frozen=True, eq=False)
class DemandQuery:
    """
    "At these prices, which bundle do you want?"

    Parameters
    ----------
    bidder
        Index of the bidder who is asked.
    prices
        Price of one copy of each good, at least 0, ``(num_goods,)``; read-only.
    num_bundles
        How many bundles are wanted, the most profitable first.
    reason
        Why it is asked.
    """

    bidder: int
    prices: np.ndarray
    num_bundles: int = 1
    reason: Reason = Reason("clock")

    def __post_init__(self) -> None:
        prices = np.array(self.prices, dtype=np.float64)
        if prices.ndim != 1 or not np.isfinite(prices).all() or (prices < 0).any():
            raise InputError("Received prices that are negative or no numbers; expected >= 0.")
        set_fields(self, prices=read_only(prices))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DemandQuery)
            and self.bidder == other.bidder
            and self.num_bundles == other.num_bundles
            and self.reason == other.reason
            and np.array_equal(self.prices, other.prices)
        )

    def __hash__(self) -> int:
        return hash((self.bidder, self.prices.tobytes(), self.num_bundles))

    def to_dict(self) -> dict[str, Any]:
        """The query as plain values, for JSON."""
        return {
            "bidder": self.bidder,
            "prices": self.prices.tolist(),
            "num_bundles": self.num_bundles,
            "reason": self.reason.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "DemandQuery":
        """The inverse of :meth:`to_dict`."""
        reason = Reason(**data["reason"])
        return cls(data["bidder"], np.array(data["prices"]), data["num_bundles"], reason)


# Whatever a bidder may be asked.
Question = Query | DemandQuery


def question_from_dict(data: dict[str, Any]) -> Question:
    """A question of either kind from plain values; prices tell a demand query."""
    return DemandQuery.from_dict(data) if "prices" in data else Query.from_dict(data)
