"""Quick steps of functions that are made of other functions, and of bounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from boca.functions.average import Optimistic
from boca.functions.near import Near
from boca.functions.revealed import RevealedBound

if TYPE_CHECKING:
    from boca.wdp.search.steps import Steps


class MinimumSteps:
    """
    Steps of the smallest of several functions.

    Parameters
    ----------
    parts
        The steps of each.
    """

    def __init__(self, parts: Sequence["Steps"]):
        self.parts = parts

    def values(self, bundles: np.ndarray) -> np.ndarray:
        return np.asarray(np.min([part.values(bundles) for part in self.parts], axis=0))

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        return np.asarray(np.min([part.after(bundles, step) for part in self.parts], axis=0))


class OptimisticSteps:
    """
    Steps of a mean plus spread.

    Parameters
    ----------
    function
        Says how the parts are combined.
    parts
        The steps of each function in it.
    """

    def __init__(self, function: Optimistic, parts: Sequence["Steps"]):
        self.function = function
        self.parts = parts

    def values(self, bundles: np.ndarray) -> np.ndarray:
        return self.function.combine(np.stack([part.values(bundles) for part in self.parts]))

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.function.combine(np.stack([part.after(bundles, step) for part in self.parts]))


class NearSteps:
    """
    Steps of a function within a distance of a bundle.

    Parameters
    ----------
    function
        Centre, radius and penalty.
    inner
        The steps of the function that is trusted near the centre.
    """

    def __init__(self, function: Near, inner: "Steps"):
        self.function = function
        self.inner = inner

    def values(self, bundles: np.ndarray) -> np.ndarray:
        distances = np.abs(bundles - self.function.centre).sum(axis=1)
        return np.asarray(self.inner.values(bundles) - self.function.cost(distances))

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        centre = self.function.centre
        apart = np.abs(bundles - centre)  # (num_bundles, num_goods)
        distances = apart.sum(axis=1)[:, None] - apart + np.abs(bundles + step - centre)
        return np.asarray(self.inner.after(bundles, step) - self.function.cost(distances))


class RevealedSteps:
    """
    Steps of the bound from revealed preference.

    Parameters
    ----------
    bound
        The bound. Where it is infinite, so are the steps.
    """

    def __init__(self, bound: RevealedBound):
        self.bound = bound

    def values(self, bundles: np.ndarray) -> np.ndarray:
        return self.bound(np.asarray(bundles, dtype=np.int64))

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        held = np.asarray(bundles, dtype=np.int64)
        bounds = np.minimum(self._by_choices(held, step), self._by_reports(held, step))
        # One step leads to the empty bundle where a single copy is given back.
        empty = held.sum(axis=1)[:, None] + step == 0
        return np.where(empty & (held + step == 0), 0.0, np.maximum(bounds, 0.0))

    def _by_choices(self, held: np.ndarray, step: np.ndarray) -> np.ndarray:
        now = held @ self.bound.prices.T + self.bound.offsets  # (num_bundles, num_choices)
        bounds = np.full(held.shape, np.inf)
        for choice, prices in enumerate(self.bound.prices):
            np.minimum(bounds, now[:, choice, None] + step * prices, out=bounds)
        return bounds

    def _by_reports(self, held: np.ndarray, step: np.ndarray) -> np.ndarray:
        bounds = np.full(held.shape, np.inf)
        after = held + step
        # From the largest value down, so that the smallest one that contains a bundle stays.
        for bundle, value in zip(self.bound.bundles[::-1], self.bound.values[::-1], strict=True):
            beyond = held > bundle  # (num_bundles, num_goods)
            others = beyond.sum(axis=1)[:, None] - beyond
            bounds[(others == 0) & (after <= bundle)] = value
        return bounds
