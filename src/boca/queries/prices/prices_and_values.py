"""Rounds that ask for demands and for values alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from boca.core.frozen import set_fields
from boca.core.query import Query
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_types
from boca.queries.planner import Plan, Planner, Situation, register_planner
from boca.queries.prices.model_prices import ModelPrices
from boca.queries.trust_region import TrustRegion
from boca.queries.wanted import values_of
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class PricesAndValues(Planner):
    """
    Asks everybody one demand query and value queries, all from the same networks.

    Demand answers put the best allocation on bids into the right region, values correct what the
    networks make of it; a bidder answers both in the same round, so that learning serves both.

    Parameters
    ----------
    prices
        Chooses the prices.
    values
        Chooses the bundles that are valued.
    raise_every
        In every so many rounds, the value of the bundle wanted in the last one is asked too; 0
        for never.
    """

    name: ClassVar[str] = "prices-and-values"
    asks_demands: ClassVar[bool] = True
    prices: ModelPrices = field(default_factory=ModelPrices)
    values: TrustRegion = field(default_factory=TrustRegion)
    raise_every: int = 3

    def __post_init__(self) -> None:
        # Files hold the two as tables.
        if isinstance(self.prices, Mapping):
            set_fields(self, prices=ModelPrices(**self.prices))
        if isinstance(self.values, Mapping):
            set_fields(self, values=TrustRegion(**self.values))
        check_types(self)
        check_at_least(0, raise_every=self.raise_every)

    @property
    def per_round(self) -> int:
        return 1 + self.values.num_per_round + (self.raise_every > 0)

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        demands = self.prices.plan(situation, fitted, seeds)
        # With demands to ask, a round need not look further where its economy has no new bundle.
        values, prediction = self.values.propose(situation, fitted, seeds, persistent=False)
        for turn in range(1, self.values.num_per_round):
            more, _ = self.values.propose(situation, fitted, seeds, turn, values, persistent=False)
            values += more
        asked = {query.key for query in values}
        raised = [query for query in self._raised(situation) if query.key not in asked]
        return Plan((*demands.questions, *values, *raised), situation.use, prediction)

    def _raised(self, situation: Situation) -> list[Query]:
        """Values of the bundles that were wanted last, in some rounds."""
        if not self.raise_every or (situation.rounds_in_phase + 1) % self.raise_every:
            return []
        return [
            query
            for bidder, demands in enumerate(situation.demands)
            if len(demands)
            for query in values_of(situation, bidder, [len(demands) - 1])
        ]
