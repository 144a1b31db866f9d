"""Random bundles: drawing them, and the planner of random search."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.market import ROUNDING, Market
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_types
from boca.queries.planner import Plan, Planner, Situation, known_keys, register_planner
from boca.surrogates.fitted import Fitted

# A bidder is given up on after this many repeats in a row, which happen only where nearly every
# bundle has been drawn already.
MAX_REPEATS = 1_000


@register_planner
@dataclass(frozen=True)
class RandomBundles(Planner):
    """
    Asks every bidder about random bundles that it has not been asked about.

    Parameters
    ----------
    num_per_round
        Questions per bidder and round.
    """

    name: ClassVar[str] = "random"
    num_per_round: int = 4

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(1, num_per_round=self.num_per_round)

    @property
    def per_round(self) -> int:
        return self.num_per_round

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        everybody = range(situation.market.num_bidders)
        return Plan(random_queries(situation, everybody, self.num_per_round, seeds), situation.use)


def random_queries(
    situation: Situation, bidders: Iterable[int], num_queries: int, seeds: Seeds
) -> tuple[Query, ...]:
    """
    Random unasked bundles for some bidders.

    Parameters
    ----------
    situation
        What has been asked and answered so far.
    bidders
        Who is asked.
    num_queries
        Questions per bidder.
    seeds
        The random streams of the round.
    """
    queries = []
    for i in bidders:
        generator = seeds.child("random", i).generator()
        known = known_keys(situation, i)
        drawn = draw_bundles(situation.market, i, num_queries, generator, known)
        queries += [Query(i, row, Reason("random")) for row in drawn]
    return tuple(queries)


def draw_bundles(
    market: Market,
    bidder: int,
    num_bundles: int,
    generator: np.random.Generator,
    known: set[bytes] | None = None,
) -> np.ndarray:
    """
    Distinct random bundles, neither empty nor all the bidder can hold, ``(.., num_goods)``.

    Parameters
    ----------
    market, bidder
        For whom the bundles are.
    num_bundles
        How many are wanted. Fewer come back only if the bidder has no more.
    generator
        Source of randomness.
    known
        Keys of bundles that must not be drawn.
    """
    most = market.most(bidder)
    taken = {bundle_key(most), bundle_key(0 * most)} | (known or set())
    drawn: list[np.ndarray] = []
    repeats = 0
    while len(drawn) < num_bundles and repeats < MAX_REPEATS:
        bundle = random_bundle(market, bidder, generator)
        if bundle_key(bundle) in taken:
            repeats += 1
            continue
        taken.add(bundle_key(bundle))
        drawn.append(bundle)
        repeats = 0
    return np.array(drawn, dtype=np.int64).reshape(-1, market.num_goods)


def random_bundle(market: Market, bidder: int, generator: np.random.Generator) -> np.ndarray:
    """
    One bundle that the bidder may be given, ``(num_goods,)``.

    Every good's count is uniform between 0 and the most that the bidder can hold of it. Where that
    breaks a limit, copies are taken out one by one, at random among the goods that it counts.
    """
    bundle = generator.integers(0, market.most(bidder) + 1)
    coefficients, bounds = market.limits(bidder)
    for weights, bound in zip(coefficients, bounds, strict=True):
        while weights @ bundle > bound + ROUNDING:
            bundle[generator.choice(np.flatnonzero((weights > 0) & (bundle > 0)))] -= 1
    return bundle


def maximal_bundle(market: Market, bidder: int, generator: np.random.Generator) -> np.ndarray:
    """
    One bundle to which the bidder can add nothing, ``(num_goods,)``: its goods in random order.

    All that the bidder can hold where it can hold that at once.
    """
    bundle = np.zeros(market.num_goods, dtype=np.int64)
    most = market.most(bidder)
    coefficients, bounds = market.limits(bidder)
    for good in generator.permutation(market.num_goods).tolist():
        weights = coefficients[:, good]
        left = (bounds + ROUNDING - coefficients @ bundle)[weights > 0] / weights[weights > 0]
        bundle[good] = max(0, np.floor(left.min(initial=most[good])))
    return bundle
