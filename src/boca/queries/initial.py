"""The first queries: random bundles, and always the full one."""

from collections.abc import Callable

import numpy as np

from boca.core.bundle import bundle_key
from boca.core.errors import InputError
from boca.core.market import Market

# Draws a bidder is given up on after this many repeats in a row, which happens only where
# nearly every bundle has been drawn already.
MAX_REPEATS = 1_000


def random_bundle(market: Market, bidder: int, generator: np.random.Generator) -> np.ndarray:
    """
    One bundle that the bidder may be given, ``(num_goods,)``.

    Every good's count is uniform between 0 and its capacity. Where that breaks a limit, copies
    are taken out one by one, at random among the goods that the limit counts.
    """
    bundle = generator.integers(0, market.capacities + 1)
    coefficients, bounds = market.limits(bidder)
    for weights, bound in zip(coefficients, bounds, strict=True):
        while weights @ bundle > bound + 1e-9:
            bundle[generator.choice(np.flatnonzero((weights > 0) & (bundle > 0)))] -= 1
    return bundle


def draw_bundles(
    market: Market,
    bidder: int,
    num_bundles: int,
    generator: np.random.Generator,
    known: set[bytes] | None = None,
) -> np.ndarray:
    """
    Distinct random bundles, neither empty nor full, ``(at most num_bundles, num_goods)``.

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
    taken = {bundle_key(market.full_bundle), bundle_key(0 * market.full_bundle)} | (known or set())
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
