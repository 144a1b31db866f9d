"""How bidders are asked for their favourite bundles at prices."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from boca.core import Economy
from boca.core.bundle import bundle_keys
from boca.functions import MonotoneNet
from boca.milp import MilpParams
from boca.wdp.bounds.branch import Branching
from boca.wdp.bounds.columns import Pool
from boca.wdp.bounds.relaxation import Relaxation
from boca.wdp.monolithic import solve_bundle
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import Favourite
from boca.wdp.search.local_search import Effort, search
from boca.wdp.search.steps import Steps, unscaled


class PricedSteps:
    """
    Steps of a function less prices.

    Parameters
    ----------
    steps
        The function's own.
    prices
        Price of one copy of each good.
    """

    def __init__(self, steps: Steps, prices: np.ndarray):
        self.steps = steps
        self.prices = prices

    def values(self, bundles: np.ndarray) -> np.ndarray:
        values: np.ndarray = self.steps.values(bundles) - bundles @ self.prices
        return values

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        costs = (bundles @ self.prices)[:, None] + step * self.prices
        after: np.ndarray = self.steps.after(bundles, step) - costs
        return after


class SearchPricing:
    """
    Pricing by local search: quick, usually right, and without proof.

    The bound of its answers is what it found, which is what the caller believes until exact
    pricing says otherwise.

    Parameters
    ----------
    problem
        Functions, economy, exclusions.
    steps
        Bidder -> its function as steps.
    pool
        Bundles to start from.
    effort
        How long to search for one bidder.
    """

    def __init__(
        self, problem: WelfareProblem, steps: dict[int, Steps], pool: Pool, effort: Effort
    ):
        self.problem = problem
        self.steps = steps
        self.pool = pool
        self.effort = effort

    def __call__(self, prices: np.ndarray) -> list[Favourite]:
        return [self.favourite(i, prices) for i in self.problem.bidders]

    def favourite(self, bidder: int, prices: np.ndarray) -> Favourite:
        """The best bundles that a short search finds."""
        market = self.problem.market
        alone = WelfareProblem(
            market, self.problem.functions, Economy((bidder,)), _own(self.problem, bidder)
        )
        known = self.pool.best(bidder, prices, self.effort.chains // 2)
        starts = np.zeros((len(known), market.num_bidders, market.num_goods), dtype=np.int64)
        starts[:, bidder] = known
        steps = PricedSteps(self.steps[bidder], prices)
        optima = search(alone, {bidder: steps}, self.effort, 0, list(starts))
        bundles = optima.allocations[:, bidder]
        if not len(bundles):
            return Favourite(np.zeros((0, market.num_goods), np.int64), np.zeros(0), -np.inf)
        _, first = np.unique(bundles, axis=0, return_index=True)
        bundles = bundles[np.sort(first)][:3]
        values = self.problem.functions[bidder](bundles)
        return Favourite(bundles, values, float((values - bundles @ prices).max()))


class ExactPricing:
    """
    Pricing with proof, for any function: branch and bound on networks, else a MILP.

    Branching on goods was several times quicker than a MILP on 29 goods and two layers, and slower
    on 98 goods and one layer, where a MILP branches on few neurons. Proofs
    stop when all bidders together are within the slack, which is spent where proving is hard.

    Parameters
    ----------
    problem
        Functions, economy, exclusions.
    pool
        Bundles to start from.
    slack
        How far the bounds of all bidders together may be above what they gain; absolute.
    deadline
        Reading of ``time.perf_counter`` at which to stop; bounds are valid then too, but loose.
    most_branched
        Goods up to which a network is left to branch and bound; larger ones get 500 boxes.
    most_boxes
        Boxes after which a MILP takes over.
    """

    def __init__(
        self,
        problem: WelfareProblem,
        pool: Pool,
        slack: float,
        deadline: float = np.inf,
        most_branched: int = 40,
        most_boxes: int = 400_000,
    ):
        self.problem = problem
        self.pool = pool
        self.slack = slack
        self.deadline = deadline
        self.most_branched = most_branched
        self.most_boxes = most_boxes

    def __call__(self, prices: np.ndarray) -> list[Favourite]:
        bidders = self.problem.bidders
        known = {i: self._known(i, prices) for i in bidders}
        branchings = {}
        for i in bidders:
            branching = self._branching(i, prices, known[i])
            if branching is not None:
                branchings[i] = branching
        answers = {i: Favourite(*self._valued(i, b.bundle), b.bound) for i, b in branchings.items()}
        others = [i for i in bidders if i not in answers]
        share = 0.8 * self.slack / max(1, len(others))
        # Solvers work outside of Python, so that two of them can use two cores.
        with ThreadPoolExecutor(max_workers=2) as threads:
            programs = threads.map(lambda i: self._by_milp(i, prices, known[i], share), others)
            answers |= dict(zip(others, programs, strict=True))
        return [answers[i] for i in bidders]

    def _branching(self, bidder: int, prices: np.ndarray, known: np.ndarray) -> Branching | None:
        """The finished branch and bound of a network; None if a MILP has to do it."""
        function, factor = unscaled(self.problem.functions[bidder])
        if not isinstance(function, MonotoneNet) or not function.depth:
            return None
        few = len(prices) <= self.most_branched
        branching = Branching(
            Relaxation(function, factor, prices),
            self.problem.market.capacities,
            lambda bundles: self._allows(bidder, bundles),
            self.slack / (4 * len(self.problem.bidders)),
        )
        if len(known):
            branching.offer(known)
        finished = branching.run(self.most_boxes if few else 500, self.deadline)
        return branching if finished or time.perf_counter() > self.deadline else None

    def _by_milp(
        self, bidder: int, prices: np.ndarray, known: np.ndarray, tolerance: float
    ) -> Favourite:
        function = self.problem.functions[bidder]
        left = self.deadline - time.perf_counter()
        limit = max(0.1, left) if np.isfinite(left) else None
        params, start = MilpParams(time_limit=limit), None
        if len(known):
            start = known[0]
            utility = float(function(start[None])[0] - start @ prices)
            if utility > 2 * tolerance:
                # HiGHS measures gaps relative to the solution.
                params = replace(params, gap=tolerance / utility)
            else:
                params = replace(params, absolute_gap=max(tolerance, params.absolute_gap))
        return solve_bundle(
            function,
            prices,
            self.problem.market.limits(bidder),
            (self.problem.excluded or {}).get(bidder),
            params,
            start=start,
        )

    def _known(self, bidder: int, prices: np.ndarray) -> np.ndarray:
        known = self.pool.best(bidder, prices, 4)
        allowed: np.ndarray = known[self._allows(bidder, known)]
        return allowed

    def _valued(self, bidder: int, bundle: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        if bundle is None:
            return np.zeros((0, self.problem.market.num_goods), dtype=np.int64), np.zeros(0)
        return bundle[None], self.problem.functions[bidder](bundle[None])

    def _allows(self, bidder: int, bundles: np.ndarray) -> np.ndarray:
        allowed = self.problem.market.allows(bidder, bundles)
        excluded = self.problem.excluded_keys.get(bidder)
        if excluded:
            allowed &= np.array([key not in excluded for key in bundle_keys(bundles)], dtype=bool)
        return allowed


def _own(problem: WelfareProblem, bidder: int) -> dict[int, np.ndarray]:
    excluded = (problem.excluded or {}).get(bidder)
    return {} if excluded is None else {bidder: excluded}
