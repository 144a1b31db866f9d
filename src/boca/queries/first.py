"""The first queries: random bundles, and always the full one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key, bundle_keys
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least
from boca.queries.planner import Plan, Planner, Situation, register_planner
from boca.queries.random_bundles import draw_bundles
from boca.surrogates.fitted import Fitted

INITIAL = Reason("initial")


@register_planner
@dataclass(frozen=True)
class FirstBundles(Planner):
    """
    One round of random bundles for every bidder, the full one first (Algorithm 2, lines 1 and 2).

    Parameters
    ----------
    num_queries
        Questions per bidder: Q_init of the paper.
    """

    name: ClassVar[str] = "first"
    num_queries: int = 40

    def __post_init__(self) -> None:
        check_at_least(1, num_queries=self.num_queries)

    @property
    def per_round(self) -> int:
        return self.num_queries

    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        if situation.rounds_in_phase:
            return Plan((), situation.use)
        market = situation.market
        queries: list[Query] = []
        for i in range(market.num_bidders):
            known = set(bundle_keys(situation.reports[i].bundles))
            generator = seeds.root.child("initial", i).generator()
            bundles = independent(market, i, self.num_queries, generator, known)
            queries += [Query(i, row, INITIAL) for row in bundles]
        return Plan(tuple(queries), situation.use)


def independent(
    market: Market,
    bidder: int,
    num_initial: int,
    generator: np.random.Generator,
    known: set[bytes] | None = None,
) -> np.ndarray:
    """
    The full bundle, then random ones of the bidder's own, ``(num_initial, num_goods)``.

    Bundles known already are left out; others take their place.
    """
    full = market.full_bundle[None, :]
    first = full if bundle_key(full) not in (known or set()) else full[:0]
    others = draw_bundles(market, bidder, num_initial - len(first), generator, known)
    return np.concatenate([first, others])


def published(
    market: Market,
    num_initial: int,
    seed: int,
    sample: Callable[[int, int], np.ndarray],
) -> np.ndarray:
    """
    The first bundles of the published BOCA experiments, full bundle first.

    Every bidder with the same admissible bundles receives the same ones there, because the
    instance seed serves them all. Empty, full and repeated bundles are replaced one at a time by
    draws with the seeds ``10^5 seed, 10^5 seed + 1, ...``. The published order, a shuffle that
    changes nothing but the order of training rows, is not kept.

    Parameters
    ----------
    market
        Goods and bidders.
    num_initial
        Bundles wanted, the full one included.
    seed
        The instance seed.
    sample
        ``sample(num_bundles, seed)`` gives uniform admissible bundles from a fresh generator.
    """
    if num_initial < 1:
        raise InputError(f"Received num_initial = {num_initial}; expected at least 1.")

    known = {bundle_key(market.full_bundle), bundle_key(0 * market.full_bundle)}
    kept = [market.full_bundle]

    def keep(bundles: np.ndarray) -> None:
        for bundle in bundles:
            if len(kept) < num_initial and bundle_key(bundle) not in known:
                known.add(bundle_key(bundle))
                kept.append(bundle)

    keep(sample(num_initial - 1, seed))
    for replacement in range(100 * num_initial):
        if len(kept) == num_initial:
            break
        keep(sample(1, 100_000 * seed + replacement))
    return np.array(kept, dtype=np.int64)
