"""What a bidder wants at announced prices, as it counts now."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.choices import cost
from boca.live.auction.events import Bundle
from boca.live.auction.state import Book, LiveState
from boca.live.auction.views.setup import counts, in_words


@dataclass(frozen=True)
class DemandRow:
    """
    One answer to a demand query.

    Parameters
    ----------
    query, prices
        The question, and the prices of one copy of each good that it announced.
    bundle, counts, words, cost
        What is wanted, and what it costs at these prices.
    bid
        What counts for the bundle in the end: its reported value, or what choices prove; None for
        the empty bundle.
    is_reported
        Whether the bid is a reported value.
    round, at, receipt
        When it was taken last, and the hash of the receipt.
    can_correct
        Whether the rules permit another answer now.
    """

    query: str
    prices: tuple[int, ...]
    bundle: Bundle
    counts: dict[str, int]
    words: str
    cost: int
    bid: int | None
    is_reported: bool
    round: int
    at: datetime
    receipt: str
    can_correct: bool


def demand_rows(state: LiveState, book: Book, bids: dict[Bundle, int]) -> tuple[DemandRow, ...]:
    """A bidder's answers to demand queries, first to last."""
    rules, market = state.setup
    rows = []
    for query, demand in book.demands.items():
        permitted = rules.corrections == "always" or (
            rules.corrections == "round" and demand.round == state.round
        )
        rows.append(
            DemandRow(
                query,
                demand.prices,
                demand.bundle,
                counts(demand.bundle, market),
                in_words(demand.bundle, market),
                cost(demand.bundle, demand.prices),
                bids.get(demand.bundle),
                demand.bundle in book.reports,
                demand.round,
                demand.at,
                demand.hash,
                state.phase == "open" and permitted,
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.at, row.query)))
