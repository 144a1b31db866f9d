"""
How good the allocations are that a hybrid auction's networks propose, by how they are trained.

``python benchmarks/proposals.py --seeds 20001-20006 --settings "" "stretches=24 moves=20"`` runs
``hybrid`` once per seed, keeps its states on the way in a folder, learns every one of them anew
with each of the settings (hyperparameters of the networks; an empty text for the preset's) and
compares what the networks propose with the truth. All settings see the same answers, so
differences show after minutes that whole auctions would need many seeds for. What it cannot show:
that better proposals lead to other answers.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np

from boca.core.economy import Economy
from boca.core.randomness import Seeds, parse_seeds
from boca.functions.value_function import ValueFunction
from boca.lab.domains import Domain, load_domain
from boca.lab.simulation.simulated_auction import simulate
from boca.mechanism import AuctionState, Callback, RoundRecord, auction_params
from boca.mechanism.round import learn
from boca.queries import TrustRegion

# Queries per bidder after which a state is kept, unless others are named.
AT = "45,60,75,90"

# Random allocations around the efficient one.
AROUND = 30


@dataclass(frozen=True)
class Row:
    """What was measured of one state, in per cent of the optimum but for the last two."""

    loss: float  # of the best allocation on bids
    nearby: float  # true loss of what the networks propose near it
    everywhere: float  # true loss of what they propose anywhere
    overrated: float  # by how much they value that higher than it is worth
    underrated: float  # by how much they value the efficient allocation lower than it is worth
    around: float  # the same of random allocations around it, which nothing selected
    correlation: float  # of predicted and true gains of one copy more or less
    seconds: float  # of processor time for learning


class Keeper(Callback):
    """
    Saves states on the way.

    Parameters
    ----------
    folder
        Where files go, named by the number of queries.
    at
        Queries per bidder after which a state is saved, ascending.
    """

    def __init__(self, folder: Path, at: Sequence[int]):
        self.folder = folder
        self.left = list(at)

    def on_round(self, state: AuctionState, record: RoundRecord) -> None:
        if self.left and max(state.num_asked) >= self.left[0]:
            state.save(self.folder / f"{self.left.pop(0)}.json")


def states_of(domain: Domain, folder: Path, at: Sequence[int]) -> list[AuctionState]:
    """The states of one auction, which is run unless they are there."""
    files = [folder / f"{queries}.json" for queries in at]
    if not all(file.exists() for file in files):
        folder.mkdir(parents=True, exist_ok=True)
        params = auction_params("hybrid", domain.market, tuned=domain.name, seed=domain.seed)
        simulate(domain, params, callbacks=(Keeper(folder, at),))
    return [AuctionState.load(file) for file in files if file.exists()]


def with_settings(state: AuctionState, settings: str) -> AuctionState:
    """The state before a round of the phase ``nearby``, whose networks have other settings."""
    params = state.params
    for word in settings.split():
        name, _, value = word.partition("=")
        number = float(value)
        params = params.changed(f"surrogate.{name}", int(number) if number.is_integer() else number)
    phase = [phase.name for phase in params.phases].index("nearby")
    return replace(state, params=params, phase=phase, pending=())


def measure(domain: Domain, state: AuctionState) -> Row:
    """Learns, proposes, and looks at the truth."""
    planner = state.present_phase.planner
    assert isinstance(planner, TrustRegion)
    main = Economy.main(domain.market.num_bidders)
    seeds = Seeds(state.params.seed).child("proposals")
    started = time.process_time()
    fitted = learn(state, seeds)
    seconds = time.process_time() - started

    functions = planner.functions(state, fitted)
    nearby, everywhere = (
        planner.improve(state, functions, main, is_near, seeds) for is_near in (True, False)
    )
    assert nearby is not None
    assert everywhere is not None
    truths = [domain.function(i) for i in main.bidders]
    efficient, incumbent = domain.efficient(), state.winners(main).bundles

    def share(functions: Sequence[ValueFunction], bundles: np.ndarray) -> float:
        """Welfare in per cent of the optimum."""
        values = [float(f(row[None])[0]) for f, row in zip(functions, bundles, strict=True)]
        return 100 * sum(values) / efficient.welfare

    proposed, best = everywhere.allocation.bundles, efficient.allocation.bundles
    return Row(
        loss=100 - share(truths, incumbent),
        nearby=100 - share(truths, nearby.allocation.bundles),
        everywhere=100 - share(truths, proposed),
        overrated=share(functions, proposed) - share(truths, proposed),
        underrated=share(truths, best) - share(functions, best),
        around=float(np.mean([share(truths, x) - share(functions, x) for x in shuffled(best)])),
        correlation=correlation_of_gains(domain, functions, incumbent),
        seconds=seconds,
    )


def shuffled(bundles: np.ndarray) -> list[np.ndarray]:
    """Allocations in which a third of the copies have changed hands at random."""
    allocations = []
    for k in range(AROUND):
        rng = np.random.default_rng(k)
        moved = rng.binomial(bundles, 1 / 3)
        others = rng.permuted(moved, axis=0)  # within every good, among all bidders
        allocations.append(bundles - moved + others)
    return allocations


def correlation_of_gains(
    domain: Domain, functions: Sequence[ValueFunction], incumbent: np.ndarray
) -> float:
    """Of what the networks and the truth say about one copy more or less for a winner."""
    capacities = domain.market.capacities
    one = np.eye(domain.market.num_goods, dtype=np.int64)
    predicted, true = [], []
    for i in np.flatnonzero(incumbent.any(axis=1)):
        changed = incumbent[i] + np.concatenate([one, -one])
        changed = changed[((changed >= 0) & (changed <= capacities)).all(axis=1)]
        for function, gains in ((functions[i], predicted), (domain.function(i), true)):
            gains.append(function(changed) - function(incumbent[i][None]))
    return float(np.corrcoef(np.concatenate(predicted), np.concatenate(true))[0, 1])


def line(settings: str, rows: Sequence[Row]) -> str:
    """Means over the states, as a row of a Markdown table."""
    means = np.mean([astuple(row) for row in rows], axis=0)
    numbers = [f"{mean:.2f}" for mean in means]
    return f"| {settings or 'as they are'} | {len(rows)} | {' | '.join(numbers)} |"


def main() -> None:
    """Prints one line per settings."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--domain", default="mrvm")
    parser.add_argument("--seeds", default="20001-20006")
    parser.add_argument("--at", default=AT, help="queries per bidder, ascending")
    parser.add_argument("--settings", nargs="+", default=[""])
    parser.add_argument("--states", type=Path, default=Path("runs/proposals"))
    options = parser.parse_args()
    at = [int(queries) for queries in options.at.split(",")]
    states = []
    for seed in parse_seeds(options.seeds):
        domain = load_domain(options.domain, seed=seed, generic=True)
        folder = options.states / f"{options.domain}-{seed}"
        states += [(domain, state) for state in states_of(domain, folder, at)]
    print("| settings | states | " + " | ".join(field.name for field in fields(Row)) + " |")
    print("|---|" + "--:|" * (1 + len(fields(Row))))
    for settings in options.settings:
        rows = [measure(domain, with_settings(state, settings)) for domain, state in states]
        print(line(settings, rows), flush=True)


if __name__ == "__main__":
    main()
