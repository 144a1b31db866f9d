"""
Branching on bids, with bounds from the linear relaxation, for several economies at once.

At a node some bids have won and some have lost. The relaxation over the rest gives prices p; at any
prices p >= 0 nothing below the node is worth more than

    sum_won w_b + p . (copies left) + sum_open bidders max(0, max_open bids (w_b - p . x_b)),

the Lagrangian bound. It is computed from the bids themselves, so the solver's tolerances make it
looser at worst and never wrong; where all surpluses are whole numbers it is computed without any
rounding at all, and one unit of money decides, however large the bids are. Bids that cannot be
part of anything better at these prices lose at once.

Economies that differ by one bidder have nearly the same tree. Without a bidder, its term of the sum
is missing, so one relaxation bounds all of them; a node is of interest as long as it is to one of
them, and only where few are left, each gets a relaxation of its own.
"""

from collections.abc import Callable, Sequence
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
# Economies at a node for each of which a relaxation without its bidder is solved.
FEW_ECONOMIES = 3
# The economy in which nobody is missing.
NOBODY = -1


@dataclass
class _Node:
    """Bids that have won, those that are still open, and a bound on what is below per economy."""

    won: list[int]
    is_open: np.ndarray
    bounds: np.ndarray  # (num_economies,); minus infinity where the missing bidder has won


@dataclass
class _Relaxation:
    """What a linear relaxation says about a node."""

    shares: np.ndarray  # (num_bids,)
    bounds: np.ndarray  # (num_economies,)
    deficits: np.ndarray  # (num_bids,): how far each open bid is below its bidder's best


@dataclass
class Branching:
    """
    The best bids of some economies, as far as is known.

    Parameters
    ----------
    packing
        The bids of all bidders.
    lp
        Their linear relaxation, shared between economies.
    is_open
        Which bids take part in any of the economies, boolean ``(num_bids,)``.
    best
        Compatible bids of each economy to begin with.
    absent
        The bidder that is missing in each economy; ``NOBODY`` where all open bids take part.
    gap
        Relative distance of bound and surplus that counts as none.
    """

    packing: Packing
    lp: PackingLP
    is_open: np.ndarray
    best: list[np.ndarray]
    absent: Sequence[int] = (NOBODY,)
    gap: float = 0.0
    num_nodes: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        packing = self.packing
        self.best = list(self.best)
        self.surplus = np.array([packing.surplus[bids].sum() for bids in self.best])
        self._absent = np.asarray(self.absent, dtype=np.int64)
        self._closed = np.full(len(self.best), -np.inf)  # largest bound of a node given up
        self._starts = np.flatnonzero(np.diff(packing.owners, prepend=-1))
        self._sizes = np.diff(self._starts, append=len(packing))
        bidders = packing.owners[self._starts]
        # Which term of the bound each economy lacks; the last one, always 0, if none.
        self._missing = np.where(
            np.isin(self._absent, bidders), np.searchsorted(bidders, self._absent), len(bidders)
        )
        everywhere = np.full(len(self.best), np.inf)
        self._stack = [_Node([], self.is_open.copy(), everywhere)]

    @property
    def bound(self) -> np.ndarray:
        """No compatible bids of an economy have a larger surplus, ``(num_economies,)``."""
        bounds: np.ndarray = np.max(
            [self.surplus, self._closed, *(node.bounds for node in self._stack)], axis=0
        )
        return bounds

    @property
    def is_finished(self) -> bool:
        """Whether the best bids are proven, in every economy."""
        return self.num_nodes > 0 and not self._stack

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

    def first_bounds(self) -> np.ndarray:
        """Bounds of the economies by the relaxation with everybody, ``(num_economies,)``."""
        return self._relax([], self.is_open).bounds

    def offer(self, bids: np.ndarray) -> None:
        """Compatible bids that may be better than the best so far, in any economy."""
        packing = self.packing
        is_missing = packing.owners[bids][None, :] == self._absent[:, None]
        about = packing.surplus[bids].sum() - is_missing @ packing.surplus[bids]
        for economy in np.flatnonzero(about > self.surplus).tolist():
            others = np.sort(bids[~is_missing[economy]])
            surplus = float(packing.surplus[others].sum())
            if surplus > self.surplus[economy]:
                self.best[economy], self.surplus[economy] = others, surplus

    @property
    def _needed(self) -> np.ndarray:
        """What a node's bound has to reach to be of interest, ``(num_economies,)``."""
        step = 1.0 if self.packing.is_whole else 1e-12 * self.packing.scale
        needed: np.ndarray = np.maximum(self.surplus + step, self.surplus * (1 + self.gap))
        return needed

    def _close(self, bounds: np.ndarray, is_closed: np.ndarray) -> None:
        bounds = np.where(is_closed, bounds, -np.inf)
        self._closed = np.maximum(
            self._closed, np.floor(bounds) if self.packing.is_whole else bounds
        )

    def _open(self, node: _Node) -> None:
        is_live = self._is_live(node.bounds)
        if not is_live.any():
            return
        self.num_nodes += 1
        is_open = self._is_relevant(node.is_open, is_live)
        relaxation = self._relax(node.won, is_open)
        bounds = np.where(is_live, np.minimum(node.bounds, relaxation.bounds), -np.inf)
        was_shared = is_live.sum() > 1
        is_live = self._is_live(bounds)
        if was_shared and is_live.sum() <= FEW_ECONOMIES:
            is_open, relaxation = self._relax_apart(node.won, is_open, bounds, is_live, relaxation)
            is_live = self._is_live(bounds)
        if not is_live.any():
            return

        # Without their bidder's best bid, the bound falls by the deficit.
        slack = (relaxation.bounds - self._needed)[is_live].max()
        is_hopeful = is_open & (relaxation.deficits <= slack)
        if (is_hopeful != is_open).any():
            needed = self._needed
            # Below what is needed, the next whole number is less than one away if a gap is allowed.
            self._close(np.ceil(needed) - 1.0 if self.packing.is_whole else needed, is_live)
        is_open = self._is_relevant(is_hopeful, is_live)
        open_bids = np.flatnonzero(is_open)
        if not len(open_bids):
            return  # what has won was offered by rounding, or is less than needed
        chosen = self._choose(open_bids, relaxation.shares)
        without = is_open.copy()
        without[chosen] = False
        self._stack.append(_Node(node.won, without, bounds))
        self._stack.append(self._with(node.won, is_open, chosen, bounds))

    def _is_live(self, bounds: np.ndarray) -> np.ndarray:
        """To which economies a node with such bounds is of interest; the others close it."""
        is_live: np.ndarray = bounds >= self._needed
        self._close(bounds, ~is_live)
        return is_live

    def _is_relevant(self, is_open: np.ndarray, is_live: np.ndarray) -> np.ndarray:
        """The open bids without those of a bidder that is missing wherever it matters."""
        if is_live.sum() > 1:
            return is_open
        relevant: np.ndarray = is_open & (self.packing.owners != self._absent[is_live][0])
        return relevant

    def _relax(self, won: list[int], is_open: np.ndarray) -> _Relaxation:
        """Solves the linear relaxation of a node; looks also at what rounding it gives."""
        packing = self.packing
        is_won = np.zeros(len(packing), dtype=bool)
        is_won[won] = True
        shares, prices = self.lp.solve(is_won, is_open)
        self._round(won, is_open, shares)

        prices = packing.on_grid(prices)
        gains = np.where(is_open, packing.surplus - packing.bundles @ prices, -np.inf)
        most = np.maximum(np.maximum.reduceat(gains, self._starts), 0.0)
        left = packing.capacities - packing.bundles[won].sum(axis=0)
        bound = float(packing.surplus[won].sum() + prices @ left + most.sum())
        bounds = bound - np.append(most, 0.0)[self._missing]
        return _Relaxation(shares, bounds, np.repeat(most, self._sizes) - gains)

    def _relax_apart(
        self,
        won: list[int],
        is_open: np.ndarray,
        bounds: np.ndarray,
        is_live: np.ndarray,
        shared: _Relaxation,
    ) -> tuple[np.ndarray, _Relaxation]:
        """
        Tightens the bounds of the economies that are left, in place, each without its bidder.

        Returns the open bids and the relaxation to go on with: those of the economy that is left,
        if it is only one.
        """
        parts = {}
        for economy in np.flatnonzero(is_live).tolist():
            others = is_open & (self.packing.owners != self._absent[economy])
            # A bidder without a share is not missed.
            if (shared.shares[is_open & ~others] > WHOLE).any():
                relaxation = self._relax(won, others)
                bounds[economy] = min(bounds[economy], relaxation.bounds[economy])
                parts[economy] = others, relaxation
        live = np.flatnonzero(bounds >= self._needed).tolist()
        return parts.get(live[0], (is_open, shared)) if len(live) == 1 else (is_open, shared)

    def _with(self, won: list[int], is_open: np.ndarray, bid: int, bounds: np.ndarray) -> _Node:
        """The node below where one more bid wins."""
        packing = self.packing
        won = [*won, bid]
        left = packing.capacities - packing.bundles[won].sum(axis=0)
        fits = (packing.owners != packing.owners[bid]) & (packing.bundles <= left).all(axis=1)
        bounds = np.where(self._absent == packing.owners[bid], -np.inf, bounds)
        return _Node(won, is_open & fits, bounds)

    def _choose(self, open_bids: np.ndarray, shares: np.ndarray) -> int:
        """The open bid to decide: an undecided share, and much that depends on it."""
        share = shares[open_bids]
        undecided = share * (1 - share)
        if undecided.max() <= WHOLE:
            return int(open_bids[share.argmax()])
        return int(open_bids[(undecided * self.packing.num_conflicts[open_bids]).argmax()])

    def _round(self, won: list[int], is_open: np.ndarray, shares: np.ndarray) -> None:
        """Accepts open bids in the order of their shares, as long as they fit."""
        packing = self.packing
        bids = np.flatnonzero(is_open & (shares > WHOLE))
        is_whole = (shares[bids] > 1 - WHOLE).all()
        if not is_whole and self.num_nodes % ROUNDING_NODES != 1:
            return
        left = packing.capacities - packing.bundles[won].sum(axis=0)
        winners = set(packing.owners[won].tolist())
        accepted = list(won)
        rest = np.flatnonzero(is_open) if self.num_nodes == 1 else bids
        for bid in rest[np.lexsort((-packing.surplus[rest], -shares[rest]))].tolist():
            if packing.owners[bid] not in winners and (packing.bundles[bid] <= left).all():
                accepted.append(bid)
                winners.add(packing.owners[bid])
                left = left - packing.bundles[bid]
        self.offer(np.array(accepted, dtype=np.int64))
