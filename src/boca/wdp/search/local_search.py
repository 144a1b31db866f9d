"""
Search in allocation space: many chains of an iterated local search, side by side.

A chain gives one copy of one good to another bidder as long as that raises welfare, always taking
the best such move. When none is left it reassigns 5 to 35 % of the goods at random and starts
again from there; a worse local optimum is forgotten. All chains make their next move at the same
time, so that one step is a handful of array operations. Effort is counted in steps: a seed gives
the same answer however fast the machine is.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boca.core import Allocation, Seeds
from boca.core.market import ROUNDING
from boca.wdp.problem import WelfareProblem
from boca.wdp.search.exclusion import Exclusion
from boca.wdp.search.steps import Group, Steps, grouped

# Stands for "impossible" in sums of gains; finite, so that no sum is undefined.
NEVER = -1e30

# Steps round to single precision, which is far below this share of a sum; an allocation that they
# see this much below another one is not better by the functions themselves.
SINGLE = 1e-4

# Copies of a good up to which they are dealt one by one; more are dealt in one draw.
MOST_DEALT = 100

# Bidder -> the largest absolute value of all goods, and of a single copy of one.
Sizes = dict[int, tuple[float, float]]


@dataclass(frozen=True)
class Effort:
    """
    How long to search, in units that do not depend on the machine.

    Parameters
    ----------
    chains
        Searches side by side. Positive.
    steps
        Moves of every chain, perturbations included. Positive.
    """

    chains: int
    steps: int


@dataclass(frozen=True)
class Optima:
    """
    The local optima that a search leaves behind.

    Parameters
    ----------
    allocations
        The best allocation of each chain, ``(num_chains, num_bidders, num_goods)``, best first;
        only feasible ones.
    values
        Their welfare as the steps see it, ``(num_chains,)``.
    """

    allocations: np.ndarray
    values: np.ndarray


def search(
    problem: WelfareProblem,
    steps: Mapping[int, Steps],
    effort: Effort,
    seed: int,
    starts: Sequence[np.ndarray] = (),
    deadline: float = np.inf,
    sizes: Sizes | None = None,
) -> Optima:
    """
    Looks for allocations of high welfare.

    Parameters
    ----------
    problem
        What to maximise.
    steps
        Bidder -> its function as steps.
    effort
        How long to search.
    seed
        Same seed, same answer.
    starts
        Allocations ``(num_bidders, num_goods)`` that the first chains start from; they obey
        capacities and limits, but may contain excluded bundles. The next chain starts
        from the empty allocation (and thus greedily), the others at random.
    deadline
        Reading of ``time.perf_counter`` at which the search stops early.
    sizes
        What searches with the same functions have found out about their size; added to.
    """
    rng = Seeds(seed).child("wdp", "search").generator()
    chains = Chains(problem, steps, effort.chains, starts, rng, {} if sizes is None else sizes)
    for _ in range(effort.steps):
        if time.perf_counter() > deadline:
            break
        chains.step()
    return chains.optima()


class Chains:
    """
    The state of all chains.

    Bidders are counted within the economy; the row after the last one is nobody, who holds what is
    not given away and gains nothing from it.

    Parameters
    ----------
    problem, steps, starts, rng, sizes
        As in :func:`search`.
    num_chains
        Searches side by side.
    """

    def __init__(
        self,
        problem: WelfareProblem,
        steps: Mapping[int, Steps],
        num_chains: int,
        starts: Sequence[np.ndarray],
        rng: np.random.Generator,
        sizes: Sizes,
    ):
        self.problem = problem
        self.rng = rng
        self.capacities = problem.market.capacities
        self.bidders = problem.bidders
        self.steps = [steps[i] for i in self.bidders]
        self.limits = [problem.market.limits(i) for i in self.bidders]
        self.single = bool((self.capacities == 1).all())
        self.exclusions = [Exclusion(problem, i) for i in self.bidders]
        self.groups = grouped(self.steps)
        # Those whose gains depend on more than their function.
        self.restricted = [
            k for k, own in enumerate(self.exclusions) if len(own) or len(self.limits[k][1])
        ]

        n, m = len(self.bidders), len(self.capacities)
        self.num = num_chains
        self.rows = np.arange(num_chains)
        small = np.int16 if self.capacities.max() <= np.iinfo(np.int16).max else np.int64
        self.bundles = np.zeros((num_chains, n + 1, m), dtype=small)
        self.values = np.zeros((num_chains, n))
        # What one copy more (fewer) would change; nobody's row stays 0.
        self.more = np.zeros((num_chains, n + 1, m))
        self.fewer = np.zeros((num_chains, n + 1, m))

        if not sizes.keys() >= set(self.bidders):
            # Functions that are not monotone may value a part above the whole.
            wholes = self._largest(self.capacities[None])
            parts = self._largest(np.eye(m, dtype=np.int64))
            sizes.update(zip(self.bidders, zip(wholes, parts, strict=True), strict=True))
        known = [sizes[i] for i in self.bidders]
        self.penalty = 1e3 * max(sum(max(pair) for pair in known), 1e-9)
        self.tolerance = 1e-7 * max(sum(whole for whole, _ in known), 1e-9)

        self._start(starts)
        # Who has the only copy of each good; with more copies nobody reads it.
        self.holders = self.bundles.argmax(axis=1)  # (chains, m)
        self.best = self.bundles.copy()
        self.best_welfare = np.full(num_chains, -np.inf)
        self._refresh(np.ones((num_chains, n), dtype=bool))

    def _largest(self, bundles: np.ndarray) -> list[float]:
        """The largest absolute value of some bundles to each bidder."""
        largest = np.empty(len(self.bidders))
        for group in self.groups:
            num = len(group.places)
            who = np.repeat(np.arange(num), len(bundles))
            values = np.abs(group.values(who, np.tile(bundles, (num, 1))))
            largest[group.places] = values.reshape(num, -1).max(axis=1)
        return largest.tolist()

    def step(self) -> None:
        """Every chain makes its best move, or is perturbed where it has none."""
        gain, giver, taker, good = self._best_moves()
        moving = gain > self.tolerance
        changed = np.zeros(self.values.shape, dtype=bool)

        at = self.rows[moving]
        self.bundles[at, giver[moving], good[moving]] -= 1
        self.bundles[at, taker[moving], good[moving]] += 1
        self.holders[at, good[moving]] = taker[moving]
        for who in (giver, taker):
            somebody = moving & (who < len(self.bidders))
            changed[self.rows[somebody], who[somebody]] = True

        stuck = self.rows[~moving]
        if len(stuck):
            before = self.bundles[stuck]
            self._remember(stuck)
            self._perturb(stuck)
            if self.single:
                self.holders[stuck] = self.bundles[stuck].argmax(axis=1)
            different = (self.bundles[stuck] != before).any(axis=2)[:, :-1]
            changed[stuck] |= different
        self._refresh(changed)

    def optima(self) -> Optima:
        """The best feasible allocation of every chain, best first."""
        self._remember(self.rows)
        kept = np.flatnonzero(self.best_welfare > -self.penalty / 2)
        kept = kept[np.argsort(-self.best_welfare[kept], kind="stable")]
        shape = (len(kept), self.problem.market.num_bidders, len(self.capacities))
        allocations = np.zeros(shape, dtype=np.int64)
        allocations[:, list(self.bidders)] = self.best[kept, :-1]
        return Optima(allocations, self.best_welfare[kept])

    def _best_moves(self) -> tuple[np.ndarray, ...]:
        """For each chain the gain, giver, taker and good of its best move."""
        if self.single:
            return self._best_moves_of_single_copies()
        fewer = np.where(self.bundles > 0, self.fewer, NEVER)  # (chains, n + 1, m)
        first = fewer.argmax(axis=1)  # (chains, m)
        loss = np.take_along_axis(fewer, first[:, None], axis=1)  # (chains, 1, m)
        total = self.more + loss
        # A holder that is the best giver itself takes from the second best.
        np.put_along_axis(fewer, first[:, None], NEVER, axis=1)
        second = fewer.argmax(axis=1)
        gains = np.take_along_axis(fewer, second[:, None], axis=1)
        gains = gains + np.take_along_axis(self.more, first[:, None], axis=1)
        np.put_along_axis(total, first[:, None], gains, axis=1)
        givers = np.broadcast_to(first[:, None], total.shape).copy()
        np.put_along_axis(givers, first[:, None], second[:, None], axis=1)

        gain, taker, good = self._largest_gains(total)
        giver = givers[self.rows, taker, good]
        return np.where(giver == taker, 0.0, gain), giver, taker, good

    def _best_moves_of_single_copies(self) -> tuple[np.ndarray, ...]:
        """The same with one copy of each good: its only holder is the giver, and cannot take."""
        at, goods = self.rows[:, None], np.arange(len(self.capacities))
        loss = self.fewer[at, self.holders, goods]  # (chains, m)
        gain, taker, good = self._largest_gains(self.more + loss[:, None])
        giver = self.holders[self.rows, good]
        return np.where(giver == taker, 0.0, gain), giver, taker, good

    def _largest_gains(self, total: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The largest of ``(chains, n + 1, m)`` for each chain, with its taker and good."""
        flat = total.reshape(self.num, -1)
        move = flat.argmax(axis=1)
        taker, good = np.divmod(move, len(self.capacities))
        return flat[self.rows, move], taker, good

    def _refresh(self, changed: np.ndarray) -> None:
        """Recomputes values and gains of the bidders marked in ``(chains, n)``."""
        for group in self.groups:
            at, who = np.nonzero(changed[:, group.places])
            if len(at):
                self._refresh_group(group, at, who)

    def _refresh_group(self, group: Group, at: np.ndarray, who: np.ndarray) -> None:
        """The same for pairs of a chain and a member of a group."""
        place = group.places[who]
        held = self.bundles[at, place]  # (num_pairs, m)
        values = group.values(who, held).astype(np.float64)
        step = 1 - 2 * held if self.single else np.ones_like(held)
        after = group.after(who, held, step).astype(np.float64)
        back = after if self.single else group.after(who, held, -step).astype(np.float64)
        restricted = [(k, np.flatnonzero(place == k)) for k in self.restricted]
        for k, rows in restricted:
            excluded, own = self.exclusions[k], held[rows]
            if len(excluded) and len(rows):
                values[rows] -= self.penalty * excluded.of(own)
                after[rows] -= self.penalty * excluded.after(own, step[rows])
                if not self.single:
                    back[rows] -= self.penalty * excluded.after(own, -step[rows])
        gains = after - values[:, None]
        can_take = held == 0 if self.single else held < self.capacities
        more = np.where(can_take, gains, NEVER)
        for k, rows in restricted:
            coefficients, bounds = self.limits[k]
            if len(bounds) and len(rows):
                room = bounds + ROUNDING - held[rows] @ coefficients.T  # (num_rows, num_limits)
                fits = (coefficients.T[None] <= room[:, None, :]).all(axis=2)
                more[rows] = np.where(fits, more[rows], NEVER)
        self.values[at, place] = values
        self.more[at, place] = more
        self.fewer[at, place] = gains if self.single else back - values[:, None]

    def _remember(self, stuck: np.ndarray) -> None:
        """Keeps local optima that are the best of their chain, and returns others to it."""
        welfare = self.values[stuck].sum(axis=1)
        better = welfare > self.best_welfare[stuck] + self.tolerance
        improved = stuck[better]
        self.best[improved] = self.bundles[improved]
        self.best_welfare[improved] = welfare[better]
        self.bundles[stuck[~better]] = self.best[stuck[~better]]

    def _perturb(self, stuck: np.ndarray) -> None:
        """Gives 5 to 35 % of the goods of these chains to anybody."""
        m = len(self.capacities)
        share = self.rng.uniform(0.05, 0.35, size=(len(stuck), 1))
        chosen = self.rng.random((len(stuck), m)) < share
        chosen[np.arange(len(stuck)), self.rng.integers(m, size=len(stuck))] = True
        self._reassign(stuck, chosen)

    def _reassign(self, at: np.ndarray, chosen: np.ndarray) -> None:
        """Hands out all copies of the chosen goods ``(num_at, m)`` at random, within limits."""
        n = len(self.bidders)
        part = self.bundles[at]  # (num_at, n + 1, m)
        part[np.broadcast_to(chosen[:, None], part.shape)] = 0
        chain, good = np.nonzero(chosen)
        # Nobody draws too if there is only one bidder, who would get everything otherwise.
        takers = n + (n == 1)
        if self.capacities.max() > MOST_DEALT:
            shares = np.full(takers, 1 / takers)
            part[chain, :takers, good] = self.rng.multinomial(self.capacities[good], shares)
        else:
            for copy in range(int(self.capacities.max())):
                exists = self.capacities[good] > copy
                taker = self.rng.integers(takers, size=len(good))
                np.add.at(part, (chain[exists], taker[exists], good[exists]), 1)
        for k, (coefficients, bounds) in enumerate(self.limits):
            if len(bounds):
                self._repair(part, k, coefficients, bounds, chosen)
        part[:, n] = self.capacities - part[:, :n].sum(axis=1)
        self.bundles[at] = part

    def _repair(
        self,
        part: np.ndarray,
        k: int,
        coefficients: np.ndarray,
        bounds: np.ndarray,
        chosen: np.ndarray,
    ) -> None:
        """Takes goods that break a limit from bidder k, the newly given ones first."""
        order = np.argsort(chosen + self.rng.random(chosen.shape), axis=1)
        held = np.take_along_axis(part[:, k], order, axis=1)  # (num_at, m)
        used = held[:, :, None] * coefficients.T[order]  # (num_at, m, num_limits)
        fits = (np.cumsum(used, axis=1) <= bounds + ROUNDING).all(axis=2)
        kept = np.where(fits, held, 0)
        np.put_along_axis(part[:, k], order, kept, axis=1)

    def _start(self, starts: Sequence[np.ndarray]) -> None:
        n, m = len(self.bidders), len(self.capacities)
        random = np.arange(min(len(starts) + 1, self.num), self.num)
        self.bundles[:, n] = self.capacities
        self._reassign(random, np.ones((len(random), m), dtype=bool))
        for chain, start in enumerate(starts[: self.num]):
            bundles = np.asarray(start)[list(self.bidders)]
            self.bundles[chain, :n] = bundles
            self.bundles[chain, n] = self.capacities - bundles.sum(axis=0)


def best_of(problem: WelfareProblem, optima: Optima, most: int = 8) -> np.ndarray | None:
    """The best of the first few allocations by the functions themselves; None if there is none."""
    near = optima.values >= optima.values[:1] - SINGLE * np.abs(optima.values[:1])
    candidates = [Allocation(rows) for rows in optima.allocations[:most][near[:most]]]
    candidates = [allocation for allocation in candidates if problem.is_feasible(allocation)]
    if not candidates:
        return None
    return max(candidates, key=problem.welfare).bundles
