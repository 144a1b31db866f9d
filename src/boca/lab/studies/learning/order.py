"""
How often the upper bound lies below the mean, which the loss forbids only at artificial points.

The paper's artificial points are uniform in the cube, so that almost all of them are about half
full: the order is kept best there, and worst on small bundles, which is where auctions ask.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.lab.studies.learning.study import Advance, LearningStudy, trainings
from boca.surrogates import Fitted

NUM_BUNDLES = 4096

# Differences below this share of the largest value are rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class OrderRow:
    """
    Shares of bundles on which the upper bound of one bidder type lies below the mean.

    Parameters
    ----------
    domain, bidder_type, q
        What was learned.
    artificial
        Where the artificial points of the training were: ``cube`` or ``bundles``.
    instances
        Seeds of the instances.
    half_full
        Share of the bundles that hold each copy with probability 1/2; mean over the instances.
    any_density
        Share of the bundles whose density is itself uniform between 0 and 1.
    shortfall
        Mean distance from the upper bound to the mean on the latter bundles, where it is below;
        divided by the largest training value. Zero if it never is.
    """

    domain: str
    bidder_type: str
    q: float
    artificial: str
    instances: tuple[int, ...]
    half_full: float
    any_density: float
    shortfall: float

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values, for JSON."""
        return asdict(self)


def keep_order(study: LearningStudy, advance: Advance | None = None) -> Iterator[OrderRow]:
    """
    Trains and looks where the order breaks; one row per bidder type, as soon as it is ready.

    Parameters
    ----------
    study
        What is trained.
    advance
        Called after every training.
    """
    first = study.first
    capacities = first.market.capacities
    rng = Seeds(study.seed).child("order", first.name).generator()
    half_full = random_bundles(capacities, np.full(NUM_BUNDLES, 0.5), rng)
    any_density = random_bundles(capacities, rng.random(NUM_BUNDLES), rng)
    for bidder_type in study.bidder_types:
        shares = []
        for training in trainings(study, bidder_type, advance):
            scale = training.data.scale
            below_half = shortfalls(training.fitted, half_full) > ROUNDING * scale
            depth = shortfalls(training.fitted, any_density)
            below = depth > ROUNDING * scale
            mean_depth = depth[below].mean() / scale if below.any() else 0.0
            shares.append((below_half.mean(), below.mean(), mean_depth))
        half, any_of_them, mean_shortfall = np.mean(shares, axis=0).tolist()
        yield OrderRow(
            domain=first.name,
            bidder_type=bidder_type,
            q=study.q,
            artificial=study.params_by_type[bidder_type].artificial,
            instances=tuple(study.instances),
            half_full=half,
            any_density=any_of_them,
            shortfall=mean_shortfall,
        )


def random_bundles(
    capacities: np.ndarray, densities: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """
    Bundles that hold each copy of each good with a probability of their own.

    Parameters
    ----------
    capacities
        Copies of each good, ``(num_goods,)``.
    densities
        The probability of each bundle, ``(num_bundles,)``.
    rng
        Source of randomness.
    """
    return rng.binomial(capacities, densities[:, None])  # (num_bundles, num_goods)


def shortfalls(fitted: Fitted, bundles: np.ndarray) -> np.ndarray:
    """By how much the upper bound lies below the mean, at least 0, ``(num_bundles,)``."""
    if fitted.upper is None:
        raise InputError("This surrogate has no upper bound; expected one that has.")
    below: np.ndarray = np.maximum(fitted.mean(bundles) - fitted.upper(bundles), 0)
    return below
