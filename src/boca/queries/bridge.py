"""Values of the bundles that win on bids, between demand queries and value queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from boca.core.bundle import bundle_key
from boca.core.economy import Economy
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class Bridge(Planner):
    """
    Asks once what everybody's winning bundle is worth to it (MLHCA's bridge bid).

    Bids from demand answers are low, and without their true values the first value queries would
    lose to them or replace them by chance.
    """

    name: ClassVar[str] = "bridge"

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        over = "winning bundles have been valued"
        if situation.rounds_in_phase:
            return Plan((), situation.use, over=over)
        economy = Economy.main(situation.market.num_bidders)
        queries = [
            Query(i, bundle, Reason(self.name))
            for i, bundle in enumerate(situation.winners(economy).bundles)
            if bundle.any() and bundle_key(bundle) not in known_keys(situation, i)
        ]
        return Plan(tuple(queries), situation.use, over=over)
