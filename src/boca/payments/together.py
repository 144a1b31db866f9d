"""
Marginal economies, branched on together.

Each begins with a relaxation of its own, which settles many. The rest share one tree where the
prices of the main economy say nearly as much about an economy as its own prices do: where taking
them loosens its bound by less than half its gap. The others have a tree each.
"""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from boca.payments.accepted import Solved
from boca.payments.bids import Packing
from boca.payments.branching import Branching
from boca.payments.packing_lp import PackingLP
from boca.payments.swaps import improved

# How far the main economy's prices may loosen an economy's bound, relative to its gap, for it to
# share the tree.
MOST_LOOSE = 0.5


def branch_without(
    packing: Packing,
    lp: PackingLP,
    bidders: Sequence[int],
    starts: Sequence[np.ndarray],
    gap: float = 0.0,
    most_iterations: float = np.inf,
    deadline: float = np.inf,
    report: Callable[[float, float], None] | None = None,
) -> dict[int, Solved]:
    """
    The best bids without each of some bidders, by bidder.

    Parameters
    ----------
    packing
        The bids of all bidders.
    lp
        Their linear relaxation.
    bidders
        Who is missing, one per economy.
    starts
        Compatible bids of each economy to begin with.
    gap
        Relative distance of bound and surplus that counts as none.
    most_iterations
        Simplex iterations per economy after which to stop.
    deadline
        Reading of ``perf_counter`` at which to stop.
    report
        Called from time to time with the surplus and the bound of the economy at work whose gap
        is widest; None for never.
    """
    alone = {
        bidder: Branching(packing, lp, packing.owners != bidder, [start], gap=gap)
        for bidder, start in zip(bidders, starts, strict=True)
    }
    for tree in alone.values():
        # Even first relaxations take long where there are thousands of bids.
        if perf_counter() < deadline and not tree.run(0, deadline):
            tree.offer(improved(packing, tree.best[0], tree.is_open))

    branched = {}
    shared = None
    if perf_counter() < deadline:
        shared = _sharing({i: tree for i, tree in alone.items() if not tree.is_finished})
    if shared is not None:
        _run(shared, most_iterations * len(shared.absent), deadline, report)
        for k, bidder in enumerate(shared.absent):
            bound = min(float(shared.bound[k]), float(alone[bidder].bound[0]))
            branched[bidder] = Solved(shared.best[k], bound, shared.is_finished)
    for bidder, tree in alone.items():
        if bidder not in branched:
            for other in branched.values():
                tree.offer(other.bids[packing.owners[other.bids] != bidder])
            if perf_counter() < deadline:
                _run(tree, most_iterations, deadline, report)
            branched[bidder] = Solved(tree.best[0], float(tree.bound[0]), tree.is_finished)
    return branched


def _sharing(trees: dict[int, Branching]) -> Branching | None:
    """One tree for the economies that gain by it, begun; None if they are fewer than two."""
    if len(trees) < 2:
        return None
    first = _together(trees)
    own = np.array([tree.bound[0] for tree in trees.values()])
    is_tight = first.first_bounds() - own <= MOST_LOOSE * (own - first.surplus)
    if is_tight.sum() < 2:
        return None
    return _together({i: tree for (i, tree), k in zip(trees.items(), is_tight, strict=True) if k})


def _together(trees: dict[int, Branching]) -> Branching:
    """One tree for all economies, from their best bids."""
    tree = next(iter(trees.values()))
    everybody = np.ones(len(tree.packing), dtype=bool)
    best = [tree.best[0] for tree in trees.values()]
    return Branching(tree.packing, tree.lp, everybody, best, list(trees), tree.gap)


def _run(
    branching: Branching,
    most_iterations: float,
    deadline: float,
    report: Callable[[float, float], None] | None,
) -> None:
    """Goes on with a tree that is not finished."""

    def tell() -> None:
        assert report is not None
        widest = int((branching.bound - branching.surplus).argmax())
        report(float(branching.surplus[widest]), float(branching.bound[widest]))

    branching.run(most_iterations, deadline, None if report is None else tell)
