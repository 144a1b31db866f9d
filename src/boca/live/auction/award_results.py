"""The outcome of a purchase, checked in whole units as if a stranger had sent it, and as events."""

import math
from fractions import Fraction

import numpy as np

from boca.core.market import Market
from boca.core.rule import Rule
from boca.live.auction import events as ev
from boca.live.auction.engine_results import OutcomeResult
from boca.live.auction.events import Bundle, Event
from boca.live.auction.money import price
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules
from boca.live.auction.state import LiveState

# The engine's floats may be off by this much before a core payment is rounded down.
SLACK = 1e-6


def _wrong(sentence: str) -> Refusal:
    return Refusal("mistakes", sentence)


class AwardSums:
    """
    What awards on some offers cost, and whether they keep to the rules, in whole units.

    Parameters
    ----------
    market
        Lots with the units that are needed, suppliers, the buyer's rules.
    rules
        At-most prices and the unit of money.
    offers
        What each supplier offers: bundle -> units of money.
    """

    def __init__(self, market: Market, rules: Rules, offers: list[dict[Bundle, int]]):
        self.market, self.offers = market, offers
        self.needed: list[int] = market.capacities.tolist()
        self.at_most = rules.at_most_units(market)
        self.unit = Fraction(str(rules.money.size))

    def offer(self, supplier: int, bundle: Bundle) -> int:
        """What a supplier asks for a bundle; nothing for nothing."""
        return self.offers[supplier][bundle] if any(bundle) else 0

    def cost(self, supplied: tuple[Bundle, ...], outside: Bundle) -> int:
        """What an award costs, outside purchases included."""
        offers = sum(self.offer(i, bundle) for i, bundle in enumerate(supplied))
        return offers + self.outside_cost(outside)

    def outside_cost(self, outside: Bundle) -> int:
        return price(outside, [units or 0 for units in self.at_most])

    def most(self, bundle: Bundle) -> int | None:
        """What a bundle costs outside; None where it cannot be had there."""
        if any(n and units is None for n, units in zip(bundle, self.at_most, strict=True)):
            return None
        return price(bundle, [units or 0 for units in self.at_most])

    def problem(self, supplied: tuple[Bundle, ...], outside: Bundle) -> str:
        """What is wrong with an award, in words; empty if nothing is."""
        market = self.market
        shape = (len(supplied), {len(bundle) for bundle in supplied}, len(outside))
        if shape != (market.num_bidders, {market.num_goods}, market.num_goods):
            return "it has the wrong shape"
        for i, bundle in enumerate(supplied):
            if any(bundle) and bundle not in self.offers[i]:
                return f"{market.bidders[i].name} would supply what it never offered"
            if any(bundle) and not market.allows(i, np.array(bundle))[0]:
                return f"{market.bidders[i].name} would supply more than its limits allow"
        for j, good in enumerate(market.goods):
            bought = sum(bundle[j] for bundle in supplied)
            if outside[j] < 0 or (outside[j] and self.at_most[j] is None):
                return f"'{good.name}' cannot be bought outside"
            if bought + outside[j] < self.needed[j]:
                return f"'{good.name}' is not covered"
        for rule in market.rules:
            if not self._holds(rule, supplied, outside):
                return f"it breaks the rule '{rule.title}'"
        return ""

    def _holds(self, rule: Rule, supplied: tuple[Bundle, ...], outside: Bundle) -> bool:
        members = rule.members(self.market.num_bidders)
        whole = self._whole(rule, supplied, outside)
        least, most = (None if bound is None else bound * whole for bound in rule.bounds)
        for group in [(i,) for i in members] if rule.each else [members]:
            amount = sum(self._amount(rule, i, supplied[i]) for i in group)
            is_out = rule.if_any and not any(any(supplied[i]) for i in group)
            if most is not None and amount > most:
                return False
            if least is not None and not is_out and amount < least:
                return False
        return True

    def _whole(self, rule: Rule, supplied: tuple[Bundle, ...], outside: Bundle) -> Fraction:
        """What a bound of the rule is a multiple of."""
        if rule.counts == "spend":
            return Fraction(self.cost(supplied, outside)) if rule.share else 1 / self.unit
        return Fraction(rule.whole(self.market.capacities) if rule.share else 1)

    def _amount(self, rule: Rule, supplier: int, bundle: Bundle) -> int:
        """What a supplier's part counts; no more than is needed."""
        places = range(len(bundle)) if rule.lots is None else rule.lots
        units = [min(bundle[j], self.needed[j]) for j in places]
        if rule.counts == "spend":
            return self.offer(supplier, bundle)
        if rule.counts == "units":
            return sum(units)
        return sum(n > 0 for n in units) if rule.counts == "lots" else int(any(units))


def award_events(state: LiveState, result: OutcomeResult) -> list[Event]:
    """``decided``, ``justified`` and one ``result`` per supplier, in exact integers."""
    rules, market = state.setup
    offers = [state.bids(bidder) for bidder in range(market.num_bidders)]
    sums = AwardSums(market, rules, offers)
    supplied, outside = result.allocation, result.outside or ()
    problem = sums.problem(supplied, outside)
    if problem:
        raise _wrong(f"The award cannot be used: {problem}.")
    cost = sums.cost(supplied, outside)
    terms = _terms(sums, result, cost) if rules.payment_rule != "offered" else {}
    payments, told = [], []
    for i, bundle in enumerate(supplied):
        offer, term = sums.offer(i, bundle), terms.get(i)
        more = None if term is None else term.cost_without - cost
        most = sums.most(bundle) if term is not None else None
        paid = _exact_payment(market, i, result.payments[i], offer, more, most, rules.payment_rule)
        payments.append(paid)
        shown = {"more": more, "most": most} if rules.explain_payments else {}
        told.append(ev.Result(i, bundle, offer, paid, **shown))
    decided = ev.Decided(
        supplied,
        tuple(payments),
        result.rule,
        result.verified_by,
        result.versions,
        result.seconds,
        outside,
    )
    return [decided, ev.Justified(suppliers=tuple(terms.values())), *told]


def _terms(sums: AwardSums, result: OutcomeResult, cost: int) -> dict[int, ev.AwardTerm]:
    """What the cheapest award without each winner costs."""
    terms = {}
    for i, bundle in enumerate(result.allocation):
        if not any(bundle):
            continue
        if i not in result.without or i not in result.outside_without:
            raise _wrong(f"The outcome lacks the cheapest award without supplier {i}.")
        rows, outside = result.without[i], result.outside_without[i]
        problem = sums.problem(rows, outside)
        if problem or any(rows[i]):
            raise _wrong(f"The award without supplier {i} cannot be used: {problem or 'it is in'}.")
        without = sums.cost(rows, outside)
        if without < cost:
            raise _wrong(f"Without supplier {i} everything would cost less, {without}, not {cost}.")
        terms[i] = ev.AwardTerm(i, sums.offer(i, bundle), without, rows, outside)
    return terms


def _exact_payment(
    market: Market,
    supplier: int,
    amount: float,
    offer: int,
    more: int | None,
    most: int | None,
    rule: str,
) -> int:
    """
    What a supplier is paid, in whole units; raises where the engine's amount does not agree.

    Parameters
    ----------
    market, supplier, amount
        Who, and what it is paid by the engine.
    offer
        What it asks for what it supplies; 0 for nothing.
    more
        What the cheapest award would cost more without it; None where that was not needed.
    most
        What its lots cost outside; None where they cannot be had there.
    rule
        ``offered``; ``vcg``, which follows from the offers; or ``core``, the engine's, rounded down
        to whole units: no group is then asked for more than before, and nobody gets less than its
        offer.
    """
    name = market.bidders[supplier].name
    if not math.isfinite(amount):
        raise _wrong(f"The payment of {name} is {amount}.")
    vcg = offer + (more or 0)
    if rule == "core" and more is not None:
        exact = math.floor(amount + SLACK)
        if not offer <= exact <= vcg:
            raise _wrong(f"{name} would be paid {exact}; expected {offer} to {vcg}.")
        return exact
    exact = vcg if most is None else min(vcg, max(offer, most))
    if abs(amount - exact) > 0.5:
        raise _wrong(f"{name} would be paid {amount:g}; the exact amount is {exact}.")
    return exact
