"""Bundles that a bidder must not get, as the search looks them up."""

from functools import cache

import numpy as np

from boca.core import Seeds
from boca.wdp.problem import WelfareProblem


class Exclusion:
    """
    Which bundles a bidder must not get, for quick look-up of many neighbours.

    Bundles are told apart by a random 64-bit sum; that two of them share one has a
    probability near 1e-19 per pair and would only make the search avoid one bundle too many.
    """

    def __init__(self, problem: WelfareProblem, bidder: int):
        rows = (problem.excluded or {}).get(bidder)
        self.weights = _weights(problem.market.num_goods)
        self.keys = np.zeros(0, dtype=np.int64)
        if rows is not None:
            self.keys = np.sort(rows @ self.weights)

    def __len__(self) -> int:
        return len(self.keys)

    def of(self, bundles: np.ndarray) -> np.ndarray:
        """Whether each bundle is excluded."""
        return self._known(bundles.astype(np.int64) @ self.weights)

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Whether each neighbour ``(num_bundles, num_goods)`` is excluded."""
        keys = (bundles.astype(np.int64) @ self.weights)[:, None] + step * self.weights
        return self._known(keys)

    def _known(self, keys: np.ndarray) -> np.ndarray:
        if not len(self.keys):
            return np.zeros(keys.shape, dtype=bool)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        matches: np.ndarray = self.keys[place] == keys
        return matches


@cache
def _weights(num_goods: int) -> np.ndarray:
    """The random sum's weights; the same for everybody and always."""
    rng = Seeds(0).child("wdp", "exclusion").generator()
    return rng.integers(-(2**62), 2**62, size=num_goods)
