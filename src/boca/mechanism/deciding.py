"""
What answers decide: who wins in a round, and who gets and pays what in the end.

Markets that sell, buy or exchange differ here and nowhere else in an auction: in the problem that
bids are put into, in what "without somebody" means, and in what payments there are.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from boca import payments
from boca.core.allocation import Allocation
from boca.core.economy import Economy
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import add_up
from boca.core.outcome import Outcome
from boca.core.report import Reports
from boca.mechanism.params import AuctionParams
from boca.payments import Award, Progress, allocate, award, exchange, quadratic_core, vcg
from boca.payments.awarded import PaymentRule
from boca.payments.shares import DiscountRule
from boca.queries.winners import Winners


def winners(
    bids: Sequence[Reports], market: Market, reserve: Sequence[float], economy: Economy
) -> Winners:
    """
    Who would get what in an economy if the auction closed now.

    Parameters
    ----------
    bids
        What everybody has bid or offered.
    market
        Goods and bidders.
    reserve
        As in :class:`boca.mechanism.params.AuctionParams`.
    economy
        Who takes part. Others get nothing, supply nothing, or keep what they hold.
    """
    absent = [i for i in range(market.num_bidders) if i not in economy]
    if market.sense == "buy":
        return _cheapest(bids, market, reserve, absent)
    if market.is_exchange:
        trades = exchange(bids, market, "none", keeping=[*_keeping(bids, market), *absent])
        return Winners(trades.allocation.bundles, _values(bids, trades.allocation))
    best = payments.allocate_quickly(bids, market, economy, reserve or None)
    return Winners(best.allocation.bundles, best.values)


def _cheapest(
    offers: Sequence[Reports], market: Market, reserve: Sequence[float], absent: Sequence[int]
) -> Winners:
    """
    The cheapest award so far. Lots without a price outside cost more there than everything else.

    Rules that no award on the offers so far satisfies are left out until one does.
    """
    offers = [Reports.empty(market.num_goods) if i in absent else r for i, r in enumerate(offers)]
    prices = np.array(reserve or [np.inf] * market.num_goods)
    beyond = 1 + sum(float(report.values.max(initial=0.0)) for report in offers)
    prices = np.where(np.isfinite(prices), prices, np.ceil(beyond))
    best = award(offers, market, prices) or award(offers, replace(market, rules=()), prices)
    assert best is not None  # everything can be bought outside
    return Winners(best.supplied, best.costs, -best.cost)


def _keeping(reports: Sequence[Reports], market: Market) -> list[int]:
    """Whoever has not said what its endowment is worth to it: it keeps that."""
    held = market.endowments
    return [i for i, own in enumerate(reports) if held[i].any() and held[i] not in own]


def _values(reports: Sequence[Reports], allocation: Allocation) -> np.ndarray:
    """Reported values of what everybody holds; 0 where nothing is known or held."""
    return np.array(
        [
            own.value_of(row) if row in own else 0.0
            for own, row in zip(reports, allocation.bundles, strict=True)
        ]
    )


def outcome(
    bids: Sequence[Reports],
    market: Market,
    params: AuctionParams,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """
    The final allocation and payments, with proof.

    Parameters
    ----------
    bids
        What everybody has bid or offered.
    market, params
        What is shared out, and how.
    verify
        Whether a second solver has to find the same.
    progress
        Called from time to time with how far the work is; None to tell nobody.
    """
    if verify and params.payment_rule == "none":
        raise InputError("Verification is about payments, and this auction has none.")
    if market.sense == "buy":
        return _bought(bids, market, params, verify, progress)
    if market.is_exchange:
        return _exchanged(bids, market, params, verify, progress)
    reserve = params.reserve or None
    if params.payment_rule == "none":
        best = allocate(bids, market, reserve=reserve, progress=progress)
        free = np.zeros(market.num_bidders)
        return Outcome(market, best.allocation, best.values, free, "none")
    rule = quadratic_core if params.payment_rule == "core" else vcg
    return rule(bids, market, reserve, verify=verify, progress=progress)


def _bought(
    offers: Sequence[Reports],
    market: Market,
    params: AuctionParams,
    verify: bool,
    progress: Callable[[Progress], None] | None,
) -> Outcome:
    rule: PaymentRule = params.payment_rule  # type: ignore[assignment]
    best: Award | None = award(
        offers, market, params.reserve or None, rule, verify=verify, progress=progress
    )
    if best is None:
        raise InputError(
            "No award on the answers covers every lot under the rules. State at-most prices, relax "
            "a rule, or ask more questions."
        )
    paid = np.zeros(market.num_bidders) if best.payments is None else best.payments
    allocation = Allocation(best.supplied)
    return Outcome(market, allocation, best.costs, paid, rule, outside_cost=best.outside_cost)


def _exchanged(
    reports: Sequence[Reports],
    market: Market,
    params: AuctionParams,
    verify: bool,
    progress: Callable[[Progress], None] | None,
) -> Outcome:
    rule: DiscountRule = params.payment_rule  # type: ignore[assignment]
    trades = exchange(
        reports, market, rule, verify, progress=progress, keeping=_keeping(reports, market)
    )
    before = _values(reports, Allocation(market.endowments))
    values = np.array(
        [add_up([known, gain]) for known, gain in zip(before, trades.gains, strict=True)]
    )
    return Outcome(market, trades.allocation, values, trades.payments, rule, before=before)


RULES = {
    "sells": ("vcg", "core", "none"),
    "buys": get_args(PaymentRule),
    "exchanges": get_args(DiscountRule),
}


def check_market(market: Market, params: AuctionParams) -> None:
    """Raises InputError where settings have no meaning in a market."""
    does = "buys" if market.sense == "buy" else "exchanges" if market.is_exchange else "sells"
    if params.payment_rule not in RULES[does]:
        raise InputError(
            f"Received the payment rule '{params.payment_rule}' for market '{market.name}', which "
            f"{does}; expected one of {', '.join(RULES[does])}."
        )
    reserve = params.reserve
    if reserve and len(reserve) != market.num_goods:
        raise InputError(
            f"Received {len(reserve)} reserve prices; expected one for each of the "
            f"{market.num_goods} goods."
        )
    if reserve and does == "exchanges":
        raise InputError(
            f"Market '{market.name}' is an exchange, which has no reserve prices; leave them out."
        )
    if does == "sells" and not np.isfinite(reserve).all():
        raise InputError("Received an infinite reserve price; expected finite ones.")
    stopping = params.stopping
    if does == "buys" and (stopping.when_proven or stopping.proven_gap is not None):
        raise InputError(
            f"Market '{market.name}' buys, and what answers prove about the welfare that is "
            "missing is known for values only; leave the stopping rule out."
        )
