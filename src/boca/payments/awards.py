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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import common_decimals, in_units
from boca.core.report import Reports
from boca.payments.awarded import Award, PaymentRule, check_award, holds
from boca.payments.bids import check_reports
from boca.payments.effort import Effort, Progress
from boca.payments.options import MOST_WHOLE
from boca.payments.program import Chosen
from boca.payments.purchases import checked_prices, purchase
from boca.payments.settlement import Settlement, Unpayable, settle

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
    prices = checked_prices(at_most, market)
    check_reports(offers, market)
    for below in _absurd_amounts(offers, market, prices):
        # Whoever asks as much is no part of an award that costs less in all.
        try:
            made = _settled(offers, market, prices, payments, verify, effort, below)
        except NoPayments:
            continue  # a dear offer might do without somebody
        if made is not None and _most_of_interest(made) < below:
            break
    else:
        made = _settled(offers, market, prices, payments, verify, effort)
    if made is not None:
        check_award(made, offers)
    return made


def _settled(
    offers: Sequence[Reports],
    market: Market,
    prices: np.ndarray,
    payments: PaymentRule,
    verify: bool,
    effort: Effort,
    below: float = np.inf,
) -> Award | None:
    """The cheapest award with its payments; None if no award satisfies the rules."""
    problem = purchase(offers, market, prices, below)
    if problem is None:
        return None
    try:
        settled = settle(problem, payments, effort, verify)
    except Unpayable as error:
        made = _award_of(error.made, error.made.best, prices)
        reason = str(error) or UNPROVEN
        if error.dealer is not None:
            reason = _indispensable(made, error.dealer)
        raise NoPayments(reason, made) from None
    if settled is None:
        return None
    made = _award_of(settled, settled.best, prices)
    if payments == "none":
        return made
    made = replace(made, rule=payments, payments=0.0 - settled.payments)
    if payments == "offered":
        return made
    vcg = [settled.D.get(i, Fraction(0)) - settled.said(i) for i in range(market.num_bidders)]
    return replace(
        made,
        vcg=np.array([problem.money(units) for units in vcg]),
        binding=tuple((group.others, problem.money(group.room)) for group in settled.binding),
        without=tuple(
            (i, replace(_award_of(settled, own, prices), verified_by=None))
            for i, own in settled.without.items()
        ),
    )


def _award_of(settled: Settlement, chosen: Chosen, prices: np.ndarray) -> Award:
    """A choice in the words of the market."""
    problem, market = settled.problem, settled.problem.market
    this = replace(settled, best=chosen)
    outside = this.outside
    if not any(rule.counts == "spend" for rule in market.rules):
        # Powers of two can buy more than is missing only where this costs nothing.
        delivered = np.minimum(this.bundles, market.capacities).sum(axis=0)
        outside = np.minimum(outside, np.maximum(market.capacities - delivered, 0))
    costs = [problem.money(-this.said(i)) for i in range(market.num_bidders)]
    return Award(
        market,
        prices,
        this.bundles,
        np.array(costs),
        outside,
        problem.money(-chosen.bound),
        chosen.method,
        chosen.is_proven,
        verified_by=settled.verified_by,
    )


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
