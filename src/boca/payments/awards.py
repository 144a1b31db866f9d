"""
Buying: the cheapest award on package offers, and what suppliers are paid.

Suppliers offer packages of lots at a cost, of which each gets at most one. Every unit that is
needed is covered by offers or bought outside at the at-most price; more than is needed may be
delivered, so offers that overlap can win together. With K(S) the least cost at which the suppliers
of S and the outside option cover everything under the rules:

- as offered: everybody is paid its offer.
- VCG: supplier i is paid its offer and K(N without i) - K(N) on top. Rules that ask for at least
  something can make this more than the at-most prices of what it supplies; then these are paid.
- core: the most that no group blocks. Profits p with, for every group S of suppliers,
  sum_{i not in S} p_i <= K(S) - K(N): otherwise the buyer and S would both do better alone. Of the
  largest ones those nearest to VCG. Paying as offered always satisfies it, so the *least* core
  payments of a sale have no use here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

from boca.core.errors import InputError, SolverError
from boca.core.market import Market
from boca.core.money import MOST_EXACT, add_up, common_decimals, cost_of, in_units
from boca.core.report import LARGEST_VALUE, Reports
from boca.core.rule import Rule
from boca.payments.awarded import Award, PaymentRule, check_award, holds
from boca.payments.bids import check_reports
from boca.payments.buyers_rules import Part, exactly, parts
from boca.payments.effort import Effort, Progress
from boca.payments.options import MOST_WHOLE, Options, choose, restricted
from boca.payments.program import Chosen
from boca.payments.projection import CheapestPoint
from boca.payments.vcg_rule import second_solver

__all__ = ["Award", "NoPayments", "PaymentRule", "award", "check_award", "holds"]


class NoPayments(InputError):
    """
    Raised where an award exists and the way suppliers are to be paid has no meaning for it.

    Parameters
    ----------
    message
        Why.
    made
        The award.
    """

    def __init__(self, message: str, made: Award) -> None:
        super().__init__(message)
        self.made = made


UNPROVEN = (
    "It is not proven which award is the cheapest with everybody, or without one of the winners, "
    "and VCG and core payments are differences of these costs. Allow more time, count in larger "
    "units of money, or pay as offered."
)

# More than anything that is counted: bounds beyond are this.
FAR = 10**12

# Where costs are not whole units of money, profits are counted in this share of the largest cost.
GRAIN = 1e-12

# Share of a limited time for the award, where those without each winner need the rest.
MAIN_SHARE = 0.5

# An amount so many times as large as the next smaller one is no price but a way to say no.
ABSURD = 1000.0


def award(
    offers: Sequence[Reports],
    market: Market,
    at_most: np.ndarray | Sequence[float] | None = None,
    payments: PaymentRule = "none",
    verify: bool = False,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Award | None:
    """
    The cheapest award, with proof; None if no award satisfies the rules.

    Parameters
    ----------
    offers
        One Reports object per supplier: what it would supply, and at which cost.
    market
        Lots, suppliers with their limits, and rules; its sense must be ``buy``.
    at_most
        Price of one unit of each lot outside, ``(num_lots,)``, infinite where there is none; None
        where every unit must be covered by offers.
    payments
        How suppliers are paid.
    verify
        Whether a second solver has to find the same cost.
    max_seconds, progress
        As for :func:`boca.payments.allocate`.
    """
    if market.sense != "buy":
        raise InputError(f"Market '{market.name}' sells; an award is for markets with sense 'buy'.")
    effort = Effort(max_seconds, progress=progress)
    prices = _checked_prices(at_most, market)
    check_reports(offers, market)
    for below in _absurd_amounts(offers, market, prices):
        # Whoever asks as much is no part of an award that costs less in all.
        try:
            made = _settled(_Problem(offers, market, prices, effort, below), payments, verify)
        except NoPayments:
            continue  # a dear offer might do without somebody
        if made is not None and _most_of_interest(made) < below:
            break
    else:
        made = _settled(_Problem(offers, market, prices, effort), payments, verify)
    if made is not None:
        check_award(made, offers)
    return made


def _settled(problem: "_Problem", payments: PaymentRule, verify: bool) -> Award | None:
    """The cheapest award with its payments; None if no award satisfies the rules."""
    if not problem.has_options:
        return None
    is_paid = payments in ("vcg", "core")
    best = problem.solve(share=MAIN_SHARE if is_paid else 1.0)
    if best is None:
        return None
    made = problem.as_award(best)
    if verify:
        made = replace(made, verified_by=problem.verified(best))
    if payments == "none":
        return made
    if payments == "offered":
        return replace(made, rule=payments, payments=made.costs.copy())
    if any(rule.counts == "spend" and rule.share for rule in problem.market.rules):
        raise NoPayments(
            "A rule about shares of what is spent makes it worth buying more to enlarge the whole, "
            "so nothing but payments as offered has a meaning. State it as a share of units.",
            made,
        )
    return problem.paid(made, best, payments)


def _absurd_amounts(
    offers: Sequence[Reports], market: Market, prices: np.ndarray
) -> Iterator[float]:
    """
    Amounts far above all smaller ones, ascending, where they would cost the others their units.

    Without them, awards are decided by the methods and to the digit that they always were.
    """
    amounts = np.concatenate([prices[np.isfinite(prices)], *(r.values for r in offers)])
    amounts = np.unique(amounts[amounts > 0])
    decimals = common_decimals(amounts)
    has_money_rows = any(rule.counts == "spend" for rule in market.rules)
    largest = float(in_units(amounts, decimals).max(initial=0.0))
    if decimals is not None and (largest <= MOST_WHOLE or not has_money_rows):
        return
    yield from amounts[1:][amounts[1:] >= ABSURD * amounts[:-1]].tolist()


def _most_of_interest(made: Award) -> float:
    """What no award costs more than that could decide who wins and who is paid what."""
    if made.vcg is None:
        return made.cost
    return made.cost + float((made.vcg - made.costs).sum())


def _checked_prices(at_most: np.ndarray | Sequence[float] | None, market: Market) -> np.ndarray:
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


class _Problem:
    """
    The offers of a market as options: suppliers first, then who sells outside.

    Parameters
    ----------
    offers, market, at_most, effort
        As for :func:`award`.
    below
        Offers and units outside that cost as much, or more, are left out.
    """

    def __init__(
        self,
        offers: Sequence[Reports],
        market: Market,
        at_most: np.ndarray,
        effort: Effort,
        below: float = np.inf,
    ):
        self.market, self.at_most, self.effort = market, at_most, effort
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
        firsts = np.flatnonzero(np.diff(self.options.owners, prepend=-1))
        self.defaults: list[int] = firsts.tolist()  # the option of supplying nothing

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
        num = len(extra.owners)
        options = Options(
            np.concatenate([all_owners, market.num_bidders + extra.owners]),
            np.concatenate([-all_costs, extra.worth]),
            np.concatenate([uses, extra.uses]),
            bounds,
            self.decimals,
            self._money_rows(ruled, all_owners, all_bundles, all_costs, -extra.worth),
        )
        nothing = np.zeros((num, market.num_goods), dtype=np.int64)
        return options, np.concatenate([all_bundles, nothing])

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

    def solve(
        self,
        without: Sequence[int] = (),
        dearer: Mapping[int, Fraction] | None = None,
        solver: str | None = None,
        share: float = 1.0,
    ) -> Chosen | None:
        """
        The cheapest choice.

        Parameters
        ----------
        without
            Suppliers that supply nothing.
        dearer
            What is added to every offer of a supplier, in units.
        solver
            Instead of our own methods.
        share
            Of the time that is left.
        """
        options = self.options
        if dearer:
            parts = self._parts(dearer)
            more = np.zeros(len(options.owners))
            supplies = self.bundles.any(axis=1)
            for i, amount in dearer.items():
                more[supplies & (options.owners == i)] = float(amount * parts)
            options = replace(options, worth=options.worth * parts - more)
        if not self._may_supply_nothing(without):
            return None
        options = restricted(options, self.defaults, without) if len(without) else options
        effort = self.effort.for_share(share)
        start = None
        if np.isfinite(effort.deadline) and solver is None:
            start = self._start(options)
        chosen = choose(options, effort, start=start, solver=solver)
        if chosen is None or not len(without):
            return chosen
        # Numbers of the restricted problem are not those of this one.
        is_open = ~np.isin(self.options.owners, list(without))
        is_open[[self.defaults[i] for i in without]] = True
        return replace(chosen, options=np.flatnonzero(is_open)[chosen.options])

    def _start(self, options: Options) -> np.ndarray | None:
        """
        A choice to begin with where time is short: who saves most first, or everything outside.

        None where both break a rule or leave a lot uncovered.
        """
        num, num_lots = self.market.num_bidders, self.market.num_goods
        delivers = -options.uses[:, :num_lots]
        nothing = np.flatnonzero(np.diff(options.owners, prepend=-1))
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

    def _parts(self, amounts: Mapping[int, Fraction]) -> int:
        """Into how many parts a unit is cut so that amounts are whole, if sums stay exact."""
        if self.decimals is None:
            return 1
        parts = lcm(*(amount.denominator for amount in amounts.values()))
        largest = float(np.abs(self.options.worth).sum()) * self.options.num_participants
        return parts if parts * largest <= MOST_EXACT else 1

    def _may_supply_nothing(self, suppliers: Sequence[int]) -> bool:
        """Whether no rule asks each of them for something."""
        return not any(self.bundles[self.defaults[i]].any() for i in suppliers)

    def verified(self, best: Chosen) -> str | None:
        """
        The second solver's name, if it finds the same cost; MissingExtra if there is none.

        None if it did not come to its end.
        """
        solver = second_solver()
        again = self.solve(solver=solver)
        unit = 1.0 if self.decimals is not None else 1e-6 * max(abs(best.worth), 1.0)
        try:
            return solver if best.is_confirmed_by(again, unit) else None
        except SolverError:
            raise SolverError(
                f"The solver {solver} found another cost of the cheapest award; please report "
                "this with the file."
            ) from None

    def money(self, units: float) -> float:
        """Units as an amount of money."""
        amount = units / 10.0 ** (self.decimals or 0)
        return round(amount, self.decimals) if self.decimals is not None else amount

    def as_award(self, best: Chosen) -> Award:
        """A choice in the words of the market."""
        num = self.market.num_bidders
        taken = best.options[:num]
        supplied = self.bundles[taken]
        costs = np.array([self.money(-worth) for worth in self.options.worth[taken]])
        outside = -self.options.uses[best.options[num:], : self.market.num_goods].sum(axis=0)
        # Powers of two can buy more than is missing only where this costs nothing.
        missing = self.market.capacities - np.minimum(supplied, self.market.capacities).sum(axis=0)
        has_spend_rule = any(rule.counts == "spend" for rule in self.market.rules)
        if not has_spend_rule:
            outside = np.minimum(outside, np.maximum(missing, 0))
        return Award(
            self.market,
            self.at_most,
            supplied,
            costs,
            outside,
            self.money(-best.bound),
            best.method,
            best.is_proven,
        )

    def paid(self, made: Award, best: Chosen, rule: PaymentRule) -> Award:
        """The award with VCG or core payments."""
        if not best.is_proven:
            raise NoPayments(UNPROVEN, made)
        gains: dict[int, float] = {}
        others: list[tuple[int, Award]] = []
        for i in made.winners:
            without = self.solve(without=[i])
            if without is None:
                raise NoPayments(_indispensable(made, i), made)
            if not without.is_proven:
                raise NoPayments(UNPROVEN, made)
            gains[i] = max(0.0, best.worth - without.worth)
            others.append((i, self.as_award(without)))
        made = replace(made, without=tuple(others))
        vcg = np.array(
            [add_up([made.costs[i], self.money(gains.get(i, 0.0))]) for i in range(len(made.costs))]
        )
        if rule == "vcg":
            caps = np.array([self._cap(made, i) for i in range(len(made.costs))])
            return replace(made, rule=rule, payments=np.minimum(vcg, caps), vcg=vcg)
        profits, binding = self._core(best, made.winners, gains)
        paid = np.array(
            [
                add_up([cost, self._money_of(profits.get(i, Fraction(0)))])
                for i, cost in enumerate(made.costs)
            ]
        )
        return replace(made, rule=rule, payments=paid, vcg=vcg, binding=binding)

    def _cap(self, made: Award, i: int) -> float:
        """No more than its lots cost outside, and no less than its offer."""
        delivered = np.minimum(made.supplied[i], self.market.capacities)
        held = delivered > 0
        outside = cost_of(delivered[held], self.at_most[held])
        return max(float(made.costs[i]), outside)

    def _money_of(self, profit: Fraction) -> float:
        """A profit in money; fractions of a unit are kept, as in every core payment."""
        return float(profit * Fraction(self._grain())) / 10.0 ** (self.decimals or 0)

    def _grain(self) -> float:
        if self.decimals is not None:
            return 1.0
        return GRAIN * max(float(np.abs(self.options.worth).max(initial=0.0)), 1.0)

    def _core(
        self, best: Chosen, winners: list[int], gains: Mapping[int, float]
    ) -> tuple[dict[int, Fraction], tuple[tuple[tuple[int, ...], float], ...]]:
        """
        The largest profits that no group blocks, of these the nearest to VCG.

        With y = D - p, the sum of y is to be least, and a group S asks
        sum_{i not in S} y_i >= sum_{i not in S} D_i - (K(S) - K(N)). The group that blocks most at
        p is the cheapest award where every offer of a winner is dearer by its profit.
        """
        grain = self._grain()
        vcg = {i: round(gains[i] / grain) for i in winners}
        point = CheapestPoint([vcg[i] for i in winners])
        seen: list[tuple[tuple[int, ...], int]] = []
        while True:
            profits = {i: vcg[i] - point.point[k] for k, i in enumerate(winners)}
            dearer = {i: profit * Fraction(grain) for i, profit in profits.items()}
            rival = self.solve(dearer=dearer)
            assert rival is not None  # the award itself is a choice
            num = self.market.num_bidders
            taken = rival.options[:num]
            members = [int(i) for i in np.flatnonzero(self.bundles[taken].any(axis=1))]
            plain = float(self.options.worth[rival.options].sum())
            room = round((best.worth - plain) / grain)  # K(S) - K(N)
            out = [i for i in winners if i not in members]
            over = sum((profits[i] for i in out), Fraction(0)) - room
            allowed = Fraction(0) if self.decimals is not None else Fraction(10_000)
            if over <= allowed or (tuple(out), room) in seen:
                break
            seen.append((tuple(out), room))
            point.require([winners.index(i) for i in out], sum(vcg[i] for i in out) - room)
        profits = {i: vcg[i] - point.point[k] for k, i in enumerate(winners)}
        binding = tuple(
            (out, self._money_of(Fraction(room)))
            for out, room in seen
            if sum((profits[i] for i in out), Fraction(0)) == room
        )
        return profits, binding


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


def _indispensable(made: Award, i: int) -> str:
    # Where all lots can be bought outside, rules alone make somebody indispensable.
    bare = [j for j in np.flatnonzero(made.supplied[i]) if np.isinf(made.at_most[j])]
    lots = ", ".join(made.market.goods[j].name for j in bare)
    state = f"state at-most prices for its lots ({lots}), " if bare else ""
    name = made.market.bidders[i].name
    return (
        f"{name} is indispensable: without it no award covers everything under the rules, so VCG "
        f"and core payments have no limit. You can {state}relax "
        "a rule that asks for at least something, or pay as offered."
    )
