"""The smallest of several functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows
from boca.functions.value_function import ValueFunction


@dataclass(frozen=True, eq=False)
class Minimum:
    """
    The smallest of several functions, such as an upper bound capped by the envelope.

    Parameters
    ----------
    functions
        At least one, all over the same goods.
    """

    functions: Sequence[ValueFunction]

    def __post_init__(self) -> None:
        functions = tuple(self.functions)
        if not functions:
            raise InputError("Received no functions; expected at least one to take the minimum of.")
        for function in functions[1:]:
            if not np.array_equal(function.capacities, functions[0].capacities):
                raise InputError(
                    f"Received functions over goods with capacities {functions[0].capacities} and "
                    f"{function.capacities}; expected the same goods."
                )
        object.__setattr__(self, "functions", functions)

    @property
    def capacities(self) -> np.ndarray:
        return self.functions[0].capacities

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values: np.ndarray = np.min([function(rows) for function in self.functions], axis=0)
        return values
