"""First queries about bundles of the size that allocations give."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Query
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_positive
from boca.queries.first import INITIAL
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class SmallBundles(Planner):
    """
    One round: the full bundle, then random bundles that hold a small share of the copies.

    Half-full bundles, as usual, show little about the bundles that bidders can win where many of
    them share the goods.

    Parameters
    ----------
    num_queries
        Questions per bidder.
    lowest, highest
        Range of the share of copies that a bundle holds on average; each bundle draws its own.
    """

    name: ClassVar[str] = "small"
    num_queries: int = 20
    lowest: float = 0.05
    highest: float = 0.5

    def __post_init__(self) -> None:
        check_at_least(1, num_queries=self.num_queries)
        check_positive(lowest=self.lowest, highest=self.highest)
        if not self.lowest <= self.highest <= 1:
            raise InputError(
                f"Received shares from {self.lowest} to {self.highest}; expected a range in (0, 1]."
            )

    @property
    def per_round(self) -> int:
        return self.num_queries

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        if situation.rounds_in_phase:
            return Plan((), situation.use)
        market = situation.market
        queries = []
        for i in range(market.num_bidders):
            known = known_keys(situation, i)
            for bundle in self._draws(market, i, seeds.root.child("small", i).generator()):
                key = bundle_key(bundle)
                if key not in known:
                    known.add(key)
                    queries.append(Query(i, bundle, INITIAL))
        return Plan(tuple(queries), situation.use)

    def _draws(self, market: Market, bidder: int, rng: np.random.Generator) -> list[np.ndarray]:
        """The full bundle, and allowed bundles that are not empty."""
        bundles = [market.full_bundle]
        for _ in range(100 * self.num_queries):
            if len(bundles) == self.num_queries:
                break
            bundle = rng.binomial(market.capacities, rng.uniform(self.lowest, self.highest))
            if bundle.any() and market.allows(bidder, bundle)[0]:
                bundles.append(bundle)
        return bundles
