"""Values of bundles that were wanted: they pin down the level that choices leave open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_types
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.surrogates.fitted import Fitted

RAISED = Reason("raised")


@register_planner
@dataclass(frozen=True)
class WantedBundles(Planner):
    """
    Asks once what some of the bundles are worth that bidders wanted, spread over the later prices.

    Parameters
    ----------
    num_queries
        Questions per bidder, at most.
    """

    name: ClassVar[str] = "wanted"
    num_queries: int = 4

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(1, num_queries=self.num_queries)

    @property
    def per_round(self) -> int:
        return self.num_queries

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        over = "wanted bundles have been valued"
        if situation.rounds_in_phase:
            return Plan((), situation.use, over=over)
        queries = [
            query
            for bidder, demands in enumerate(situation.demands)
            for query in values_of(situation, bidder, self._spread(len(demands)))
        ]
        return Plan(tuple(queries), situation.use, over=over)

    def _spread(self, num_answers: int) -> list[int]:
        """Answers from the first third on, where prices begin to matter, up to the last."""
        if not num_answers:
            return []
        places = np.linspace(num_answers // 3, num_answers - 1, self.num_queries)
        return sorted({int(place) for place in places})


def values_of(situation: Situation, bidder: int, answers: list[int]) -> list[Query]:
    """Queries for the bundles of some demand answers, each once and only if it is new."""
    known = known_keys(situation, bidder)
    queries = []
    for answer in answers:
        bundle = situation.demands[bidder].bundles[answer]
        if bundle.any() and bundle_key(bundle) not in known:
            known.add(bundle_key(bundle))
            queries.append(Query(bidder, bundle, RAISED))
    return queries
