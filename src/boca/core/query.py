"""One question to one bidder, with the reason for asking it."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Reason:
    """
    Why a bundle is asked about.

    Parameters
    ----------
    source
        The step that chose the bundle, such as ``initial``, ``marginal`` or ``main``.
    economy
        Name of the economy whose best allocation contains the bundle; empty for first queries.
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


@dataclass(frozen=True)
class Query:
    """
    "What is this bundle worth to you?"

    Parameters
    ----------
    bidder
        Index of the bidder who is asked.
    bundle
        Copies of each good, as a tuple so that queries compare and hash.
    reason
        Why it is asked.
    """

    bidder: int
    bundle: tuple[int, ...]
    reason: Reason

    @property
    def array(self) -> np.ndarray:
        """The bundle as an integer vector ``(num_goods,)``."""
        return np.array(self.bundle, dtype=np.int64)

    def to_dict(self) -> dict[str, Any]:
        """The query as plain values, for JSON."""
        return {
            "bidder": self.bidder,
            "bundle": list(self.bundle),
            "reason": {k: v for k, v in vars(self.reason).items() if v is not None},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Query":
        """The inverse of :meth:`to_dict`."""
        return cls(data["bidder"], tuple(data["bundle"]), Reason(**data["reason"]))
