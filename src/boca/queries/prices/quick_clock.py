"""Demand queries at prices that go up and down quickly, from a start nobody has to know."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.errors import InputError
from boca.core.query import DemandQuery, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_positive, check_types
from boca.queries.planner import Plan, Planner, Situation, register_planner
from boca.queries.prices.clock import excess_demand, last_prices
from boca.surrogates.fitted import Fitted

NO_START = "nobody has reported a positive value, from which prices could start"


@register_planner
@dataclass(frozen=True)
class QuickClock(Planner):
    """
    Asks everybody what it wants at prices that follow demand in both directions.

    A clock that only rises, a little each time, spends its questions far below the prices that
    matter. This one is about teaching, not about ending: it goes on as long as its phase. Where
    the market buys, it asks what everybody would supply, begins at the at-most prices and never
    exceeds them.

    Parameters
    ----------
    start
        Price of everything in the first round, as a share of the mean largest value that bidders
        have reported; the same for every copy of every good. Where limits bind, the price of what
        bidders have valued most.
    up
        Share by which a price rises where more is wanted than there is, or less is supplied than
        is needed.
    down
        Share by which it falls where less is wanted, or more is supplied. Below 1.
    start_prices
        Price of one copy of each good in the first round, for those who know better; empty for
        equal prices.
    """

    name: ClassVar[str] = "quick-clock"
    asks_demands: ClassVar[bool] = True
    start: float = 0.3
    up: float = 0.6
    down: float = 1 / 3
    start_prices: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_types(self)
        check_positive(start=self.start, up=self.up, down=self.down)
        if self.down >= 1:
            raise InputError(f"Received down = {self.down}; expected a share below 1.")
        if any(not 0 < price < np.inf for price in self.start_prices):
            raise InputError("Received a start price of 0 or less; expected positive ones.")

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        prices = next_prices(situation, self)
        if prices is None:
            return Plan((), situation.use, over=NO_START)
        reason = Reason("clock")
        bidders = range(situation.market.num_bidders)
        return Plan(tuple(DemandQuery(i, prices, 1, reason) for i in bidders), situation.use)


def next_prices(situation: Situation, clock: QuickClock) -> np.ndarray | None:
    """The prices of the next round, ``(num_goods,)``; None if there is no start."""
    if not any(map(len, situation.demands)):
        return first_prices(situation, clock)
    excess = excess_demand(situation)
    if situation.market.sense == "buy":
        change = np.where(excess < 0, 1 + clock.up, np.where(excess > 0, 1 - clock.down, 1.0))
        return np.asarray(np.minimum(last_prices(situation) * change, situation.at_most))
    change = np.where(excess > 0, 1 + clock.up, np.where(excess < 0, 1 - clock.down, 1.0))
    return np.asarray(last_prices(situation) * change)


def first_prices(situation: Situation, clock: QuickClock) -> np.ndarray | None:
    """The prices of the first round, ``(num_goods,)``; None where nobody has named a value."""
    capacities = situation.market.capacities
    if clock.start_prices:
        if len(clock.start_prices) != len(capacities):
            raise InputError(
                f"Received {len(clock.start_prices)} start prices; expected one for each of the "
                f"{len(capacities)} goods."
            )
        return np.array(clock.start_prices)
    if situation.market.sense == "buy":
        return situation.at_most
    largest, copies = [], []
    for reports, bidder in zip(situation.reports, situation.market.bidders, strict=True):
        if reports.values.max(initial=0.0) > 0:
            largest.append(reports.values.max())
            # Limits can keep a bidder from holding more than a small part of everything.
            most = reports.bundles[reports.values.argmax()] if bidder.limits else capacities
            copies.append(most.sum())
    if not largest:
        return None
    return np.full(len(capacities), clock.start * np.mean(largest) / np.mean(copies))
