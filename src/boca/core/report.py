"""What a bidder has said about its values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
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
    The reports of one bidder: distinct bundles, each with a value or a range. Immutable.

    The empty bundle is worth 0 by definition and need not be reported. Of a range, the least is
    what the bidder bids; the most is what the bundle may be worth to it.

    Parameters
    ----------
    bundles
        Integer matrix ``(num_reports, num_goods)`` with distinct rows.
    values
        Reported values ``(num_reports,)``, from 0 to ``LARGEST_VALUE``; 0 for the empty bundle. Of
        a range the least.
    highs
        The most of each range ``(num_reports,)``, at least the value; the values themselves unless
        given.
    """

    bundles: np.ndarray
    values: np.ndarray
    highs: np.ndarray = field(default=None, repr=False)  # type: ignore[arg-type]

    if TYPE_CHECKING:  # nested lists will do, in any type checker's eyes too

        def __init__(
            self, bundles: ArrayLike, values: ArrayLike, highs: ArrayLike | None = None
        ) -> None: ...

    def __post_init__(self) -> None:
        bundles = as_counts(self.bundles, "reports")
        values = _numbers(self.values)
        highs = values if self.highs is None else _numbers(self.highs)
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
        if highs is not values:
            _check_ranges(bundles, values, highs)
        if len(set(bundle_keys(bundles))) < len(bundles):
            raise InputError(
                "A bundle is reported twice; use Reports.correct to change an earlier report."
            )
        values = read_only(values)
        has_ranges = not np.array_equal(highs, values)
        highs = read_only(highs) if has_ranges else values
        set_fields(self, bundles=read_only(bundles), values=values, highs=highs)

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
            and np.array_equal(self.highs, other.highs)
        )

    @property
    def has_ranges(self) -> bool:
        """Whether any bundle may be worth more than was bid for it."""
        return self.highs is not self.values

    @property
    def ranged(self) -> np.ndarray:
        """Which reports are ranges, ``(num_reports,)``."""
        wide: np.ndarray = self.highs > self.values
        return wide

    @property
    def middles(self) -> "Reports":
        """The same bundles at the middle of their ranges: what is learned from."""
        if not self.has_ranges:
            return self
        return Reports(self.bundles, self.values + (self.highs - self.values) / 2)

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {key: row for row, key in enumerate(bundle_keys(self.bundles))}

    def __contains__(self, bundle: Any) -> bool:
        return bundle_key(bundle) in self._rows

    def value_of(self, bundle: Any) -> float:
        """The reported value of a bundle; a KeyError if it was never reported."""
        return float(self.values[self._rows[bundle_key(bundle)]])

    def high_of(self, bundle: Any) -> float:
        """The most that a reported bundle may be worth; a KeyError if it was never reported."""
        return float(self.highs[self._rows[bundle_key(bundle)]])

    def add(self, bundles: Any, values: Any, highs: Any = None) -> "Reports":
        """These reports and further ones, for bundles not yet reported."""
        bundles = as_counts(bundles, "reports").reshape(-1, self.num_goods)
        values = np.atleast_1d(np.asarray(values, dtype=np.float64))
        highs = values if highs is None else np.atleast_1d(np.asarray(highs, dtype=np.float64))
        return Reports(
            np.concatenate([self.bundles, bundles]),
            np.concatenate([self.values, values]),
            np.concatenate([self.highs, highs]),
        )

    def part(self, rows: np.ndarray) -> "Reports":
        """Some of the reports, by a mask or an array of row numbers."""
        return Reports(self.bundles[rows], self.values[rows], self.highs[rows])

    def correct(self, bundle: Any, value: float, high: float | None = None) -> "Reports":
        """These reports with another value or range for a bundle that was reported before."""
        row = self._rows[bundle_key(bundle)]
        values, highs = self.values.copy(), self.highs.copy()
        values[row], highs[row] = value, value if high is None else high
        return Reports(self.bundles, values, highs)

    def to_dict(self) -> dict[str, Any]:
        """The reports as plain values, for JSON; with ``highs`` where there are ranges."""
        data = {"bundles": self.bundles.tolist(), "values": self.values.tolist()}
        return data | ({"highs": self.highs.tolist()} if self.has_ranges else {})

    @classmethod
    def from_dict(cls, data: dict[str, Any], num_goods: int) -> "Reports":
        """The inverse of :meth:`to_dict`."""
        bundles = np.array(data["bundles"], dtype=np.int64).reshape(-1, num_goods)
        highs = np.array(data["highs"], dtype=float) if "highs" in data else None
        return cls(bundles, np.array(data["values"], dtype=float), highs)


def _numbers(values: Any) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"Received the values {values!r:.80}; expected a list of numbers."
        ) from None


def _check_ranges(bundles: np.ndarray, values: np.ndarray, highs: np.ndarray) -> None:
    """Refuses ranges that end below their beginning, or nowhere."""
    if highs.shape != values.shape:
        raise InputError(
            f"Received {highs.size} ends of ranges with {values.size} values; expected one each."
        )
    wrong = np.flatnonzero(~((highs >= values) & (highs <= LARGEST_VALUE)))
    if len(wrong):
        raise InputError(
            f"Report {wrong[0]} is the range from {values[wrong[0]]:g} to {highs[wrong[0]]:g}; "
            f"expected an end of at least the beginning and at most {LARGEST_VALUE:g}."
        )
    worth = np.flatnonzero((highs > 0) & ~bundles.any(axis=1))
    if len(worth):
        raise InputError(
            f"Report {worth[0]} says that the empty bundle may be worth {highs[worth[0]]:g}; it is "
            "worth 0 by definition. Leave it out."
        )
