"""Plain ReLU networks, which may be non-monotone and need not give the empty bundle 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities


@dataclass(frozen=True, eq=False)
class ReluNet:
    """
    A feed-forward network with ReLU activations.

    With ``z = bundle / capacities`` at first and ``z = max(0, z @ weights + biases)`` for every
    hidden layer, the value is ``z @ output + output_bias``.

    Parameters
    ----------
    weights
        For each hidden layer a matrix ``(fan_in, fan_out)``, of any sign.
    biases
        For each hidden layer a vector ``(fan_out,)``, of any sign.
    output
        Weights of the last hidden layer ``(fan_in,)``, of any sign.
    output_bias
        Added to every value.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    """

    weights: Sequence[np.ndarray]
    biases: Sequence[np.ndarray]
    output: np.ndarray
    output_bias: float = 0.0
    capacities: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if len(self.biases) != len(self.weights):
            raise InputError(
                f"Received {len(self.weights)} weights and {len(self.biases)} biases; expected "
                "one of each for every hidden layer."
            )
        weights, biases = [], []
        fan_in = -1
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            weights.append(frozen(weight, (fan_in, -1), f"weights[{k}]"))
            fan_in = weights[-1].shape[1]
            biases.append(frozen(bias, (fan_in,), f"biases[{k}]"))
        output = frozen(self.output, (fan_in,), "output")
        num_goods = len(weights[0]) if weights else len(output)

        object.__setattr__(self, "weights", tuple(weights))
        object.__setattr__(self, "biases", tuple(biases))
        object.__setattr__(self, "output", output)
        object.__setattr__(self, "output_bias", float(frozen(self.output_bias, (), "output_bias")))
        object.__setattr__(self, "capacities", frozen_capacities(self.capacities, num_goods))

    @property
    def num_goods(self) -> int:
        return len(self.capacities)

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        width = max(self.num_goods, *(w.shape[1] for w in self.weights), 1)
        for block in blocks(len(rows), width):
            z = rows[block] / self.capacities  # (num_bundles, num_goods)
            for weights, biases in zip(self.weights, self.biases, strict=True):
                z = z @ weights  # (num_bundles, fan_out)
                z += biases
                np.maximum(z, 0.0, out=z)
            values[block] = z @ self.output + self.output_bias
        return values

    def in_units_of(self, capacities: np.ndarray) -> "ReluNet":
        """
        The same function of counts, as a network whose inputs are shares of other capacities.

        Parameters
        ----------
        capacities
            Copies of each good ``(num_goods,)``.
        """
        factors = capacities / self.capacities
        if (factors == 1).all():
            return self
        weights = [self.weights[0] * factors[:, None], *self.weights[1:]] if self.weights else []
        output = self.output if self.weights else self.output * factors
        return ReluNet(weights, self.biases, output, self.output_bias, capacities)

    def bounds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """
        Valid ranges of every pre-activation over all bundles, by interval arithmetic.

        Returns
        -------
        list
            For each hidden layer a pair of vectors ``(fan_out,)``: lower and upper bound.
        """
        lower, upper = np.zeros(self.num_goods), np.ones(self.num_goods)
        ranges = []
        for weights, biases in zip(self.weights, self.biases, strict=True):
            positive, negative = np.maximum(weights, 0), np.minimum(weights, 0)
            below = lower @ positive + upper @ negative + biases
            above = upper @ positive + lower @ negative + biases
            ranges.append((below, above))
            lower, upper = np.maximum(below, 0), np.maximum(above, 0)
        return ranges
