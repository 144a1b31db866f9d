"""A function within a distance of a bundle."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InputError
from boca.core.frozen import read_only, set_fields
from boca.functions.arrays import as_rows
from boca.functions.value_function import ValueFunction


@dataclass(frozen=True, eq=False)
class Near:
    """
    A function that is trusted near one bundle: every copy beyond a distance costs a penalty.

    ``function(x) - penalty * max(0, |x - centre|_1 - radius)``. A penalty rather than a wall, so
    that a search can pass through and a market with limits always has a solution.

    Parameters
    ----------
    function
        What is maximised.
    centre
        The bundle ``(num_goods,)`` that it is trusted around.
    radius
        Copies that may be added or taken away for nothing. Not negative.
    penalty
        What each further copy costs, in units of value. Not negative.
    """

    function: ValueFunction
    centre: np.ndarray
    radius: float
    penalty: float

    def __post_init__(self) -> None:
        if not self.radius >= 0 or not self.penalty >= 0:
            raise InputError(
                f"Received radius {self.radius} and penalty {self.penalty}; expected zero or more."
            )
        centre = as_bundles(self.centre, self.function.capacities)[0]
        set_fields(self, centre=read_only(centre))

    @property
    def capacities(self) -> np.ndarray:
        return self.function.capacities

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        distances = np.abs(rows - self.centre).sum(axis=1)
        return np.asarray(self.function(rows) - self.cost(distances))

    def cost(self, distances: np.ndarray) -> np.ndarray:
        """The penalty at distances, in units of value."""
        return np.asarray(self.penalty * np.maximum(distances - self.radius, 0))
