"""A bidder's reports as they count now."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.events import Bundle
from boca.live.auction.state import Book, LiveState
from boca.live.auction.views.setup import counts, in_words
from boca.live.auction.warnings import Warning, breaches


@dataclass(frozen=True)
class AnswerRow:
    """
    One own report.

    Parameters
    ----------
    bundle, counts, words, units
        What is worth how much.
    round, at, receipt
        When it was taken last, and the hash of the receipt.
    query
        The question it answers; None for a push.
    can_correct
        Whether the rules permit another value now.
    breaches
        Own reports with which it does not go together.
    """

    bundle: Bundle
    counts: dict[str, int]
    words: str
    units: int
    round: int
    at: datetime
    receipt: str
    query: str | None
    can_correct: bool
    breaches: tuple[Warning, ...]


def answers(state: LiveState, book: Book) -> tuple[AnswerRow, ...]:
    """A bidder's reports, first to last."""
    rules, market = state.setup
    pairs = breaches({bundle: report.units for bundle, report in book.reports.items()})
    is_open = state.phase == "open"
    rows = []
    for bundle, report in book.reports.items():
        permitted = rules.corrections == "always" or (
            rules.corrections == "round" and report.round == state.round
        )
        rows.append(
            AnswerRow(
                bundle,
                counts(bundle, market),
                in_words(bundle, market),
                report.units,
                report.round,
                report.at,
                report.hash,
                report.query,
                is_open and permitted,
                tuple(w for w in pairs if bundle in (w.bundle, w.other)),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.at, row.bundle)))
