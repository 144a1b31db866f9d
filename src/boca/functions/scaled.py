"""A function in other units."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.value_function import ValueFunction


@dataclass(frozen=True, eq=False)
class Scaled:
    """
    A function times a number, such as a network trained on normalised values in units of value.

    Parameters
    ----------
    function
        What is multiplied.
    factor
        Finite and at least 0, so that a larger value stays a larger value.
    """

    function: ValueFunction
    factor: float

    def __post_init__(self) -> None:
        factor = float(self.factor)
        if not (np.isfinite(factor) and factor >= 0):
            raise InputError(f"Received the factor {factor}; expected a finite number >= 0.")
        object.__setattr__(self, "factor", factor)

    @property
    def capacities(self) -> np.ndarray:
        return self.function.capacities

    def __call__(self, bundles: Any) -> np.ndarray:
        return self.factor * self.function(bundles)
