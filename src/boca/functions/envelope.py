"""The largest monotone function through a bidder's reports."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InputError
from boca.core.report import Reports
from boca.functions.arrays import as_rows, blocks, contained, frozen, frozen_capacities
from boca.functions.monotone_net import MonotoneNet


@dataclass(frozen=True, eq=False)
class Envelope:
    """
    The 100 % upper bound (Theorem 1): the most a bundle can be worth, given the reports.

    A monotone bidder values a bundle at most as much as any reported bundle that contains it, so
    the bound is the smallest value among those. The empty bundle is worth 0 by definition.

    After construction, ``bundles`` and ``values`` are sorted by value, start with the empty bundle
    and end with the full bundle: the bound of x is ``values[k]`` for the first k whose bundle
    contains x.

    Departures from the paper, both without effect on monotone reports:

    1. Where somebody reports more for a part than for the whole, the whole counts as much as its
       best reported part (running maxima along containment). The bound is then never below a
       report.
    2. The full bundle is put last explicitly, not because its value is the largest.

    Parameters
    ----------
    bundles
        Reported bundles, integer ``(num_reports, num_goods)``.
    values
        Reported values ``(num_reports,)``, non-negative.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    top
        What no bundle is worth more than, for a bidder who was not asked about the full bundle
        (its limits may forbid it). Needed only then.
    """

    bundles: np.ndarray
    values: np.ndarray
    capacities: np.ndarray = None  # type: ignore[assignment]
    top: float | None = None

    def __post_init__(self) -> None:
        rows = np.asarray(self.bundles)
        if rows.ndim != 2:
            raise InputError(
                f"Received bundles of shape {rows.shape}; expected (num_reports, num_goods)."
            )
        capacities = frozen_capacities(self.capacities, rows.shape[1])
        bundles = as_bundles(rows, capacities)
        values = frozen(self.values, (len(bundles),), "values")
        if (values < 0).any():
            raise InputError(f"Received the value {values.min():g}; expected at least 0.")

        full = (bundles == capacities).all(axis=1)
        top = _top(values, full, self.top)
        inner = ~full & bundles.any(axis=1)
        bundles, values = bundles[inner], values[inner]
        parts = contained(bundles, bundles, capacities)  # row is part of column
        values = np.where(parts, values[:, None], 0.0).max(axis=0, initial=0.0)
        order = np.argsort(values, kind="stable")

        bundles = np.concatenate([0 * capacities[None], bundles[order], capacities[None]])
        bundles.flags.writeable = False
        object.__setattr__(self, "bundles", bundles)
        object.__setattr__(
            self, "values", frozen([0.0, *values[order], top], (len(bundles),), "values")
        )
        object.__setattr__(self, "capacities", capacities)
        object.__setattr__(self, "top", top)

    @classmethod
    def from_reports(
        cls, reports: Reports, capacities: Any = None, top: float | None = None
    ) -> "Envelope":
        """The bound that a bidder's reports give."""
        return cls(reports.bundles, reports.values, capacities, top)

    @property
    def num_goods(self) -> int:
        return int(self.bundles.shape[1])

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        width = max(len(self.values), int(self.capacities.sum()))
        for block in blocks(len(rows), width):
            inside = contained(rows[block], self.bundles, self.capacities)
            inside[:, -1] = True  # the full bundle contains everything
            values[block] = self.values[inside.argmax(axis=1)]
        return values

    def as_monotone_net(self) -> MonotoneNet:
        """
        The same function as an MVNN (Equation 27 of the paper).

        Equal on bundles, not at fractional points. Neuron j of the layer of tests says whether x
        is outside bundle j, neuron k of the last layer whether it is outside of all bundles up to
        k; the output weights are the steps between successive values. For goods with one copy
        the test is the paper's ``min(1, (1 - bundle) . x)``. With more copies it needs to know
        "more than s copies", which one more layer of neurons ``min(1, max(0, x - s))`` provides.
        """
        tests = self.bundles[:-1]  # (num_tests, num_goods)
        num_tests = len(tests)
        if (self.capacities == 1).all():
            weights, biases, cutoffs = [1.0 - tests.T], [np.zeros(num_tests)], [np.ones(num_tests)]
        else:
            goods = np.repeat(np.arange(self.num_goods), self.capacities)
            levels = np.concatenate([np.arange(c) for c in self.capacities])
            count = np.zeros((self.num_goods, len(goods)))
            count[goods, np.arange(len(goods))] = self.capacities[goods]  # undoes the division
            outside = (tests[:, goods] == levels).astype(float).T  # (levels, num_tests)
            weights, biases = [count, outside], [-levels.astype(float), np.zeros(num_tests)]
            cutoffs = [np.ones(len(goods)), np.ones(num_tests)]
        return MonotoneNet(
            [*weights, np.triu(np.ones((num_tests, num_tests)))],
            [*biases, -np.arange(num_tests, dtype=float)],
            [*cutoffs, np.ones(num_tests)],
            np.diff(self.values),
            capacities=self.capacities,
        )


def _top(values: np.ndarray, full: np.ndarray, top: float | None) -> float:
    """The value of the full bundle: reported or given, and never below another report."""
    if full.any():
        return float(values.max())
    if top is None:
        raise InputError(
            "The full bundle is not among the reports; expected its value, because the bound of "
            "most bundles is what the full bundle is worth. Ask about it first, or give `top`."
        )
    return float(max(top, values.max(initial=0.0)))
