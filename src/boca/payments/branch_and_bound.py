"""
Branch and bound over bidders, thousands of nodes at a time.

A node picks one bidder: it wins one of its bids that is compatible with those already accepted, or
nothing. At any prices p >= 0 a node is worth at most

    p . capacities + sum_accepted (w_b - p . x_b) + sum_open max(0, max_compatible (w_b - p . x_b)),

the Lagrangian bound, sharpened by asking only the bids that are still compatible. We take the
smallest over a few price vectors: zero, where compatibility does all the work (unrelated bundles,
dense conflicts), and the dual prices of the linear relaxation (bundles that nearly fit together).
"Compatible" is a row of bits for every bid and price vector, the bidder's best bid first, so the
inner maximum is the lowest bit that is set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from boca.payments.bids import Packing

# Rounding of a sum of weights of about 1; nodes this close to the incumbent are still opened.
SLACK = 1e-13
BATCH = 512


@dataclass(frozen=True)
class SearchResult:
    """
    Parameters
    ----------
    accepted
        Indices of the accepted bids, ascending.
    weight
        Their total weight.
    complete
        Whether nothing better exists; False if a limit came first.
    num_nodes
        Nodes that were opened.
    """

    accepted: np.ndarray
    weight: float
    complete: bool
    num_nodes: int


@dataclass
class _Nodes:
    """A batch of nodes, best bound first."""

    masks: np.ndarray  # (num_nodes, num_prices, num_bidders, num_words): bids still compatible
    totals: np.ndarray  # (num_nodes, num_prices): bound without the open bidders
    chosen: np.ndarray  # (num_nodes, num_bidders): accepted bid of each bidder, or -1
    bounds: np.ndarray  # (num_nodes,)

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, part: slice | np.ndarray) -> "_Nodes":
        return _Nodes(self.masks[part], self.totals[part], self.chosen[part], self.bounds[part])


class _Board:
    """The packing problem as rows of bits: what can be computed once for all nodes."""

    def __init__(self, packing: Packing, prices: Sequence[np.ndarray]):
        duals = np.array([np.zeros(len(packing.capacities)), *prices])
        self.packing = packing
        self.base = duals @ packing.capacities  # (num_prices,)
        self.reduced = packing.weights - duals @ packing.bundles.T  # (num_prices, num_bids)
        self.shared = packing.capacities > 1

        # order[k, i, position]: the bid at this position of bidder i at prices k; -1 for none.
        bidders, counts = np.unique(packing.owners, return_counts=True)
        width = 64 * -(-int(counts.max()) // 64)
        self.order = np.full((len(duals), len(bidders), width), -1)
        self.gains = np.zeros(self.order.shape)
        for i, bidder in enumerate(bidders):
            bids = np.flatnonzero(packing.owners == bidder)
            for k in range(len(duals)):
                ranked = bids[np.argsort(-self.reduced[k, bids], kind="stable")]
                self.order[k, i, : len(bids)] = ranked
                self.gains[k, i, : len(bids)] = np.maximum(self.reduced[k, ranked], 0.0)

        present = self.order >= 0
        self.start = self._pack(present)  # (num_prices, num_bidders, num_words)
        self.compatible = np.empty((len(packing), *self.start.shape), dtype=np.uint64)
        for bid in range(len(packing)):
            free = ~packing.conflicts[bid]
            self.compatible[bid] = self._pack(free[self.order] & present)

    @staticmethod
    def _pack(bits: np.ndarray) -> np.ndarray:
        return np.packbits(bits, axis=-1, bitorder="little").view(np.uint64)

    def root(self) -> _Nodes:
        chosen = np.full((1, self.order.shape[1]), -1)
        return _Nodes(self.start[None], self.base[None, :], chosen, np.array([np.inf]))

    def hopes(self, masks: np.ndarray) -> np.ndarray:
        """Most that each bidder can add, ``(num_nodes, num_prices, num_bidders)``."""
        first = (masks != 0).argmax(axis=3)  # the first word with a bit
        word = np.take_along_axis(masks, first[..., None], axis=3)[..., 0]
        lowest = word & (~word + np.uint64(1))
        position = 64 * first + np.frexp(lowest.astype(np.float64))[1] - 1
        prices = np.arange(masks.shape[1])[None, :, None]
        bidders = np.arange(masks.shape[2])[None, None, :]
        gains = self.gains[prices, bidders, np.maximum(position, 0)]
        return np.where(word != 0, gains, 0.0)

    def expand(self, nodes: _Nodes, floor: float) -> _Nodes:
        """The children of a batch whose bound exceeds ``floor``, best first."""
        each = np.arange(len(nodes))
        hopes = self.hopes(nodes.masks)
        picked = self.pick(nodes.masks, hopes)
        rest = nodes.totals + hopes.sum(axis=2) - hopes[each, :, picked]
        words = np.ascontiguousarray(nodes.masks[each, -1, picked])
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
        parent, position = np.nonzero(bits)
        bid = self.order[-1, picked[parent], position]
        hopeful = (rest[parent] + self.reduced[:, bid].T).min(axis=1) > floor
        parent, bid = parent[hopeful], bid[hopeful]
        if self.shared.any():
            fits = self._fits(nodes, parent, bid)
            parent, bid = parent[fits], bid[fits]

        masks = nodes.masks[parent] & self.compatible[bid]
        totals = nodes.totals[parent] + self.reduced[:, bid].T
        chosen = nodes.chosen[parent]
        chosen[np.arange(len(parent)), picked[parent]] = bid
        bounds = (totals + self.hopes(masks).sum(axis=2)).min(axis=1)

        without = nodes.masks.copy()  # the picked bidder wins nothing
        without[each, :, picked] = 0
        masks = np.concatenate([masks, without])
        totals = np.concatenate([totals, nodes.totals])
        chosen = np.concatenate([chosen, nodes.chosen])
        bounds = np.concatenate([bounds, rest.min(axis=1)])
        best = np.argsort(-bounds, kind="stable")
        best = best[bounds[best] > floor]
        return _Nodes(masks[best], totals[best], chosen[best], bounds[best])

    def pick(self, masks: np.ndarray, hopes: np.ndarray) -> np.ndarray:
        """The bidder to decide next at each node: the most to win or lose, for a few children."""
        counts = np.bitwise_count(masks[:, -1]).sum(axis=2)  # (num_nodes, num_bidders)
        bidders: np.ndarray = np.where(counts > 0, hopes[:, 0] / (counts + 1), -1.0).argmax(axis=1)
        return bidders

    def _fits(self, nodes: _Nodes, parent: np.ndarray, bid: np.ndarray) -> np.ndarray:
        """Whether a further bid is within capacity; with several copies, pairs do not tell."""
        bundles = self.packing.bundles[:, self.shared]
        padded = np.concatenate([bundles, np.zeros_like(bundles[:1])])  # bid -1 takes nothing
        taken = padded[nodes.chosen].sum(axis=1)  # (num_nodes, num_shared)
        capacities = self.packing.capacities[self.shared]
        fits: np.ndarray = (taken[parent] + bundles[bid] <= capacities).all(axis=1)
        return fits


def search(
    packing: Packing,
    prices: Sequence[np.ndarray] = (),
    start: np.ndarray | None = None,
    node_limit: int = 2_000_000,
    deadline: float = np.inf,
) -> SearchResult:
    """
    The accepted bids with the largest total weight.

    Parameters
    ----------
    packing
        The problem; its weights break ties, so that the answer is one and the same.
    prices
        Price vectors ``(num_goods,)`` for the bound, in units of weight. Any non-negative ones
        are valid; dual prices of the linear relaxation are good.
    start
        Indices of compatible bids to begin with.
    node_limit
        Nodes after which the search gives up and returns the best so far.
    deadline
        Reading of ``perf_counter`` at which it gives up.
    """
    best = np.zeros(0, dtype=np.int64) if start is None else np.sort(start)
    rank = packing.rank(best)
    weight = float(packing.weights[best].sum())
    if not len(packing):
        return SearchResult(best, weight, True, 0)

    board = _Board(packing, prices)
    stack = [board.root()]
    num_nodes = 0
    while stack:
        nodes = stack.pop()
        nodes = nodes[nodes.bounds > weight - SLACK]  # the incumbent may have improved
        nodes, later = nodes[:BATCH], nodes[BATCH:]
        if not len(nodes):
            continue
        if num_nodes >= node_limit or perf_counter() >= deadline:
            return SearchResult(best, weight, False, num_nodes)
        if len(later):
            stack.append(later)
        num_nodes += len(nodes)

        children = board.expand(nodes, weight - SLACK)
        decided = np.logical_not(children.masks.any(axis=(1, 2, 3)))
        for chosen in children.chosen[decided]:
            accepted = np.sort(chosen[chosen >= 0])
            if packing.rank(accepted) > rank:
                best, rank = accepted, packing.rank(accepted)
                weight = float(packing.weights[best].sum())
        children = children[~decided]
        if len(children):
            stack.append(children)
    return SearchResult(best, weight, True, num_nodes)
