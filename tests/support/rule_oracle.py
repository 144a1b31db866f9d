"""
Every rule that a buyer can state, and awards by trying everything: what engine and verifier meet.

The oracle reads a rule by itself, key by key, and shares no line with what it judges.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from boca.core import Bidder, Good, InputError, Market, Reports, Rule

WHO = (None, (0,), (0, 2))
LOTS = (None, (1,), (0, 1))
# At least, at most: for numbers, amounts of money and shares.
BOUNDS = {
    "number": ((1, None), (None, 2), (1, 2)),
    "money": ((9, None), (None, 14), (9, 14)),
    "share": ((0.25, None), (None, 0.5), (0.25, 0.5)),
}


def every_rule():
    """One rule for each combination of keys that a rule may have."""
    rules = []
    for counts, who, lots, share, each, if_any, k in product(
        ("winners", "lots", "units", "spend"), WHO, LOTS, *[(False, True)] * 3, range(3)
    ):
        kind = "share" if share else "money" if counts == "spend" else "number"
        least, most = BOUNDS[kind][k]
        try:
            rule = Rule(counts, least, most, who, lots, share, each, if_any)
        except InputError:
            continue  # winners with a share, spend in lots, if_any without a least
        rules.append(rule)
    return rules


def purchase(seed, *rules):
    """A tiny purchase: two lots, three suppliers with two offers each, prices outside for most."""
    rng = np.random.default_rng(seed)
    needed = rng.integers(1, 4, 2)
    market = Market(
        tuple(Good("ab"[j], int(n)) for j, n in enumerate(needed)),
        tuple(Bidder(name) for name in "ABC"),
        sense="buy",
        rules=rules,
    )
    offers = []
    for _ in range(3):
        rows = sorted({tuple(rng.integers(0, needed + 1).tolist()) for _ in range(3)} - {(0, 0)})
        costs = rng.integers(1, 16, len(rows)).astype(float)
        offers.append(Reports(np.array(rows, dtype=int).reshape(-1, 2), costs))
    at_most = rng.integers(3, 12, 2).astype(float)
    if seed % 3 == 0:
        at_most[int(rng.integers(2))] = np.inf
    return market, offers, at_most


def every_award(market, offers, at_most):
    """Each choice of offers and of units outside that covers all: bundles, costs, outside."""
    needed = market.capacities.tolist()
    choices = []
    for report in offers:
        rows = zip(report.bundles.tolist(), report.values.tolist(), strict=True)
        choices.append(
            [((0,) * len(needed), Fraction(0)), *((tuple(b), written(c)) for b, c in rows)]
        )
    for choice in product(*choices):
        bundles = [bundle for bundle, _ in choice]
        missing = [max(0, n - sum(bundle[j] for bundle in bundles)) for j, n in enumerate(needed)]
        if any(m and np.isinf(p) for m, p in zip(missing, at_most, strict=True)):
            continue
        # Where shares of all spend count, more may be bought than is missing.
        room = [
            range(m, n + 1) if np.isfinite(p) else (0,)
            for m, n, p in zip(missing, needed, at_most, strict=True)
        ]
        for outside in product(*room):
            yield bundles, [cost for _, cost in choice], outside


def written(amount):
    """An amount as it was written, so that cents add up."""
    return Fraction(repr(float(amount)))


def cost_of(costs, outside, at_most):
    """What everything costs, exactly."""
    bought = (n * written(p) for n, p in zip(outside, at_most, strict=True) if n)
    return sum(costs, Fraction(0)) + sum(bought, Fraction(0))


def is_kept(rule, needed, bundles, costs, outside, at_most):
    """Whether an award keeps a rule, read from the rule's keys alone."""
    places = range(len(needed)) if rule.lots is None else rule.lots
    members = range(len(bundles)) if rule.who is None else rule.who
    delivered = [[min(n, m) for n, m in zip(bundle, needed, strict=True)] for bundle in bundles]

    def counted(i):
        units = [delivered[i][j] for j in places]
        if rule.counts == "spend":
            return costs[i]
        if rule.counts == "units":
            return sum(units)
        return sum(n > 0 for n in units) if rule.counts == "lots" else int(any(units))

    whole = Fraction(1)
    if rule.share and rule.counts == "spend":
        whole = cost_of(costs, outside, at_most)
    elif rule.share:
        whole = Fraction(
            sum(needed[j] for j in places) if rule.counts == "units" else len(list(places))
        )
    for group in [[i] for i in members] if rule.each else [list(members)]:
        amount = sum(counted(i) for i in group)
        if rule.at_most is not None and amount > Fraction(str(rule.at_most)) * whole:
            return False
        if rule.at_least is None or (rule.if_any and not any(sum(delivered[i]) for i in group)):
            continue
        if amount < Fraction(str(rule.at_least)) * whole:
            return False
    return True


def least_cost(market, offers, at_most):
    """The least cost of an award that keeps all rules; None if there is none."""
    needed = market.capacities.tolist()
    return min(
        (
            cost_of(costs, outside, at_most)
            for bundles, costs, outside in every_award(market, offers, at_most)
            if all(is_kept(rule, needed, bundles, costs, outside, at_most) for rule in market.rules)
        ),
        default=None,
    )
