"""
What decides the outcome: reported values, and what choices at announced prices prove.

The computation is the one of ``docs/live_log.md`` ("Bids"), in whole numbers of Python.
"""

from collections.abc import Sequence
from itertools import chain

from boca.live.verify.bodies import Bundle
from boca.live.verify.questions import Book, Wished
from boca.live.verify.setup import Setup


def bids_of(setup: Setup, bidder: int, book: Book) -> dict[Bundle, int]:
    """
    A bidder's bids: bundle -> units.

    Parameters
    ----------
    setup
        Limits, and the largest value.
    bidder, book
        Who, and what it said.
    """
    reports = {bundle: report.units for bundle, report in book.reports.items()}
    wishes = [w for w in book.wishes.values() if any(w.bundle) and w.bundle not in reports]
    allowed = {bundle: units for bundle, units in reports.items() if setup.allows(bidder, bundle)}
    bounds = _bounds(wishes, allowed)
    return {**reports, **{bundle: min(b, setup.most_units) for bundle, b in bounds.items()}}


def _bounds(wishes: Sequence[Wished], reports: dict[Bundle, int]) -> dict[Bundle, int]:
    """The least that wanted bundles are worth, as far as choices prove it."""
    bounds = dict.fromkeys((wish.bundle for wish in wishes), 0)
    for _ in range(len(bounds) + 1):
        before, bounds = bounds, dict.fromkeys(bounds, 0)
        for wish in wishes:
            others = chain(reports.items(), before.items())
            forgone = max((units - wish.price_of(k) for k, units in others), default=0)
            bound = wish.price_of(wish.bundle) + max(0, forgone)
            bounds[wish.bundle] = max(bounds[wish.bundle], bound)
        if bounds == before:
            return bounds
    # The choices contradict one another; what was wanted at a price is worth that price.
    highest = dict.fromkeys(bounds, 0)
    for wish in wishes:
        highest[wish.bundle] = max(highest[wish.bundle], wish.price_of(wish.bundle))
    return highest
