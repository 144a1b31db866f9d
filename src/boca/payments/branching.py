"""
Branching on bids, with bounds from the linear relaxation.

At a node some bids have won and some have lost. The relaxation over the rest gives prices p; at any
prices p >= 0 nothing below the node is worth more than

    sum_won w_b + p . (copies left) + sum_open bidders max(0, max_open bids (w_b - p . x_b)),

the Lagrangian bound. It is computed from the bids themselves, so the solver's tolerances make it
looser at worst and never wrong; where all surpluses are whole numbers it is computed without any
rounding at all, and one unit of money decides, however large the bids are. Bids that cannot be
part of anything better at these prices lose at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from boca.payments.bids import Packing
from boca.payments.packing_lp import PackingLP

# Shares nearer to 0 or 1 count as whole; they only guide the branching.
WHOLE = 1e-7
# Nodes between two looks at what rounding the shares would give, and between two reports.
ROUNDING_NODES = 10
REPORT_NODES = 50


@dataclass
class _Node:
    """Bids that have won and those that are still open, with a bound on what is below."""

    won: list[int]
    is_open: np.ndarray
    bound: float


@dataclass
class Branching:
    """
    The best bids of an economy, as far as is known.

    Parameters
    ----------
    packing
        The bids of all bidders.
    lp
        Their linear relaxation, shared between economies.
    is_open
        Which bids take part, boolean ``(num_bids,)``.
    best
        Compatible bids to begin with.
    gap
        Relative distance of bound and surplus that counts as none.
    """

    packing: Packing
    lp: PackingLP
    is_open: np.ndarray
    best: np.ndarray
    gap: float = 0.0
    num_nodes: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        packing = self.packing
        self.surplus = float(packing.surplus[self.best].sum())
        self._closed = -np.inf  # largest bound of a node that was given up
        self._starts = np.flatnonzero(np.diff(packing.owners, prepend=-1))
        self._stack = [_Node([], self.is_open.copy(), np.inf)]

    @property
    def bound(self) -> float:
        """No compatible bids have a larger surplus."""
        return max(self.surplus, self._closed, *(node.bound for node in self._stack))

    def run(
        self,
        most_iterations: float = np.inf,
        deadline: float = np.inf,
        report: Callable[[], None] | None = None,
    ) -> bool:
        """
        Goes on until the best bids are proven; says whether they are.

        The first node is opened in any case, so that there is always a bound.

        Parameters
        ----------
        most_iterations
            Simplex iterations after which to pause.
        deadline
            Reading of ``perf_counter`` at which to pause.
        report
            Called every few nodes; None for never.
        """
        most_iterations += self.lp.num_iterations
        while self._stack:
            is_over = self.lp.num_iterations >= most_iterations or perf_counter() >= deadline
            if is_over and self.num_nodes:
                return False
            self._open(self._stack.pop())
            if report is not None and self.num_nodes % REPORT_NODES == 0:
                report()
        return True

    def offer(self, bids: np.ndarray) -> None:
        """Compatible bids that may be better than the best so far."""
        surplus = float(self.packing.surplus[bids].sum())
        if surplus > self.surplus:
            self.best, self.surplus = np.sort(bids), surplus

    @property
    def _needed(self) -> float:
        """What a node's bound has to reach to be of interest."""
        step = 1.0 if self.packing.is_whole else 1e-12 * self.packing.scale
        return max(self.surplus + step, self.surplus * (1 + self.gap))

    def _close(self, bound: float) -> None:
        self._closed = max(self._closed, np.floor(bound) if self.packing.is_whole else bound)

    def _open(self, node: _Node) -> None:
        if node.bound < self._needed:
            self._close(node.bound)
            return
        packing = self.packing
        self.num_nodes += 1
        is_won = np.zeros(len(packing), dtype=bool)
        is_won[node.won] = True
        shares, prices = self.lp.solve(is_won, node.is_open)
        bound, deficits = self._bound(node, packing.on_grid(prices))
        bound = min(bound, node.bound)
        self._round(node, shares)
        if bound < self._needed:
            self._close(bound)
            return

        # Without their bidder's best bid, the bound falls by the deficit.
        is_open = node.is_open & (bound - deficits >= self._needed)
        if (is_open != node.is_open).any():
            self._close(self._needed - (1.0 if packing.is_whole else 0.0))
        open_bids = np.flatnonzero(is_open)
        if not len(open_bids):
            self.offer(np.array(node.won, dtype=np.int64))
            self._close(float(packing.surplus[node.won].sum()))
            return
        chosen = self._choose(open_bids, shares)
        without = is_open.copy()
        without[chosen] = False
        self._stack.append(_Node(node.won, without, bound))
        self._stack.append(self._with(node.won, is_open, chosen, bound))

    def _bound(self, node: _Node, prices: np.ndarray) -> tuple[float, np.ndarray]:
        """The Lagrangian bound, and by how much each open bid is below its bidder's best."""
        packing = self.packing
        gains = packing.surplus - packing.bundles @ prices
        gains = np.where(node.is_open, gains, -np.inf)
        most = np.maximum(np.maximum.reduceat(gains, self._starts), 0.0)
        left = packing.capacities - packing.bundles[node.won].sum(axis=0)
        bound = float(packing.surplus[node.won].sum() + prices @ left + most.sum())
        sizes = np.diff(self._starts, append=len(packing))
        return bound, np.repeat(most, sizes) - gains

    def _with(self, won: list[int], is_open: np.ndarray, bid: int, bound: float) -> _Node:
        """The node below where one more bid wins."""
        packing = self.packing
        won = [*won, bid]
        left = packing.capacities - packing.bundles[won].sum(axis=0)
        fits = (packing.owners != packing.owners[bid]) & (packing.bundles <= left).all(axis=1)
        return _Node(won, is_open & fits, bound)

    def _choose(self, open_bids: np.ndarray, shares: np.ndarray) -> int:
        """The open bid to decide: an undecided share, and much that depends on it."""
        share = np.clip(shares[open_bids], 0.0, 1.0)
        undecided = share * (1 - share)
        if undecided.max() <= WHOLE:
            return int(open_bids[share.argmax()])
        return int(open_bids[(undecided * self.packing.num_conflicts[open_bids]).argmax()])

    def _round(self, node: _Node, shares: np.ndarray) -> None:
        """Accepts open bids in the order of their shares, as long as they fit."""
        packing = self.packing
        bids = np.flatnonzero(node.is_open & (shares > WHOLE))
        is_whole = (shares[bids] > 1 - WHOLE).all()
        if not is_whole and self.num_nodes % ROUNDING_NODES != 1:
            return
        left = packing.capacities - packing.bundles[node.won].sum(axis=0)
        winners = set(packing.owners[node.won].tolist())
        accepted = list(node.won)
        rest = np.flatnonzero(node.is_open) if self.num_nodes == 1 else bids
        for bid in rest[np.lexsort((-packing.surplus[rest], -shares[rest]))].tolist():
            if packing.owners[bid] not in winners and (packing.bundles[bid] <= left).all():
                accepted.append(bid)
                winners.add(packing.owners[bid])
                left = left - packing.bundles[bid]
        self.offer(np.array(accepted, dtype=np.int64))
