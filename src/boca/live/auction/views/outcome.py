"""How an auction ended: for one bidder, and for everybody."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.choices import cost
from boca.live.auction.events import AwardTerm, Bundle, Justification, TradeTerm
from boca.live.auction.kind import kind_of
from boca.live.auction.reasons import why_awarded, why_paid, why_traded
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
    held
        In an exchange: what it held before; None otherwise.
    less
        In a purchase: what it is paid less than its offer and what the award would cost more.
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
    held: Bundle | None = None
    less: int = 0

    @property
    def wins(self) -> bool:
        """Whether it gets, supplies or trades anything."""
        return any(self.bundle) if self.held is None else self.bundle != self.held


def result_view(state: LiveState, bidder: int, now: datetime) -> ResultView | None:
    """How it ended for a bidder; None until that is published."""
    result = state.results.get(bidder)
    if result is None:
        return None
    rules, market = state.setup
    kind = kind_of(market)
    lost, best = _loss(state, bidder)
    held = tuple(market.endowments[bidder].tolist()) if kind == "exchange" else None
    wins = any(result.bundle) if held is None else result.bundle != held
    if kind == "buy" and wins:
        reasons = why_awarded(result, rules)
    elif kind == "exchange" and wins:
        reasons = why_traded(result, rules)
    elif kind == "exchange":
        # What it holds is no reason: it did not trade.
        reasons = (Sentence("result.nothing" if best else "result.no-report"),)
    else:
        reasons = why_paid(result, rules, best, lost)
    return ResultView(
        heading(state, now),
        setup(state),
        result.bundle,
        result.units,
        result.payment,
        reasons,
        best,
        wins and any(result.bundle) and result.bundle not in state.books[bidder].reports,
        held,
        result.units + (result.more or 0) - result.payment if kind == "buy" and wins else 0,
    )


def _loss(state: LiveState, bidder: int) -> tuple[str, tuple[Bundle, int] | None]:
    """Why a bidder can get nothing, and the bid that shows it."""
    rules, market = state.setup
    bids = state.bids(bidder)
    allowed = can_be_given(bids, market, bidder)
    reserve = rules.reserve_units(market)
    good = {bundle: units for bundle, units in allowed.items() if units >= cost(bundle, reserve)}
    lost = "nothing" if good else "below-reserve" if allowed else "beyond-limits"
    if market.sense == "buy":
        lost = "nothing" if allowed else "beyond-limits"
        return lost, min((allowed or bids).items(), key=lambda row: row[1], default=None)
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
        Its bid and the sums behind its payment; None where the reader may not know, or it
        receives nothing.
    units
        Its bid, where the reader may know it.
    """

    bidder: int
    name: str
    bundle: Bundle
    payment: int
    why: Justification | AwardTerm | TradeTerm | None
    units: int | None = None


def outcome_rows(state: LiveState) -> tuple[OutcomeRow, ...]:
    """Who gets what and pays what, as far as the state shows it."""
    if state.outcome is None:
        return ()
    _, market = state.setup
    reasons: dict[int, Justification | AwardTerm | TradeTerm] = {
        **{row.bidder: row for row in state.justification},
        **{row.bidder: row for row in state.award_terms},
        **{row.bidder: row for row in state.trade_terms},
    }
    units = {i: result.units for i, result in state.results.items()}
    pairs = zip(state.outcome.allocation, state.outcome.payments, strict=True)
    return tuple(
        OutcomeRow(i, market.bidders[i].name, bundle, payment, reasons.get(i), units.get(i))
        for i, (bundle, payment) in enumerate(pairs)
    )


def outcome_total(state: LiveState) -> int | None:
    """
    What the outcome is good for, as reported; None where nothing is decided or known.

    Welfare of a sale, cost of a purchase with what is bought outside, gain of an exchange.
    """
    kind = kind_of(state.setup[1])
    if state.outcome is not None and kind == "sell" and state.justification:
        return sum(row.value for row in state.justification)
    if state.outcome is None or kind == "sell" or not state.results:
        return None
    if kind == "exchange":
        return sum(term.value - term.keeps for term in state.trade_terms)
    return sum(result.units for result in state.results.values()) + outside_cost(state)


def outside_cost(state: LiveState) -> int:
    """What is bought elsewhere costs; 0 but in a purchase."""
    rules, market = state.setup
    outside = (state.outcome.outside if state.outcome else None) or (0,) * market.num_goods
    return cost(outside, [units or 0 for units in rules.at_most_units(market)])
