"""One call for every winner-determination problem."""

import time
from dataclasses import dataclass

import numpy as np

from boca.core import Allocation, InfeasibleAllocation, InputError
from boca.functions import MonotoneNet, XorTable
from boca.milp import MilpParams
from boca.wdp.bounds.prove import prove
from boca.wdp.encodings import can_encode
from boca.wdp.monolithic import solve_monolithic
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import WelfareResult, relative_gap
from boca.wdp.search.local_search import Effort, best_of
from boca.wdp.search.steps import unscaled
from boca.wdp.search.threads import one_thread
from boca.wdp.tables.tabulated import solve_tabulated
from boca.wdp.workspace import Workspace

# Where the bundles can be listed, an exact method follows and a few moves are enough.
LISTED = Effort(chains=16, steps=60)
# Otherwise: without a good start, with the best allocation of another economy, and with the best
# allocation of the same economy before bundles were excluded.
FRESH = Effort(chains=32, steps=400)
RELATED = Effort(chains=16, steps=250)
WARM = Effort(chains=12, steps=80)

# A gap that column generation is asked for when an optimum is to be proven; the MILP goes on.
COLUMNS_GAP = 1e-3


def maximise_welfare(
    problem: WelfareProblem,
    proof: str | float = "none",
    time_limit: float | None = None,
    seed: int = 0,
    workspace: Workspace | None = None,
) -> WelfareResult:
    """
    The best allocation of a problem, with as much proof as wanted.

    Where all bundles can be listed the answer is optimal in any case, unless a function can be
    called only and its values leave too much to pack. Otherwise an allocation is searched for, and
    column generation and, last, a MILP bound what is left to gain.

    Parameters
    ----------
    problem
        What to maximise.
    proof
        ``none`` for a very good allocation at once; a relative gap such as 0.005 for a bound that
        is at most so far above it; ``optimal`` for gap 0, up to rounding.
    time_limit
        Seconds after which the best allocation and the best bound so far are returned; the
        result's gap says how far they are apart. Without a limit the proof is completed.
    seed
        Same seed, same answer on any machine, if no time limit cuts the work short.
    workspace
        Shared work of problems with the same functions; its own if None.

    Raises
    ------
    InfeasibleAllocation
        If limits and exclusions leave no allocation, or a time limit ended the search for one.
    """
    gap = _gap(proof)
    if workspace is None:
        workspace = Workspace(problem.market, problem.functions)
    workspace.check(problem)
    began = time.perf_counter()
    deadline = np.inf if time_limit is None else began + time_limit
    with one_thread():
        best = _solve(problem, gap, seed, workspace, deadline)
    if best.bundles is None:
        raise InfeasibleAllocation(
            "No allocation was found within the time limit; give it more time."
        )
    workspace.remember(problem, best.bundles)
    return WelfareResult.checked(
        problem,
        best.bundles,
        best.bound,
        best.method,
        best.bound_method,
        time.perf_counter() - began,
    )


@dataclass
class Best:
    """The best allocation and the best bound so far, and where they are from."""

    problem: WelfareProblem
    bundles: np.ndarray | None = None
    welfare: float = -np.inf
    method: str = "none"
    bound: float = np.inf
    bound_method: str = "none"

    def offer(self, bundles: np.ndarray | None, method: str) -> None:
        """An allocation that may be better."""
        if bundles is None:
            return
        welfare = self.problem.welfare(Allocation(bundles))
        if welfare > self.welfare + 1e-12 * abs(welfare):
            self.bundles, self.welfare, self.method = bundles, welfare, method

    def prove(self, bound: float, method: str) -> None:
        """A bound that may be better."""
        if bound < self.bound:
            self.bound, self.bound_method = bound, method

    @property
    def gap(self) -> float:
        return relative_gap(self.welfare, self.bound)


def _gap(proof: str | float) -> float:
    if proof == "none":
        return np.inf
    if proof == "optimal":
        return 0.0
    if isinstance(proof, int | float) and not isinstance(proof, bool) and 0 <= proof < np.inf:
        return float(proof)
    raise InputError(
        f"Received proof={proof!r}; expected 'none', 'optimal' or a relative gap such as 0.005."
    )


def _solve(
    problem: WelfareProblem, gap: float, seed: int, workspace: Workspace, deadline: float
) -> Best:
    best = Best(problem)
    kinds = {type(unscaled(problem.functions[i])[0]) for i in problem.bidders}
    if workspace.can_list(problem):
        _list(best, workspace, seed, deadline)
        if all(can_encode(problem.functions[i]) for i in problem.bidders):
            gap = 0.0  # few problems leave too much to pack, and a MILP proves those, too
    elif kinds == {XorTable}:
        # Set packing over few bundles: what solvers are good at, and a search is not.
        gap = 0.0
    else:
        _search(best, workspace, seed, deadline, keeps=np.isfinite(gap))
        if (
            all(issubclass(kind, MonotoneNet) for kind in kinds)
            and best.bundles is not None
            and best.gap > gap
        ):
            _columns(best, workspace, max(gap, COLUMNS_GAP), deadline)
    if best.bundles is None or best.gap > gap:
        _program(best, gap, deadline)
    return best


def _list(best: Best, workspace: Workspace, seed: int, deadline: float) -> None:
    """Exact methods on tables of all values."""
    problem = best.problem
    tables = workspace.tables(problem)
    starts = workspace.starts(problem)
    optima = workspace.search(problem, LISTED, seed, starts, deadline)
    best.offer(best_of(problem, optima), "search")
    workspace.learn(problem, optima)
    packed = solve_tabulated(
        problem,
        tables,
        workspace.pool,
        workspace.start_prices(problem),
        best.welfare,
        deadline,
        workspace.listing.most_candidates,
    )
    workspace.prices.setdefault(problem.bidders, packed.prices)
    best.prove(packed.bound, "columns")
    if packed.bundles is not None:
        best.offer(_in_market(problem, packed.bundles), "packing")
        best.prove(best.welfare, "packing")


def _search(best: Best, workspace: Workspace, seed: int, deadline: float, *, keeps: bool) -> None:
    """Chains of a local search; ``keeps`` what they found as columns, which only proofs need."""
    problem = best.problem
    starts = workspace.starts(problem)
    effort = FRESH
    if starts:
        effort = WARM if workspace.incumbent(problem) is not None else RELATED
    optima = workspace.search(problem, effort, seed, starts, deadline)
    best.offer(best_of(problem, optima), "search")
    if keeps:
        workspace.learn(problem, optima)


def _columns(best: Best, workspace: Workspace, gap: float, deadline: float) -> None:
    problem = best.problem
    result = prove(
        problem,
        workspace.steps(problem),
        workspace.pool,
        workspace.start_prices(problem),
        best.welfare,
        gap,
        deadline,
    )
    workspace.prices[problem.bidders] = result.prices
    best.offer(result.bundles, "columns")
    best.prove(result.bound, "columns")


def _program(best: Best, gap: float, deadline: float) -> None:
    """The whole problem as one MILP, from the best allocation so far."""
    left = deadline - time.perf_counter()
    if left <= 0 and best.bundles is not None:
        return
    start = None if best.bundles is None else Allocation(best.bundles)
    params = MilpParams(time_limit=max(0.1, left) if np.isfinite(left) else None, gap=min(gap, 0.5))
    result = solve_monolithic(best.problem, params, start=start)
    best.offer(result.allocation.bundles, "milp")
    best.prove(max(result.bound, best.welfare), "milp")


def _in_market(problem: WelfareProblem, bundles: np.ndarray) -> np.ndarray:
    """Bundles of the economy's bidders as rows of the whole market."""
    shape = (problem.market.num_bidders, problem.market.num_goods)
    everyone = np.zeros(shape, dtype=np.int64)
    everyone[list(problem.bidders)] = bundles
    return everyone
