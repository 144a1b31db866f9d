"""
Whether it matters that questions of a purchase are planned without its rules.

    python benchmarks/rules_in_questions.py --seeds 20001 20002

Lanes with the rule "at most three suppliers". Costs above the cheapest award under the rule, in
per cent: as hybrid asks, which does not look at rules; and if only the three suppliers of that
award are asked, which is better than any planner that knows the rule could do.
"""

import argparse
from dataclasses import replace
from itertools import combinations

from boca.core import Market, Rule
from boca.lab.domains.lanes import Lanes
from boca.lab.simulation import simulate
from boca.mechanism import auction_params

MOST = 3


class OwnLanes(Lanes):
    """Lanes whose suppliers may change, so that nothing about them is kept on disk."""

    cache_key = None


def cost_above(domain: Lanes, least: float, num_total: int) -> float:
    """What an auction's award costs above the cheapest one, in per cent."""
    params = auction_params(
        "hybrid", domain.market, num_total=num_total, num_initial=20, payment_rule="offered",
        reserve=domain.reserve,
    )  # fmt: skip
    return 100 * (-simulate(domain, params).welfare / least - 1)


def measure(seed: int, num_total: int) -> tuple[float, float]:
    """Both figures of an instance."""
    domain = Lanes(seed)
    everybody = range(domain.market.num_bidders)
    groups = {
        group: -domain.solve(frozenset(everybody) - frozenset(group)).welfare
        for group in combinations(everybody, MOST)
    }
    best = min(groups, key=lambda group: groups[group])
    market = domain.market
    domain.market = replace(market, rules=(Rule("winners", at_most=MOST),))
    as_asked = cost_above(domain, groups[best], num_total)
    few = OwnLanes(seed)
    few.market = Market(market.goods, tuple(market.bidders[i] for i in best), "three", "buy")
    few.costs = [few.costs[i] for i in best]
    few.most = few.most[list(best)]
    return as_asked, cost_above(few, groups[best], num_total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[20001, 20002])
    parser.add_argument("--questions", type=int, default=100)
    options = parser.parse_args()
    print("seed   without the rule in mind   only the right three asked")
    for seed in options.seeds:
        as_asked, right = measure(seed, options.questions)
        print(f"{seed}  {as_asked:24.2f} %  {right:26.2f} %", flush=True)


if __name__ == "__main__":
    main()
