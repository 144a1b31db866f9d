"""
What one more or one fewer copy of each good changes, for many bundles at once.

The search asks this question millions of times, so networks answer it by a few matrix products
in single precision. Whatever the search finds is valued again by the function itself.
"""

from collections.abc import Sequence
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
# Networks of one shape from which on they are stacked. A stack is quicker with five already
# (benchmarks/stacks.py), but rounds differently, and results of the published value models, which
# have at most ten bidders, can be repeated as they are.
MANY = 24


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


class Group(Protocol):
    """
    Functions of some bidders, asked about bundles of any of them at once.

    Attributes
    ----------
    places
        Which bidders of the economy, counted from 0, ``(num_members,)``.
    """

    places: np.ndarray

    def values(self, who: np.ndarray, bundles: np.ndarray) -> np.ndarray:
        """Values ``(num_bundles,)``, each to the member whose number ``who`` gives."""
        ...

    def after(self, who: np.ndarray, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        """As :meth:`Steps.after`, each row by the function of its member."""
        ...


class Alone:
    """A group of one."""

    def __init__(self, place: int, steps: Steps):
        self.places = np.array([place])
        self.steps = steps

    def values(self, who: np.ndarray, bundles: np.ndarray) -> np.ndarray:
        return self.steps.values(bundles)

    def after(self, who: np.ndarray, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        return self.steps.after(bundles, step)


class NetStack:
    """
    Networks of one shape, side by side: with many bidders, calls cost more than sums.

    Parameters
    ----------
    places
        Which bidders of the economy.
    nets
        Their networks.
    """

    def __init__(self, places: Sequence[int], nets: Sequence[NetSteps]):
        self.places = np.array(places)
        depth = range(len(nets[0].weights))
        self.weights = [np.stack([net.weights[k] for net in nets]) for k in depth]
        self.biases = [np.stack([net.biases[k] for net in nets]) for k in depth]
        self.cutoffs = [np.stack([net.cutoffs[k] for net in nets]) for k in depth]
        self.output = np.stack([net.output for net in nets])
        self.skip = np.stack([net.skip for net in nets])
        self.offset = np.array([net.offset for net in nets], dtype=np.float32)
        self.rows = nets[0].rows

    def values(self, who: np.ndarray, bundles: np.ndarray) -> np.ndarray:
        answers = np.empty(len(bundles), dtype=np.float32)
        for first in range(0, len(bundles), self.rows):
            at = slice(first, first + self.rows)
            part, members = bundles[at].astype(np.float32), who[at]
            inner = part[:, None] @ self.weights[0][members]  # (rows, 1, fan_out)
            inner += self.biases[0][members][:, None]
            answers[at] = self._rest(members, inner)[:, 0] + (part * self.skip[members]).sum(axis=1)
        return answers

    def after(self, who: np.ndarray, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        answers = np.empty(bundles.shape, dtype=np.float32)
        for first in range(0, len(bundles), self.rows):
            at = slice(first, first + self.rows)
            part, members = bundles[at].astype(np.float32), who[at]
            signs = step[at].astype(np.float32)
            weights, skip = self.weights[0][members], self.skip[members]
            before = part[:, None] @ weights + self.biases[0][members][:, None]
            inner = signs[:, :, None] * weights  # (rows, num_goods, fan_out)
            inner += before
            linear = (part * skip).sum(axis=1)[:, None] + signs * skip
            answers[at] = self._rest(members, inner) + linear
        return answers

    def _rest(self, members: np.ndarray, inner: np.ndarray) -> np.ndarray:
        """The networks above the first pre-activations ``(rows, any, fan_out)``, overwritten."""
        np.maximum(inner, 0, out=inner)
        np.minimum(inner, self.cutoffs[0][members][:, None], out=inner)
        for weights, bias, cutoff in zip(
            self.weights[1:], self.biases[1:], self.cutoffs[1:], strict=True
        ):
            inner = inner @ weights[members]
            inner += bias[members][:, None]
            np.maximum(inner, 0, out=inner)
            np.minimum(inner, cutoff[members][:, None], out=inner)
        values: np.ndarray = (inner @ self.output[members][:, :, None])[:, :, 0]
        values += self.offset[members][:, None]
        return values


def grouped(steps: Sequence[Steps]) -> list[Group]:
    """
    The functions of an economy's bidders, with networks of one shape together if there are many.

    What many means, and why not always, is said at :data:`MANY`.
    """
    shapes: dict[tuple[tuple[int, ...], ...], dict[int, NetSteps]] = {}
    for place, own in enumerate(steps):
        if isinstance(own, NetSteps):
            shapes.setdefault(tuple(w.shape for w in own.weights), {})[place] = own
    stacks = [nets for nets in shapes.values() if len(nets) >= MANY]
    stacked = {place for nets in stacks for place in nets}
    groups: list[Group] = [NetStack(list(nets), list(nets.values())) for nets in stacks]
    groups += [Alone(place, own) for place, own in enumerate(steps) if place not in stacked]
    return groups


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
