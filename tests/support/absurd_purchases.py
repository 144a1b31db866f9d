"""Tiny purchases in which somebody asks an absurd price, and what is wrong with their awards."""

from fractions import Fraction

import numpy as np
from rule_oracle import cost_of, least_cost, written

from boca.core import Bidder, Good, Market, Reports, Rule
from boca.core.errors import SolverError
from boca.payments.awards import award

ABSURD = (999_999_999.99, 1e9, 1e10, 1e12 - 0.01, 1e13, 1e15)


def random_rule(rng, num_suppliers, largest):
    """A rule on spend: amounts or shares, of some or all, together or each."""
    some = rng.choice(num_suppliers, int(rng.integers(1, num_suppliers)), replace=False)
    who = None if rng.random() < 0.4 else tuple(sorted(some.tolist()))
    is_share = bool(rng.random() < 0.5)
    if is_share:
        pair = rng.choice([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75], 2, replace=False)
    else:
        pair = rng.integers(1, 4 * largest, 2) / 100
    least, most = sorted(pair.tolist())
    kind = rng.random()
    bounds = (least, None) if kind < 0.3 else (None, most) if kind < 0.8 else (least, most)
    each = bool(rng.random() < 0.4)
    if_any = bool(each and bounds[0] is not None and rng.random() < 0.7)
    return Rule("spend", *bounds, who, None, is_share, each, if_any)


def draw(seed):
    """A purchase in cents with one or two absurd amounts."""
    rng = np.random.default_rng([40, seed])
    num_lots, num_suppliers = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    needed = rng.integers(1, 3, num_lots)
    largest = 100 * int(rng.choice([10, 1000, 10**5, 10**6]))
    absurd = float(rng.choice(ABSURD))
    rules = [random_rule(rng, num_suppliers, largest) for _ in range(rng.integers(1, 3))]
    if rng.random() < 0.3:
        rules.append(Rule("winners", at_least=float(rng.integers(1, num_suppliers))))
    rows, costs = [], []
    for _ in range(num_suppliers):
        own = {tuple(rng.integers(0, needed + 1).tolist()) for _ in range(3)}
        rows.append(sorted(own - {(0,) * num_lots}))
        costs.append(rng.integers(1, largest, len(rows[-1])) / 100)
    for _ in range(int(rng.integers(1, 3))):
        i = int(rng.integers(num_suppliers))
        if len(rows[i]):
            costs[i][int(rng.integers(len(rows[i])))] = absurd
    at_most = rng.integers(1, 2 * largest, num_lots) / 100
    if rng.random() < 0.3:
        at_most[int(rng.integers(num_lots))] = np.inf
    if rng.random() < 0.1:
        at_most[int(rng.integers(num_lots))] = absurd
    market = Market(
        tuple(Good(f"l{j}", int(n)) for j, n in enumerate(needed)),
        tuple(Bidder(f"s{i}") for i in range(num_suppliers)),
        sense="buy",
        rules=tuple(rules),
    )
    offers = [
        Reports(np.array(own, dtype=int).reshape(-1, num_lots), paid)
        for own, paid in zip(rows, costs, strict=True)
    ]
    return market, offers, at_most


def fault(seed):
    """What is wrong with an award, starting with ``wrong``; else how it was decided."""
    market, offers, at_most = draw(seed)
    least = least_cost(market, offers, at_most)
    try:
        made = award(offers, market, at_most)
    except SolverError as error:
        return f"wrong: {error}"
    if made is None:
        return "no award" if least is None else "wrong: no award, but there is one"
    if least is None:
        return "wrong: an award, but there is none"
    cost = cost_of([written(c) for c in made.costs], made.outside.tolist(), at_most)
    # A float has a digit of its own beyond 10^15.
    if Fraction(made.bound) > least * (1 + Fraction(1, 10**15)):
        return "wrong: the bound is above the least cost"
    if not made.is_proven:
        return "not proven"
    return "cheapest" if cost == least else "wrong: it is not the cheapest, which is claimed"
