"""
Which bids win: set packing, by several exact methods that hand over to each other.

1. A short search over bidders (:mod:`boca.payments.branch_and_bound`), which breaks ties by the
   stated rule and settles most auctions at once.
2. Branching on the linear relaxation (:mod:`boca.payments.branching`): strong where bundles nearly
   fit together and bids are many.
3. A long search over bidders: strong where few bidders have many unrelated bundles.
4. A mixed-integer program, which has cutting planes, from the best bids so far.

Who hands over when is counted in nodes and iterations, so that every machine decides alike.
"""

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from boca.core.economy import Economy
from boca.milp import MilpParams, Model, Status, solve
from boca.payments.accepted import SOLVER_ERROR, Accepted, Solved, relative_gap, total
from boca.payments.bids import Packing
from boca.payments.branch_and_bound import search
from boca.payments.branching import Branching
from boca.payments.cliques import tightened
from boca.payments.effort import Effort
from boca.payments.packing_lp import PackingLP
from boca.payments.together import branch_without

# What the largest bid costs in a mixed-integer program: HiGHS gives up branches that promise
# less than 1e-6. Whole numbers up to the second number are left as they are, because the solver
# then knows that nothing lies between two of them.
LARGEST_COST = 1e4
MOST_WHOLE_COST = 1e7

# Share of a limited time after which the branching leaves the rest to the other methods.
BRANCHING_SHARE = 0.4


class WinnerDetermination:
    """
    Economies of one packing problem, solved one after another.

    They share the linear relaxation, and what is known of one helps the others: bids that won
    somewhere are a start for everybody, and an economy is worth no more than a larger one.

    Parameters
    ----------
    packing
        The bids of all bidders.
    effort
        When to stop, and whom to tell.
    """

    def __init__(self, packing: Packing, effort: Effort):
        self.packing = packing
        self.effort = effort
        self._tight: tuple[Packing, PackingLP] | None = None
        self._known: list[np.ndarray] = []
        self._bounds: list[tuple[frozenset[int], float]] = []

    def accept(
        self,
        economy: Economy,
        stage: str = "allocation",
        starts: Sequence[np.ndarray] = (),
        deadline: float | None = None,
    ) -> Accepted:
        """
        The bids of an economy that win.

        Parameters
        ----------
        economy
            Who takes part.
        stage
            What progress reports call it.
        starts
            Sets of compatible bids to begin with; those of bidders who do not take part are left
            out.
        deadline
            Reading of ``perf_counter`` at which to stop; the effort's if None.
        """
        self._known += starts
        is_open = np.isin(self.packing.owners, economy.bidders)
        if not is_open.any():
            return Accepted.of(self.packing, np.zeros(0, dtype=np.int64), 0.0, "search")
        deadline = self.effort.deadline if deadline is None else deadline
        ceiling = self._ceiling(economy)
        best = self.best_known(is_open)
        if perf_counter() >= deadline and np.isfinite(ceiling):
            return Accepted.of(self.packing, best, ceiling, "branching")
        accepted = self._solve(is_open, best, ceiling, stage, deadline)
        self._known.append(accepted.bids)
        self._bounds.append((frozenset(economy.bidders), accepted.bound))
        self._tell(stage, accepted.surplus, accepted.bound)
        return accepted

    def _tell(self, stage: str, surplus: float, bound: float) -> None:
        self.effort.tell(stage, self.packing.money(surplus), self.packing.money(bound))

    def accept_without(
        self, bidders: Sequence[int], num_bidders: int, deadline: float
    ) -> dict[int, Accepted]:
        """
        The bids that win without each of some bidders, where branching together settles it.

        To be asked after the main economy was settled by branching. What is known of the
        economies that are not settled helps when they are asked for one by one.

        Parameters
        ----------
        bidders
            Who is missing, one per economy.
        num_bidders
            How many there are altogether.
        deadline
            Reading of ``perf_counter`` at which to stop.
        """
        packing, effort = self.packing, self.effort
        if self._tight is None or len(bidders) < 2:
            return {}
        now = perf_counter()
        branched = branch_without(
            *self._tight,
            bidders,
            [self.best_known(packing.owners != bidder) for bidder in bidders],
            effort.gap,
            effort.iterations,
            now + BRANCHING_SHARE * (deadline - now),
            lambda surplus, bound: self._tell("marginal economies", surplus, bound),
        )
        settled = {}
        for bidder, result in branched.items():
            economy = Economy.without(bidder, num_bidders)
            bound = min(result.bound, self._ceiling(economy))
            self._known.append(result.bids)
            self._bounds.append((frozenset(economy.bidders), bound))
            if result.is_finished:
                settled[bidder] = Accepted.of(packing, result.bids, bound, "branching")
        return settled

    def best_known(self, is_open: np.ndarray) -> np.ndarray:
        """The best of all known sets of bids, without those that are not open."""
        sets = [bids[is_open[bids]] for bids in self._known]
        nothing = np.zeros(0, dtype=np.int64)
        return max(sets, key=lambda bids: total(self.packing, bids), default=nothing)

    def _ceiling(self, economy: Economy) -> float:
        """No more than any larger economy is worth."""
        members = frozenset(economy.bidders)
        return min((bound for others, bound in self._bounds if members <= others), default=np.inf)

    def _solve(
        self, is_open: np.ndarray, best: np.ndarray, ceiling: float, stage: str, deadline: float
    ) -> Accepted:
        packing, effort = self.packing, self.effort
        # Without a gap ties are broken by the rule, which the start need not have done.
        if effort.gap and ceiling <= total(packing, best):
            return Accepted.of(packing, best, ceiling, "branching")
        num_bidders = len(np.unique(packing.owners[is_open]))
        many_nodes = effort.nodes_for(num_bidders) if packing.is_paired else 0
        few_nodes = min(effort.few_nodes, many_nodes)
        if few_nodes:
            best, is_complete = self._search(best, is_open, few_nodes, deadline)
            if is_complete:
                return Accepted.of(packing, best, total(packing, best), "search")
        if self._tight is None:
            self._tight = tightened(packing)
        branching = Branching(*self._tight, is_open, [best], gap=effort.gap)

        def report() -> None:
            self._tell(stage, float(branching.surplus[0]), min(float(branching.bound[0]), ceiling))

        finished = branching.run(0)
        if (
            not finished
            and relative_gap(branching.surplus[0], branching.bound[0]) <= effort.root_gap
        ):
            now = perf_counter()
            limit = now + BRANCHING_SHARE * (deadline - now)
            finished = branching.run(effort.iterations, limit, report)
        report()
        bound = min(float(branching.bound[0]), ceiling)
        if finished or self._is_enough(branching.surplus[0], bound) or perf_counter() >= deadline:
            return Accepted.of(packing, branching.best[0], bound, "branching")

        if many_nodes:
            best, is_complete = self._search(branching.best[0], is_open, many_nodes, deadline)
            if is_complete:
                return Accepted.of(packing, best, total(packing, best), "search")
            branching.offer(best)
        if perf_counter() >= deadline or not effort.to_the_end:
            return Accepted.of(packing, branching.best[0], bound, "search")
        report()
        answer = by_milp(
            packing, is_open, branching.best[0], "highs", effort.gap, deadline - perf_counter()
        )
        branching.offer(answer.bids)
        bound = min(bound, answer.bound)
        accepted = Accepted.of(packing, branching.best[0], bound, "milp")
        if accepted.is_proven or effort.gap or perf_counter() >= deadline:
            return accepted
        # Units of money below the solver's tolerance: the branching goes on to the end.
        branching.run(np.inf, deadline, report)
        return Accepted.of(
            packing, branching.best[0], min(bound, float(branching.bound[0])), "branching"
        )

    def _is_enough(self, surplus: float, bound: float) -> bool:
        return self.effort.gap > 0 and bound <= surplus * (1 + self.effort.gap)

    def _search(
        self, best: np.ndarray, is_open: np.ndarray, nodes: int, deadline: float
    ) -> tuple[np.ndarray, bool]:
        """The best bids after a search over bidders, and whether it was completed."""
        bids = np.flatnonzero(is_open)
        part = self.packing.keep(bids)
        everything = np.ones(len(part), dtype=bool)
        _, prices = PackingLP(part).solve(~everything, everything)
        start = np.flatnonzero(np.isin(bids, best))
        result = search(part, [prices / part.scale], start, nodes, deadline)
        return bids[result.accepted], result.complete


def by_milp(
    packing: Packing,
    is_open: np.ndarray,
    start: np.ndarray,
    solver: str,
    gap: float = 0.0,
    seconds: float = np.inf,
) -> Solved:
    """
    Accepted bids and a bound from a solver: one binary per bid, one row per bidder and good.

    Solvers check rows up to a tolerance, which is a copy where there are a million. So capacities
    are checked in whole numbers, and what exceeds them is excluded before the solver goes on.

    Parameters
    ----------
    packing
        The bids.
    is_open
        Which of them take part.
    start
        Compatible bids to begin with; the answer if the solver has none.
    solver
        Name of the solver.
    gap
        Relative gap at which it may stop.
    seconds
        Wall-clock time for it; infinite for as long as it takes.
    """
    bids = np.flatnonzero(is_open)
    if not len(bids):
        return Solved(bids, 0.0, True)
    part = packing.keep(bids)
    is_small = part.is_whole and part.scale <= MOST_WHOLE_COST
    # Values at the end of what floating point can hold must not make the unit 0.
    unit = 1.0 if is_small else max(part.scale / LARGEST_COST, float(np.finfo(float).tiny))
    model = Model(maximise=True)
    accepted = model.add_variables(len(part), upper=1.0, integer=True, cost=part.surplus / unit)
    for bidder in np.unique(part.owners):
        columns = accepted[part.owners == bidder]
        if len(columns) > 1:
            model.add_row(columns, 1.0, upper=1.0)
    for good, capacity in enumerate(part.capacities.tolist()):
        wanting = np.flatnonzero(part.bundles[:, good])
        if len(wanting):
            model.add_row(accepted[wanting], part.bundles[wanting, good], upper=capacity)

    deadline = perf_counter() + seconds
    point = np.isin(bids, start).astype(float)
    while True:
        left = max(0.0, deadline - perf_counter()) if np.isfinite(deadline) else None
        result = solve(model, MilpParams(time_limit=left, gap=gap, solver=solver), point)
        is_won = result.x > 0.5 if result.x is not None else point > 0.5
        # To a solver's tolerance, a million and one copies are a million.
        covers = exceeded_covers(part, is_won)
        if not covers:
            break
        if perf_counter() >= deadline:
            is_won = point > 0.5
            break
        for cover, most in covers:
            model.add_row(accepted[cover], 1.0, upper=most)
    won = bids[is_won]
    bound = result.bound * unit
    if result.status is Status.INFEASIBLE or not np.isfinite(bound):
        return Solved(won, np.inf, False)
    if is_small:
        # The objective is whole, and a solver's error is a small part of a unit.
        bound = float(np.floor(bound + 0.1))
    else:
        bound = bound + SOLVER_ERROR * unit + 1e-12 * abs(bound)
    return Solved(won, bound, result.status is Status.OPTIMAL and not covers)


def exceeded_covers(packing: Packing, is_won: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """
    Sets of bids and how many of each can win at most, for every good that is given away too often.

    A set holds the largest of the winning bids, as few as exceed the capacity, of which one has to
    lose, and all bids that want at least as much as each of them (Balas 1975, "Facets of the
    knapsack polytope"). Unlike capacities, such rows have no large numbers.

    Parameters
    ----------
    packing
        The bids.
    is_won
        Which of them win, boolean ``(num_bids,)``.
    """
    given = packing.bundles[is_won].sum(axis=0)
    covers = []
    for good in np.flatnonzero(given > packing.capacities).tolist():
        counts = packing.bundles[:, good]
        winners = np.flatnonzero(is_won & (counts > 0))
        winners = winners[np.argsort(-counts[winners], kind="stable")]
        together = np.cumsum(counts[winners])
        most = int(np.searchsorted(together, packing.capacities[good], side="right"))
        is_cover = counts >= counts[winners[0]]
        is_cover[winners[: most + 1]] = True
        covers.append((np.flatnonzero(is_cover), most))
    return covers
