"""
How quick the domains are, compared with their targets. Times are processor seconds, best of a few.

Run with ``python benchmarks/domains.py``; set ``OMP_NUM_THREADS=1`` to use one core only.
"""

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from boca.lab.domains import load_domain
from boca.lab.domains.sats.lsvm import lowest_components

SEED = 10001
NUM_BUNDLES = 100_000
INSTANCE_TARGET = 0.1
# Seconds for NUM_BUNDLES bundles of one bidder, and for the optimum.
TARGETS = {"gsvm": (0.05, 5.0), "lsvm": (0.05, 5.0), "srvm": (0.05, 5.0), "mrvm": (0.2, 30.0)}


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Processor time of the quickest of some calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def measure(name: str, generic: bool) -> dict[str, float]:
    """Seconds for an instance, a bidder's first table, many bundles, and the optimum."""
    domain = load_domain(name, seed=SEED, generic=generic)
    generator = np.random.default_rng(0)
    capacities = domain.market.capacities
    bundles = generator.integers(0, capacities, (NUM_BUNDLES, len(capacities)), endpoint=True)
    bidder = domain.bidder_types.index("national") if "national" in domain.bidder_types else 0

    def first_value() -> object:
        lowest_components.cache_clear()
        fresh = load_domain(name, seed=SEED, generic=generic)
        return fresh.values(bidder, bundles[:1])

    return {
        "instance": seconds(lambda: load_domain(name, seed=SEED, generic=generic), 5),
        "first value": seconds(first_value, 3),
        "bundles": seconds(lambda: domain.values(bidder, bundles), 5),
        # A view takes its optimum from the cache of the domain below, so solve that one.
        "optimum": seconds(load_domain(name, seed=SEED).solve, 2),
    }


def main() -> None:
    """Prints one row per domain, with targets in brackets."""
    table = Table(title=f"domains, seed {SEED}: milliseconds (target)")
    table.add_column("domain")
    for title in ("instance", "first value", f"{NUM_BUNDLES:,} bundles", "optimum, uncached"):
        table.add_column(title, justify="right")

    missed = []
    for name, (bundles_target, optimum_target) in TARGETS.items():
        for generic in (False, True) if load_domain(name, seed=SEED).grouping else (False,):
            label = f"{name} generic" if generic else name
            figures = measure(name, generic)
            targets = {
                "instance": INSTANCE_TARGET,
                "bundles": bundles_target,
                "optimum": optimum_target,
            }
            cells = []
            for what, figure in figures.items():
                target = targets.get(what)
                if target is None:
                    cells.append(f"{figure * 1e3:.1f}")
                    continue
                cells.append(f"{figure * 1e3:.1f} ({target * 1e3:.0f})")
                if figure > target:
                    missed.append(f"{label}: {what}")
            table.add_row(label, *cells)
    console = Console()
    console.print(table)
    console.print("targets missed: " + (", ".join(missed) or "none"))


if __name__ == "__main__":
    main()
