"""
What a bidder's choices reveal about its values (Samuelson, 1938; Ausubel and Baranov, 2020).

Who wants bundle d at prices p says that no bundle x it can have is more profitable,
``v(x) - p x <= v(d) - p d``. Read one way this bounds the value of x from above, read the other
way the value of d from below. Both hold for truthful bidders with monotone values, and only for
bundles within the bidder's limits: others were no alternative.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.bundle import bundle_keys
from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.frozen import set_fields
from boca.core.market import Market
from boca.core.report import Reports
from boca.functions.arrays import as_rows, blocks, contained, frozen, frozen_capacities

# Growth, relative to the largest value, below which a bound has settled.
SETTLED = 1e-12


def lower_bids(
    reports: Reports, demands: Demands, market: Market, bidder: int, room: float = 0.0
) -> Reports:
    """
    Provable lower bounds for wanted bundles without a reported value; bids that nobody made.

    ``lower(d) = max over answers that chose d of p d + max_k (lower(k) - p k)``, where k runs over
    the valued bundles, the wanted ones and the empty one. One bound can raise another, so this is
    repeated until nothing changes. Answers that contradict one another would raise their bounds
    for ever; then each wanted bundle counts with the highest price at which it was wanted. The
    empty bundle is not among the bids.

    Parameters
    ----------
    reports, demands
        What the bidder has answered.
    market, bidder
        Whose answers they are; valued bundles beyond the bidder's limits say nothing here.
    room
        By how much the profit of a choice may fall short of the best one's.
    """
    if not len(demands):
        return Reports.empty(market.num_goods)
    wanted, place = _distinct(demands.bundles)
    # Limits hold for the bidder's choice, so nothing follows from what it could not choose.
    allowed = market.allows(bidder, reports.bundles)
    valued = dict(zip(bundle_keys(reports.bundles), reports.values.tolist(), strict=True))
    known = np.array([key in valued for key in bundle_keys(wanted)], dtype=bool)
    known |= ~wanted.any(axis=1)  # nothing is worth nothing
    lower = np.array([valued.get(key, 0.0) for key in bundle_keys(wanted)])

    others = np.concatenate([wanted, reports.bundles[allowed], np.zeros_like(wanted[:1])])
    fixed = np.concatenate([reports.values[allowed], np.zeros(len(wanted[:1]))])
    costs = demands.prices @ others.T  # (num_answers, num_others)
    own = (demands.prices * demands.bundles).sum(axis=1)
    largest = max(reports.values.max(initial=0.0), own.max(initial=0.0))
    for _ in range(len(wanted) + 1):
        profits = np.concatenate([lower, fixed]) - costs  # (num_answers, num_others)
        raised = lower.copy()
        np.maximum.at(raised, place, own + profits.max(axis=1) - room)
        raised = np.where(known, lower, raised)
        if (raised <= lower + SETTLED * largest).all():
            break
        lower = raised
    else:
        lower = np.zeros(len(wanted))
        np.maximum.at(lower, place, own - room)
    return Reports(wanted[~known], lower[~known])


def upper_offers(reports: Reports, demands: Demands, market: Market, bidder: int) -> Reports:
    """
    What bundles without a reported cost cost at most that a supplier would supply at prices.

    ``upper(d) = min over answers that chose d of p d + min_k (upper(k) - p k)``, where k runs over
    the bundles whose cost is known, the chosen ones and the empty one; the mirror image of
    :func:`lower_bids`. A supplier that would supply d at p does so for p d, whatever d costs it.
    Answers that contradict one another count with the lowest price at which each was chosen.

    Parameters
    ----------
    reports, demands, market, bidder
        As in :func:`lower_bids`.
    """
    chosen, place = _distinct(demands.bundles)
    allowed = market.allows(bidder, reports.bundles)
    costs = dict(zip(bundle_keys(reports.bundles), reports.values.tolist(), strict=True))
    known = np.array([key in costs for key in bundle_keys(chosen)], dtype=bool)
    known |= ~chosen.any(axis=1)
    own = (demands.prices * demands.bundles).sum(axis=1)
    paid = np.full(len(chosen), np.inf)
    np.minimum.at(paid, place, own)
    upper = np.array(
        [costs.get(key, most) for key, most in zip(bundle_keys(chosen), paid, strict=True)]
    )

    others = np.concatenate([chosen, reports.bundles[allowed]])
    prices = demands.prices @ others.T  # (num_answers, num_others)
    largest = max(reports.values.max(initial=0.0), own.max(initial=0.0))
    for _ in range(len(chosen) + 1):
        least = (np.concatenate([upper, reports.values[allowed]]) - prices).min(axis=1)
        lowered = upper.copy()
        np.minimum.at(lowered, place, own + least)
        lowered = np.where(known, upper, lowered)
        if (lowered >= upper - SETTLED * largest).all():
            break
        upper = lowered
    else:
        upper = paid
    return Reports(chosen[~known], np.maximum(upper[~known], 0.0))


def with_lower_bids(reports: Reports, demands: Demands, market: Market, bidder: int) -> Reports:
    """Everything that a bidder has bid or offered: its reports, and what its choices prove."""
    if not len(demands):
        return reports
    reveal = lower_bids if market.sense == "sell" else upper_offers
    bids = reveal(reports, demands, market, bidder)
    return reports.add(bids.bundles, bids.values)


@dataclass(frozen=True, eq=False)
class RevealedBound:
    """
    The most a bundle can be worth, given values and choices of a truthful, monotone bidder.

    ``upper(x) = min(min_k value_k over reported bundles that contain x, min_d offset_d + p_d x)``
    with ``offset_d = upper(d) - p_d d``. It holds for bundles within the bidder's limits, and is
    infinite where nothing bounds the value.

    Parameters
    ----------
    bundles, values
        Reported bundles ``(num_reports, num_goods)`` and the most that each is worth, ascending.
    offsets, prices
        Constant and slopes of a linear bound for each choice, ``(num_choices,)`` and
        ``(num_choices, num_goods)``.
    capacities
        Copies of each good ``(num_goods,)``.
    """

    bundles: np.ndarray
    values: np.ndarray
    offsets: np.ndarray
    prices: np.ndarray
    capacities: np.ndarray

    def __post_init__(self) -> None:
        num_goods = len(self.capacities)
        bundles = frozen(self.bundles, (-1, num_goods), "bundles").astype(np.int64)
        values = frozen(self.values, (len(bundles),), "values")
        prices = frozen(self.prices, (-1, num_goods), "prices")
        if (np.diff(values) < 0).any():
            raise InputError("Received values that fall; expected reports sorted by value.")
        if (prices < 0).any():
            raise InputError("Received a negative price; expected at least 0.")
        bundles.flags.writeable = False
        set_fields(
            self,
            bundles=bundles,
            values=values,
            prices=prices,
            offsets=frozen(self.offsets, (len(prices),), "offsets"),
            capacities=frozen_capacities(self.capacities, num_goods),
        )

    @classmethod
    def from_answers(
        cls, reports: Reports, demands: Demands, market: Market, bidder: int, room: float = 0.0
    ) -> "RevealedBound | None":
        """
        The bound that a bidder's answers give; None where it would be infinite everywhere.

        Parameters
        ----------
        reports, demands
            What the bidder has answered.
        market, bidder
            Whose answers they are.
        room
            By how much the profit of a choice may fall short of the best one's.
        """
        capacities = market.capacities
        bundles, values = _monotone(reports, capacities)
        by_reports = cls(bundles, values, np.zeros(0), np.zeros((0, len(capacities))), capacities)
        offsets = by_reports(demands.bundles)
        own = (demands.prices * demands.bundles).sum(axis=1)
        offsets = _tightened(offsets, demands, room) - own + room
        useful = np.isfinite(offsets)
        if not useful.any() and not len(values):
            return None
        return cls(bundles, values, offsets[useful], demands.prices[useful], capacities)

    @property
    def num_goods(self) -> int:
        return len(self.capacities)

    @property
    def top(self) -> float:
        """The reported value of the full bundle, which no bundle exceeds; infinite if unknown."""
        full = (self.bundles == self.capacities).all(axis=1)
        return float(self.values[full].min(initial=np.inf))

    @property
    def is_finite(self) -> bool:
        """Whether every bundle is bounded."""
        return len(self.offsets) > 0 or self.top < np.inf

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        bounds = np.empty(len(rows))
        width = max(1, len(self.values) + len(self.offsets), int(self.capacities.sum()))
        for block in blocks(len(rows), width):
            bounds[block] = np.minimum(self.by_reports(rows[block]), self.by_choices(rows[block]))
        return np.where(rows.any(axis=1), np.maximum(bounds, 0.0), 0.0)

    def by_reports(self, rows: np.ndarray) -> np.ndarray:
        """The smallest value of a reported bundle that contains each row."""
        if not len(self.values):
            return np.full(len(rows), np.inf)
        inside = contained(rows, self.bundles, self.capacities)  # (num_rows, num_reports)
        return np.where(inside.any(axis=1), self.values[inside.argmax(axis=1)], np.inf)

    def by_choices(self, rows: np.ndarray) -> np.ndarray:
        """The smallest of the linear bounds at each row."""
        linear = rows @ self.prices.T + self.offsets  # (num_rows, num_choices)
        return np.asarray(linear.min(axis=1, initial=np.inf))


def finite_bound(
    reports: Reports, demands: Demands, market: Market, bidder: int
) -> RevealedBound | None:
    """
    The bound that answers give, where it can be maximised: it is finite, and about values.

    Parameters
    ----------
    reports, demands, market, bidder
        As in :meth:`RevealedBound.from_answers`.
    """
    if market.sense == "buy":
        return None
    bound = RevealedBound.from_answers(reports, demands, market, bidder)
    return bound if bound is not None and bound.is_finite else None


def _distinct(bundles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each bundle once, in the order of first choice, and the place of every row among them."""
    places: dict[bytes, int] = {}
    order = [places.setdefault(key, len(places)) for key in bundle_keys(bundles)]
    first = np.array([order.index(k) for k in range(len(places))], dtype=np.int64)
    return bundles[first], np.array(order, dtype=np.int64)


def _monotone(reports: Reports, capacities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Reports sorted by the most that they are worth, none below a part of its bundle.

    Where somebody reports more for a part than for the whole, the whole counts as much as the
    part, so that a bound is never below a report.
    """
    bundles, values = reports.bundles, reports.highs
    if not len(values):
        return bundles, values
    parts = contained(bundles, bundles, capacities)  # row is part of column
    values = np.maximum(values, np.where(parts, reports.values[:, None], 0.0).max(axis=0))
    order = np.argsort(values, kind="stable")
    return bundles[order], values[order]


def _tightened(upper: np.ndarray, demands: Demands, room: float) -> np.ndarray:
    """
    Bounds of the wanted bundles, each lowered by the choices of the others until they settle.

    Truthful answers settle within as many passes as there are; contradicting ones never would.
    """
    own = (demands.prices * demands.bundles).sum(axis=1)
    # What bundle d costs more than the bundle chosen in answer e, at the prices of e.
    extra = demands.bundles @ demands.prices.T - own  # (d, e)
    for _ in range(len(upper)):
        upper = np.minimum(upper, (upper + extra + room).min(axis=1, initial=np.inf))
    return np.asarray(np.maximum(upper, 0.0))
