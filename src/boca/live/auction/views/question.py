"""One question to a bidder, with its reasons and own answers near it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boca.core.market import Market
from boca.live.auction.choices import cost
from boca.live.auction.events import Bundle
from boca.live.auction.reasons import why_asked
from boca.live.auction.rules import Rules
from boca.live.auction.sentence import Sentence
from boca.live.auction.state import Book, QueryState
from boca.live.auction.views.setup import counts, in_words
from boca.live.auction.warnings import is_part

MOST_EARLIER = 4


@dataclass(frozen=True)
class Earlier:
    """
    An earlier answer that helps with a question.

    Parameters
    ----------
    bundle, words, units
        What was reported.
    relation
        ``part`` (the largest reported part), ``whole`` (the smallest reported whole) or ``near``
        (differs by one copy).
    """

    bundle: Bundle
    words: str
    units: int
    relation: str


@dataclass(frozen=True)
class AtPrices:
    """
    A bundle that the bidder has spoken of, at the prices of a demand query.

    Parameters
    ----------
    bundle, words
        Which one.
    units, is_proven
        Its reported value; or, if proven, the least that it is worth by earlier choices.
    cost, left
        What it costs at these prices, and what would be left of its value.
    """

    bundle: Bundle
    words: str
    units: int
    is_proven: bool
    cost: int
    left: int


@dataclass(frozen=True)
class QuestionView:
    """
    One question to the bidder.

    Parameters
    ----------
    id, round, type
        Which one, when asked, and whether it wants a value or a bundle at prices.
    bundle, counts, words
        What it asks about: copies of each good, by name without zeros, in words.
    reasons
        Why it is asked.
    earlier
        Own reports near it, at most four; for a value query.
    status, units
        What became of it, and the reported value.
    prices
        Of one copy of each good in units, for a demand query; None for a value query.
    demand
        What is wanted at these prices, once answered; ``bundle`` and ``words`` show it too.
    at_prices
        Bundles that would leave most at these prices by earlier answers, at most four; for an open
        demand query.
    """

    id: str
    round: int
    type: str
    bundle: Bundle
    counts: dict[str, int]
    words: str
    reasons: tuple[Sentence, ...]
    earlier: tuple[Earlier, ...]
    status: str
    units: int | None
    prices: tuple[int, ...] | None = None
    demand: Bundle | None = None
    at_prices: tuple[AtPrices, ...] = ()

    @property
    def cost(self) -> int:
        """What the wanted bundle costs; 0 where no prices were announced."""
        return 0 if self.prices is None else cost(self.bundle, self.prices)


def question(
    query: QueryState,
    bidder: int,
    book: Book,
    market: Market,
    rules: Rules,
    known: Mapping[Bundle, int],
) -> QuestionView:
    """
    A question as its bidder sees it.

    Parameters
    ----------
    query, bidder, book, market, rules
        The question, whom it was asked, in which auction.
    known
        The bidder's bids for bundles that it can be given.
    """
    prices = query.query.prices
    if prices is not None:
        demand = book.demands.get(query.query.id)
        bundle = demand.bundle if demand else (0,) * market.num_goods
        is_open = query.status == "open"
        return QuestionView(
            query.query.id,
            query.round,
            query.query.type,
            bundle,
            counts(bundle, market),
            in_words(bundle, market),
            why_asked(query.query, bidder, market, rules),
            (),
            query.status,
            None,
            prices,
            demand.bundle if demand else None,
            at_prices(prices, known, book, market) if is_open else (),
        )
    bundle = query.query.bundle
    report = book.reports.get(bundle)
    return QuestionView(
        query.query.id,
        query.round,
        query.query.type,
        bundle,
        counts(bundle, market),
        in_words(bundle, market),
        why_asked(query.query, bidder, market, rules),
        earlier(bundle, {b: r.units for b, r in book.reports.items()}, market),
        query.status,
        report.units if report else None,
    )


def at_prices(
    prices: tuple[int, ...], known: Mapping[Bundle, int], book: Book, market: Market
) -> tuple[AtPrices, ...]:
    """The bundles that leave most at some prices, as far as earlier answers tell."""
    bundles = list(known)
    costs = np.array(bundles, dtype=np.int64).reshape(-1, len(prices)) @ np.array(prices)
    rows = sorted(
        zip(bundles, costs.tolist(), strict=True), key=lambda row: (row[1] - known[row[0]], row[0])
    )
    return tuple(
        AtPrices(b, in_words(b, market), known[b], b not in book.reports, price, known[b] - price)
        for b, price in rows[:MOST_EARLIER]
    )


def can_be_given(bids: Mapping[Bundle, int], market: Market, bidder: int) -> dict[Bundle, int]:
    """Bids for bundles within the bidder's limits; the full bundle may be beyond them."""
    if not bids:
        return {}
    allowed = market.allows(bidder, np.array(list(bids), dtype=np.int64))
    return {b: units for (b, units), is_in in zip(bids.items(), allowed, strict=True) if is_in}


def earlier(bundle: Bundle, reports: dict[Bundle, int], market: Market) -> tuple[Earlier, ...]:
    """Own reports near a bundle: the largest part, the smallest whole, one copy's difference."""
    others = {b: u for b, u in reports.items() if b != bundle}
    parts = [b for b in others if is_part(b, bundle)]
    wholes = [b for b in others if is_part(bundle, b)]
    chosen: dict[Bundle, str] = {}
    if parts:
        chosen[max(parts, key=lambda b: (sum(b), others[b], b))] = "part"
    if wholes:
        chosen.setdefault(min(wholes, key=lambda b: (sum(b), others[b], b)), "whole")
    for other in sorted(others):
        if sum(abs(a - b) for a, b in zip(other, bundle, strict=True)) == 1:
            chosen.setdefault(other, "near")
    return tuple(
        Earlier(b, in_words(b, market), others[b], relation)
        for b, relation in list(chosen.items())[:MOST_EARLIER]
    )
