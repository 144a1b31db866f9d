"""
What stacking networks saves in the search, by the number of bidders: a ratio in one run.

    python benchmarks/stacks.py
    python benchmarks/stacks.py --bidders 10 100 --goods 50

Drawn networks of one shape (two layers of 16), one search with a warm start's effort from the empty
allocation; the same search with every bidder's network asked by itself, and with all of them in a
stack. Rounding differs, so the two may end in different allocations; both welfares are shown.
"""

import argparse
import time

import numpy as np

from boca.core import Market
from boca.functions import MonotoneNet
from boca.wdp import WelfareProblem
from boca.wdp.search import steps as stepping
from boca.wdp.search.local_search import search
from boca.wdp.solve import WARM


def drawn_net(rng: np.random.Generator, num_goods: int) -> MonotoneNet:
    shapes = [(num_goods, 16), (16, 16)]
    return MonotoneNet(
        [rng.random(shape) * (rng.random(shape) < 0.5) / shape[0] for shape in shapes],
        [-0.02 * rng.random(n) for _, n in shapes],
        [np.full(n, 0.3) for _, n in shapes],
        rng.random(16),
        None,
        np.ones(num_goods, dtype=np.int64),
    )


def seconds_of(problem: WelfareProblem, many: int) -> tuple[float, float]:
    """Processor seconds of one search, and the welfare that it finds."""
    before, stepping.MANY = stepping.MANY, many
    try:
        steps = {i: stepping.steps_of(problem.functions[i]) for i in problem.bidders}
        start = np.zeros((problem.market.num_bidders, problem.market.num_goods), dtype=np.int64)
        began = time.process_time()
        optima = search(problem, steps, WARM, seed=1, starts=[start])
        return time.process_time() - began, float(optima.values[0])
    finally:
        stepping.MANY = before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--bidders", type=int, nargs="+", default=[5, 10, 20, 40, 100])
    parser.add_argument("--goods", type=int, default=50)
    options = parser.parse_args()
    print(f"{'bidders':>8}{'alone':>10}{'stack':>10}{'ratio':>8}{'welfare':>20}")
    for num_bidders in options.bidders:
        rng = np.random.default_rng(num_bidders)
        market = Market.simple(options.goods, num_bidders)
        functions = [drawn_net(rng, options.goods) for _ in range(num_bidders)]
        problem = WelfareProblem(market, functions)
        alone, stack = seconds_of(problem, 10**9), seconds_of(problem, 1)
        print(
            f"{num_bidders:>8}{alone[0]:>8.2f} s{stack[0]:>8.2f} s{stack[0] / alone[0]:>8.2f}"
            f"{alone[1]:>10.4f}{stack[1]:>10.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
