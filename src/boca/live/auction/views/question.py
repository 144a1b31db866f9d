"""One question to a bidder, with its reasons and own answers near it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boca.core.market import Market
from boca.live.auction.activity import count_points
from boca.live.auction.choices import cost
from boca.live.auction.events import Bundle
from boca.live.auction.reasons import why_asked
from boca.live.auction.sentence import Sentence
from boca.live.auction.state import Book, LiveState, QueryState, QueryStatus
from boca.live.auction.warnings import NO_RANGES, is_part

MOST_EARLIER = 4


@dataclass(frozen=True)
class Earlier:
    """
    An earlier answer that helps with a question.

    Parameters
    ----------
    bundle, units, most
        What was reported; ``most`` is the end of a range, None for a single value.
    relation
        ``part`` (the largest reported part), ``whole`` (the smallest reported whole) or ``near``
        (differs by one copy).
    """

    bundle: Bundle
    units: int
    relation: str
    most: int | None = None


@dataclass(frozen=True)
class AtPrices:
    """
    A bundle that the bidder has spoken of, at the prices of a demand query.

    Parameters
    ----------
    bundle
        Which one.
    units, is_proven
        Its reported value; or, if proven, the least that it is worth by earlier choices.
    cost
        What it costs at these prices.
    is_paid
        Whether a supplier is paid these prices; then the units are what it needs, at most.
    is_range
        Whether a range was given, of which the units are the lower end.
    """

    bundle: Bundle
    units: int
    is_proven: bool
    cost: int
    is_paid: bool = False
    is_range: bool = False

    @property
    def is_least(self) -> bool:
        """Whether the bundle may be worth more than the units."""
        return self.is_proven or self.is_range

    @property
    def left(self) -> int:
        """What would be left of its value, or of what is paid for it."""
        return self.cost - self.units if self.is_paid else self.units - self.cost


@dataclass(frozen=True)
class QuestionView:
    """
    One question to the bidder.

    Parameters
    ----------
    asked
        The question and what became of it.
    reasons
        Why it is asked.
    earlier
        Own reports near it, at most four; for a value query.
    units, most
        The reported value, None where there is none, and the end of a range.
    demand
        What is wanted at the announced prices, once answered.
    at_prices
        Bundles that would leave most at these prices by earlier answers, at most four; for an open
        demand query.
    eligibility
        The most points that a chosen bundle may have; None without the activity rule.
    """

    asked: QueryState
    reasons: tuple[Sentence, ...]
    earlier: tuple[Earlier, ...] = ()
    units: int | None = None
    most: int | None = None
    demand: Bundle | None = None
    at_prices: tuple[AtPrices, ...] = ()
    eligibility: int | None = None

    @property
    def id(self) -> str:
        return self.asked.query.id

    @property
    def round(self) -> int:
        return self.asked.round

    @property
    def type(self) -> str:
        """Whether it wants a ``value`` or, as a ``demand`` query, a bundle at prices."""
        return self.asked.query.type

    @property
    def prices(self) -> tuple[int, ...] | None:
        """Of one copy of each good in units, for a demand query; None for a value query."""
        return self.asked.query.prices

    @property
    def status(self) -> QueryStatus:
        return self.asked.status

    @property
    def is_open(self) -> bool:
        return self.status == "open"

    @property
    def bundle(self) -> Bundle:
        """What it asks about; for a demand query what is wanted, and nothing while it is open."""
        if self.prices is None:
            return self.asked.query.bundle
        return self.demand or (0,) * len(self.prices)

    @property
    def cost(self) -> int:
        """What the wanted bundle costs; 0 where no prices were announced."""
        return 0 if self.prices is None else cost(self.bundle, self.prices)


def question(
    state: LiveState, bidder: int, asked: QueryState, known: Mapping[Bundle, int]
) -> QuestionView:
    """
    A question as its bidder sees it.

    Parameters
    ----------
    state, bidder, asked
        The auction, whom it asked, and what.
    known
        The bidder's bids for bundles that it can be given.
    """
    rules, market = state.setup
    book, query = state.books[bidder], asked.query
    reasons = why_asked(query, bidder, market, rules)
    if query.prices is not None:
        demand = book.demands.get(query.id)
        most, points = state.eligibility(bidder, asked.round), rules.points_of(market)
        if most is not None:
            known = {b: units for b, units in known.items() if count_points(b, points) <= most}
        return QuestionView(
            asked,
            reasons,
            demand=demand.bundle if demand else None,
            at_prices=(
                at_prices(query.prices, known, book, market.sense == "buy")
                if asked.status == "open"
                else ()
            ),
            eligibility=most,
        )
    report = book.reports.get(query.bundle)
    return QuestionView(
        asked,
        reasons,
        earlier=earlier(query.bundle, book.values, book.mosts),
        units=report.units if report else None,
        most=report.most if report else None,
    )


def at_prices(
    prices: tuple[int, ...], known: Mapping[Bundle, int], book: Book, is_paid: bool = False
) -> tuple[AtPrices, ...]:
    """The bundles that leave most at some prices, as far as earlier answers tell."""
    bundles = list(known)
    costs = np.array(bundles, dtype=np.int64).reshape(-1, len(prices)) @ np.array(prices)
    rows = [
        AtPrices(
            bundle,
            known[bundle],
            bundle not in book.reports,
            price,
            is_paid,
            is_range=bundle in book.mosts,
        )
        for bundle, price in zip(bundles, costs.tolist(), strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.left, row.bundle))[:MOST_EARLIER])


def can_be_given(bids: Mapping[Bundle, int], market: Market, bidder: int) -> dict[Bundle, int]:
    """Bids for bundles within the bidder's limits; the full bundle may be beyond them."""
    if not bids:
        return {}
    allowed = market.allows(bidder, np.array(list(bids), dtype=np.int64))
    return {b: units for (b, units), is_in in zip(bids.items(), allowed, strict=True) if is_in}


def earlier(
    bundle: Bundle, reports: Mapping[Bundle, int], mosts: Mapping[Bundle, int] = NO_RANGES
) -> tuple[Earlier, ...]:
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
    rows = list(chosen.items())[:MOST_EARLIER]
    return tuple(Earlier(b, others[b], relation, mosts.get(b)) for b, relation in rows)
