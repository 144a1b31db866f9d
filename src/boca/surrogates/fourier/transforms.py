"""Fourier transforms of set functions over all subsets, in m 2^m operations."""

from itertools import combinations
from typing import Any

import numpy as np

from boca.functions import Basis

# For one good, the coefficients without and with it from the values without and with it. The
# transform over m goods applies this matrix along each of them.
_FORWARD = {
    Basis.WHT: np.array([[0.5, 0.5], [0.5, -0.5]]),
    Basis.FT3: np.array([[1.0, 0.0], [1.0, -1.0]]),
    Basis.FT4: np.array([[0.0, 1.0], [1.0, -1.0]]),
}


def transform(values: Any, basis: Basis) -> np.ndarray:
    """
    The coefficient of every set.

    Parameters
    ----------
    values
        Value of every set ``(2^m,)``; good j is in set k where bit j of k is 1.
    basis
        Which transform; see :class:`~boca.functions.Basis`.
    """
    matrix = _FORWARD[Basis(basis)]
    out = np.array(values, dtype=float)
    num_goods = len(out).bit_length() - 1
    if out.shape != (1 << num_goods,):
        raise ValueError(f"Expected a value for each of 2^m sets, got shape {out.shape}.")
    for good in range(num_goods):
        pairs = out.reshape(-1, 2, 1 << good)
        without, with_it = pairs[:, 0].copy(), pairs[:, 1].copy()
        pairs[:, 0] = matrix[0, 0] * without + matrix[0, 1] * with_it
        pairs[:, 1] = matrix[1, 0] * without + matrix[1, 1] * with_it
    return out


def all_sets(num_goods: int) -> np.ndarray:
    """Every set as a 0/1 row, in the order of :func:`transform`; int8 ``(2^m, m)``."""
    numbers = np.arange(1 << num_goods)
    return ((numbers[:, None] >> np.arange(num_goods)) & 1).astype(np.int8)


def small_sets(num_goods: int, largest: int) -> np.ndarray:
    """Every set of at most ``largest`` goods as a 0/1 row, small ones first; int8."""
    rows = []
    for size in range(largest + 1):
        goods = np.array(list(combinations(range(num_goods), size)), dtype=int)
        part = np.zeros((len(goods), num_goods), dtype=np.int8)
        np.put_along_axis(part, goods.reshape(len(goods), size), 1, axis=1)
        rows.append(part)
    return np.concatenate(rows)
