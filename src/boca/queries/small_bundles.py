"""First queries about bundles of the size that allocations give."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.errors import InputError
from boca.core.query import Query
from boca.core.randomness import Seeds
from boca.core.settings import check_positive, check_types
from boca.queries.first import INITIAL
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.queries.random_bundles import MAX_REPEATS, maximal_bundle
from boca.surrogates.fitted import Fitted


@register_planner
@dataclass(frozen=True)
class SmallBundles(Planner):
    """
    Asks about the full bundle, then about random bundles with a small share of the copies.

    Half-full bundles, as usual, show little about the bundles that bidders can win where many of
    them share the goods. One question per bidder and round, as long as the phase lasts.

    Parameters
    ----------
    lowest, highest
        Range of the share of copies that a bundle holds on average; each bundle draws its own.
    """

    name: ClassVar[str] = "small"
    lowest: float = 0.05
    highest: float = 0.5

    def __post_init__(self) -> None:
        check_types(self)
        check_positive(lowest=self.lowest, highest=self.highest)
        if not self.lowest <= self.highest <= 1:
            raise InputError(
                f"Received shares from {self.lowest} to {self.highest}; expected a range in (0, 1]."
            )

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        queries = []
        for i in range(situation.market.num_bidders):
            bundle = self._draw(situation, i, seeds.child("small", i).generator())
            if bundle is not None:
                queries.append(Query(i, bundle, INITIAL))
        return Plan(tuple(queries), situation.use)

    def _draw(
        self, situation: Situation, bidder: int, rng: np.random.Generator
    ) -> np.ndarray | None:
        """A new bundle that the bidder can have, all of it first; None if none is found."""
        market, known = situation.market, known_keys(situation, bidder)
        full, most = market.largest_bundle(bidder), market.most(bidder)
        if full is not None and bundle_key(full) not in known:
            return full
        if full is None and not known and most.any():
            return maximal_bundle(market, bidder, rng)
        for _ in range(MAX_REPEATS):
            bundle = rng.binomial(most, rng.uniform(self.lowest, self.highest))
            new = bundle.any() and bundle_key(bundle) not in known
            if new and market.allows(bidder, bundle)[0]:
                return bundle
        return None
