"""One question to a bidder, with its reasons and own answers near it."""

from dataclasses import dataclass

from boca.core.market import Market
from boca.server.live.events import Bundle
from boca.server.live.reasons import why_asked
from boca.server.live.rules import Rules
from boca.server.live.sentence import Sentence
from boca.server.live.state import Book, QueryState
from boca.server.live.views.setup import counts, in_words
from boca.server.live.warnings import is_part

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
class Question:
    """
    One question to the bidder.

    Parameters
    ----------
    id, round, type
        Which one, when asked, and whether it wants a value or (later) a bundle at prices.
    bundle, counts, words
        What it asks about: copies of each good, by name without zeros, in words.
    reasons
        Why it is asked.
    earlier
        Own reports near it, at most four.
    status, units
        What became of it, and the reported value.
    prices
        Of one copy of each good in units, for a demand query; None for a value query.
    wish
        What is wanted at these prices, once answered; ``bundle`` and ``words`` show it too.
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
    wish: Bundle | None = None


def question(query: QueryState, book: Book, market: Market, rules: Rules) -> Question:
    """A question as its bidder sees it."""
    wish = book.wishes.get(query.query.id)
    bundle = query.query.bundle
    if query.query.type == "demand":
        bundle = wish.bundle if wish else (0,) * market.num_goods
    report = book.reports.get(bundle)
    return Question(
        query.query.id,
        query.round,
        query.query.type,
        bundle,
        counts(bundle, market),
        in_words(bundle, market),
        why_asked(query.query, market, rules),
        earlier(bundle, {b: r.units for b, r in book.reports.items()}, market),
        query.status,
        report.units if report else None,
        query.query.prices,
        wish.bundle if wish else None,
    )


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
