"""All values of a function, where the bundles can be listed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boca.functions.value_function import ValueFunction
from boca.wdp.search.steps import NetSteps, Steps

# Relative error of a value in single precision: sums of at most about 100 terms, a few layers.
SINGLE_ERROR = 1e-5
# The worst case up to which that is believed. Errors are random: those of trained networks are less
# than a hundredth of their worst case, which is up to 1e-4.
MOST_WORST_CASE = 30 * SINGLE_ERROR


@dataclass(frozen=True)
class Lattice:
    """
    All bundles of a market, numbered: the number of a bundle is ``bundle . strides``.

    Parameters
    ----------
    capacities
        Copies of each good.
    """

    capacities: tuple[int, ...]

    @cached_property
    def radices(self) -> np.ndarray:
        return np.array(self.capacities, dtype=np.int64) + 1

    @cached_property
    def strides(self) -> np.ndarray:
        ones = np.ones(1, dtype=np.int64)
        return np.concatenate([ones, np.cumprod(self.radices)])[: len(self.capacities)]

    @property
    def size(self) -> int:
        """How many bundles there are; a Python integer, which never overflows."""
        size = 1
        for capacity in self.capacities:
            size *= capacity + 1
        return size

    def numbers(self, bundles: np.ndarray) -> np.ndarray:
        """The number of each row of ``(num_bundles, num_goods)``."""
        numbers: np.ndarray = np.asarray(bundles, dtype=np.int64) @ self.strides
        return numbers

    def bundles(self, numbers: np.ndarray) -> np.ndarray:
        """The bundles with these numbers, ``(len(numbers), num_goods)``."""
        bundles: np.ndarray = (np.asarray(numbers)[:, None] // self.strides) % self.radices
        return bundles

    def sums(self, prices: np.ndarray, dtype: type = np.float64) -> np.ndarray:
        """What every bundle costs, ``(size,)``."""
        totals: np.ndarray = np.zeros(1, dtype=dtype)
        for price, radix in zip(prices, self.radices, strict=True):
            steps = (np.arange(radix) * price).astype(dtype)
            totals = (steps[:, None] + totals[None, :]).ravel()
        return totals


@dataclass(frozen=True, eq=False)
class Table:
    """
    The value of every bundle, in the order of their numbers.

    Parameters
    ----------
    lattice
        The bundles.
    values
        Their values ``(lattice.size,)``; minus infinity where a bundle is not allowed.
    error
        By how much a value can differ from the function's own.
    """

    lattice: Lattice
    values: np.ndarray
    error: float

    def without(self, bundles: np.ndarray) -> "Table":
        """The table with some bundles not allowed."""
        values = self.values.copy()
        values[self.lattice.numbers(bundles)] = -np.inf
        return Table(self.lattice, values, self.error)

    def where(self, allowed: np.ndarray) -> "Table":
        """The table with all other bundles not allowed; ``allowed`` has shape ``(size,)``."""
        return Table(self.lattice, np.where(allowed, self.values, -np.inf), self.error)


class TableSteps:
    """Steps that are looked up. Bundles that are not allowed have their true values here."""

    def __init__(self, table: Table):
        self.table = table

    def values(self, bundles: np.ndarray) -> np.ndarray:
        values: np.ndarray = self.table.values[self.table.lattice.numbers(bundles)]
        return values

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        lattice = self.table.lattice
        numbers = lattice.numbers(bundles)[:, None] + step * lattice.strides
        after: np.ndarray = self.table.values.take(numbers, mode="clip")
        return after


def tabulate(
    function: ValueFunction, steps: Steps, lattice: Lattice, most_double: int = 1 << 12
) -> Table:
    """
    All values of a function.

    Parameters
    ----------
    function, steps
        The function, and the same one as steps.
    lattice
        The bundles.
    most_double
        Bundles up to which a network's values are in double precision, by the function itself;
        those of more bundles are in single precision, unless the network is so steep that its
        values would be lost in rounding.
    """
    if isinstance(steps, NetSteps) and lattice.size > most_double:
        values = _net_values(steps, lattice)
        largest = float(np.abs(values).max())
        if worst_case(steps, lattice.capacities) <= MOST_WORST_CASE * largest:
            return Table(lattice, values, SINGLE_ERROR * largest)

    rows = 1 << 14
    values = np.empty(lattice.size)
    for first in range(0, lattice.size, rows):
        numbers = np.arange(first, min(first + rows, lattice.size))
        values[numbers] = function(lattice.bundles(numbers))
    return Table(lattice, values, 0.0)


def worst_case(steps: NetSteps, capacities: Sequence[int]) -> float:
    """By how much rounding can change a value of a network at most, in single precision."""
    unit = float(np.finfo(np.float32).eps)
    inner = full = np.asarray(capacities, dtype=float)
    error = np.zeros(len(full))
    for matrix, bias, cutoff in zip(steps.weights, steps.biases, steps.cutoffs, strict=True):
        weights = np.abs(matrix.astype(float))
        size = inner @ weights + np.abs(bias.astype(float))
        error = error @ weights + unit * (len(inner) + 3) * size
        inner, error = np.minimum(size, cutoff), np.minimum(error, cutoff)
    output, skip = np.abs(steps.output.astype(float)), np.abs(steps.skip.astype(float))
    sums = (len(inner) + 3) * (inner @ output) + (len(full) + 3) * (full @ skip)
    return float(error @ output + unit * (sums + 2 * abs(float(steps.offset))))


def _net_values(steps: NetSteps, lattice: Lattice) -> np.ndarray:
    """
    The values of a network at all bundles.

    The first layer is linear: the pre-activations of a bundle are those of its first goods plus
    those of its last goods, so that no bundle is ever written out.
    """
    split = int(np.searchsorted(np.cumsum(np.log2(lattice.radices)), 7.5)) + 1
    split = min(split, len(lattice.capacities))
    low, high = Lattice(lattice.capacities[:split]), Lattice(lattice.capacities[split:])
    low_bundles = low.bundles(np.arange(low.size)).astype(np.float32)
    high_bundles = high.bundles(np.arange(high.size)).astype(np.float32)
    first = low_bundles @ steps.weights[0][:split] + steps.biases[0]  # (low.size, fan_out)
    shift = high_bundles @ steps.weights[0][split:]  # (high.size, fan_out)
    linear = low_bundles @ steps.skip[:split]
    linear_shift = high_bundles @ steps.skip[split:]

    values = np.empty((high.size, low.size), dtype=np.float32)
    inner = np.empty_like(first)
    for row in range(high.size):
        np.add(first, shift[row], out=inner)
        values[row] = steps.rest(inner)
        values[row] += linear
    values += linear_shift[:, None]
    return values.ravel()
