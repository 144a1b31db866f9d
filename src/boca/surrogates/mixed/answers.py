"""From one bidder's answers to the arrays its network is trained on. numpy only."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.report import Reports
from boca.surrogates.arguments import reach
from boca.surrogates.compiled.programs import Array

# Rows are padded to multiples of these, so that a usual auction compiles one program.
VALUE_ROWS = 104
DEMAND_ROWS = 32

# With fewer answers than this, each counts as if there were so many: one answer is no evidence.
FEW = 10


class Room(NamedTuple):
    """
    Which bundles a bidder can have, for programs that climb among them.

    Parameters
    ----------
    capacities
        Copies of each good, ``(num_goods,)``.
    coefficients
        Limits in units of their bounds, ``(num_limits, num_goods)``: a bundle is allowed where
        every row's total is at most 1. Rows of zeros allow everything.
    """

    capacities: Array
    coefficients: Array


class AnswerArrays(NamedTuple):
    """
    What a training looks at; bundles are counts divided by what the bidder can hold.

    Parameters
    ----------
    valued, values, value_weights
        Bundles ``(num_values, num_goods)``, their values in units of the scale and how much each
        counts. Padded by empty bundles that count nothing.
    competes
        Whether each of them can be had instead of a wanted one, ``(num_values,)``: those beyond
        the bidder's limits cannot.
    demanded, costs, demand_weights
        Wanted bundles ``(num_demands, num_goods)``, what all copies of each good cost at that
        time in units of the scale, and how much each answer counts. Padded likewise.
    room
        Which bundles compete with the wanted ones.
    """

    valued: Array
    values: Array
    value_weights: Array
    competes: Array
    demanded: Array
    costs: Array
    demand_weights: Array
    room: Room


@dataclass(frozen=True, eq=False)
class Answers:
    """
    What one bidder has said, checked.

    Parameters
    ----------
    reports
        Values of bundles.
    demands
        Bundles wanted at prices.
    market, bidder
        Whose answers they are.
    """

    reports: Reports
    demands: Demands
    market: Market
    bidder: int

    def __post_init__(self) -> None:
        name = self.market.bidders[self.bidder].name
        for what, bundles in (("report", self.reports.bundles), ("demand", self.demands.bundles)):
            try:
                as_bundles(bundles, self.market.capacities)
            except InputError as error:
                raise InputError(f"A {what} of bidder '{name}' cannot be used. {error}") from error

    @property
    def scale(self) -> float:
        """The largest value that is known of, in which the network computes; 0 if there is none."""
        spent = (self.demands.prices * self.demands.bundles).sum(axis=1)
        return float(max(self.reports.values.max(initial=0.0), spent.max(initial=0.0)))

    def data(self) -> AnswerArrays:
        """The arrays of a training, padded."""
        held, scale = self.held, self.scale
        num_values, num_demands = len(self.reports), len(self.demands)
        valued_rows = padded(num_values, VALUE_ROWS)
        demand_rows = padded(num_demands, DEMAND_ROWS)
        return AnswerArrays(
            valued=rows(self.reports.bundles / held, valued_rows),
            values=rows(self.reports.values / scale, valued_rows),
            value_weights=rows(weights(num_values), valued_rows),
            competes=self._competes(valued_rows),
            demanded=rows(self.demands.bundles / held, demand_rows),
            costs=rows(self.demands.prices * held / scale, demand_rows),
            demand_weights=rows(weights(num_demands), demand_rows),
            room=room_of(self.market, self.bidder)._replace(capacities=held.astype(np.float32)),
        )

    @property
    def held(self) -> np.ndarray:
        """Copies of each good that the bidder can hold, ``(num_goods,)``."""
        return reach(self.market, self.bidder)

    def _competes(self, num_rows: int) -> np.ndarray:
        competes = np.ones(num_rows, dtype=bool)
        competes[: len(self.reports)] = self.market.allows(self.bidder, self.reports.bundles)
        return competes


def room_of(market: Market, bidder: int) -> Room:
    """A bidder's limits in units of their bounds; as many rows for everybody in a market."""
    num_rows = max(1, *(len(b.limits) for b in market.bidders))
    coefficients, bounds = market.limits(bidder)
    # A bound of 0 forbids every good with a coefficient, which any number above 1 says.
    relative = np.where(
        bounds[:, None] > 0,
        coefficients / np.where(bounds > 0, bounds, 1.0)[:, None],
        2.0 * (coefficients > 0),
    )
    return Room(market.capacities.astype(np.float32), rows(relative, num_rows))


def padded(num_rows: int, step: int) -> int:
    """Rows of an array that has room for so many answers."""
    return step * max(1, -(-num_rows // step))


def weights(num_answers: int) -> np.ndarray:
    """How much each answer counts."""
    return np.full(num_answers, 1 / max(num_answers, FEW))


def rows(array: np.ndarray, num_rows: int) -> np.ndarray:
    """The array in float32 with rows of zeros below."""
    filled = np.zeros((num_rows, *array.shape[1:]), np.float32)
    filled[: len(array)] = array
    return filled
