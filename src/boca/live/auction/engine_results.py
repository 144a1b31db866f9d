"""What planning and deciding bring, as plain values."""

from dataclasses import dataclass, field
from typing import Any

from boca.live.auction.events import Bundle, MissedCourse


@dataclass(frozen=True)
class PlannedQuery:
    """One question as the engine planned it; prices in units make it a demand query."""

    bidder: int
    bundle: Bundle
    reason: dict[str, Any]
    prices: tuple[int, ...] | None = None


@dataclass(frozen=True)
class PlanResult:
    """
    What planning a round brings.

    Parameters
    ----------
    queries
        The questions to all bidders.
    stop
        Why no further questions are asked; None to go on.
    step
        The engine's step as plain values; it comes back with the next job.
    seconds, versions
        How long it took, and with what.
    """

    queries: tuple[PlannedQuery, ...]
    stop: str | None
    step: dict[str, Any]
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True)
class OutcomeResult:
    """
    What computing the outcome brings.

    Parameters
    ----------
    allocation
        A bundle per bidder.
    payments
        The engine's payments in units, as floats.
    without
        Winner -> the best allocation to the others.
    rule, verified_by
        The payment rule, and the second solver that agreed.
    seconds, versions
        How long it took, and with what.
    outside, outside_without
        In a purchase: units of each lot that are bought elsewhere, and those without each winner.
    """

    allocation: tuple[Bundle, ...]
    payments: tuple[float, ...]
    without: dict[int, tuple[Bundle, ...]]
    rule: str
    verified_by: str | None
    seconds: float
    versions: dict[str, str]
    outside: Bundle | None = None
    outside_without: dict[int, Bundle] = field(default_factory=dict)


@dataclass(frozen=True)
class PriceResult:
    """Prices for questions; see :class:`boca.live.auction.events.Priced`."""

    prices: tuple[int, ...]
    budgets: tuple[int, ...]
    centre: float
    spread: float
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True)
class StudentResult:
    """
    What one student gets and why; see :class:`boca.live.auction.events.Seated` and ``Believed``.

    Courses are numbers, those that it held before included.
    """

    courses: tuple[int, ...]
    held: tuple[int, ...]
    budget: int
    first: int
    is_best: bool
    ratings: tuple[int, ...]
    pairs: tuple[tuple[int, int, int], ...]
    missed: tuple[MissedCourse, ...]


@dataclass(frozen=True)
class SeatingResult:
    """An assignment; see :class:`boca.live.auction.events.Assigned`."""

    students: tuple[StudentResult, ...]
    prices: tuple[int, ...]
    centre: float
    spread: float
    clears: bool
    envious: int
    beyond_one: int
    against_order: int
    seconds: float
    versions: dict[str, str]
