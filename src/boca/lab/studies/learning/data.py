"""Random bundles of a simulated bidder, to learn from and to be tested on."""

from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.report import Reports
from boca.lab.domains import Domain
from boca.surrogates.hyperparameters import Tuning

# Size of the largest sample, as a multiple of the different bundles that are needed.
LARGEST_SAMPLE = 64

# Fewer different bundles than this teach nothing about learning.
FEWEST_BUNDLES = 20


@dataclass(frozen=True, eq=False)
class LearningData:
    """
    What one bidder says about random bundles.

    Parameters
    ----------
    seed, bidder
        The instance, and the bidder in it.
    train
        Distinct bundles, the full bundle last, the empty bundle not among them.
    test
        Further bundles, none of them in ``train``.
    """

    seed: int
    bidder: int
    train: Reports
    test: Reports

    @property
    def scale(self) -> float:
        """The largest training value, by which errors are divided."""
        return float(self.train.values.max())


def learning_data(domain: Domain, bidder_type: str, sizes: Tuning, seed: int) -> LearningData:
    """
    Training and test bundles of the first bidder of a type, with their true values.

    The seed of the bundles is that of the instance; a market file has only one instance, whose
    bundles are drawn anew.
    """
    bidder = domain.bidder_types.index(bidder_type)
    num_bundles = sizes.num_train - 1 + sizes.num_test
    bundles = distinct_bundles(domain, bidder, num_bundles, seed, at_least=FEWEST_BUNDLES)
    # A market too small for these sizes is split into halves.
    num_random = min(sizes.num_train - 1, len(bundles) // 2)
    train = np.vstack([bundles[:num_random], domain.market.full_bundle])
    test = bundles[num_random:]
    return LearningData(
        seed=seed,
        bidder=bidder,
        train=Reports(train, domain.values(bidder, train)),
        test=Reports(test, domain.values(bidder, test)),
    )


def distinct_bundles(
    domain: Domain, bidder: int, num: int, seed: int, at_least: int | None = None
) -> np.ndarray:
    """
    Random bundles without repetition, neither empty nor full, ``(num, num_goods)``.

    A small domain may not have as many; then there are fewer, but never below ``at_least``.
    """
    at_least = num if at_least is None else at_least
    size = num
    while True:
        sample = domain.sample(bidder, size, seed)
        inner = sample[sample.any(axis=1) & (sample < domain.market.capacities).any(axis=1)]
        _, first = np.unique(inner, axis=0, return_index=True)
        if len(first) >= num or (len(first) >= at_least and size >= LARGEST_SAMPLE * num):
            return inner[np.sort(first)[:num]]
        if size >= LARGEST_SAMPLE * num:
            raise InputError(
                f"Bidder {bidder} of {domain.name} needs {at_least} different bundles that are "
                f"neither empty nor full, but only {len(first)} were found; choose a larger domain."
            )
        size *= 2
