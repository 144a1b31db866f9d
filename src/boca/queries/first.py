"""The first queries: random bundles, and all that a bidder can hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from boca.core.bundle import bundle_key, bundle_keys
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.core.settings import check_at_least, check_types, check_yes_or_no
from boca.queries.planner import Plan, Planner, Situation, register_planner
from boca.queries.random_bundles import draw_bundles, maximal_bundle
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
    full_bundle
        Whether the full bundle is among them, as in BOCA; earlier mechanisms ask random ones alone.
    """

    name: ClassVar[str] = "first"
    num_queries: int = 40
    full_bundle: bool = field(default=True, metadata={"later": True})

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(1, num_queries=self.num_queries)
        check_yes_or_no(full_bundle=self.full_bundle)

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
            bundles = independent(market, i, self.num_queries, generator, known, self.full_bundle)
            queries += [Query(i, row, INITIAL) for row in bundles]
        return Plan(tuple(queries), situation.use)


def independent(
    market: Market,
    bidder: int,
    num_initial: int,
    generator: np.random.Generator,
    known: set[bytes] | None = None,
    full_bundle: bool = True,
) -> np.ndarray:
    """
    As much as the bidder can hold, then random bundles of its own, ``(num_initial, num_goods)``.

    Where limits leave no bundle that contains all others, the first is one of those to which
    nothing can be added. Bundles known already are left out; others take their place. In an
    exchange, what the participant holds comes before all: without its value no trade has one.
    Without ``full_bundle`` all others are random.
    """
    known = known or set()
    held = market.endowments[bidder]
    if held.any() and bundle_key(held) not in known:
        known = known | {bundle_key(held)}
        others = independent(market, bidder, num_initial - 1, generator, known, full_bundle)
        return np.concatenate([held[None], others[: num_initial - 1]])
    if not full_bundle:
        return draw_bundles(market, bidder, num_initial, generator, known)
    full = market.largest_bundle(bidder)
    first = maximal_bundle(market, bidder, generator) if full is None else full
    is_new = first.any() and bundle_key(first) not in known
    first = first[None, :] if is_new else np.zeros((0, market.num_goods), dtype=np.int64)
    known = known | set(bundle_keys(first))
    others = draw_bundles(market, bidder, num_initial - len(first), generator, known)
    return np.concatenate([first, others])


def published(
    market: Market,
    bidder: int,
    num_initial: int,
    seed: int,
    sample: Callable[[int, int], np.ndarray],
) -> np.ndarray:
    """
    The first bundles of the published BOCA experiments, full bundle first if it can be held.

    Every bidder with the same admissible bundles receives the same ones there, because the
    instance seed serves them all. Empty, full and repeated bundles are replaced one at a time by
    draws with the seeds ``10^5 seed, 10^5 seed + 1, ...``. The published order, a shuffle that
    changes nothing but the order of training rows, is not kept.

    Parameters
    ----------
    market, bidder
        For whom the bundles are.
    num_initial
        Bundles wanted, the full one included.
    seed
        The instance seed.
    sample
        ``sample(num_bundles, seed)`` gives uniform admissible bundles from a fresh generator.
    """
    if num_initial < 1:
        raise InputError(f"Received num_initial = {num_initial}; expected at least 1.")

    full = market.largest_bundle(bidder)
    kept = [] if full is None else [full]
    known = {bundle_key(market.full_bundle), bundle_key(0 * market.full_bundle)}
    known |= {bundle_key(bundle) for bundle in kept}

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
    return np.array(kept, dtype=np.int64).reshape(-1, market.num_goods)
