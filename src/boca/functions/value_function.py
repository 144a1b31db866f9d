"""What every value function can do."""

from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class ValueFunction(Protocol):
    """
    A function from bundles to values, frozen: the currency between learning and optimisation.

    Calling it on an integer matrix ``(num_bundles, num_goods)`` gives float64 values
    ``(num_bundles,)``. The empty bundle need not be worth 0 (a plain network may say otherwise).
    """

    @property
    def capacities(self) -> np.ndarray:
        """Copies of each good, integer array ``(num_goods,)``: where the function is defined."""
        ...

    def __call__(self, bundles: np.ndarray) -> np.ndarray: ...
