"""
What a buyer saves by a supply: the at-most prices of what is supplied less what it costs.

Buying at the least cost is to share out the units that are needed so that these savings are
largest, so that everything that finds allocations of value functions finds awards, too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows, frozen
from boca.functions.average import Optimistic
from boca.functions.monotone_net import MonotoneNet
from boca.functions.value_function import ValueFunction


class SupplyNet(MonotoneNet):
    """
    A network whose first layer and skip may have any sign, as may all biases.

    Weights of later layers and of the output are not negative. That is all that the encodings and
    bounds of :mod:`boca.wdp` need: of the inputs the values are known exactly, so that nothing has
    to be carried through the first layer in one direction only.
    """

    def check_signs(self) -> None:
        positive = {
            **{f"weights[{k}]": w for k, w in enumerate(self.weights) if k},
            **{f"cutoffs[{k}]": t for k, t in enumerate(self.cutoffs)},
            "output": self.output if self.depth else np.zeros(0),
        }
        for name, array in positive.items():
            if (array < 0).any():
                raise InputError(f"Received {name} with a negative entry; expected at least 0.")


@dataclass(frozen=True, eq=False)
class Savings:
    """
    ``prices . bundle - cost(bundle)`` for a cost function of any kind.

    Parameters
    ----------
    cost
        What supplying a bundle costs.
    prices
        Price of one unit of each lot, ``(num_lots,)``.
    """

    cost: ValueFunction
    prices: np.ndarray

    def __post_init__(self) -> None:
        prices = frozen(self.prices, (len(self.cost.capacities),), "prices")
        object.__setattr__(self, "prices", prices)

    @property
    def capacities(self) -> np.ndarray:
        return self.cost.capacities

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        return np.asarray(rows @ self.prices - self.cost(rows))


def savings(cost: ValueFunction, prices: np.ndarray) -> ValueFunction:
    """
    ``prices . bundle - cost(bundle)`` as a function that engines know best.

    Parameters
    ----------
    cost
        What supplying a bundle costs.
    prices
        Price of one unit of each lot, finite, ``(num_lots,)``.
    """
    if isinstance(cost, MonotoneNet):
        return negated(cost, prices)
    if isinstance(cost, Optimistic):
        # Less cost where networks disagree: the spread counts the other way round.
        return Optimistic([savings(part, prices) for part in cost.functions], cost.factor)
    return Savings(cost, prices)


def negated(net: MonotoneNet, prices: np.ndarray) -> SupplyNet:
    """
    ``prices . s - net(s)`` as a network.

    With ``z' = t - z`` in every layer, ``-net(s)`` is a network again: the first layer has the
    weights ``-W`` and the bias ``t - b``, a later one W and ``t - t_before W - b``, the output w,
    the skip ``prices k - v``, and ``t w`` of the last layer is taken off.
    """
    capacities = net.capacities
    if not net.depth:  # a linear function: what the output says belongs to the skip
        linear = prices * capacities - net.skip - net.output
        return SupplyNet([], [], [], 0 * net.output, linear, capacities)
    biases = [net.cutoffs[0] - net.biases[0]]
    for k in range(1, net.depth):
        biases.append(net.cutoffs[k] - net.cutoffs[k - 1] @ net.weights[k] - net.biases[k])
    return SupplyNet(
        [-net.weights[0], *net.weights[1:]],
        biases,
        net.cutoffs,
        net.output,
        prices * capacities - net.skip,
        capacities,
        -float(net.cutoffs[-1] @ net.output),
    )
