"""
The planners of a combinatorial clock auction (Ausubel, Cramton and Milgrom, 2006).

1. Clock: prices are announced, every bidder names the bundle it wants, and the price of every good
   that is wanted more often than it exists rises, until none is or the budget is used up.
2. Raised bids: bidders say what the bundles that they wanted are worth to them.
3. Profit-maximising bids: bidders name the most profitable bundles at the final prices, and what
   those are worth.

A wanted bundle is a bid of what the bidder's choices prove it to be worth, at least its price: see
:mod:`boca.functions.revealed`. There are no activity rules: simulated bidders are truthful, and
people would be told to be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.frozen import set_fields
from boca.core.market import Market
from boca.core.query import DemandQuery, Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_positive, check_types
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class Clock(Planner):
    """
    Asks everybody what it wants at rising prices, until no good is wanted more than it exists.

    Parameters
    ----------
    start_prices
        Price of one copy of each good in the first round, above 0. Empty: a simulation fills in
        what published experiments take; an auction with people cannot start without them.
    increment
        Share by which the price of a good rises when more is wanted than there is.
    """

    name: ClassVar[str] = "clock"
    asks_demands: ClassVar[bool] = True
    start_prices: tuple[float, ...] = ()
    increment: float = 0.05

    def __post_init__(self) -> None:
        check_types(self)
        set_fields(self, start_prices=tuple(map(float, self.start_prices)))
        if any(not 0 < price < float("inf") for price in self.start_prices):
            raise InputError("Received a start price of 0 or less; expected positive ones.")
        check_positive(increment=self.increment)

    def check(self, market: Market) -> None:
        if market.sense == "buy":
            raise InputError(
                f"Market '{market.name}' buys, and prices of a clock auction rise until nothing is "
                "wanted more than it exists; choose another mechanism, such as hybrid."
            )
        if len(self.start_prices) != market.num_goods:
            raise InputError(
                f"A clock auction received {len(self.start_prices)} start prices; expected one for "
                f"each of the {market.num_goods} goods."
            )

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        # Where nobody has answered, there is no demand that prices could follow.
        if situation.rounds_in_phase == 0 or not any(map(len, situation.demands)):
            prices = np.array(self.start_prices)
        elif not (excess_demand(situation) > 0).any():
            return Plan((), situation.use, over="nothing is wanted more often than it exists")
        else:
            prices = raised_prices(situation, self.increment)
        bidders = range(situation.market.num_bidders)
        return Plan(tuple(DemandQuery(i, prices) for i in bidders), situation.use)


@register_planner
@dataclass(frozen=True)
class RaisedBids(Planner):
    """Asks once what the bundles that bidders wanted are worth to them."""

    name: ClassVar[str] = "raised"

    @property
    def per_round(self) -> None:
        return None

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        if situation.rounds_in_phase:
            return Plan((), situation.use, over="all raised bids are in")
        queries = []
        for i, demands in enumerate(situation.demands):
            wanted, known = demands.bids().bundles, known_keys(situation, i)
            new = [row for row in wanted if bundle_key(row) not in known]
            queries += [Query(i, row, Reason(self.name)) for row in new]
        return Plan(tuple(queries), situation.use, over="every wanted bundle has a value")


@register_planner
@dataclass(frozen=True)
class ProfitBids(Planner):
    """
    Asks once for the most profitable bundles at the final prices; their values are asked next.

    Parameters
    ----------
    num_bundles
        Bundles that each bidder may name.
    increment
        As in the clock, whose last step is taken once more where demand exceeds supply.
    """

    name: ClassVar[str] = "profit-max"
    asks_demands: ClassVar[bool] = True
    num_bundles: int = 100
    increment: float = 0.05

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(1, num_bundles=self.num_bundles)
        check_positive(increment=self.increment)

    @property
    def per_round(self) -> None:
        return None

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        if situation.rounds_in_phase or not any(map(len, situation.demands)):
            return Plan((), situation.use, over="all supplementary bids are in")
        prices = raised_prices(situation, self.increment)
        bidders = range(situation.market.num_bidders)
        queries = [DemandQuery(i, prices, self.num_bundles, Reason(self.name)) for i in bidders]
        return Plan(tuple(queries), situation.use)


def excess_demand(situation: Situation) -> np.ndarray:
    """
    Copies of each good wanted beyond those there are, at the last prices, ``(num_goods,)``.

    Who did not answer at the last prices wants nothing.
    """
    prices = last_prices(situation)
    wanted = [
        demands.bundles[-1]
        for demands in situation.demands
        if len(demands) and np.array_equal(demands.prices[-1], prices)
    ]
    total: np.ndarray = np.sum(wanted, axis=0)
    return np.asarray(total - situation.market.capacities)


def last_prices(situation: Situation) -> np.ndarray:
    """
    The prices that were announced last and that somebody answered, ``(num_goods,)``.

    Bidders may miss rounds. The last prices of one who has missed some are old ones if anybody
    answered them before others.
    """
    answered = [demands for demands in situation.demands if len(demands)]
    newest = [demands for demands in answered if not _were_followed(demands.prices[-1], answered)]
    # All are old where prices came back to what they had been: then most answers decide.
    prices: np.ndarray = max(newest or answered, key=len).prices[-1]
    return prices


def _were_followed(prices: np.ndarray, answered: Sequence[Demands]) -> bool:
    """Whether a bidder answered these prices, and others after them."""
    return any((demands.prices[:-1] == prices).all(axis=1).any() for demands in answered)


def raised_prices(situation: Situation, increment: float) -> np.ndarray:
    """The last prices, higher for goods that were wanted more often than they exist."""
    rise = 1 + increment * (excess_demand(situation) > 0)
    return np.asarray(last_prices(situation) * rise)
