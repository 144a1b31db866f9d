"""What an auction records about itself: numbers only, no drawing and no printing."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class RoundRecord:
    """
    One finished round.

    Parameters
    ----------
    round
        0 for the initial queries.
    num_queries
        Most queries that any bidder has been asked by the end of the round.
    num_reports
        Reports of all bidders together by the end of the round.
    welfare, allocation
        Largest welfare of an allocation of reported bundles, and that allocation: who would get
        what if the auction ended here, one row a bidder.
    predicted_welfare
        Largest acquisition welfare of the main economy; None without acquisition.
    bound, gap
        Proven upper bound of ``predicted_welfare`` and its relative distance; None if nothing was
        proven.
    num_solved, num_displaced
        Winner-determination problems of the round, and how many of them were re-solves because the
        best bundle was known already.
    learning_seconds, solving_seconds
        Time spent on the surrogates and on winner determination.
    fit_r2
        Worst coefficient of determination of an acquisition on its own training reports; None
        without surrogate.
    phase
        Name of the mechanism's phase that the round belongs to; empty where all rounds are alike.
    """

    round: int
    num_queries: int
    num_reports: int
    welfare: float
    allocation: tuple[tuple[int, ...], ...] = ()
    predicted_welfare: float | None = None
    bound: float | None = None
    gap: float | None = None
    num_solved: int = 0
    num_displaced: int = 0
    learning_seconds: float = 0.0
    solving_seconds: float = 0.0
    fit_r2: float | None = None
    phase: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, for JSON and CSV."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RoundRecord":
        """The inverse of :meth:`to_dict`."""
        allocation = tuple(tuple(row) for row in data["allocation"])
        return cls(**{**data, "allocation": allocation})
