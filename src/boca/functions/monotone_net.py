"""Monotone-value neural networks: bounded ReLU, non-negative weights, non-positive biases."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities


@dataclass(frozen=True, eq=False)
class MonotoneNet:
    """
    A monotone-value neural network (MVNN; Weissteiner et al., 2022), of any depth.

    With ``y = bundle / capacities``, ``z = y`` at first and for every hidden layer
    ``z = min(cutoffs, max(0, z @ weights + biases))``, the value is ``z @ output + y @ skip``.
    It never falls when a good is added, and the empty bundle is worth 0.

    Parameters
    ----------
    weights
        For each hidden layer a matrix ``(fan_in, fan_out)``, non-negative.
    biases, cutoffs
        For each hidden layer vectors ``(fan_out,)``; biases are at most 0, cut-offs at least 0.
    output
        Weights of the last hidden layer ``(fan_in,)``, non-negative.
    skip
        Weights of the linear skip connection ``(num_goods,)``, non-negative; none if None.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    offset
        Added to the value. 0 in a monotone network; see :class:`boca.functions.supply.SupplyNet`.
    """

    weights: Sequence[np.ndarray]
    biases: Sequence[np.ndarray]
    cutoffs: Sequence[np.ndarray]
    output: np.ndarray
    skip: np.ndarray = None  # type: ignore[assignment]
    capacities: np.ndarray = None  # type: ignore[assignment]
    offset: float = 0.0

    def __post_init__(self) -> None:
        depth = len(self.weights)
        if len(self.biases) != depth or len(self.cutoffs) != depth:
            raise InputError(
                f"Received {depth} weights, {len(self.biases)} biases and {len(self.cutoffs)} "
                "cutoffs; expected one of each for every hidden layer."
            )

        weights, biases, cutoffs = [], [], []
        fan_in = -1
        for k in range(depth):
            weight = frozen(self.weights[k], (fan_in, -1), f"weights[{k}]")
            fan_in = weight.shape[1]
            weights.append(weight)
            biases.append(frozen(self.biases[k], (fan_in,), f"biases[{k}]"))
            cutoffs.append(frozen(self.cutoffs[k], (fan_in,), f"cutoffs[{k}]"))
        output = frozen(self.output, (fan_in,), "output")
        num_goods = len(weights[0]) if depth else len(output)
        skip = np.zeros(num_goods) if self.skip is None else self.skip
        skip = frozen(skip, (num_goods,), "skip")
        capacities = frozen_capacities(self.capacities, num_goods)

        object.__setattr__(self, "weights", tuple(weights))
        object.__setattr__(self, "biases", tuple(biases))
        object.__setattr__(self, "cutoffs", tuple(cutoffs))
        object.__setattr__(self, "output", output)
        object.__setattr__(self, "skip", skip)
        object.__setattr__(self, "capacities", capacities)
        object.__setattr__(self, "offset", float(self.offset))
        self.check_signs()

    def check_signs(self) -> None:
        """Raises InputError unless all parameters have the signs of a monotone network."""
        for k in range(self.depth):
            _check_sign(self.weights[k] >= 0, f"weights[{k}]", "at least 0")
            _check_sign(self.biases[k] <= 0, f"biases[{k}]", "at most 0")
            _check_sign(self.cutoffs[k] >= 0, f"cutoffs[{k}]", "at least 0")
        _check_sign(self.output >= 0, "output", "at least 0")
        _check_sign(self.skip >= 0, "skip", "at least 0")
        if self.offset:
            raise InputError(
                f"Received the offset {self.offset}; expected 0, because the empty bundle is "
                "worth 0."
            )

    @property
    def num_goods(self) -> int:
        return len(self.skip)

    @property
    def depth(self) -> int:
        """Number of hidden layers."""
        return len(self.weights)

    @cached_property
    def _width(self) -> int:
        return int(max(self.num_goods, *(w.shape[1] for w in self.weights), 1))

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        for block in blocks(len(rows), self._width):
            values[block] = self._evaluate(rows[block])
        return values

    def _evaluate(self, rows: np.ndarray) -> np.ndarray:
        inputs = rows / self.capacities  # float64 (num_bundles, num_goods)
        z = inputs
        for weights, biases, cutoffs in zip(self.weights, self.biases, self.cutoffs, strict=True):
            z = z @ weights  # (num_bundles, fan_out)
            z += biases
            np.clip(z, 0.0, cutoffs, out=z)
        values: np.ndarray = z @ self.output + inputs @ self.skip
        return values + self.offset if self.offset else values

    def bounds(
        self, lower: np.ndarray | None = None, upper: np.ndarray | None = None
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """
        The range of every pre-activation over all bundles between two bundles.

        The ranges are exact, not only valid: a pre-activation never falls when a good is added, so
        that its extremes are taken at the two ends (Weissteiner et al., 2022, Fact C.1). Where
        weights of the first layer are negative, goods with such weights are taken at the other
        end; beyond that layer the ranges are exact if each neuron's weights there have one sign.

        Parameters
        ----------
        lower, upper
            Bundles ``(num_goods,)``; the empty and the full one if None.

        Returns
        -------
        list
            For each hidden layer a pair of vectors ``(fan_out,)``: smallest and largest.
        """
        ends = np.stack(
            [
                np.zeros(self.num_goods) if lower is None else np.asarray(lower, dtype=float),
                self.capacities.astype(float) if upper is None else np.asarray(upper, dtype=float),
            ]
        )
        z = ends / self.capacities  # (2, num_goods)
        ranges = []
        for weights, biases, cutoffs in zip(self.weights, self.biases, self.cutoffs, strict=True):
            before = z @ np.maximum(weights, 0) + z[::-1] @ np.minimum(weights, 0) + biases
            ranges.append((before[0], before[1]))
            z = np.clip(before, 0.0, cutoffs)
        return ranges

    def in_units_of(self, capacities: np.ndarray) -> "MonotoneNet":
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
        weights = [self.weights[0] * factors[:, None], *self.weights[1:]] if self.depth else []
        # Without hidden layers, the output is what the skip weights are.
        output = self.output if self.depth else self.output * factors
        return MonotoneNet(
            weights, self.biases, self.cutoffs, output, self.skip * factors, capacities
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the network as an ``.npz`` file."""
        arrays = {"output": self.output, "skip": self.skip, "capacities": self.capacities}
        for k in range(self.depth):
            arrays[f"weights{k}"] = self.weights[k]
            arrays[f"biases{k}"] = self.biases[k]
            arrays[f"cutoffs{k}"] = self.cutoffs[k]
        np.savez(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "MonotoneNet":
        """Reads what :meth:`save` wrote."""
        with np.load(path) as data:
            depth = sum(name.startswith("weights") for name in data.files)
            return cls(
                [data[f"weights{k}"] for k in range(depth)],
                [data[f"biases{k}"] for k in range(depth)],
                [data[f"cutoffs{k}"] for k in range(depth)],
                data["output"],
                data["skip"],
                data["capacities"],
            )


def _check_sign(holds: np.ndarray, name: str, expected: str) -> None:
    if not holds.all():
        place = tuple(int(i) for i in np.argwhere(~holds)[0])
        raise InputError(
            f"Entry {place} of {name} has the wrong sign; expected {expected}. Project the "
            "parameters before freezing a network, otherwise it is not monotone."
        )
