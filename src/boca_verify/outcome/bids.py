"""
What decides the outcome: reported values, and what choices at announced prices prove.

The computation is the one of ``docs/live_log.md`` ("Bids"), in whole numbers of Python.
"""

from collections.abc import Sequence
from itertools import chain

from boca_verify.bodies import Body, Bundle, Damaged
from boca_verify.questions import Demanded, LoggedBook
from boca_verify.rules import LoggedSetup


def bids_of(setup: LoggedSetup, bidder: int, book: LoggedBook) -> dict[Bundle, int]:
    """
    A bidder's bids: bundle -> units.

    Parameters
    ----------
    setup
        Limits, points, and the largest bid.
    bidder, book
        Who, and what it said.
    """
    reports = {bundle: report.units for bundle, report in book.reports.items()}
    demands = [w for w in book.demands.values() if any(w.bundle) and w.bundle not in reports]
    allowed = {bundle: units for bundle, units in reports.items() if setup.allows(bidder, bundle)}
    if setup.kind == "buy":
        return {**reports, **_offers(demands, allowed)}
    bounds, most = _bounds(setup, demands, allowed), setup.most_of(bidder)
    return {**reports, **{bundle: min(b, most) for bundle, b in bounds.items()}}


def _bounds(
    setup: LoggedSetup, demands: Sequence[Demanded], reports: dict[Bundle, int]
) -> dict[Bundle, int]:
    """The least that wanted bundles are worth, as far as choices prove it."""
    bounds = dict.fromkeys((demand.bundle for demand in demands), 0)
    for _ in range(len(bounds) + 1):
        before, bounds = bounds, dict.fromkeys(bounds, 0)
        for demand in demands:
            others = chain(reports.items(), before.items())
            most = demand.eligibility
            could_be = [row for row in others if most is None or setup.points_of(row[0]) <= most]
            forgone = max((units - demand.price_of(k) for k, units in could_be), default=0)
            bound = demand.price_of(demand.bundle) + max(0, forgone)
            bounds[demand.bundle] = max(bounds[demand.bundle], bound)
        if bounds == before:
            return bounds
    # The choices contradict one another; what was wanted at a price is worth that price.
    highest = dict.fromkeys(bounds, 0)
    for demand in demands:
        highest[demand.bundle] = max(highest[demand.bundle], demand.price_of(demand.bundle))
    return highest


def _offers(demands: Sequence[Demanded], reports: dict[Bundle, int]) -> dict[Bundle, int]:
    """The most that a supplier needs for what it would supply, as far as choices prove it."""
    lowest: dict[Bundle, int] = {}
    for demand in demands:
        paid = demand.price_of(demand.bundle)
        lowest[demand.bundle] = min(lowest.get(demand.bundle, paid), paid)
    bounds = dict(lowest)
    for _ in range(len(bounds) + 1):
        before, bounds = bounds, dict(bounds)
        for demand in demands:
            others = chain(reports.items(), before.items())
            left = max((demand.price_of(k) - units for k, units in others), default=0)
            bound = demand.price_of(demand.bundle) - max(0, left)
            bounds[demand.bundle] = min(bounds[demand.bundle], bound)
        if bounds == before:
            return {bundle: max(units, 0) for bundle, units in bounds.items()}
    # The choices contradict one another; what would be supplied at a price is offered at it.
    return {bundle: max(units, 0) for bundle, units in lowest.items()}


def check_own_award(setup: LoggedSetup, book: LoggedBook, bidder: int, body: Body) -> None:
    """What one supplier was told, against its own offers; Damaged if it cannot be."""
    bundle, name = body.bundle("bundle", setup.num_goods), setup.name(bidder)
    units, payment = body.whole("units"), body.whole("payment")
    offer = bids_of(setup, bidder, book).get(bundle) if any(bundle) else 0
    if offer is None or not setup.allows(bidder, bundle):
        raise Damaged(f"{name} supplies {setup.words(bundle)}, which it never offered.")
    if units != offer:
        raise Damaged(
            f"it says that {name} asks {setup.money(units)}; it asks {setup.money(offer)}."
        )
    if payment < offer or (payment and not any(bundle)):
        raise Damaged(f"{name} is paid {setup.money(payment)} for {setup.money(offer)}.")


def check_own_trade(setup: LoggedSetup, book: LoggedBook, bidder: int, body: Body) -> None:
    """What one participant was told, against its own values; Damaged if it cannot be."""
    bundle, name = body.bundle("bundle", setup.num_goods), setup.name(bidder)
    units, payment = body.whole("units"), body.amount("payment")
    values = bids_of(setup, bidder, book)
    held = setup.market.bidders[bidder].endowment
    keeps = values.get(held, 0) if any(held) else 0
    if bundle == held:
        if payment:
            raise Damaged(f"{name} does not trade and pays {setup.money(payment)}.")
        return
    if any(bundle) and (bundle not in values or not setup.allows(bidder, bundle)):
        raise Damaged(f"{name} holds {setup.words(bundle)}, which it never valued.")
    value = values[bundle] if any(bundle) else 0
    if units != value:
        raise Damaged(
            f"it says that {name} values {setup.money(units)}; it said {setup.money(value)}."
        )
    if payment > value - keeps:
        raise Damaged(f"{name} pays {setup.money(payment)}, more than its trade is worth to it.")
