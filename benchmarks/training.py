"""
Seconds that training takes, a round and an auction, beside a plain loop of the same mathematics.

The plain loop trains one bidder after another and runs every operation of a step by itself, as a
framework does without compilation. A few of its steps are timed and multiplied by the number of
steps. Times are wall-clock seconds, without compilation; run on an otherwise idle machine.

Run with ``python benchmarks/training.py``.
"""

import time

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

from boca.core import Reports, Seeds
from boca.domains import load_domain
from boca.surrogates import fit, published
from boca.surrogates.mvnn.artificial import draw_pool
from boca.surrogates.mvnn.fit import num_steps, schedule_of, shape_of
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, optimiser
from boca.surrogates.mvnn.prepare import Problem
from boca.surrogates.mvnn.training import step

# Domain, quantile of its hyperparameters, and the seconds per round that were to be reached.
CASES = (("lsvm", 0.9, 8), ("srvm", 0.75, 9), ("mrvm", 0.9, 14))
NUM_REPORTS = (40, 70, 97)
NUM_ROUNDS = 15
PLAIN_STEPS = 5


def draw_reports(domain, num_reports: int) -> list[Reports]:
    """Random bundles and the full bundle, for every bidder."""
    reports = []
    for i in range(domain.market.num_bidders):
        bundles = np.unique(domain.sample(i, 3 * num_reports, seed=i), axis=0)
        full = (bundles == domain.market.full_bundle).all(axis=1)
        bundles = np.random.default_rng(i).permutation(bundles[~full & bundles.any(axis=1)])
        bundles = np.concatenate([bundles[: num_reports - 1], domain.market.full_bundle[None]])
        reports.append(Reports(bundles, domain.values(i, bundles)))
    return reports


def seconds_compiled(domain, reports: list[Reports], params) -> float:
    """One round of all bidders; compiled programs are in memory."""
    fit(reports, domain.market, params, seed=0)
    start = time.perf_counter()
    fit(reports, domain.market, params, seed=1)
    return time.perf_counter() - start


def seconds_plain(domain, reports: list[Reports], params) -> float:
    """One round of all bidders in the plain loop, extrapolated from a few steps of each type."""
    total, of_type = 0.0, {}
    for i, bidder in enumerate(domain.market.bidders):
        if bidder.type not in of_type:
            chosen = params[bidder.type]
            problem = Problem.from_reports(reports[i], domain.market, i)
            of_type[bidder.type] = seconds_a_step(problem, chosen) * num_steps(
                chosen, problem.num_rows
            )
        total += of_type[bidder.type]
    return total


def seconds_a_step(problem: Problem, params) -> float:
    """The plain loop, every operation by itself; its first step, which prepares, is left out."""
    rng = Seeds(0).generator()
    num_goods = len(problem.envelope.capacities)
    pair = Pair(draw_weights(num_goods, params, rng), draw_weights(num_goods, params, rng))
    schedule = jax.device_put(schedule_of(params, problem.num_rows))
    data = jax.device_put(problem.data(params.artificial, rng))
    pool = draw_pool(data.key, 8 * params.pairs_per_step, data.envelope, params.artificial)
    weights = LossWeights(*(getattr(params, name) for name in LossWeights._fields))
    carry = (pair, optimiser(schedule).init(pair))
    for number in range(PLAIN_STEPS + 1):
        if number == 1:
            start = time.perf_counter()
        where = (jax.numpy.int32(number), carry, data, pool)
        carry = step(*where, schedule, weights, shape_of(params), with_dropout=False)
        jax.block_until_ready(carry)
    return (time.perf_counter() - start) / PLAIN_STEPS


def main() -> None:
    """Prints one row a domain and number of reports, and one for a whole auction."""
    table = Table(title="Training all bidders, both networks, published hyperparameters")
    for name in ("domain", "q", "reports", "seconds", "plain loop s", "ratio", "to reach"):
        table.add_column(name, justify="right")
    for name, q, limit in CASES:
        domain, params = load_domain(name, seed=1), published(name, q)
        seconds, plain = [], []
        for num_reports in NUM_REPORTS:
            reports = draw_reports(domain, num_reports)
            seconds.append(seconds_compiled(domain, reports, params))
            plain.append(seconds_plain(domain, reports, params))
            row = (f"{seconds[-1]:.1f}", f"{plain[-1]:.0f}", f"{plain[-1] / seconds[-1]:.0f}")
            table.add_row(name, str(q), str(num_reports), *row, str(limit))
        auction, slow = NUM_ROUNDS * np.mean(seconds), NUM_ROUNDS * np.mean(plain)
        row = (f"{auction:.0f}", f"{slow:.0f}", f"{slow / auction:.0f}", "")
        table.add_row(name, str(q), "auction", *row, end_section=True)
    Console().print(table)


if __name__ == "__main__":
    main()
