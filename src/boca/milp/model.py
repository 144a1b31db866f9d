"""Mixed-integer linear programs, built block by block from arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError


@dataclass(frozen=True)
class ModelArrays:
    """
    A finished program in the form that solvers read: rows as compressed sparse arrays.

    Row r has the entries ``starts[r]`` to ``starts[r + 1]`` of ``columns`` and ``coefficients``.
    """

    maximise: bool
    offset: float
    costs: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    integer: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    starts: np.ndarray
    columns: np.ndarray
    coefficients: np.ndarray

    @property
    def num_variables(self) -> int:
        return len(self.costs)

    @property
    def num_rows(self) -> int:
        return len(self.row_lower)

    def objective(self, x: np.ndarray) -> float:
        """The objective at a point ``(num_variables,)``."""
        return float(self.costs @ x) + self.offset

    def violation(self, x: np.ndarray) -> float:
        """
        By how much a point misses a bound or a row, at worst.

        Rows are measured relative to the size of their terms, because that is what rounding
        errors grow with. Integrality is not looked at.
        """
        row_of = np.repeat(np.arange(self.num_rows), np.diff(self.starts))
        terms = self.coefficients * x[self.columns]
        activity = np.bincount(row_of, terms, minlength=self.num_rows)
        size = 1 + np.bincount(row_of, np.abs(terms), minlength=self.num_rows)
        misses = np.concatenate(
            [
                self.lower - x,
                x - self.upper,
                (self.row_lower - activity) / size,
                (activity - self.row_upper) / size,
            ]
        )
        return float(misses.max(initial=0.0))


class Model:
    """
    A program under construction.

    Variables and rows are numbered from 0 in the order they are added. Every method takes arrays,
    so that a layer of a network is one call.

    Parameters
    ----------
    maximise
        Whether the objective is maximised or minimised.
    """

    def __init__(self, maximise: bool = True):
        self.maximise = maximise
        self.offset = 0.0
        self._costs: list[np.ndarray] = []
        self._lower: list[np.ndarray] = []
        self._upper: list[np.ndarray] = []
        self._integer: list[np.ndarray] = []
        self._row_bounds: list[np.ndarray] = []
        self._row_lengths: list[np.ndarray] = []
        self._columns: list[np.ndarray] = []
        self._coefficients: list[np.ndarray] = []
        self._extra_costs: list[tuple[np.ndarray, np.ndarray]] = []
        self.num_variables = 0
        self.num_rows = 0

    def add_variables(
        self, num: int, lower: Any = 0.0, upper: Any = np.inf, integer: Any = False, cost: Any = 0.0
    ) -> np.ndarray:
        """
        New variables; returns their numbers ``(num,)``.

        Parameters
        ----------
        num
            How many.
        lower, upper, cost
            One number for all, or one each.
        integer
            Whether they take whole numbers only; one truth value for all, or one each.
        """
        self._lower.append(np.broadcast_to(np.asarray(lower, dtype=float), num))
        self._upper.append(np.broadcast_to(np.asarray(upper, dtype=float), num))
        self._integer.append(np.broadcast_to(np.asarray(integer, dtype=bool), num))
        self._costs.append(np.broadcast_to(np.asarray(cost, dtype=float), num))
        numbers = np.arange(self.num_variables, self.num_variables + num)
        self.num_variables += num
        return numbers

    def add_row(
        self, columns: Any, coefficients: Any, lower: float = -np.inf, upper: float = np.inf
    ) -> int:
        """The row ``lower <= coefficients . x[columns] <= upper``; returns its number."""
        columns = np.atleast_1d(np.asarray(columns, dtype=np.int64))
        coefficients = np.broadcast_to(np.asarray(coefficients, dtype=float), columns.shape)
        return int(self.add_rows(columns[None], coefficients[None], lower, upper)[0])

    def add_rows(
        self, columns: Any, coefficients: Any, lower: Any = -np.inf, upper: Any = np.inf
    ) -> np.ndarray:
        """
        Several rows with equally many entries; returns their numbers ``(num_rows,)``.

        Parameters
        ----------
        columns
            Variables of each row, integer ``(num_rows, num_entries)``. One that occurs twice in a
            row counts twice.
        coefficients
            Their coefficients, of the same shape; zeros are left out.
        lower, upper
            One number for all rows, or one each.
        """
        columns = np.asarray(columns, dtype=np.int64)
        coefficients = np.broadcast_to(np.asarray(coefficients, dtype=float), columns.shape)
        num = len(columns)
        bounds = np.empty((2, num))
        bounds[0], bounds[1] = lower, upper
        kept = coefficients != 0
        self._row_bounds.append(bounds)
        self._row_lengths.append(kept.sum(axis=1))
        self._columns.append(columns[kept])
        self._coefficients.append(coefficients[kept])
        numbers = np.arange(self.num_rows, self.num_rows + num)
        self.num_rows += num
        return numbers

    def add_cost(self, columns: Any, costs: Any) -> None:
        """Adds ``costs . x[columns]`` to the objective."""
        columns = np.atleast_1d(np.asarray(columns, dtype=np.int64))
        self._extra_costs.append((columns, np.broadcast_to(np.asarray(costs, float), len(columns))))

    def arrays(self) -> ModelArrays:
        """The program as it stands, checked and in the form that solvers read."""
        costs = _joined(self._costs, float)
        for columns, extra in self._extra_costs:
            np.add.at(costs, columns, extra)
        lengths = _joined(self._row_lengths, np.int64)
        bounds = np.concatenate([np.zeros((2, 0)), *self._row_bounds], axis=1)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        columns, coefficients, starts = _without_repetitions(
            _joined(self._columns, np.int64), _joined(self._coefficients, float), starts
        )
        arrays = ModelArrays(
            self.maximise,
            float(self.offset),
            costs,
            _joined(self._lower, float),
            _joined(self._upper, float),
            _joined(self._integer, bool),
            bounds[0],
            bounds[1],
            starts,
            columns,
            coefficients,
        )
        _check(arrays)
        return arrays


def _joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype), *parts]).astype(dtype)


def _without_repetitions(
    columns: np.ndarray, coefficients: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums the entries of a row that belong to the same variable; solvers refuse repetitions."""
    num_rows = len(starts) - 1
    row_of = np.repeat(np.arange(num_rows), np.diff(starts))
    width = int(columns.max(initial=0)) + 1
    places, inverse = np.unique(row_of * width + columns, return_inverse=True)
    if len(places) == len(columns):
        return columns, coefficients, starts
    sums = np.bincount(inverse, coefficients, minlength=len(places))
    lengths = np.bincount(places // width, minlength=num_rows)
    return places % width, sums, np.concatenate([[0], np.cumsum(lengths)])


def _check(arrays: ModelArrays) -> None:
    if not arrays.num_variables:
        raise InputError("The model has no variables; expected at least one.")
    if not (np.isfinite(arrays.costs).all() and np.isfinite(arrays.coefficients).all()):
        raise InputError("The model has an infinite or undefined cost or coefficient.")
    if not np.isin(arrays.columns, np.arange(arrays.num_variables)).all():
        raise InputError("A row of the model names a variable that was never added.")
    crossed = np.flatnonzero(~(arrays.lower <= arrays.upper))
    if len(crossed):
        raise InputError(
            f"Variable {crossed[0]} has the bounds {arrays.lower[crossed[0]]:g} and "
            f"{arrays.upper[crossed[0]]:g}; expected lower <= upper."
        )
