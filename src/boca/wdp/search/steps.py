"""
What one more or one fewer copy of each good changes, for many bundles at once.

The search asks this question millions of times, so networks answer it by a few matrix products
in single precision. Whatever the search finds is valued again by the function itself.
"""

from typing import Protocol

import numpy as np

from boca.functions import FourierSeries, Minimum, MonotoneNet, Quadratic, ReluNet, Scaled
from boca.functions.average import Optimistic
from boca.functions.near import Near
from boca.functions.revealed import RevealedBound
from boca.functions.value_function import ValueFunction
from boca.wdp.search.nested_steps import (
    MinimumSteps,
    NearSteps,
    OptimisticSteps,
    RevealedSteps,
)
from boca.wdp.search.step_kinds import FourierSteps, QuadraticSteps, ReluSteps

# Numbers in one intermediate array; a few of these stay in a core's cache.
BLOCK = 1 << 17


class Steps(Protocol):
    """One bidder's function, asked about neighbours of bundles."""

    def values(self, bundles: np.ndarray) -> np.ndarray:
        """Values ``(num_bundles,)`` of bundles ``(num_bundles, num_goods)``."""
        ...

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        """
        Values ``(num_bundles, num_goods)`` of each bundle with one good changed.

        Parameters
        ----------
        bundles
            Integer matrix ``(num_bundles, num_goods)``.
        step
            What is added to each good, one at a time: +1 or -1, ``(num_bundles, num_goods)``.
            Where the step leaves ``[0, capacity]`` the answer means nothing.
        """
        ...


class CallSteps:
    """Steps of any function, by calling it on every neighbour."""

    def __init__(self, function: ValueFunction):
        self.function = function
        self.capacities = np.asarray(function.capacities)

    def values(self, bundles: np.ndarray) -> np.ndarray:
        return np.asarray(self.function(np.asarray(bundles, dtype=np.int64)))

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        num_bundles, num_goods = bundles.shape
        answers = np.empty((num_bundles, num_goods))
        rows = max(1, BLOCK // num_goods**2)
        diagonal = np.arange(num_goods)
        for first in range(0, num_bundles, rows):
            part = bundles[first : first + rows].astype(np.int64)
            neighbours = np.repeat(part[:, None, :], num_goods, axis=1)
            neighbours[:, diagonal, diagonal] += step[first : first + rows]
            np.clip(neighbours, 0, self.capacities, out=neighbours)
            flat = neighbours.reshape(-1, num_goods)  # (rows * num_goods, num_goods)
            answers[first : first + rows] = self.function(flat).reshape(len(part), num_goods)
        return answers


class NetSteps:
    """
    Steps of a monotone network, in single precision.

    A step changes the first layer's pre-activations by one row of its weights, so only the later
    layers are computed anew.

    Parameters
    ----------
    net
        The network.
    factor
        What its values are multiplied by.
    """

    def __init__(self, net: MonotoneNet, factor: float = 1.0):
        capacities = np.asarray(net.capacities)
        # The input layer divides by capacity; folding that into the weights lets it take counts.
        weights = [np.asarray(w, dtype=np.float64) for w in net.weights]
        weights[0] = weights[0] / capacities[:, None]
        skip = np.asarray(net.skip)
        self.weights = [w.astype(np.float32) for w in weights]
        self.biases = [np.asarray(b, dtype=np.float32) for b in net.biases]
        self.cutoffs = [np.asarray(t, dtype=np.float32) for t in net.cutoffs]
        self.output = (np.asarray(net.output) * factor).astype(np.float32)
        self.skip = (skip / capacities * factor).astype(np.float32)
        self.offset = np.float32(net.offset * factor)
        self.rows = max(1, BLOCK // self.weights[0].size)

    def values(self, bundles: np.ndarray) -> np.ndarray:
        bundles = bundles.astype(np.float32)
        first = bundles @ self.weights[0] + self.biases[0]
        values: np.ndarray = self.rest(first) + bundles @ self.skip
        return values

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        answers = np.empty(bundles.shape, dtype=np.float32)
        for first in range(0, len(bundles), self.rows):
            part = bundles[first : first + self.rows].astype(np.float32)
            signs = step[first : first + self.rows].astype(np.float32)
            before = part @ self.weights[0] + self.biases[0]  # (rows, fan_out)
            inner = signs[:, :, None] * self.weights[0]  # (rows, num_goods, fan_out)
            inner += before[:, None, :]
            rest = self.rest(inner.reshape(-1, inner.shape[2]))
            linear = (part @ self.skip)[:, None] + signs * self.skip
            answers[first : first + self.rows] = rest.reshape(part.shape) + linear
        return answers

    def rest(self, inner: np.ndarray) -> np.ndarray:
        """The network above the first layer's pre-activations, which are overwritten."""
        np.maximum(inner, 0, out=inner)
        np.minimum(inner, self.cutoffs[0], out=inner)
        for weights, bias, cutoff in zip(
            self.weights[1:], self.biases[1:], self.cutoffs[1:], strict=True
        ):
            inner = inner @ weights
            inner += bias
            np.maximum(inner, 0, out=inner)
            np.minimum(inner, cutoff, out=inner)
        values: np.ndarray = inner @ self.output
        return values + self.offset if self.offset else values


def unscaled(function: ValueFunction) -> tuple[ValueFunction, float]:
    """The function inside any scaling, and the factor that is around it."""
    factor = 1.0
    while isinstance(function, Scaled):
        factor *= function.factor
        function = function.function
    return function, factor


def steps_of(function: ValueFunction) -> Steps:
    """The quickest way to ask a function about neighbours."""
    inner, factor = unscaled(function)
    if isinstance(inner, MonotoneNet) and inner.depth:
        return NetSteps(inner, factor)
    if isinstance(function, ReluNet) and function.weights:
        return ReluSteps(function)
    if isinstance(function, Quadratic):
        return QuadraticSteps(function)
    if isinstance(function, FourierSeries):
        return FourierSteps(function)
    if isinstance(function, Minimum):
        return MinimumSteps([steps_of(part) for part in function.functions])
    if isinstance(function, Optimistic):
        return OptimisticSteps(function, [steps_of(part) for part in function.functions])
    if isinstance(function, Near):
        return NearSteps(function, steps_of(function.function))
    if isinstance(function, RevealedBound):
        return RevealedSteps(function)
    return CallSteps(function)
