"""Better bids by local search: one bid comes in, those that it excludes go out."""

import numpy as np

from boca.payments.bids import Packing

# Steps without a better sum after which the search ends, and for how many steps a bid that went
# out stays out, so that the search does not go round in circles.
PATIENCE = 60
TENURE = 10


def improved(packing: Packing, bids: np.ndarray, is_open: np.ndarray) -> np.ndarray:
    """
    Compatible bids worth at least as much as those given, by tabu search (Glover 1989).

    In each step the bid comes in that gains most against those it excludes, even if that is a
    loss. Only where every good has one copy, because pairs of bids say everything there, and
    where bids are few enough for comparing them; else they are returned as they are.

    Parameters
    ----------
    packing
        The problem.
    bids
        Compatible open bids to begin with.
    is_open
        Which bids may win, boolean ``(num_bids,)``.
    """
    if packing.capacities.max() > 1 or not packing.is_paired:
        return bids
    surplus, conflicts = packing.surplus, packing.conflicts
    is_in = np.zeros(len(packing), dtype=bool)
    is_in[bids] = True
    costs = conflicts[:, bids] @ surplus[bids]  # what goes out for each bid
    free_from = np.where(is_open, 0.0, np.inf)  # step from which each bid may come in
    current = float(surplus[bids].sum())
    most, best, best_step, step = current, bids, 0, 0
    while step - best_step < PATIENCE:
        step += 1
        gains = np.where(is_in | (free_from > step), -np.inf, surplus - costs)
        bid = int(gains.argmax())
        if gains[bid] == -np.inf:
            break
        current += float(gains[bid])
        out = np.flatnonzero(conflicts[bid] & is_in)
        is_in[out] = False
        is_in[bid] = True
        costs += conflicts[bid] * surplus[bid] - conflicts[:, out] @ surplus[out]
        free_from[out] = step + TENURE
        if current > most + 1e-12 * packing.scale:
            most, best, best_step = current, np.flatnonzero(is_in), step
    return best if surplus[best].sum() >= surplus[bids].sum() else bids
