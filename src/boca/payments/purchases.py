"""
A purchase as a problem: offers at a cost; without a deal nobody supplies anything.

Every unit that is needed is covered by offers or bought outside at the at-most price; more than is
needed may be delivered. Outside sells as further owners, one for every power of two of a lot.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import common_decimals, in_units
from boca.core.report import LARGEST_VALUE, Reports
from boca.core.rule import Rule
from boca.payments.buyers_rules import Part, exactly, parts
from boca.payments.options import Options
from boca.payments.problem import Problem
from boca.payments.program import Chosen

# More than anything that is counted: bounds beyond are this.
FAR = 10**12
OF_SPEND = (
    "A rule about shares of what is spent makes it worth buying more to enlarge the whole, "
    "so nothing but payments as offered has a meaning. State it as a share of units."
)


def purchase(
    offers: Sequence[Reports], market: Market, at_most: np.ndarray, below: float = np.inf
) -> Problem | None:
    """
    Offers, and units from outside; None where rules leave a supplier no option at all.

    Parameters
    ----------
    offers
        One Reports object per supplier, checked.
    market
        Lots, suppliers with their limits, and rules.
    at_most
        Price of one unit of each lot outside, ``(num_lots,)``, infinite where there is none.
    below
        Offers and units outside that cost as much, or more, are left out.
    """
    made = _Purchase(offers, market, at_most, below)
    if not made.has_options:
        return None
    num, options = market.num_bidders, made.options
    firsts = options.firsts[:num]
    return Problem(
        market,
        options,
        made.bundles,
        options.worth,
        np.where(made.bundles[firsts].any(axis=1), -1, firsts),
        "award",
        most=made.most,
        start=made.start,
        needs_proof=True,
        unpayable=OF_SPEND if any(r.counts == "spend" and r.share for r in market.rules) else "",
    )


def checked_prices(at_most: np.ndarray | Sequence[float] | None, market: Market) -> np.ndarray:
    """Prices outside, ``(num_lots,)``; None means that nothing can be bought there."""
    if at_most is None:
        return np.full(market.num_goods, np.inf)
    prices = np.asarray(at_most, dtype=float)
    if prices.shape != (market.num_goods,) or np.isnan(prices).any() or (prices < 0).any():
        raise InputError(
            f"Received at-most prices {np.array2string(prices, threshold=6)}; expected a number of "
            f"at least 0, perhaps infinite, for each of the {market.num_goods} lots."
        )
    for good, price in zip(market.goods, prices.tolist(), strict=True):
        if LARGEST_VALUE < price < np.inf:
            raise InputError(
                f"The at-most price of '{good.name}' is {price:g}; expected at most "
                f"{LARGEST_VALUE:g}, or none. Choose another unit of money."
            )
    return prices


class _Purchase:
    """
    The offers of a market as options: suppliers first, then who sells outside.

    Parameters
    ----------
    offers, market, at_most, below
        As for :func:`purchase`.
    """

    def __init__(
        self,
        offers: Sequence[Reports],
        market: Market,
        at_most: np.ndarray,
        below: float = np.inf,
    ):
        self.market, self.at_most = market, at_most
        self.sold_at = np.where(at_most < below, at_most, np.inf)
        if below < np.inf:
            cheap = [report.values < below for report in offers]
            offers = [
                Reports(report.bundles[rows], report.values[rows])
                for report, rows in zip(offers, cheap, strict=True)
            ]
        finite = self.sold_at[np.isfinite(self.sold_at)]
        self.decimals = common_decimals(np.concatenate([finite, *(r.values for r in offers)]))
        self.options, self.bundles = self._build(offers)
        # Rules for each supplier may leave one without any option.
        num_suppliers = len(np.unique(self.options.owners[self.options.owners < len(offers)]))
        self.has_options = num_suppliers == len(offers)

    def _build(self, offers: Sequence[Reports]) -> tuple[Options, np.ndarray]:
        market, needed = self.market, self.market.capacities
        owners: list[int] = []
        bundles: list[np.ndarray] = []
        costs: list[np.ndarray] = []
        for i, report in enumerate(offers):
            delivered = np.minimum(report.bundles, needed)
            # A supplier's limits are about what it delivers, needed or not.
            is_allowed = within_limits(market, i, report.bundles) & delivered.any(axis=1)
            nothing = np.zeros((1, market.num_goods), dtype=np.int64)
            rows = np.flatnonzero(is_allowed)
            owners += [i] * (1 + len(rows))
            bundles += [nothing, report.bundles[rows]]
            costs += [np.zeros(1), in_units(report.values[rows], self.decimals)]
        all_owners, all_bundles = np.array(owners), np.concatenate(bundles)
        all_costs = np.concatenate(costs)
        ruled = self._parts_of_rules()
        kept = self._kept_by_single_rules(ruled, all_owners, all_bundles, all_costs)
        all_owners, all_bundles = all_owners[kept], all_bundles[kept]
        all_costs = all_costs[kept]
        uses, bounds = self._rows(ruled, all_owners, all_bundles, all_costs)
        extra = self._outside(uses.shape[1])
        options = Options(
            np.concatenate([all_owners, market.num_bidders + extra.owners]),
            np.concatenate([-all_costs, extra.worth]),
            np.concatenate([uses, extra.uses]),
            bounds,
            self.decimals,
            self._money_rows(ruled, all_owners, all_bundles, all_costs, -extra.worth),
        )
        return options, np.concatenate([all_bundles, -extra.uses[:, : market.num_goods]])

    def _parts_of_rules(self) -> list[tuple[Rule, Part]]:
        market = self.market
        units = 10 ** (self.decimals or 0)
        return [
            (rule, part)
            for rule in market.rules
            for part in parts(rule, market.capacities, market.num_bidders, units)
        ]

    def _kept_by_single_rules(
        self,
        ruled: Sequence[tuple[Rule, Part]],
        owners: np.ndarray,
        bundles: np.ndarray,
        costs: np.ndarray,
    ) -> np.ndarray:
        """Options that rules for each supplier allow: offers exclude each other, so no row."""
        kept = np.ones(len(owners), dtype=bool)
        delivered = np.minimum(bundles, self.market.capacities)
        wins = delivered.any(axis=1)
        for rule, part in ruled:
            if not part.is_alone:
                continue
            own = np.flatnonzero(kept & (owners == part.members[0]))
            amounts = exactly(rule.amounts(delivered[own], costs[own]))
            pairs = zip(amounts, wins[own].tolist(), strict=True)
            kept[own] = [part.holds(amount, is_won) for amount, is_won in pairs]
        return np.flatnonzero(kept)

    def _rows(
        self,
        ruled: Sequence[tuple[Rule, Part]],
        owners: np.ndarray,
        bundles: np.ndarray,
        costs: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Uses and bounds of lots, and of rules that several offers share and count no money."""
        needed = self.market.capacities
        delivered = np.minimum(bundles, needed)
        columns, bounds = [*(-delivered.T)], [*(-needed)]
        for rule, part in ruled:
            if rule.counts == "spend" or part.is_alone:
                continue
            inside = np.isin(owners, part.members)
            amounts = np.where(inside, rule.amounts(delivered, costs), 0).astype(np.int64)
            if part.most is not None:
                columns.append(amounts)
                bounds.append(min(floor(part.most), FAR))
            if part.least is not None:
                columns.append(-amounts)
                bounds.append(-min(ceil(part.least), FAR))
        return np.stack(columns, axis=1), np.array(bounds, dtype=np.int64)

    def _money_rows(
        self,
        ruled: Sequence[tuple[Rule, Part]],
        owners: np.ndarray,
        bundles: np.ndarray,
        costs: np.ndarray,
        outside: np.ndarray,
    ) -> tuple[tuple[np.ndarray, Fraction], ...]:
        """Rows about spend; what is bought outside is a part of all that is spent."""
        shared = [part for rule, part in ruled if rule.counts == "spend" and not part.is_alone]
        if not shared:
            return ()
        nobody = np.full(len(outside), -1)
        owners = np.concatenate([owners, nobody])
        is_nothing = np.concatenate([~bundles.any(axis=1), np.zeros(len(outside), dtype=bool)])
        paid = exactly(np.concatenate([costs, outside]))
        dearest = np.zeros(self.market.num_bidders)
        np.maximum.at(dearest, owners[: len(costs)], costs)
        most_spend = sum(exactly(np.concatenate([dearest, outside])), Fraction(0))
        rows: list[tuple[np.ndarray, Fraction]] = []
        for part in shared:
            inside = np.isin(owners, part.members)
            amounts = [c if own else Fraction(0) for c, own in zip(paid, inside, strict=True)]
            rows += part.rows(amounts, paid, (inside & is_nothing).tolist(), most_spend)
        return tuple(rows)

    def _outside(self, num_rows: int) -> Options:
        """Units from outside: one participant for every power of two of a lot that has a price."""
        owners, worth, uses = [], [], []
        participant = 0
        prices = in_units(self.sold_at, self.decimals)
        for lot, (price, needed) in enumerate(
            zip(prices.tolist(), self.market.capacities.tolist(), strict=True)
        ):
            for units in _powers(needed) if np.isfinite(price) else ():
                use = np.zeros((2, num_rows), dtype=np.int64)
                use[1, lot] = -units
                owners += [participant, participant]
                worth += [0.0, -units * price]
                uses.append(use)
                participant += 1
        nothing = np.zeros((0, num_rows), dtype=np.int64)
        return Options(
            np.array(owners, dtype=np.int64),
            np.array(worth),
            np.concatenate([nothing, *uses]),
            np.zeros(num_rows, dtype=np.int64),
        )

    def start(self, options: Options) -> np.ndarray | None:
        """
        A choice to begin with where time is short: who saves most first, or everything outside.

        None where both break a rule or leave a lot uncovered.
        """
        num, num_lots = self.market.num_bidders, self.market.num_goods
        delivers = -options.uses[:, :num_lots]
        nothing = options.firsts.copy()
        prices = in_units(self.sold_at, self.decimals)
        # What cannot be bought outside is worth more than anything.
        prices = np.where(np.isfinite(prices), prices, np.abs(options.worth).sum() + 1.0)
        offers = np.flatnonzero(options.owners < num)
        best: np.ndarray | None = None
        for most_offers in (0, num):
            chosen, missing = nothing.copy(), self.market.capacities.copy()
            is_free = np.ones(num, dtype=bool)
            for _ in range(most_offers):
                savings = np.minimum(delivers[offers], missing) @ prices + options.worth[offers]
                savings[~is_free[options.owners[offers]]] = -np.inf
                k = offers[int(np.argmax(savings))]
                if savings.max() <= 0:
                    break
                i = options.owners[k]
                chosen[i], is_free[i] = k, False
                missing = np.maximum(missing - delivers[k], 0)
            for k in np.argsort(-delivers.max(axis=1), kind="stable"):
                lot = int(np.argmax(delivers[k]))
                if options.owners[k] >= num and 0 < delivers[k, lot] <= missing[lot]:
                    chosen[options.owners[k]] = k
                    missing[lot] -= delivers[k, lot]
            if options.broken_rows(chosen):
                continue
            if best is None or options.total(chosen) > options.total(best):
                best = chosen
        return best

    def most(self, chosen: Chosen, i: int) -> Fraction | None:
        """What the lots of a supplier cost outside, less its offer; None if they have no price."""
        option = chosen.options[i]
        delivered = np.minimum(self.bundles[option], self.market.capacities)
        held = delivered > 0
        prices = in_units(self.at_most, self.options.decimals)[held]
        if np.isinf(prices).any():
            return None
        pairs = zip(delivered[held].tolist(), map(Fraction, prices.tolist()), strict=True)
        outside = sum((n * price for n, price in pairs), Fraction(0))
        return max(Fraction(0), outside + Fraction(float(self.options.worth[option])))


def within_limits(market: Market, supplier: int, bundles: np.ndarray) -> np.ndarray:
    """Whether a supplier's limits allow each bundle, needed or not, ``(num_bundles,)``."""
    coefficients, bounds = market.limits(supplier)
    within: np.ndarray = (bundles @ coefficients.T <= bounds + 1e-9).all(axis=1)
    return within


def _powers(number: int) -> list[int]:
    """Numbers that make every number up to this one as a sum of some of them."""
    parts, power = [], 1
    while number > 0:
        parts.append(min(power, number))
        number -= parts[-1]
        power *= 2
    return parts
