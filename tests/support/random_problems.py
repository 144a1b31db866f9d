"""Small random winner-determination problems of every kind, and brute force to compare with."""

import numpy as np
from hypothesis import strategies as st
from random_functions import KINDS, all_bundles, some_bundles

from boca.core import Bidder, Economy, Good, Limit, Market
from boca.wdp import WelfareProblem


def lattices(most=256, max_goods=8, max_capacity=3) -> st.SearchStrategy:
    """Capacities of markets with at most ``most`` bundles."""

    def shortened(given):
        kept = []
        for capacity in given:
            if np.prod([c + 1 for c in kept]) * (capacity + 1) <= most:
                kept.append(capacity)
        return np.array(kept)

    one = st.sampled_from([1, 1, 1, 2, max_capacity])
    return st.lists(one, min_size=1, max_size=max_goods).map(shortened)


def kinds_for(capacities) -> list[str]:
    """Kinds of functions that know these capacities."""
    return [kind for kind in KINDS if kind != "fourier" or (capacities == 1).all()]


def random_market(rng, capacities, num_bidders) -> Market:
    """Every other bidder has limits."""
    bidders = []
    for i in range(num_bidders):
        limits = tuple(
            Limit(tuple(rng.random(len(capacities))), float(capacities.sum() * rng.random()))
            for _ in range(rng.integers(0, 3) if rng.random() < 0.5 else 0)
        )
        bidders.append(Bidder(f"bidder {i}", limits=limits))
    goods = tuple(Good(f"good {j}", int(c)) for j, c in enumerate(capacities))
    return Market(goods, tuple(bidders))


def random_problem(rng, capacities, num_bidders, kinds=None) -> WelfareProblem:
    """Bidders with limits, some with excluded bundles; every other time one is left out."""
    kinds = kinds_for(capacities) if kinds is None else kinds
    functions = [KINDS[rng.choice(kinds)](rng, capacities) for _ in range(num_bidders)]
    economy = Economy.main(num_bidders)
    if rng.random() < 0.5:
        economy = Economy.without(int(rng.integers(num_bidders)), num_bidders)
    excluded = {
        i: some_bundles(rng, capacities, 0.15) for i in economy.bidders if rng.random() < 0.4
    }
    market = random_market(rng, capacities, num_bidders)
    return WelfareProblem(market, functions, economy, excluded)


def allowed_bundles(problem: WelfareProblem, bidder: int) -> np.ndarray:
    """Everything that a bidder can be given."""
    bundles = all_bundles(problem.market.capacities)
    bundles = bundles[problem.market.allows(bidder, bundles)]
    for excluded in problem.excluded.get(bidder, []):
        bundles = bundles[(bundles != excluded).any(axis=1)]
    return bundles


def brute_force(problem: WelfareProblem) -> float | None:
    """The best welfare of all allocations, bidder by bidder; None if there is no allocation."""
    best = {(0,) * problem.market.num_goods: 0.0}
    for i in problem.bidders:
        bundles = allowed_bundles(problem, i)
        if not len(bundles):
            return None
        values = problem.functions[i](bundles)
        after: dict[tuple[int, ...], float] = {}
        for used, welfare in best.items():
            sums = bundles + np.array(used)
            for row in np.flatnonzero((sums <= problem.market.capacities).all(axis=1)):
                key = tuple(sums[row].tolist())
                after[key] = max(after.get(key, -np.inf), welfare + values[row])
        best = after
    return max(best.values(), default=None)


def tolerance(problem: WelfareProblem) -> float:
    """What solvers may be off by, relative to the size of the values."""
    bundles = all_bundles(problem.market.capacities)
    return 2e-6 * max(1.0, *(abs(problem.functions[i](bundles)).max() for i in problem.bidders))
