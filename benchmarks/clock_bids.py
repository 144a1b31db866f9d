"""
What a clock's answers are worth as bids: at their prices, or at what choices prove.

``python benchmarks/clock_bids.py`` runs the clock of ``cca`` and allocates twice by the same
answers. A published clock bid is the price of a wanted bundle; ours is what all choices of the
bidder prove the bundle to be worth, which is never less.
"""

import argparse

import numpy as np

from boca.core.report import Reports
from boca.functions.revealed import lower_bids
from boca.lab.domains import load_domain
from boca.lab.simulation.observer import Observer
from boca.lab.simulation.simulated_auction import simulate
from boca.mechanism import auction_params
from boca.payments import allocate_quickly


def losses(name: str, seed: int) -> tuple[int, float, float]:
    """Rounds of the clock, and losses in per cent by prices and by what choices prove."""
    domain = load_domain(name, seed=seed, generic=True)
    market = domain.market
    state = simulate(domain, auction_params("cca", market)).state
    prices = [demands.bids() for demands in state.demands]
    proven = [
        lower_bids(Reports.empty(market.num_goods), demands, market, bidder)
        for bidder, demands in enumerate(state.demands)
    ]
    observer = Observer(domain)
    by_prices, by_proof = (
        100 * observer.loss(allocate_quickly(bids, market).allocation.bundles)
        for bids in (prices, proven)
    )
    return len(state.demands[0]), by_prices, by_proof


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--domain", default="lsvm")
    parser.add_argument("--first-seed", type=int, default=20001)
    parser.add_argument("--num-seeds", type=int, default=8)
    options = parser.parse_args()
    print(f"{options.domain}: efficiency loss in % by bids after the clock")
    print(f"{'seed':>6}{'rounds':>8}{'prices':>9}{'proven':>9}")
    rows = []
    for seed in range(options.first_seed, options.first_seed + options.num_seeds):
        rows.append(losses(options.domain, seed))
        print(f"{seed:>6}{rows[-1][0]:>8}{rows[-1][1]:>9.2f}{rows[-1][2]:>9.2f}", flush=True)
    means = np.mean(rows, axis=0)
    print(f"{'mean':>6}{means[0]:>8.1f}{means[1]:>9.2f}{means[2]:>9.2f}")


if __name__ == "__main__":
    main()
