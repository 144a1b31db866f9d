"""Demand queries at prices that clear the market on the networks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import DemandQuery, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_types
from boca.functions import MonotoneNet
from boca.queries.planner import Plan, Planner, Situation, register_planner
from boca.queries.prices.clock import last_prices
from boca.queries.prices.quick_clock import NO_START, QuickClock, first_prices
from boca.surrogates.fitted import Fitted

# A margin of 0 could not change in a search that multiplies.
LEAST_MARGIN = 0.01


@register_planner
@dataclass(frozen=True)
class ModelPrices(Planner):
    """
    Asks what everybody wants at the prices that minimise W on the networks.

    If bidders answered as their networks do, these prices would clear the market as well as
    linear prices can; where they do not, the answers correct the networks where it matters. Where
    the market buys, a unit is worth its at-most price to the buyer, and what networks leave of it
    is the price that suppliers are offered.

    Parameters
    ----------
    steps
        Changes of the prices in the search for the best ones.
    feasible
        Whether prices are preferred at which no good is wanted more than it exists. Then answers
        fit together, which makes them good bids (ML-CCA); without, they teach more evenly.
    """

    name: ClassVar[str] = "model-prices"
    asks_demands: ClassVar[bool] = True
    steps: int = 300
    feasible: bool = False

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(10, steps=self.steps)

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        from boca.surrogates.mixed.clearing import clearing_prices  # the framework loads slowly

        market = situation.market
        start = (
            last_prices(situation)
            if any(map(len, situation.demands))
            else first_prices(situation, QuickClock())
        )
        if start is None:
            return Plan((), situation.use, over=NO_START)
        nets = networks(market, fitted)
        if market.sense == "buy":
            margins = np.maximum(situation.at_most - start, LEAST_MARGIN * situation.at_most)
            cleared = clearing_prices(nets, market, margins, self.steps, self.feasible)
            prices = np.maximum(situation.at_most - cleared.prices, 0.0)
        elif any(net.depth and net(market.full_bundle[None])[0] > 0 for net in nets):
            prices = clearing_prices(nets, market, start, self.steps, self.feasible).prices
        else:  # nobody has wanted anything yet; at prices of 0 nobody's choice would be a bid
            prices = start / 2
        reason = Reason("model prices")
        bidders = range(market.num_bidders)
        return Plan(tuple(DemandQuery(i, prices, 1, reason) for i in bidders), situation.use)


def networks(market: Market, fitted: Mapping[int, Fitted]) -> list[MonotoneNet]:
    """The mean network of every bidder; one that wants nothing for those who said nothing."""
    nothing = MonotoneNet([], [], [], np.zeros(market.num_goods), capacities=market.capacities)
    nets = []
    for i in range(market.num_bidders):
        mean = fitted[i].mean if i in fitted else nothing
        if not isinstance(mean, MonotoneNet):
            raise InputError(
                f"Prices from a model need monotone networks; received {type(mean).__name__}. "
                "Choose the surrogate 'mixed' or 'mvnn' for this phase."
            )
        nets.append(mean)
    return nets
