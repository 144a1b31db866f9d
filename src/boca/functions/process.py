"""What a Gaussian process expects of bundles after known ones."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.frozen import set_fields
from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities

# How many there are of what :func:`parts` gives.
NUM_PARTS = 4


def parts(bundles: np.ndarray, others: np.ndarray) -> np.ndarray:
    """
    What kernels are sums of, for every pair of rows, ``(NUM_PARTS, num_bundles, num_others)``.

    With s the scalar product of two bundles and d their squared distance: 1, for what anything at
    all is worth or costs; s and s^2, for effects of single goods and of pairs; and ``exp(-d / 2)``
    for what these do not explain.

    Parameters
    ----------
    bundles, others
        In units in which a usual bundle has the length 1.
    """
    products = bundles @ others.T
    lengths = (bundles**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    near = np.exp(products - 0.5 * lengths)
    return np.stack([np.ones_like(products), products, products**2, near])


@dataclass(frozen=True, eq=False)
class Process:
    """
    The value ``scale sum_k sum_p weights[p, k] part_p(bundle, centres[k])``; 0 of nothing.

    Parameters
    ----------
    centres
        Known bundles ``(num_centres, num_goods)``, in ``units``.
    weights
        Of every part around every centre ``(NUM_PARTS, num_centres)``, of any sign.
    units
        Copies of each good that count as 1 ``(num_goods,)``, positive.
    scale
        What sums are multiplied by.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    """

    centres: np.ndarray
    weights: np.ndarray
    units: np.ndarray
    scale: float = 1.0
    capacities: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        centres = frozen(self.centres, (-1, -1), "centres")
        num_centres, num_goods = centres.shape
        set_fields(
            self,
            centres=centres,
            weights=frozen(self.weights, (NUM_PARTS, num_centres), "weights"),
            units=frozen(self.units, (num_goods,), "units"),
            capacities=frozen_capacities(self.capacities, num_goods),
        )

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        for block in blocks(len(rows), len(self.centres)):
            values[block] = self._values(rows[block] / self.units)
        values[~rows.any(axis=1)] = 0.0
        return self.scale * values

    def _values(self, rows: np.ndarray) -> np.ndarray:
        """Sums of the parts: all but the last are polynomials, which need no centres."""
        constant, linear, matrix, near = self._sums
        lengths = (rows**2).sum(axis=1)
        values: np.ndarray = constant + ((rows @ matrix + linear) * rows).sum(axis=1)
        values += np.exp(-0.5 * lengths) * (np.exp(rows @ self.centres.T) @ near)
        return values

    @cached_property
    def _sums(self) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Constant, linear and quadratic part, and weights of ``exp(bundle . centre)``."""
        anything, single, pairs, near = self.weights
        lengths = (self.centres**2).sum(axis=1)
        return (
            float(anything.sum()),
            single @ self.centres,
            (self.centres.T * pairs) @ self.centres,
            near * np.exp(-0.5 * lengths),
        )
