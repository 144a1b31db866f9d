"""Quadratic functions of the counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities


@dataclass(frozen=True, eq=False)
class Quadratic:
    """
    The value ``x' matrix x + linear . x`` of a bundle x, in copies (not divided by capacities).

    Parameters
    ----------
    matrix
        Square ``(num_goods, num_goods)``, of any sign; made symmetric, which changes no value.
    linear
        One number per good ``(num_goods,)``; all 0 if None.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    """

    matrix: np.ndarray
    linear: np.ndarray = None  # type: ignore[assignment]
    capacities: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        num_goods = len(np.atleast_1d(self.matrix))
        matrix = frozen(self.matrix, (num_goods, num_goods), "matrix")
        linear = np.zeros(num_goods) if self.linear is None else self.linear
        object.__setattr__(self, "matrix", frozen((matrix + matrix.T) / 2, matrix.shape, "matrix"))
        object.__setattr__(self, "linear", frozen(linear, (num_goods,), "linear"))
        object.__setattr__(self, "capacities", frozen_capacities(self.capacities, num_goods))

    @property
    def num_goods(self) -> int:
        return len(self.linear)

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        for block in blocks(len(rows), self.num_goods):
            x = rows[block].astype(float)
            values[block] = ((x @ self.matrix + self.linear) * x).sum(axis=1)
        return values
