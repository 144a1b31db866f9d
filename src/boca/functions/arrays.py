"""What every value function needs: read-only arrays, row blocks, containment."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InputError

# Numbers a block of rows may hold in one intermediate array: 2 MB stays in the processor's cache.
BLOCK = 2**18
# Copies of all goods up to which a count is written in bits; a good may have a million copies.
MOST_BITS = 10_000


def frozen(values: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """
    A read-only float64 copy of ``values``, checked to be finite and of the given shape.

    Parameters
    ----------
    values
        Array-like of numbers.
    shape
        Expected shape; -1 stands for any length.
    name
        What the array is, for messages.
    """
    array = np.array(values, dtype=np.float64)
    fits = array.ndim == len(shape) and all(
        want in (-1, got) for want, got in zip(shape, array.shape, strict=True)
    )
    if not fits:
        expected = str(tuple("any" if length == -1 else length for length in shape))
        raise InputError(f"Received {name} of shape {array.shape}; expected {expected}.")
    if not np.isfinite(array).all():
        raise InputError(f"Received {name} with an infinite or undefined entry.")
    array.flags.writeable = False
    return array


def frozen_capacities(capacities: Any, num_goods: int) -> np.ndarray:
    """Read-only int64 capacities ``(num_goods,)``; every one is 1 where None is given."""
    if capacities is None:
        capacities = np.ones(num_goods)
    array = frozen(capacities, (num_goods,), "capacities").astype(np.int64)
    if (array < 1).any() or not np.array_equal(array, np.asarray(capacities)):
        raise InputError(f"Received capacities {capacities}; expected positive whole numbers.")
    array.flags.writeable = False
    return array


def as_rows(bundles: Any, capacities: np.ndarray) -> np.ndarray:
    """
    A stack of bundles ``(num_bundles, num_goods)``; one bundle becomes a stack of one.

    Counts that do not exist are refused: a function says nothing about them.

    Parameters
    ----------
    bundles
        Array-like of whole numbers.
    capacities
        Copies of each good, int64 ``(num_goods,)``.
    """
    rows = bundles if isinstance(bundles, np.ndarray) else as_bundles(bundles, capacities)
    if rows.ndim == 1:
        rows = rows[None, :]
    if rows.dtype != np.int64 or rows.ndim != 2 or rows.shape[1] != len(capacities):
        return as_bundles(bundles, capacities)
    # A negative count is a huge one without its sign, so that one comparison finds both.
    if (rows.view(np.uint64) > capacities.view(np.uint64)).any():
        as_bundles(rows, capacities)
    return rows


def blocks(num_rows: int, width: int) -> Iterator[slice]:
    """Slices that cover all rows, each of at most ``BLOCK`` numbers at ``width`` a row."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, num_rows, step):
        yield slice(start, min(start + step, num_rows))


def thermometer(bundles: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """
    Every count as a row of bits, ``(num_bundles, sum of capacities)``.

    A count of 2 out of 3 becomes 1, 1, 0, so that containment of bundles is containment of bits.
    """
    levels = np.concatenate([np.arange(1, c + 1) for c in capacities])
    goods = np.repeat(np.arange(len(capacities)), capacities)
    return (bundles[:, goods] >= levels).astype(np.float32)


def contained(inner: np.ndarray, outer: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """
    Whether ``inner[i] <= outer[k]`` in every good, boolean ``(num_inner, num_outer)``.

    One matrix product counts the copies in ``inner[i]`` that ``outer[k]`` lacks.
    """
    if capacities.sum() > MOST_BITS:
        rows = [(row <= outer).all(axis=1) for row in inner]
        return np.array(rows, dtype=bool).reshape(len(inner), len(outer))
    lacking = 1 - thermometer(outer, capacities)  # (num_outer, bits)
    contained: np.ndarray = thermometer(inner, capacities) @ lacking.T < 0.5
    return contained
