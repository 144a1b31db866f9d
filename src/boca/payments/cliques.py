"""
Groups of bids of which at most one can win, as further goods.

Where every two bids of a group exclude each other, at most one of them wins, although the goods
themselves may allow half of each. Such a clique is like a good with one copy that all its members
ask for, so it is added to the problem as one: the linear relaxation gets tighter, and nothing that
computes bounds has to know (Padberg 1973, "On the facial structure of set packing polyhedra").
"""

from dataclasses import replace

import numpy as np

from boca.payments.bids import Packing
from boca.payments.packing_lp import PackingLP

# Shares of a clique's bids that must add up to more than this for it to be worth a row.
VIOLATED = 1.02
# Rounds of looking for cliques, and the improvement of the bound below which they end.
MOST_ROUNDS = 12
LEAST_GAIN = 1e-3
# New cliques per round.
MOST_NEW = 30


def tightened(packing: Packing) -> tuple[Packing, PackingLP]:
    """
    The problem with cliques as further goods, and its linear relaxation.

    Bids keep their numbers. Cliques are those that the relaxation over all bids violates, so
    they are valid, and mostly useful, in every economy. There are none where bids are too many for
    comparing them.
    """
    everything = np.ones(len(packing), dtype=bool)
    nothing = np.zeros(len(packing), dtype=bool)
    lp = PackingLP(packing)
    tight, before, num_goods = packing, np.inf, len(packing.capacities)
    for _ in range(MOST_ROUNDS if packing.is_paired else 0):
        shares, prices = lp.solve(nothing, everything)
        bound = float(packing.surplus @ shares)
        cliques = violated_cliques(shares, packing.conflicts)
        if not len(cliques) or before - bound < LEAST_GAIN * bound:
            break
        before = bound
        # Rows make every later solve slower: only those that are worth something stay.
        binding = tight.bundles[:, num_goods:][:, prices[num_goods:] > 0].T.astype(bool)
        excess = cliques @ shares
        cliques = cliques[np.argsort(-excess, kind="stable")[:MOST_NEW]]
        tight = with_goods(packing, np.concatenate([binding, cliques]))
        iterations = lp.num_iterations
        lp = PackingLP(tight)
        lp.num_iterations = iterations
    return tight, lp


def with_goods(packing: Packing, members: np.ndarray) -> Packing:
    """The problem with further goods of one copy; ``members`` is ``(num_new, num_bids)``."""
    wider = replace(
        packing,
        bundles=np.concatenate([packing.bundles, members.T.astype(np.int64)], axis=1),
        capacities=np.concatenate([packing.capacities, np.ones(len(members), dtype=np.int64)]),
    )
    # Cliques follow from conflicts and do not add any.
    wider.__dict__["conflicts"] = packing.conflicts
    return wider


def violated_cliques(shares: np.ndarray, conflicts: np.ndarray) -> np.ndarray:
    """
    Cliques whose shares add up to more than 1, boolean ``(num_cliques, num_bids)``.

    From every bid with a share, the one with the largest share that excludes all so far is
    added; at the end also bids without a share, because other economies may give them one.

    Parameters
    ----------
    shares
        Share of each bid in the relaxation, ``(num_bids,)``.
    conflicts
        Which pairs of bids exclude each other, ``(num_bids, num_bids)``; the diagonal is ignored.
    """
    support = np.flatnonzero((shares > 1e-6) & (shares < 1 - 1e-6))
    order = support[np.argsort(-shares[support], kind="stable")]
    among = conflicts[np.ix_(order, order)]
    np.fill_diagonal(among, False)
    cliques: dict[bytes, np.ndarray] = {}
    for seed in range(len(order)):
        members = [seed]
        candidates = among[seed].copy()
        while candidates.any():
            following = int(candidates.argmax())  # the largest share, since they are in that order
            members.append(following)
            candidates &= among[following]
        if shares[order[members]].sum() <= VIOLATED:
            continue
        is_member = np.zeros(len(shares), dtype=bool)
        is_member[order[members]] = True
        candidates = conflicts[order[members]].all(axis=0) & ~is_member
        while candidates.any():
            following = int(candidates.argmax())
            is_member[following] = True
            candidates &= conflicts[following]
            candidates[following] = False
        cliques[is_member.tobytes()] = is_member
    return np.array(list(cliques.values()), dtype=bool).reshape(-1, len(shares))
