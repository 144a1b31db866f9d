"""Reports read as XOR bids."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InputError
from boca.core.report import Reports
from boca.functions.arrays import as_rows, blocks, contained, frozen, frozen_capacities


@dataclass(frozen=True, eq=False)
class XorTable:
    """
    A bundle is worth as much as the best listed bundle it contains; 0 if it contains none.

    Parameters
    ----------
    bundles
        Integer matrix ``(num_bids, num_goods)``.
    values
        What each listed bundle is worth ``(num_bids,)``, non-negative.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    """

    bundles: np.ndarray
    values: np.ndarray
    capacities: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        rows = np.asarray(self.bundles)
        if rows.ndim != 2:
            raise InputError(
                f"Received bundles of shape {rows.shape}; expected (num_bids, num_goods)."
            )
        capacities = frozen_capacities(self.capacities, rows.shape[1])
        bundles = as_bundles(rows, capacities)
        bundles.flags.writeable = False
        values = frozen(self.values, (len(bundles),), "values")
        if (values < 0).any():
            raise InputError(f"Received the value {values.min():g}; expected at least 0.")
        object.__setattr__(self, "bundles", bundles)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "capacities", capacities)

    @classmethod
    def from_reports(cls, reports: Reports, capacities: Any = None) -> "XorTable":
        """The table of everything that a bidder has reported."""
        return cls(reports.bundles, reports.values, capacities)

    @property
    def num_goods(self) -> int:
        return int(self.bundles.shape[1])

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.zeros(len(rows))
        width = max(len(self.values), int(self.capacities.sum()))
        for block in blocks(len(rows), width):
            # "Listed k is contained in row i", (num_bundles, num_bids).
            fits = contained(self.bundles, rows[block], self.capacities).T
            values[block] = np.where(fits, self.values, 0.0).max(axis=1, initial=0.0)
        return values
