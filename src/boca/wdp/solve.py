"""One call for every winner-determination problem."""

import time

import numpy as np

from boca.core import InfeasibleAllocation, InputError
from boca.wdp.problem import WelfareProblem, WelfareResult
from boca.wdp.search import Effort, best_of, search
from boca.wdp.workspace import Workspace

# Without a good start, and with one from the same economy or from another one.
FRESH = Effort(chains=32, steps=400)
WARM = Effort(chains=16, steps=150)


def maximise_welfare(
    problem: WelfareProblem,
    proof: str | float = "none",
    time_limit: float | None = None,
    seed: int = 0,
    workspace: Workspace | None = None,
) -> WelfareResult:
    """
    The best allocation of a problem, with as much proof as wanted.

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
    """
    if proof not in ("none", "optimal") and not (
        isinstance(proof, int | float) and 0 <= float(proof) < np.inf
    ):
        raise InputError(
            f"Received proof={proof!r}; expected 'none', 'optimal' or a relative gap such as 0.005."
        )
    if workspace is None:
        workspace = Workspace(problem.market, problem.functions)
    workspace.check(problem)

    began = time.perf_counter()
    deadline = np.inf if time_limit is None else began + time_limit
    starts = workspace.starts(problem)
    effort = WARM if starts else FRESH
    found = search(problem, workspace.steps(problem), effort, seed, starts, deadline)
    bundles = best_of(problem, found)
    if bundles is None:
        raise InfeasibleAllocation("No allocation without excluded bundles was found.")
    workspace.remember(problem, bundles)
    return WelfareResult.checked(
        problem, bundles, np.inf, "search", "none", time.perf_counter() - began
    )
