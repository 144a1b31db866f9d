"""How an auction ended: for one bidder, and for everybody."""

from dataclasses import dataclass, replace
from datetime import datetime

from boca.live.auction.events import Bundle
from boca.live.auction.reasons import why_paid
from boca.live.auction.sentence import Sentence
from boca.live.auction.state import LiveState
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.setup import Setup, setup


@dataclass(frozen=True)
class ResultView:
    """
    How it ended for one bidder.

    Parameters
    ----------
    heading, setup
        The auction.
    bundle, units, payment
        What it gets, its bid for it, what it pays.
    is_proven
        Whether the bid is what choices at prices prove, not a reported value.
    reasons
        Why, in sentences by key.
    best
        Its highest bid, for a bidder that gets nothing.
    """

    heading: Heading
    setup: Setup
    bundle: Bundle
    units: int
    payment: int
    reasons: tuple[Sentence, ...]
    best: tuple[Bundle, int] | None
    is_proven: bool = False


def result_view(state: LiveState, bidder: int, now: datetime) -> ResultView | None:
    """How it ended for a bidder; None until that is published."""
    result = state.results.get(bidder)
    if result is None:
        return None
    rules, _ = state.setup
    best = max(state.bids(bidder).items(), key=lambda row: row[1], default=None)
    return ResultView(
        heading(state, now),
        setup(state),
        result.bundle,
        result.units,
        result.payment,
        why_paid(result, rules, best),
        best,
        any(result.bundle) and result.bundle not in state.books[bidder].reports,
    )


@dataclass(frozen=True)
class OutcomeRow:
    """
    One bidder's line of an outcome.

    Parameters
    ----------
    bidder, name, bundle, payment
        Who receives what and pays what.
    value
        Its reported value of it; None where the reader may not know, or it receives nothing.
    others_without, others_with, reserve
        The sums behind a VCG payment; None as the value.
    """

    bidder: int
    name: str
    bundle: Bundle
    payment: int
    value: int | None
    others_without: int | None = None
    others_with: int | None = None
    reserve: int | None = None


def outcome_rows(state: LiveState) -> tuple[OutcomeRow, ...]:
    """Who gets what and pays what, as far as the state shows it."""
    if state.outcome is None:
        return ()
    _, market = state.setup
    terms = {row.bidder: row for row in state.justification}
    rows = []
    pairs = zip(state.outcome.allocation, state.outcome.payments, strict=True)
    for i, (bundle, payment) in enumerate(pairs):
        row = OutcomeRow(i, market.bidders[i].name, bundle, payment, None)
        if i in terms:
            term = terms[i]
            row = replace(
                row,
                value=term.value,
                others_without=term.others_without,
                others_with=term.others_with,
                reserve=term.reserve,
            )
        rows.append(row)
    return tuple(rows)
