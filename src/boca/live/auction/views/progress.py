"""How far everybody is, for auctioneer and auditor."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.events import Bundle
from boca.live.auction.state import JobFailure, LiveState
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.outcome import (
    OutcomeRow,
    outcome_rows,
    outcome_total,
    outside_cost,
)
from boca.live.auction.views.setup import Setup, setup
from boca.live.auction.views.welfare import (
    ContradictingAnswers,
    RoundRow,
    contradicting,
    round_rows,
)


@dataclass(frozen=True)
class ProgressRow:
    """
    One bidder's line at the auctioneer's desk.

    Parameters
    ----------
    bidder, name
        Who.
    persons, joined
        Names of all invited, and of those who signed in.
    num_open, num_answered, num_declined
        Questions of the present round.
    num_reports, num_pushes
        In the whole auction.
    last_submission
        When something was taken last.
    """

    bidder: int
    name: str
    persons: tuple[str, ...]
    joined: tuple[str, ...]
    num_open: int
    num_answered: int
    num_declined: int
    num_reports: int | None
    num_pushes: int
    last_submission: datetime | None

    @property
    def num_asked(self) -> int:
        """Questions of the present round."""
        return self.num_open + self.num_answered + self.num_declined


@dataclass(frozen=True)
class AuctionProgress:
    """
    The auctioneer's desk.

    Parameters
    ----------
    heading, setup
        The auction.
    rows
        One per bidder.
    is_sealed
        Whether values are hidden from the viewer.
    failures
        Jobs that went wrong.
    rounds
        What each finished round brought.
    outcome
        Once decided.
    verified_by, seconds, versions
        The second solver, how long deciding took, and with what.
    stop_reason
        Why no further questions are asked.
    contradictions
        Answers that cannot all be true, and by how much they must be off.
    total
        What the outcome is good for; see :func:`outcome_total`.
    outside, outside_cost
        In a purchase: units of each lot that are bought elsewhere, and what they cost.
    """

    heading: Heading
    setup: Setup
    rows: tuple[ProgressRow, ...]
    is_sealed: bool
    failures: tuple[JobFailure, ...]
    rounds: tuple[RoundRow, ...]
    outcome: tuple[OutcomeRow, ...]
    verified_by: str | None
    seconds: float
    versions: dict[str, str]
    stop_reason: str
    contradictions: tuple[ContradictingAnswers, ...] = ()
    total: int | None = None
    outside: Bundle | None = None
    outside_cost: int = 0


def progress(state: LiveState, now: datetime, is_sealed: bool) -> AuctionProgress:
    """The desk of auctioneer and auditor."""
    _, market = state.setup
    rows = tuple(
        _progress_row(state, i, market.bidders[i].name, is_sealed)
        for i in range(market.num_bidders)
    )
    return AuctionProgress(
        heading(state, now),
        setup(state),
        rows,
        is_sealed,
        state.failures,
        round_rows(state),
        outcome_rows(state),
        state.outcome.verified_by if state.outcome else None,
        state.outcome.seconds if state.outcome else 0.0,
        state.outcome.versions if state.outcome else {},
        state.stop_reason,
        contradicting(state),
        outcome_total(state),
        state.outcome.outside if state.outcome else None,
        outside_cost(state),
    )


def _progress_row(state: LiveState, bidder: int, name: str, is_sealed: bool) -> ProgressRow:
    book = state.books[bidder]
    present = [q for q in book.queries.values() if q.round == state.round]
    persons = [p for p in state.persons if p.bidder == bidder]
    return ProgressRow(
        bidder,
        name,
        tuple(p.name for p in persons),
        tuple(p.name for p in persons if p.has_joined),
        sum(q.status == "open" for q in present),
        sum(q.status == "answered" for q in present),
        sum(q.status in ("declined", "unanswered") for q in present),
        None if is_sealed else len(book.reports),
        book.num_pushes,
        book.submissions[-1].at if book.submissions else None,
    )
