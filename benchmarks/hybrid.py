"""
How the planning of a hybrid round grows with bidders and goods.

Bidders have 25 demand answers and 20 values each; everybody is learned anew, which happens in no
real round but the first. Seconds of processor time of the parts of one round, all cores together.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from boca.core import Economy, Market, Reports, Seeds
from boca.core.demand import Demands
from boca.mechanism import AuctionParams, AuctionState, auction_params
from boca.mechanism.stepping import welfare_bound
from boca.queries import PricesAndValues

SIZES = ((10, 42), (20, 50), (50, 50), (100, 100), (200, 100))
NUM_DEMANDS, NUM_VALUES = 25, 20


class Truth:
    """Values with decreasing returns in groups of goods, of which a bidder likes about a third."""

    def __init__(self, num_goods: int, rng: np.random.Generator):
        worth = rng.uniform(1, 10, num_goods) * (rng.random(num_goods) < 1 / 3)
        groups = rng.integers(0, max(1, num_goods // 5), num_goods)
        self.weights = np.array([worth * (groups == g) for g in range(groups.max() + 1)])

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        return ((bundles @ self.weights.T) ** 0.8).sum(axis=1)

    def demand(self, prices: np.ndarray) -> np.ndarray:
        """A bundle that no single good improves; quick, and good enough to learn from."""
        bundle = np.zeros(len(prices), dtype=np.int64)
        steps = np.eye(len(prices), dtype=np.int64)
        while True:
            gains = self(np.minimum(bundle + steps, 1)) - self(bundle[None]) - prices * (1 - bundle)
            if gains.max() <= 1e-9:
                return bundle
            bundle = bundle + steps[gains.argmax()]


def situation(num_bidders: int, num_goods: int) -> AuctionState:
    """An auction that looks for better allocations near the best one."""
    rng = np.random.default_rng(0)
    market = Market.simple(num_goods, num_bidders)
    params: AuctionParams = auction_params("hybrid", market)
    reports, demands = [], []
    level = np.exp(rng.normal(0, 0.3, (NUM_DEMANDS, num_goods))) * rng.uniform(
        0.5, 6, (NUM_DEMANDS, 1)
    )
    for _ in range(num_bidders):
        truth = Truth(num_goods, rng)
        wanted = np.array([truth.demand(prices) for prices in level])
        # Values are asked near allocations: wanted bundles with a few goods exchanged.
        bundles = wanted[rng.integers(NUM_DEMANDS, size=NUM_VALUES)]
        bundles = np.where(rng.random(bundles.shape) < 2 / num_goods, 1 - bundles, bundles)
        bundles = bundles[bundles.any(axis=1)]
        bundles = np.unique(np.vstack([market.full_bundle, bundles]), axis=0)
        reports.append(Reports(bundles, truth(bundles)))
        demands.append(Demands(level, wanted))
    nearby = [phase.name for phase in params.phases].index("nearby")
    return AuctionState.of(market, params, reports, demands, phase=nearby)


def seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of some work and the processor time of all its threads."""
    before = time.process_time()
    result = work()
    return result, time.process_time() - before


def measure(num_bidders: int, num_goods: int) -> list[float]:
    """Processor seconds of learning, prices, values nearby, best allocation and certificate."""
    state = situation(num_bidders, num_goods)
    prices, nearby = state.params.phase("prices").planner, state.present_phase.planner
    surrogate = state.present_phase.surrogate
    assert surrogate is not None
    assert isinstance(prices, PricesAndValues)
    first = Seeds(1)

    def learn(seeds: Seeds) -> Any:
        return surrogate.fit(state.reports, state.demands, state.market, seeds)

    learn(first)  # compiles
    fitted, learning = seconds(lambda: learn(Seeds(2)))
    prices.prices.plan(state, fitted, first)
    _, pricing = seconds(lambda: prices.prices.plan(state, fitted, first))
    _, allocating = seconds(lambda: state.winners(Economy.main(num_bidders)))
    _, asking = seconds(lambda: nearby.plan(state, fitted, first))
    _, proving = seconds(lambda: welfare_bound(state))
    return [learning, pricing, asking, allocating, proving]


def main() -> None:
    """Prints one row per size, as Markdown; sizes such as 20x50 can be given."""
    named = [tuple(int(n) for n in text.split("x")) for text in sys.argv[1:]]
    names = ("bidders", "goods", "learning", "prices", "nearby", "on bids", "certificate", "sum")
    print("| " + " | ".join(names) + " |")
    print("|" + "--:|" * len(names))
    for num_bidders, num_goods in named or SIZES:
        parts = measure(num_bidders, num_goods)
        cells = [f"{part:.1f}" for part in (*parts, sum(parts))]
        print(f"| {num_bidders} | {num_goods} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
