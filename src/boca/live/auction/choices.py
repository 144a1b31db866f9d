"""
What a bidder's choices at announced prices prove about its values, exactly, in whole units.

Who wants bundle d at prices p says that no other bundle x it can have leaves it more,
``v(x) - p x <= v(d) - p d``. All amounts are integers and nothing is divided, so whoever has the
log gets the same numbers. Sums stay far below 2^63, since prices of everything together are below
2^53 (:mod:`boca.live.auction.job_results`) and a bidder answers at most some hundred questions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boca.core.market import Market
from boca.live.auction.events import Bundle

# Smaller than any sum of amounts, and far enough from the end of 64 bits to be added to.
UNKNOWN = -(2**62)
# Statements that a chain may join where answers contradict one another.
SHORT_CHAIN = 2


@dataclass(frozen=True)
class PricedChoice:
    """
    The bundle that a bidder wants at prices.

    Parameters
    ----------
    prices, bundle
        Price of one copy of each good, in units, and what it wants.
    points, eligibility
        Points of one copy of each good, and the most that a chosen bundle could have; empty and
        None without the activity rule.
    """

    prices: tuple[int, ...]
    bundle: Bundle
    points: tuple[int, ...] = ()
    eligibility: int | None = None

    def could_be(self, bundles: np.ndarray) -> np.ndarray:
        """Whether the activity rule let each row of ``bundles`` be chosen instead."""
        if self.eligibility is None:
            return np.ones(len(bundles), dtype=bool)
        could: np.ndarray = bundles @ np.array(self.points, dtype=np.int64) <= self.eligibility
        return could

    def cost(self, bundle: Bundle) -> int:
        """What a bundle costs at these prices."""
        return cost(bundle, self.prices)


def cost(bundle: Iterable[int], prices: Iterable[int]) -> int:
    """What a bundle costs."""
    return sum(n * price for n, price in zip(bundle, prices, strict=True))


def proven_bids(
    reports: Mapping[Bundle, int],
    choices: Sequence[PricedChoice],
    market: Market,
    bidder: int,
    most: int,
) -> dict[Bundle, int]:
    """
    What decides the outcome: reported values, and what choices prove about other bundles.

    A wanted bundle d without a report is worth at least ``p d + max(b(k) - p k)`` for every choice
    of it, where k runs over the bundles that could have been chosen instead: reported ones, wanted
    ones, both as far as their points allow, and nothing, which is worth 0. Such a bound b may raise
    others, so all are computed again from those of the pass before, beginning with 0, until none
    changes. If they still change in the pass after as many passes as there are bundles, then the
    choices contradict one another, and each wanted bundle counts with the highest price at which it
    was wanted. No bid exceeds the bidder's spending cap, or the largest value of the rules.

    Parameters
    ----------
    reports
        Bundle -> last reported value.
    choices
        The last answer to each demand query.
    market, bidder
        Whose answers they are; reported bundles beyond its limits could not have been chosen.
    most
        The largest bid of this bidder.
    """
    wanted = list(
        dict.fromkeys(c.bundle for c in choices if any(c.bundle) and c.bundle not in reports)
    )
    if not wanted:
        return dict(reports)
    if market.sense == "buy":
        return {**reports, **_proven_offers(wanted, reports, choices, market, bidder)}
    bundles = set(wanted)
    proofs = [choice for choice in choices if choice.bundle in bundles]
    fixed = {(0,) * market.num_goods: 0, **_allowed(reports, market, bidder)}
    prices = np.array([choice.prices for choice in proofs], dtype=np.int64)
    rows = np.array([*wanted, *fixed], dtype=np.int64)
    costs = prices @ rows.T  # (num_choices, num_bundles)
    could = np.array([choice.could_be(rows) for choice in proofs])  # (num_choices, num_bundles)
    place = np.array([wanted.index(choice.bundle) for choice in proofs])
    own = costs[np.arange(len(proofs)), place]
    known = np.array(list(fixed.values()), dtype=np.int64)

    bounds = np.zeros(len(wanted), dtype=np.int64)
    for _ in range(len(wanted) + 1):
        before = bounds
        surplus = np.where(could, np.concatenate([before, known]) - costs, UNKNOWN)
        bounds = before.copy()
        np.maximum.at(bounds, place, own + surplus.max(axis=1))
        if (bounds == before).all():
            break
    else:
        bounds = np.zeros_like(bounds)
        np.maximum.at(bounds, place, own)
    proven = np.minimum(bounds, most).tolist()
    return {**reports, **dict(zip(wanted, proven, strict=True))}


def _proven_offers(
    wanted: Sequence[Bundle],
    reports: Mapping[Bundle, int],
    choices: Sequence[PricedChoice],
    market: Market,
    bidder: int,
) -> dict[Bundle, int]:
    """
    The most that a supplier needs for bundles that it would supply at announced prices.

    The mirror image of :func:`proven_bids`: ``p d - max(p k - b(k))``, beginning with the lowest
    prices p d at which each was chosen, and these prices where the choices contradict one another.
    """
    place_of = {bundle: k for k, bundle in enumerate(wanted)}
    proofs = [choice for choice in choices if choice.bundle in place_of]
    fixed = {(0,) * market.num_goods: 0, **_allowed(reports, market, bidder)}
    prices = np.array([choice.prices for choice in proofs], dtype=np.int64)
    paid = prices @ np.array([*wanted, *fixed], dtype=np.int64).T  # (num_choices, num_bundles)
    place = np.array([place_of[choice.bundle] for choice in proofs])
    own = paid[np.arange(len(proofs)), place]
    known = np.array(list(fixed.values()), dtype=np.int64)
    lowest = np.full(len(wanted), -UNKNOWN, dtype=np.int64)
    np.minimum.at(lowest, place, own)

    bounds = lowest
    for _ in range(len(wanted) + 1):
        before = bounds
        needs = np.concatenate([before, known]) - paid  # (num_choices, num_bundles)
        bounds = before.copy()
        np.minimum.at(bounds, place, own + needs.min(axis=1))
        if (bounds == before).all():
            break
    else:
        bounds = lowest
    return dict(zip(wanted, np.maximum(bounds, 0).tolist(), strict=True))


class Evidence:
    """
    What reports and choices say about differences of values.

    In a purchase v is minus what a supplier needs, and prices are what it is paid; so all signs
    change, and more never has a larger v.

    Every statement is of the form ``v(y) >= v(x) + w``. A choice of y at prices p over x says it
    with ``w = p y - p x``, a report of y over nothing with its value, nothing over a reported x
    with minus its value, and a bundle y that contains x with 0. Chains of statements add up.

    Parameters
    ----------
    reports, choices, market, bidder
        As in :func:`proven_bids`.
    others
        Further bundles that questions are about.
    mosts
        Bundle -> the end of its range, for reports that are ranges.
    """

    def __init__(
        self,
        reports: Mapping[Bundle, int],
        choices: Sequence[PricedChoice],
        market: Market,
        bidder: int,
        others: Iterable[Bundle] = (),
        mosts: Mapping[Bundle, int] | None = None,
    ):
        ends = mosts or {}
        self.nothing = (0,) * market.num_goods
        choice_bundles = [choice.bundle for choice in choices]
        self.bundles = list(dict.fromkeys((self.nothing, *reports, *choice_bundles, *others)))
        self.place = {bundle: k for k, bundle in enumerate(self.bundles)}
        self.rows = np.array(self.bundles, dtype=np.int64)
        self.can_have = np.array(market.allows(bidder, self.rows), dtype=bool)
        self.sign = -1 if market.sense == "buy" else 1
        # Row x, column y: the w of the strongest single statement.
        self.links = np.full((len(self.bundles), len(self.bundles)), UNKNOWN, dtype=np.int64)
        for y, row in enumerate(self.rows):
            is_less = self.rows <= row if self.sign > 0 else self.rows >= row
            self.links[is_less.all(axis=1), y] = 0
        for bundle, units in reports.items():
            self._link(self.place[self.nothing], self.place[bundle], self.sign * units)
            end = ends.get(bundle, units)
            self._link(self.place[bundle], self.place[self.nothing], -self.sign * end)
        for choice in choices:
            y = self.place[choice.bundle]
            costs = self._costs(choice)
            is_open = self.can_have & choice.could_be(self.rows)
            more = np.where(is_open, costs[y] - costs, UNKNOWN)
            self.links[:, y] = np.maximum(self.links[:, y], more)

    def _costs(self, choice: PricedChoice) -> np.ndarray:
        """What every bundle costs at the prices of a choice; less than 0 for what is paid."""
        costs: np.ndarray = self.rows @ (self.sign * np.array(choice.prices, dtype=np.int64))
        return costs

    def _link(self, x: int, y: int, more: int) -> None:
        self.links[x, y] = max(int(self.links[x, y]), more)

    def better(self, choice: PricedChoice) -> tuple[Bundle, int] | None:
        """
        What would have left more than the bundle of a choice, and how much more at least.

        Parameters
        ----------
        choice
            An answer that is not part of the evidence, for one of its bundles.
        """
        costs = self._costs(choice)
        place = self.place[choice.bundle]
        more = _chains(self.links, place)
        is_known = self.can_have & choice.could_be(self.rows) & (more > UNKNOWN)
        gains = np.where(is_known, more + costs[place] - costs, 0)
        best = int(gains.argmax())
        return (self.bundles[best], int(gains[best])) if gains[best] > 0 else None

    def least(self) -> dict[Bundle, int]:
        """The least that every bundle is worth, or that a supplier needs for it."""
        links = self.links if self.sign > 0 else self.links.T
        more = _chains(links, self.place[self.nothing])
        return dict(zip(self.bundles, np.maximum(more, 0).tolist(), strict=True))

    def most(self) -> dict[Bundle, int]:
        """The most that bundles are worth; those that nothing bounds are left out."""
        links = self.links.T if self.sign > 0 else self.links
        less = _chains(links, self.place[self.nothing])
        rows = zip(self.bundles, less.tolist(), strict=True)
        return {bundle: -units for bundle, units in rows if units > UNKNOWN}


def _chains(links: np.ndarray, start: int) -> np.ndarray:
    """
    The strongest chain of statements from one bundle to every other, ``(num_bundles,)``.

    Where answers contradict one another, chains around the contradiction would grow without end;
    then short ones have to do.
    """
    single = np.full(len(links), UNKNOWN, dtype=np.int64)
    single[start] = 0
    best = single
    for _ in range(len(links)):
        longer = _longer(best, links)
        if (longer == best).all():
            return best
        best = longer
    best = single
    for _ in range(SHORT_CHAIN):
        best = _longer(best, links)
    return best


def _longer(best: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Chains with one more statement, where that makes them stronger."""
    sums = best[:, None] + links
    sums[(best <= UNKNOWN // 2)[:, None] | (links <= UNKNOWN // 2)] = UNKNOWN
    return np.asarray(np.maximum(best, sums.max(axis=0)))


def _allowed(reports: Mapping[Bundle, int], market: Market, bidder: int) -> dict[Bundle, int]:
    """Reported bundles that the bidder can be given."""
    if not reports:
        return {}
    allowed = market.allows(bidder, np.array(list(reports), dtype=np.int64))
    return {
        bundle: units
        for (bundle, units), is_allowed in zip(reports.items(), allowed, strict=True)
        if is_allowed
    }
