"""How an auction ended: for one bidder, and for everybody."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.choices import cost
from boca.live.auction.events import Bundle, Justification
from boca.live.auction.reasons import why_paid
from boca.live.auction.sentence import Sentence
from boca.live.auction.state import LiveState
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.question import can_be_given
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
        For a bidder that gets nothing: its highest bid that could have won, or if none could,
        its highest bid.
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
    lost, best = _loss(state, bidder)
    return ResultView(
        heading(state, now),
        setup(state),
        result.bundle,
        result.units,
        result.payment,
        why_paid(result, rules, best, lost),
        best,
        any(result.bundle) and result.bundle not in state.books[bidder].reports,
    )


def _loss(state: LiveState, bidder: int) -> tuple[str, tuple[Bundle, int] | None]:
    """Why a bidder can get nothing, and the bid that shows it."""
    rules, market = state.setup
    bids = state.bids(bidder)
    allowed = can_be_given(bids, market, bidder)
    reserve = rules.reserve_units(market)
    good = {bundle: units for bundle, units in allowed.items() if units >= cost(bundle, reserve)}
    lost = "nothing" if good else "below-reserve" if allowed else "beyond-limits"
    best = max((good or allowed or bids).items(), key=lambda row: row[1], default=None)
    return lost, best


@dataclass(frozen=True)
class OutcomeRow:
    """
    One bidder's line of an outcome.

    Parameters
    ----------
    bidder, name, bundle, payment
        Who receives what and pays what.
    why
        Its bid and the sums behind a VCG payment; None where the reader may not know, or it
        receives nothing.
    """

    bidder: int
    name: str
    bundle: Bundle
    payment: int
    why: Justification | None


def outcome_rows(state: LiveState) -> tuple[OutcomeRow, ...]:
    """Who gets what and pays what, as far as the state shows it."""
    if state.outcome is None:
        return ()
    _, market = state.setup
    reasons = {row.bidder: row for row in state.justification}
    pairs = zip(state.outcome.allocation, state.outcome.payments, strict=True)
    return tuple(
        OutcomeRow(i, market.bidders[i].name, bundle, payment, reasons.get(i))
        for i, (bundle, payment) in enumerate(pairs)
    )
