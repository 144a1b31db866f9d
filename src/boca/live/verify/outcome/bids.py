"""
What decides the outcome: reported values, and what choices at announced prices prove.

The computation is the one of ``docs/live_log.md`` ("Bids"), in whole numbers of Python.
"""

from collections.abc import Sequence
from itertools import chain

from boca.live.verify.bodies import Bundle
from boca.live.verify.questions import Demanded, LoggedBook
from boca.live.verify.setup import LoggedSetup


def bids_of(setup: LoggedSetup, bidder: int, book: LoggedBook) -> dict[Bundle, int]:
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
    demands = [w for w in book.demands.values() if any(w.bundle) and w.bundle not in reports]
    allowed = {bundle: units for bundle, units in reports.items() if setup.allows(bidder, bundle)}
    bounds = _bounds(demands, allowed)
    return {**reports, **{bundle: min(b, setup.most_units) for bundle, b in bounds.items()}}


def _bounds(demands: Sequence[Demanded], reports: dict[Bundle, int]) -> dict[Bundle, int]:
    """The least that wanted bundles are worth, as far as choices prove it."""
    bounds = dict.fromkeys((demand.bundle for demand in demands), 0)
    for _ in range(len(bounds) + 1):
        before, bounds = bounds, dict.fromkeys(bounds, 0)
        for demand in demands:
            others = chain(reports.items(), before.items())
            forgone = max((units - demand.price_of(k) for k, units in others), default=0)
            bound = demand.price_of(demand.bundle) + max(0, forgone)
            bounds[demand.bundle] = max(bounds[demand.bundle], bound)
        if bounds == before:
            return bounds
    # The choices contradict one another; what was wanted at a price is worth that price.
    highest = dict.fromkeys(bounds, 0)
    for demand in demands:
        highest[demand.bundle] = max(highest[demand.bundle], demand.price_of(demand.bundle))
    return highest
