"""A better allocation from given ones, without any proof."""

import time
from collections.abc import Sequence

import numpy as np

from boca.wdp.problem import WelfareProblem
from boca.wdp.result import WelfareResult
from boca.wdp.search.local_search import Effort, best_of, search
from boca.wdp.search.steps import steps_of
from boca.wdp.search.threads import one_thread


def improve_welfare(
    problem: WelfareProblem, starts: Sequence[np.ndarray], effort: Effort, seed: int
) -> WelfareResult | None:
    """
    The best allocation that a local search finds; None if every one has an excluded bundle.

    Parameters
    ----------
    problem
        What to maximise.
    starts
        Feasible allocations ``(num_bidders, num_goods)`` to begin with; goods of bidders outside
        the economy are free.
    effort
        How long to search; with at least as many starts as chains, all chains begin at starts.
    seed
        Same seed, same answer.
    """
    began = time.perf_counter()
    absent = [i for i in range(problem.market.num_bidders) if i not in problem.bidders]
    free = [np.array(start) for start in starts]
    for start in free:
        start[absent] = 0
    steps = {i: steps_of(problem.functions[i]) for i in problem.bidders}
    with one_thread():
        found = search(problem, steps, effort, seed, free)
    bundles = best_of(problem, found)
    if bundles is None:
        return None
    seconds = time.perf_counter() - began
    return WelfareResult.checked(problem, bundles, np.inf, "search", "none", seconds)
