"""What a bidder has said about its values."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from boca.core.bundle import as_counts, bundle_key, bundle_keys
from boca.core.errors import InputError
from boca.core.frozen import read_only, set_fields

# Beyond it, sums of values would lose the digits that decide who wins.
LARGEST_VALUE = 1e15


@dataclass(frozen=True, eq=False)
class Reports:
    """
    The reports of one bidder: distinct bundles, each with a value. Immutable.

    The empty bundle is worth 0 by definition and need not be reported.

    Parameters
    ----------
    bundles
        Integer matrix ``(num_reports, num_goods)`` with distinct rows.
    values
        Reported values ``(num_reports,)``, from 0 to ``LARGEST_VALUE``; 0 for the empty bundle.
    """

    bundles: np.ndarray
    values: np.ndarray

    if TYPE_CHECKING:  # nested lists will do, in any type checker's eyes too

        def __init__(self, bundles: ArrayLike, values: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        bundles = as_counts(self.bundles, "reports")
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"Received the values {self.values!r:.80}; expected a list of numbers."
            ) from None
        if bundles.ndim != 2 or values.shape != (len(bundles),):
            raise InputError(
                f"Received bundles of shape {bundles.shape} with values of shape "
                f"{values.shape}; expected (num_reports, num_goods) and (num_reports,)."
            )
        if (bundles < 0).any():
            raise InputError("Received a report of a negative count; expected at least 0.")
        wrong = np.flatnonzero(~((values >= 0) & (values <= LARGEST_VALUE)))
        if len(wrong):
            value = values[wrong[0]]
            advice = " Choose another unit of money." if LARGEST_VALUE < value < np.inf else ""
            raise InputError(
                f"Report {wrong[0]} has the value {value:g}; expected a finite number of at least "
                f"0 and at most {LARGEST_VALUE:g}.{advice}"
            )
        worth = np.flatnonzero((values > 0) & ~bundles.any(axis=1))
        if len(worth):
            raise InputError(
                f"Report {worth[0]} gives the value {values[worth[0]]:g} to the empty bundle, "
                "which is worth 0 by definition. Leave it out."
            )
        if len(set(bundle_keys(bundles))) < len(bundles):
            raise InputError(
                "A bundle is reported twice; use Reports.correct to change an earlier report."
            )
        set_fields(self, bundles=read_only(bundles), values=read_only(values))

    @classmethod
    def empty(cls, num_goods: int) -> "Reports":
        """No report yet."""
        return cls(np.zeros((0, num_goods), dtype=np.int64), np.zeros(0))

    @property
    def num_goods(self) -> int:
        return int(self.bundles.shape[1])

    def __len__(self) -> int:
        return len(self.bundles)

    def __iter__(self) -> Iterator[tuple[np.ndarray, float]]:
        """Pairs of bundle and value, in the order they were reported."""
        return zip(self.bundles, self.values.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Reports)
            and np.array_equal(self.bundles, other.bundles)
            and np.array_equal(self.values, other.values)
        )

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {key: row for row, key in enumerate(bundle_keys(self.bundles))}

    def __contains__(self, bundle: Any) -> bool:
        return bundle_key(bundle) in self._rows

    def value_of(self, bundle: Any) -> float:
        """The reported value of a bundle; a KeyError if it was never reported."""
        return float(self.values[self._rows[bundle_key(bundle)]])

    def add(self, bundles: Any, values: Any) -> "Reports":
        """These reports and further ones, for bundles not yet reported."""
        bundles = as_counts(bundles, "reports").reshape(-1, self.num_goods)
        values = np.atleast_1d(np.asarray(values, dtype=np.float64))
        return Reports(
            np.concatenate([self.bundles, bundles]), np.concatenate([self.values, values])
        )

    def part(self, rows: np.ndarray) -> "Reports":
        """Some of the reports, by a mask or an array of row numbers."""
        return Reports(self.bundles[rows], self.values[rows])

    def correct(self, bundle: Any, value: float) -> "Reports":
        """These reports with another value for a bundle that was reported before."""
        values = self.values.copy()
        values[self._rows[bundle_key(bundle)]] = value
        return Reports(self.bundles, values)

    def to_dict(self) -> dict[str, Any]:
        """The reports as plain values, for JSON."""
        return {"bundles": self.bundles.tolist(), "values": self.values.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any], num_goods: int) -> "Reports":
        """The inverse of :meth:`to_dict`."""
        bundles = np.array(data["bundles"], dtype=np.int64).reshape(-1, num_goods)
        return cls(bundles, np.array(data["values"], dtype=float))
