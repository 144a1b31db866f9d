"""
A surrogate and an acquisition of one's own: ``python examples/own_surrogate.py [lsvm]``.

The surrogate is ridge regression. The acquisition adds a bonus for bundles that are far from all
reported ones; any object with `capacities` that can be called is a function to maximise.
"""

import sys
from dataclasses import dataclass

import numpy as np

from boca.domains import load_domain
from boca.functions import Quadratic, ValueFunction
from boca.mechanism import AuctionParams
from boca.mechanism.learners import LEARNERS
from boca.simulation.simulate import simulate
from boca.surrogates import Fitted


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

    def __call__(self, bundles):
        distances = np.abs(bundles[:, None, :] - self.known[None]).sum(axis=2).min(axis=1)
        return self.mean(bundles) + self.bonus * distances


def fit(reports, market, params, seed):
    fitted = {}
    for i, own in enumerate(reports):
        if len(own):
            mine = params[market.bidders[i].type]
            square = own.bundles.T @ own.bundles + mine.strength * np.eye(market.num_goods)
            slopes = np.linalg.solve(square, own.bundles.T @ own.values)
            mean = Quadratic(0 * square, slopes, market.capacities)
            bonus = mine.bonus * own.values.max()
            fitted[i] = Fitted(mean, Curious(mean, own.bundles, bonus, market.capacities))
    return fitted


LEARNERS["ridge"] = lambda: (RidgeParams, fit)


def main(name: str) -> None:
    domain = load_domain(name, seed=1)
    budget = (3, 1, 8) if name == "toy" else (20, 4, 60)
    for acquisition in ("mean", "upper"):
        params = AuctionParams(
            mechanism="mine",
            surrogate="ridge",
            surrogate_params={kind: {"strength": 0.1} for kind in domain.bidder_types},
            acquisition=acquisition,
            num_initial=budget[0],
            num_per_round=budget[1],
            num_total=budget[2],
            seed=1,
        )
        loss = simulate(domain, params).efficiency_loss
        print(f"{name}, ridge regression, queries maximise {acquisition}: loss {100 * loss:.2f} %")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["toy"])
