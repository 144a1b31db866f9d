"""
A surrogate and an acquisition of one's own
===========================================

The surrogate is ridge regression. The acquisition adds a bonus for bundles that are far from all
reported ones; any object with ``capacities`` that can be called is a function to maximise. On a
larger market: ``python examples/own_surrogate.py lsvm``.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np

from boca import AuctionParams, Fitted, Market, Phase, Reports, load_domain, register_surrogate
from boca.core import Demands, Seeds
from boca.functions import Quadratic, ValueFunction
from boca.lab.simulation import simulate
from boca.queries import Acquisition, FirstBundles
from boca.surrogates import Surrogate


@dataclass(frozen=True)
class RidgeParams:
    strength: float = 1.0
    bonus: float = 0.05


@dataclass(frozen=True)
class Curious:
    mean: ValueFunction
    known: np.ndarray
    bonus: float
    capacities: np.ndarray

    def __call__(self, bundles: np.ndarray) -> np.ndarray:
        distances = np.abs(bundles[:, None, :] - self.known[None]).sum(axis=2).min(axis=1)
        return np.asarray(self.mean(bundles) + self.bonus * distances)


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, RidgeParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    fitted = {}
    for i, known in enumerate(reports):
        if len(known):
            mine = params[market.bidders[i].type]
            square = known.bundles.T @ known.bundles + mine.strength * np.eye(market.num_goods)
            slopes = np.linalg.solve(square, known.bundles.T @ known.values)
            mean = Quadratic(0 * square, slopes, market.capacities)
            bonus = mine.bonus * known.values.max()
            fitted[i] = Fitted(mean, Curious(mean, known.bundles, bonus, market.capacities))
    return fitted


register_surrogate("ridge", RidgeParams, fit)


def auction(
    types: Sequence[str], acquisition: Literal["mean", "upper"], first: int, each: int, total: int
) -> AuctionParams:
    """First queries, then rounds with the surrogate above."""
    surrogate = Surrogate("ridge", {kind: RidgeParams(strength=0.1) for kind in types})
    planner = Acquisition(acquisition, num_per_round=each)
    return AuctionParams(
        (
            Phase("first", FirstBundles(first), num_queries=first),
            Phase("ridge", planner, surrogate, share=1.0),
        ),
        num_total=total,
        seed=1,
    )


def main(name: str = "toy") -> None:
    domain = load_domain(name, seed=1)
    first, each, total = (3, 1, 8) if name == "toy" else (20, 4, 60)
    _, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    for acquisition in ("mean", "upper"):
        params = auction(domain.bidder_types, acquisition, first, each, total)
        result = simulate(domain, params)
        loss = 100 * result.efficiency_loss
        print(f"{name}, ridge regression, queries maximise {acquisition}: loss {loss:.2f} %")
        losses = [100 * entry.efficiency_loss for entry in result.path]
        axes.step([entry.queries for entry in result.path], losses, label=acquisition, where="post")
    axes.set(xlabel="questions per bidder", ylabel="efficiency loss (%)", ylim=(0, None))
    axes.legend(title="queries maximise", frameon=False)
    plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
