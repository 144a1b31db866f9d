"""
Bundles are integer vectors, stacks of bundles integer matrices.

A bundle counts copies: component j lies between 0 and the capacity of good j.
"""

from typing import Any

import numpy as np

from boca.core.errors import InputError


def as_bundles(bundles: Any, capacities: np.ndarray) -> np.ndarray:
    """
    Checks a stack of bundles and returns it as an int64 matrix.

    Parameters
    ----------
    bundles
        Array-like of shape ``(num_bundles, num_goods)`` or one bundle ``(num_goods,)``.
    capacities
        Copies of each good, ``(num_goods,)``.
    """
    stack = _array(bundles)
    if stack.ndim == 1:
        stack = stack[None, :]
    if stack.ndim != 2 or stack.shape[1] != len(capacities):
        raise InputError(
            f"Received bundles of shape {np.shape(bundles)}; expected "
            f"(num_bundles, {len(capacities)}), one column per good."
        )
    if stack.dtype.kind not in "biuf":
        raise InputError(f"Received bundles of type {stack.dtype}; expected whole numbers.")

    matrix = stack.astype(np.int64)
    if not np.array_equal(matrix, stack):
        raise InputError("Received a bundle with fractional entries; expected whole numbers.")

    outside = (matrix < 0) | (matrix > capacities)
    if outside.any():
        row, good = np.argwhere(outside)[0]
        raise InputError(
            f"Bundle {row} holds {matrix[row, good]} copies of good {good}; "
            f"expected between 0 and {capacities[good]}."
        )
    return matrix


def as_counts(counts: Any, what: str) -> np.ndarray:
    """A copy as int64; fractions are refused, since cutting them off would lose goods."""
    array = _array(counts)
    if array.dtype.kind not in "biuf" or not np.array_equal(array, np.floor(array)):
        raise InputError(f"Received {what} with entries that are not whole numbers; round first.")
    return np.array(array, dtype=np.int64)


def bundle_key(bundle: np.ndarray) -> bytes:
    """A hashable name of one bundle."""
    return np.ascontiguousarray(bundle, dtype=np.int64).tobytes()


def bundle_keys(bundles: np.ndarray) -> list[bytes]:
    """The key of every row."""
    return [bundle_key(row) for row in np.asarray(bundles)]


def format_bundle(bundle: np.ndarray, names: list[str]) -> str:
    """A bundle in words, such as ``A, 2 x B``; ``nothing`` when it is empty."""
    words = [
        name if count == 1 else f"{count} x {name}"
        for name, count in zip(names, np.asarray(bundle).tolist(), strict=True)
        if count > 0
    ]
    return ", ".join(words) or "nothing"


def _array(entries: Any) -> np.ndarray:
    try:
        return np.asarray(entries)
    except ValueError:
        raise InputError(
            f"Received rows of different lengths: {entries!r:.80}; expected one column per good."
        ) from None
