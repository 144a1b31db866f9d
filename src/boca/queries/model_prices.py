"""Demand queries at prices that clear the market on the networks, and values along the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.economy import Economy
from boca.core.errors import InputError
from boca.core.query import DemandQuery, Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least
from boca.functions import MonotoneNet
from boca.queries.clock import last_prices
from boca.queries.planner import Plan, Planner, Situation, register_planner
from boca.queries.quick_clock import QuickClock, first_prices
from boca.queries.trust_region import TrustRegion
from boca.queries.wanted import values_of
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class ModelPrices(Planner):
    """
    Asks what everybody wants at the prices that minimise W on the networks.

    If bidders answered as their networks do, these prices would clear the market as well as
    linear prices can; where they do not, the answers correct the networks where it matters.

    Parameters
    ----------
    num_values
        Values per bidder that are asked in the same round, of the bundles that the networks'
        best allocation holds: 1, or 0 for none.
    raise_every
        In every so many rounds the values of the bundles wanted in the last one are asked too; 0
        for never.
    """

    name: ClassVar[str] = "model-prices"
    num_values: int = 1
    raise_every: int = 3

    def __post_init__(self) -> None:
        check_at_least(0, num_values=self.num_values, raise_every=self.raise_every)
        if self.num_values > 1:
            raise InputError(f"Received num_values = {self.num_values}; expected 0 or 1.")

    @property
    def per_round(self) -> int:
        return 1 + self.num_values + (self.raise_every > 0)

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        market = situation.market
        bidders = range(market.num_bidders)
        prices = self._prices(situation, fitted)
        reason = Reason("model prices")
        demands = [DemandQuery(i, prices, 1, reason) for i in bidders]
        values: tuple[Query, ...] = ()
        prediction = None
        if self.num_values:
            region = TrustRegion(global_every=1, marginal_every=0)
            values, prediction = region.ask(
                situation, fitted, Economy.main(market.num_bidders), False, seeds
            )
        if (
            self.raise_every
            and situation.rounds_in_phase % self.raise_every == 2 % self.raise_every
        ):
            asked = {query.key for query in values}
            raised = [
                query
                for i in bidders
                if len(situation.demands[i])
                for query in values_of(situation, i, [len(situation.demands[i]) - 1])
            ]
            values += tuple(query for query in raised if query.key not in asked)
        return Plan((*demands, *values), situation.use, prediction)

    def _prices(self, situation: Situation, fitted: Mapping[int, Fitted]) -> np.ndarray:
        from boca.surrogates.mixed.clearing import clearing_prices  # the ML framework loads slowly

        market = situation.market
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
        if any(map(len, situation.demands)):
            start = last_prices(situation)
        else:
            start = first_prices(situation, QuickClock())
        return clearing_prices(nets, market, start).prices
