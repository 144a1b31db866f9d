"""Sums of kernels around known bundles."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities


class Kernel(Enum):
    """
    How alike two bundles x and y are.

    POLYNOMIAL
        ``sum_k numbers[k] s^k`` with ``s = x . y``; linear and quadratic kernels are of this kind.
    EXPONENTIAL
        ``scale exp(s / bandwidth)`` with the overlap ``s = sum_j min(x_j, y_j)`` and
        ``numbers = (scale, bandwidth)``.
    GAUSSIAN
        ``scale exp(-d / bandwidth)`` with the distance ``d = sum_j |x_j - y_j|``, likewise.
    """

    POLYNOMIAL = "polynomial"
    EXPONENTIAL = "exponential"
    GAUSSIAN = "gaussian"


def kernel_matrix(
    kernel: Kernel, numbers: np.ndarray, bundles: np.ndarray, others: np.ndarray
) -> np.ndarray:
    """The kernel of every pair of rows, ``(num_bundles, num_others)``."""
    x, y = np.asarray(bundles, dtype=float), np.asarray(others, dtype=float)
    if kernel is Kernel.POLYNOMIAL:
        return np.asarray(np.polynomial.polynomial.polyval(x @ y.T, numbers))
    scale, bandwidth = numbers
    if x.max(initial=0) <= 1 and y.max(initial=0) <= 1:
        overlap = x @ y.T  # of 0/1 vectors, min is a product
    else:
        overlap = np.minimum(x[:, None, :], y[None, :, :]).sum(axis=2)
    if kernel is Kernel.EXPONENTIAL:
        return np.asarray(scale * np.exp(overlap / bandwidth))
    # |x - y| = x + y - 2 min(x, y)
    distance = x.sum(axis=1)[:, None] + y.sum(axis=1) - 2 * overlap
    return np.asarray(scale * np.exp(-distance / bandwidth))


@dataclass(frozen=True, eq=False)
class KernelExpansion:
    """
    The value ``sum_k coefficients[k] kernel(centres[k], bundle)``.

    Parameters
    ----------
    kernel
        Which kernel; also accepted by name.
    numbers
        Its numbers, see :class:`Kernel`.
    centres
        Known bundles ``(num_centres, num_goods)``.
    coefficients
        One number a centre ``(num_centres,)``, of any sign.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    """

    kernel: Kernel
    numbers: np.ndarray
    centres: np.ndarray
    coefficients: np.ndarray
    capacities: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        try:
            kernel = Kernel(self.kernel)
        except ValueError:
            raise InputError(
                f"Received the kernel {self.kernel!r}; expected one of "
                f"{', '.join(k.value for k in Kernel)}."
            ) from None
        numbers = frozen(self.numbers, (-1,), "numbers of the kernel")
        if kernel is not Kernel.POLYNOMIAL and (len(numbers) != 2 or (numbers <= 0).any()):
            raise InputError(
                f"Received the numbers {numbers.tolist()} of the kernel {kernel.value}; expected "
                "a positive scale and a positive bandwidth."
            )
        centres = frozen(self.centres, (-1, -1), "centres")
        coefficients = frozen(self.coefficients, (len(centres),), "coefficients")
        capacities = frozen_capacities(self.capacities, centres.shape[1])
        for name, value in (
            *(("kernel", kernel), ("numbers", numbers), ("centres", centres)),
            *(("coefficients", coefficients), ("capacities", capacities)),
        ):
            object.__setattr__(self, name, value)

    @property
    def num_goods(self) -> int:
        return int(self.centres.shape[1])

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        several = int(self.capacities.max()) > 1
        width = len(self.centres) * (self.num_goods if several else 1)
        for block in blocks(len(rows), width):
            kernels = kernel_matrix(self.kernel, self.numbers, rows[block], self.centres)
            values[block] = kernels @ self.coefficients
        return values
