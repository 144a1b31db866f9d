"""A space of hyperparameters as a unit cube, in which distances mean something."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

# Share of the ranges that a neighbour of a point differs in.
SHARE_CHANGED = 0.3

# With it, two choices are as far apart as the two ends of an interval.
CHOICE_LENGTH = np.sqrt(0.5)


class UnitCube:
    """
    Points as rows with one coordinate between 0 and 1 for every range.

    A choice lies in the middle of its share of the coordinate. For distances it has an axis for
    every one of its values instead (:meth:`axes`), since its values have no order.

    Parameters
    ----------
    distributions
        The ranges in Optuna's words.
    """

    def __init__(self, distributions: Mapping[str, BaseDistribution]):
        self._distributions = dict(distributions)

    @property
    def num_ranges(self) -> int:
        """Coordinates of a row."""
        return len(self._distributions)

    def row_of(self, point: Mapping[str, Any]) -> np.ndarray:
        """The row of a point, ``(num_ranges,)``."""
        return np.array(
            [_coordinate(d, point[name]) for name, d in self._distributions.items()], dtype=float
        )

    def point_of(self, row: Sequence[float] | np.ndarray) -> dict[str, Any]:
        """The point that is nearest to a row."""
        pairs = zip(self._distributions.items(), row, strict=True)
        return {name: _value(d, float(place)) for (name, d), place in pairs}

    def snapped(self, rows: np.ndarray) -> np.ndarray:
        """The rows of points that can be taken, nearest to other rows."""
        columns = [
            _snap(d, column) for d, column in zip(self._distributions.values(), rows.T, strict=True)
        ]
        return np.stack(columns, axis=1)

    def neighbours(
        self, row: np.ndarray, num: int, spread: float, rng: np.random.Generator
    ) -> np.ndarray:
        """
        Rows around another one, ``(num, num_ranges)``.

        Each differs in about a third of the ranges, and at least in one: a number moves a little,
        a choice is made anew.

        Parameters
        ----------
        row
            The row in the middle.
        num
            How many.
        spread
            Standard deviation of what moves.
        rng
            Draws them.
        """
        moved = rng.random((num, self.num_ranges)) < SHARE_CHANGED
        moved[np.arange(num), rng.integers(self.num_ranges, size=num)] = True
        steps = row + spread * rng.standard_normal((num, self.num_ranges))
        # Reflected at the ends, so that these are no likelier than other places.
        steps = 1 - np.abs(1 - np.abs(steps) % 2)
        is_choice = [isinstance(d, CategoricalDistribution) for d in self._distributions.values()]
        steps = np.where(is_choice, rng.random((num, self.num_ranges)), steps)
        return self.snapped(np.where(moved, steps, row))

    def axes(self, rows: np.ndarray) -> np.ndarray:
        """Where rows lie for distances, ``(num_rows, num_axes)``."""
        columns = []
        for distribution, column in zip(self._distributions.values(), rows.T, strict=True):
            if isinstance(distribution, CategoricalDistribution):
                num = len(distribution.choices)
                chosen = np.minimum((column * num).astype(int), num - 1)
                columns.append(CHOICE_LENGTH * np.eye(num)[chosen])
            else:
                columns.append(column[:, None])
        return np.concatenate(columns, axis=1)


def _coordinate(distribution: BaseDistribution, value: Any) -> float:
    if isinstance(distribution, CategoricalDistribution):
        return (distribution.choices.index(value) + 0.5) / len(distribution.choices)
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    low, high = distribution.low, distribution.high
    if distribution.log:
        return float(np.log(value / low) / np.log(high / low))
    return float((value - low) / (high - low))


def _value(distribution: BaseDistribution, place: float) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        num = len(distribution.choices)
        return distribution.choices[min(int(place * num), num - 1)]
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    low, high, step = distribution.low, distribution.high, distribution.step
    value = low * (high / low) ** place if distribution.log else low + (high - low) * place
    if step is not None and not (distribution.log and step == 1):
        value = low + step * round((value - low) / step)
    value = min(max(value, low), high)
    return round(value) if isinstance(distribution, IntDistribution) else float(value)


def _snap(distribution: BaseDistribution, column: np.ndarray) -> np.ndarray:
    if isinstance(distribution, CategoricalDistribution):
        num = len(distribution.choices)
        middles: np.ndarray = (np.minimum((column * num).astype(int), num - 1) + 0.5) / num
        return middles
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    if distribution.log or distribution.step is None:
        return column
    num_steps = (distribution.high - distribution.low) / distribution.step
    steps: np.ndarray = np.round(column * num_steps) / num_steps
    return steps
