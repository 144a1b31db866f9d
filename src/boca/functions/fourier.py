"""Set functions as sparse sums over a Fourier basis."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities


class Basis(Enum):
    """
    A basis of all functions of a set A of goods, one element for every set B of goods.

    The three are those of Weissteiner et al. (2022, "Fourier Analysis-based Iterative
    Combinatorial Auctions"), after Pueschel and Wendler (2020). The function with coefficients
    c(B) is s(A) = sum over B of c(B) phi_B(A).

    WHT
        Walsh-Hadamard: phi_B(A) = (-1)^|A and B|. Its inverse is
        c(B) = 2^-m sum over A of (-1)^|A and B| s(A).
    FT3
        phi_B(A) = (-1)^|B| if B is a subset of A, else 0. Its inverse is
        c(B) = sum over A in B of (-1)^|A| s(A).
    FT4
        phi_B(A) = 1 if A and B are disjoint, else 0. Its inverse is
        c(B) = sum over A with A or B = all goods of (-1)^|A and B| s(A).
    """

    WHT = "WHT"
    FT3 = "FT3"
    FT4 = "FT4"


@dataclass(frozen=True, eq=False)
class FourierSeries:
    """
    The value of a bundle as a sum of a few basis functions. Every capacity is 1.

    Parameters
    ----------
    frequencies
        The sets B as a 0/1 matrix ``(num_terms, num_goods)``.
    coefficients
        One number per term ``(num_terms,)``, of any sign.
    basis
        Which basis the coefficients belong to; also accepted by name.
    """

    frequencies: np.ndarray
    coefficients: np.ndarray
    basis: Basis

    def __post_init__(self) -> None:
        frequencies = frozen(self.frequencies, (-1, -1), "frequencies")
        if not np.isin(frequencies, (0, 1)).all():
            raise InputError("Received frequencies with entries other than 0 and 1.")
        coefficients = frozen(self.coefficients, (len(frequencies),), "coefficients")
        try:
            basis = Basis(self.basis)
        except ValueError:
            raise InputError(
                f"Received the basis {self.basis!r}; expected one of WHT, FT3, FT4."
            ) from None
        object.__setattr__(self, "frequencies", frequencies)
        object.__setattr__(self, "coefficients", coefficients)
        object.__setattr__(self, "basis", basis)

    @property
    def num_goods(self) -> int:
        return int(self.frequencies.shape[1])

    @cached_property
    def capacities(self) -> np.ndarray:
        return frozen_capacities(None, self.num_goods)

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        for block in blocks(len(rows), len(self.frequencies)):
            values[block] = basis_matrix(rows[block], self.frequencies, self.basis) @ (
                self.coefficients
            )
        return values


def basis_matrix(bundles: np.ndarray, frequencies: np.ndarray, basis: Basis) -> np.ndarray:
    """Every basis function at every bundle, float64 ``(num_bundles, num_terms)``."""
    shared = np.asarray(bundles, dtype=float) @ np.asarray(frequencies, dtype=float).T  # |A and B|
    sizes = np.asarray(frequencies).sum(axis=1)
    if basis is Basis.WHT:
        return np.asarray(1 - 2 * (shared % 2))
    if basis is Basis.FT3:
        return np.asarray((shared == sizes) * (1 - 2 * (sizes % 2)))
    return np.asarray((shared == 0).astype(float))
