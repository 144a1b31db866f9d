"""
What each part of a hybrid auction brings: the same auctions with one part left out or changed.

``python benchmarks/ablation.py --seeds 20001-20004 --out FILE`` runs every variant on every seed,
one after another, and keeps what is finished in FILE (JSON lines), so that it can be continued;
``--variants`` names some of them, ``--table`` only prints what is there of the seeds; ``--budget
40`` is for short auctions, which want a FILE of their own. Seeds from
20001 on are those that choices were made on.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boca.core.randomness import parse_seeds
from boca.core.wording import did_you_mean
from boca.lab.domains import Domain, load_domain
from boca.lab.simulation.simulated_auction import simulate
from boca.mechanism import AuctionParams, Phase, auction_params
from boca.queries import PricesAndValues, QuickClock, SmallBundles, TrustRegion

Variant = Callable[[AuctionParams, Domain], AuctionParams]
AT = (40, 60, 80, 100)


def with_values(params: AuctionParams, **changes: Any) -> AuctionParams:
    """Other settings of the value queries, in both phases that ask them."""
    prices, nearby = params.phase("prices"), params.phase("nearby")
    assert isinstance(prices.planner, PricesAndValues)
    assert isinstance(nearby.planner, TrustRegion)
    both = replace(prices.planner, values=replace(prices.planner.values, **changes))
    params = params.with_phase(replace(prices, planner=both))
    return params.with_phase(replace(nearby, planner=replace(nearby.planner, **changes)))


def with_network(params: AuctionParams, **changes: Any) -> AuctionParams:
    """Other hyperparameters of the networks."""
    for name, value in changes.items():
        params = params.changed(f"surrogate.{name}", value)
    return params


def with_shares(params: AuctionParams, *shares: float) -> AuctionParams:
    """Other shares of clock, wanted bundles and prices; what is left is spent nearby."""
    new = dict(zip(("clock", "wanted", "prices"), shares, strict=True))
    new["nearby"] = 0.99 - sum(shares)
    phases = [replace(phase, share=new.get(phase.name, phase.share)) for phase in params.phases]
    return replace(params, phases=tuple(phases))


def one_network(params: AuctionParams, domain: Domain) -> AuctionParams:
    return with_network(params, members=1, steps=1000)


def no_demands(params: AuctionParams, domain: Domain) -> AuctionParams:
    """As many random values in the place of the demand queries."""
    nearby = params.phase("nearby")
    phases = (Phase("first", SmallBundles(), share=0.2), replace(nearby, share=0.8))
    return replace(params, phases=phases)


def known_start(params: AuctionParams, domain: Domain) -> AuctionParams:
    """Prices begin at a fifth of the average true value of single copies (published practice)."""
    market = domain.market
    single = np.eye(market.num_goods, dtype=np.int64)
    worth = np.mean([domain.values(i, single) for i in range(market.num_bidders)], axis=0)
    clock = QuickClock(start_prices=tuple((0.2 * worth).tolist()))
    return params.with_phase(replace(params.phase("clock"), planner=clock))


VARIANTS: dict[str, Variant] = {
    "hybrid": lambda params, domain: params,
    "one network": one_network,
    "mean + spread": lambda params, domain: with_values(params, acquisition="upper"),
    "mean + bounded spread": lambda params, domain: with_values(params, acquisition="bounded"),
    "dense start": lambda params, domain: with_network(
        params, inputs_per_neuron=1e9, l1_per_good=0.0
    ),
    "few competitors": lambda params, domain: with_network(
        params, stretches=6, moves=10, kept_stretches=2, l1_per_good=1.2e-5
    ),
    "no demand queries": no_demands,
    "no trust region": lambda params, domain: with_values(params, global_every=1),
    "trust distance 2": lambda params, domain: with_values(params, distance=2),
    "trust distance 5": lambda params, domain: with_values(params, distance=5),
    "1 query per round": lambda params, domain: params.changed("nearby.num_per_round", 1),
    "4 queries per round": lambda params, domain: params.changed("nearby.num_per_round", 4),
    "no marginal rounds": lambda params, domain: with_values(params, marginal_every=0),
    "known start prices": known_start,
    # Of short auctions, such as --budget 40.
    "shares of long auctions": lambda params, domain: with_shares(
        params.changed("nearby.num_per_round", 2), 0.15, 0.04, 0.25
    ),
    "clock 15 %": lambda params, domain: with_shares(params, 0.15, 0.04, 0.25),
    "clock 35 %": lambda params, domain: with_shares(params, 0.35, 0.05, 0.15),
    "prices 35 %": lambda params, domain: with_shares(params, 0.25, 0.05, 0.35),
}


def measure(name: str, domain_name: str, seed: int, budget: int) -> dict[str, Any]:
    """One auction."""
    domain = load_domain(domain_name, seed=seed, generic=True)
    params = auction_params("hybrid", domain.market, tuned=domain_name, seed=seed, num_total=budget)
    simulation = simulate(domain, VARIANTS[name](params, domain))
    history, path = simulation.state.history, simulation.path
    reached = {at: [e.efficiency_loss for e in path if e.queries <= at] for at in AT}
    return {
        "variant": name,
        "domain": domain_name,
        "seed": seed,
        "loss": simulation.efficiency_loss,
        "loss_at": {str(at): losses[-1] if losses else None for at, losses in reached.items()},
        "revenue": simulation.relative_revenue,
        "missing": history[-1].missing,
        "bound": None
        if history[-1].welfare_bound is None
        else history[-1].welfare_bound / simulation.optimum,
        "seconds": simulation.seconds,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """
    The rows as Markdown, one line per domain and variant, means over seeds in per cent.

    The last columns compare with the auction as it is, on common seeds: mean difference of the
    loss at the end, and its standard error.
    """
    names = ["domain", "variant", "seeds", *(f"loss @{at}" for at in AT), "by seed"]
    names += ["revenue", "provably missing", "bound / optimum", "more loss than hybrid"]
    lines = ["| " + " | ".join(names) + " |", "|---|---|" + "--:|" * (len(names) - 2)]
    for domain in dict.fromkeys(row["domain"] for row in rows):
        whole = losses_by_seed(rows, domain, "hybrid")
        for name in VARIANTS:
            own = [row for row in rows if (row["domain"], row["variant"]) == (domain, name)]
            if own:
                own.sort(key=lambda row: row["seed"])
                lines.append("| " + " | ".join(cells(domain, name, own, whole)) + " |")
    return "\n".join(lines)


def cells(domain: str, name: str, rows: list[dict[str, Any]], whole: dict[int, float]) -> list[str]:
    """One line of the table."""
    by_seed = {row["seed"]: row["loss"] for row in rows}
    differences = [100 * (by_seed[seed] - whole[seed]) for seed in by_seed if seed in whole]
    compared = "-"
    if name != "hybrid" and len(differences) > 1:
        error = np.std(differences, ddof=1) / np.sqrt(len(differences))
        compared = f"{np.mean(differences):+.2f} ± {error:.2f}"
    return [
        domain.upper(),
        name,
        str(len(rows)),
        *(mean([row["loss_at"][str(at)] for row in rows]) for at in AT),
        ", ".join(f"{100 * loss:.2f}" for loss in by_seed.values()),
        mean([row["revenue"] for row in rows], 1),
        mean([row["missing"] for row in rows]),
        mean([row["bound"] for row in rows], 3, 1.0),
        compared,
    ]


def losses_by_seed(rows: list[dict[str, Any]], domain: str, name: str) -> dict[int, float]:
    """The loss at the end of every auction of a variant."""
    return {
        row["seed"]: row["loss"]
        for row in rows
        if (row["domain"], row["variant"]) == (domain, name)
    }


def mean(values: list[Any], digits: int = 2, factor: float = 100.0) -> str:
    """The mean of the numbers that exist, in per cent unless another factor is given."""
    known = [value for value in values if value is not None]
    return f"{factor * np.mean(known):.{digits}f}" if known else "-"


def main() -> None:
    """Runs what is missing and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--domain", default="mrvm")
    parser.add_argument("--seeds", default="20001-20004")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--out", type=Path, default=Path("results/ablation.jsonl"))
    parser.add_argument("--budget", type=int, default=100, help="questions per bidder")
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    seeds, names = parse_seeds(options.seeds), options.variants.split(",")
    for name in names:
        if name not in VARIANTS:
            parser.error(f"unknown variant '{name}'; {did_you_mean(name, VARIANTS)}")
    rows = []
    if options.out.exists():
        rows = [json.loads(line) for line in options.out.read_text().splitlines()]
    done = {(row["variant"], row["domain"], row["seed"]) for row in rows}
    if not options.table:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            for name in names:
                if (name, options.domain, seed) not in done:
                    rows.append(measure(name, options.domain, seed, options.budget))
                    with options.out.open("a") as file:
                        file.write(json.dumps(rows[-1]) + "\n")
    print(table([row for row in rows if row["seed"] in seeds]))


if __name__ == "__main__":
    main()
