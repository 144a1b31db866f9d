"""
Awards of 30 lots among 12 suppliers with 1,000 offers in ten scenarios, and bare HiGHS beside it.

    python benchmarks/award.py                 # seconds of processor time, and their ratio
    python benchmarks/award.py --check 1000    # tiny markets and exchanges against brute force
    python benchmarks/award.py --absurd 3000   # tiny purchases with absurd prices, the same

Both solve the same set covering problems; ours proves to the unit and breaks ties by a stated rule.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import highspy
import numpy as np

from boca.core import Bidder, Good, Market, Reports, Rule
from boca.payments.awards import award

LOTS, SUPPLIERS, OFFERS = 30, 12, 1000


def freight(seed: int) -> tuple[Market, list[Reports], np.ndarray]:
    """Lanes between random places; packages of near lanes cost less than their parts."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0, 800, (LOTS, 2))
    outside = rng.integers(400, 1200, LOTS).astype(float)
    market = Market(
        tuple(Good(f"lane {j}") for j in range(LOTS)),
        tuple(Bidder(f"carrier {i}") for i in range(SUPPLIERS)),
        "freight",
        "buy",
    )
    homes = rng.uniform(0, 800, (SUPPLIERS, 2))
    reports = []
    for i in range(SUPPLIERS):
        bundles = set()
        while len(bundles) < OFFERS // SUPPLIERS + (i < OFFERS % SUPPLIERS):
            centre = rng.integers(LOTS)
            near = np.argsort(np.hypot(*(places - places[centre]).T))[: rng.integers(2, 12)]
            chosen = rng.choice(near, min(len(near), int(rng.integers(1, 7))), replace=False)
            bundles.add(tuple(int(j in chosen) for j in range(LOTS)))
        array = np.array(sorted(bundles))
        away = np.hypot(*(places - homes[i]).T)
        single = outside * (0.55 + 0.0004 * away)
        saving = 1 - 0.05 * np.minimum(array.sum(axis=1) - 1, 5)
        costs = np.round(array @ single * saving * rng.uniform(0.95, 1.05, len(array)))
        reports.append(Reports(array, costs))
    return market, reports, outside


def scenarios() -> dict[str, tuple[Rule, ...]]:
    """Ten sets of rules that buyers ask for."""
    return {
        "cheapest": (),
        "at most 3 suppliers": (Rule("winners", at_most=3),),
        "at most 5 suppliers": (Rule("winners", at_most=5),),
        "at least 8 suppliers": (Rule("winners", at_least=8),),
        "20 % of lots each": (Rule("units", at_most=0.2, share=True, each=True),),
        "three lots if any": (Rule("units", at_least=3, each=True, if_any=True),),
        "incumbents 30 %": (Rule("units", at_least=0.3, share=True, who=(0, 1)),),
        "incumbents win": (Rule("winners", at_least=2, who=(0, 1, 2)),),
        "ten lots outside": (Rule("units", at_most=20),),
        "two rules": (Rule("winners", at_most=6), Rule("units", at_least=8, who=(3, 4))),
    }


def by_highs(market: Market, reports: list[Reports], outside: np.ndarray) -> float:
    """The least cost by one mixed-integer program, as one would write it by hand."""
    bundles = np.concatenate([r.bundles for r in reports])
    costs = np.concatenate([r.values for r in reports])
    owners = np.concatenate([np.full(len(r), i) for i, r in enumerate(reports)])
    delivered = np.minimum(bundles, market.capacities)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("mip_rel_gap", 0.0)
    model.setOptionValue("mip_abs_gap", 0.5)
    x = model.addBinaries(len(costs))
    u = [model.addIntegral(0, int(n)) for n in market.capacities]
    for i in range(market.num_bidders):
        model.addConstr(sum(x[k] for k in np.flatnonzero(owners == i)) <= 1)
    for j, needed in enumerate(market.capacities.tolist()):
        rows = np.flatnonzero(delivered[:, j])
        model.addConstr(sum(int(delivered[k, j]) * x[k] for k in rows) + u[j] >= needed)
    for rule in market.rules:
        amounts = rule.amounts(delivered, costs)
        whole = rule.whole(market.capacities) if rule.share else 1
        members = rule.members(market.num_bidders)
        for group in [[i] for i in members] if rule.each else [list(members)]:
            rows = np.flatnonzero(np.isin(owners, group) & (amounts > 0))
            total = sum(float(amounts[k]) * x[k] for k in rows)
            if rule.at_most is not None:
                model.addConstr(total <= rule.at_most * whole)
            if rule.at_least is not None and rule.if_any:
                taken = sum(x[k] for k in np.flatnonzero(np.isin(owners, group)))
                model.addConstr(total - rule.at_least * whole * taken >= 0)
            elif rule.at_least is not None:
                model.addConstr(total >= rule.at_least * whole)
    model.minimize(
        sum(float(c) * x[k] for k, c in enumerate(costs))
        + sum(float(p) * u[j] for j, p in enumerate(outside))
    )
    return float(model.getInfo().objective_function_value)


def compare(seed: int) -> None:
    market, reports, outside = freight(seed)
    print(f"{sum(map(len, reports))} offers, {LOTS} lots, {SUPPLIERS} suppliers; processor seconds")
    print(f"{'scenario':24} {'cost':>9} {'ours':>7} {'HiGHS':>7} {'ratio':>6}")
    sums = np.zeros(2)
    for name, rules in scenarios().items():
        ruled = Market(market.goods, market.bidders, market.name, "buy", rules)
        began = time.process_time()
        ours = award(reports, ruled, outside)
        middle = time.process_time()
        theirs = by_highs(ruled, reports, outside)
        times = np.array([middle - began, time.process_time() - middle])
        sums += times
        cost = "-" if ours is None else f"{ours.cost:,.0f}"
        assert ours is None or abs(ours.cost - theirs) < 0.5, (name, ours.cost, theirs)
        print(f"{name:24} {cost:>9} {times[0]:7.2f} {times[1]:7.2f} {times[0] / times[1]:6.2f}")
    print(f"{'in sum':24} {'':9} {sums[0]:7.2f} {sums[1]:7.2f} {sums[0] / sums[1]:6.2f}")


def check(num: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "payments"))
    from test_awards import check_market
    from test_trades import check_exchange

    for name, one in (("buying", check_market), ("exchanges", check_exchange)):
        kinds = Counter(one(seed) for seed in range(100_000, 100_000 + num))
        print(f"{name}: {num} markets against brute force, none wrong; {dict(kinds)}")


def check_absurd(num: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    from absurd_purchases import fault

    kinds = Counter[str]()
    for seed in range(100_000, 100_000 + num):
        kind = fault(seed)
        kinds[kind.split(":")[0]] += 1
        if kind.startswith("wrong"):
            print(f"purchase {seed}: {kind}", flush=True)
    print(f"{num} purchases with an absurd price against brute force; {dict(kinds)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20001)
    parser.add_argument("--check", type=int, default=0)
    parser.add_argument("--absurd", type=int, default=0)
    options = parser.parse_args()
    if options.absurd:
        check_absurd(options.absurd)
    elif options.check:
        check(options.check)
    else:
        compare(options.seed)


if __name__ == "__main__":
    main()
