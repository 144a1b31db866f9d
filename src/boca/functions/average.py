"""Several networks of one bidder as one function: their average, and their average plus spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.frozen import set_fields
from boca.functions.arrays import as_rows
from boca.functions.monotone_net import MonotoneNet
from boca.functions.value_function import ValueFunction


def average_net(nets: Sequence[MonotoneNet]) -> MonotoneNet:
    """
    The average of networks with the same number of layers, as one network.

    Its layers hold the neurons of all of them side by side; those of different networks are not
    connected.
    """
    if not nets:
        raise InputError("Received no networks; expected at least one to average.")
    if len(nets) == 1:
        return nets[0]
    if len({net.depth for net in nets}) > 1:
        raise InputError("Received networks of different depths; expected the same of all.")
    depth, num = nets[0].depth, len(nets)
    if depth == 0:
        output = np.mean([net.output for net in nets], axis=0)
    else:
        output = np.concatenate([net.output for net in nets]) / num
    weights = [
        np.concatenate([net.weights[0] for net in nets], axis=1)
        if layer == 0
        else _side_by_side([net.weights[layer] for net in nets])
        for layer in range(depth)
    ]
    return MonotoneNet(
        weights,
        [np.concatenate([net.biases[layer] for net in nets]) for layer in range(depth)],
        [np.concatenate([net.cutoffs[layer] for net in nets]) for layer in range(depth)],
        output,
        np.mean([net.skip for net in nets], axis=0),
        nets[0].capacities,
    )


def _side_by_side(matrices: Sequence[np.ndarray]) -> np.ndarray:
    """One matrix with the given ones on its diagonal."""
    height = sum(matrix.shape[0] for matrix in matrices)
    width = sum(matrix.shape[1] for matrix in matrices)
    whole = np.zeros((height, width))
    row = column = 0
    for matrix in matrices:
        whole[row : row + matrix.shape[0], column : column + matrix.shape[1]] = matrix
        row += matrix.shape[0]
        column += matrix.shape[1]
    return whole


@dataclass(frozen=True, eq=False)
class Optimistic:
    """
    The mean of several functions plus a multiple of their standard deviation.

    Where the functions disagree, more may be found out. It need not be monotone.

    Parameters
    ----------
    functions
        At least one, all over the same goods.
    factor
        How many standard deviations are added. Not negative.
    """

    functions: Sequence[ValueFunction]
    factor: float

    def __post_init__(self) -> None:
        functions = tuple(self.functions)
        if not functions:
            raise InputError("Received no functions; expected at least one to take the mean of.")
        if not self.factor >= 0:
            raise InputError(f"Received the factor {self.factor}; expected zero or more.")
        for function in functions[1:]:
            if not np.array_equal(function.capacities, functions[0].capacities):
                raise InputError("Received functions over different goods; expected the same.")
        set_fields(self, functions=functions)

    @property
    def capacities(self) -> np.ndarray:
        return self.functions[0].capacities

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        return self.combine(np.stack([function(rows) for function in self.functions]))

    def combine(self, values: np.ndarray) -> np.ndarray:
        """From the functions' values, first axis, to the value."""
        return np.asarray(values.mean(axis=0) + self.factor * values.std(axis=0))
