"""
A bound for problems whose bundles cannot be listed.

First prices are the duals of the MILP's relaxation. Column generation improves them with pricing by
search, which is quick and believed; only the prices it ends with are priced exactly.
"""

import time

import numpy as np

from boca.core import Allocation
from boca.milp import MilpParams, Model, solve, solve_lp
from boca.wdp.bounds.columns import Dual, Pool, Proof, dual_of, generate
from boca.wdp.bounds.pricing import ExactPricing, SearchPricing
from boca.wdp.monolithic import SOLVER_ERROR, build
from boca.wdp.problem import WelfareProblem
from boca.wdp.search.local_search import Effort
from boca.wdp.search.steps import Steps

# One bidder's search at given prices, iterations with such searches, and how far prices move at
# first. The second stage looks more closely: belief in a bundle that is not the best is paid for
# when pricing gets exact.
STAGES = ((Effort(chains=8, steps=60), 35, 0.2), (Effort(chains=16, steps=150), 4, 0.01))

# A proof within ``gap`` has three places to lose it: prices that are not the best, searches that
# miss a bidder's best bundle, and exact pricing that stops early. Prices aim at a fifth of the gap
# and stop when an iteration gains less than a tenth: closer prices cost iterations and prove
# nothing by themselves.
PRICES_AIM = 0.2
PRICES_TOLERANCE = 0.1

# Share of what is left to the goal that exact pricing may lose; the rest is for bundles the search
# missed. Where nothing is left, pricing may still lose a fifth of the gap: to ask for less would
# send one bidder's MILP after its last thousandths.
LOSABLE = 0.85
PRICING_AIM = 0.2

# Iterations with exact pricing, each of which may take seconds: few, each closer than the first
# (half of its loss, half of the tolerance above), and near prices that are nearly right (radius).
MOST_EXACT = 10
EXACT_TOLERANCE = 0.05
EXACT_RADIUS = 0.003


def prove(
    problem: WelfareProblem,
    steps: dict[int, Steps],
    pool: Pool,
    start: np.ndarray | None,
    welfare: float,
    gap: float,
    deadline: float = np.inf,
) -> Proof:
    """
    Bounds the welfare of a problem from above.

    Parameters
    ----------
    problem
        Whose optimum is bounded.
    steps
        Bidder -> its function as steps.
    pool
        Bundles to begin with, such as those of good allocations; new ones are added.
    start
        Prices to begin with, such as those of another economy; from the relaxation if None.
    welfare
        Value of the best allocation known.
    gap
        How far above it the bound may be, relative to it.
    deadline
        Reading of ``time.perf_counter`` at which to stop with the bound so far.
    """
    scale = max(abs(welfare), 1e-12)
    goal = welfare + gap * scale
    relaxed, first = np.inf, start
    if first is None:
        first, relaxed = relaxation(problem, deadline)
    prices = first
    # Without exact pricing there is no proof, so it gets half of the time.
    halfway = 0.5 * (time.perf_counter() + deadline)
    for effort, most, radius in STAGES:
        believed = generate(
            problem,
            SearchPricing(problem, steps, pool, effort),
            pool,
            prices,
            target=welfare + PRICES_AIM * gap * scale,
            tolerance=max(PRICES_TOLERANCE * gap, 1e-5),
            most=most,
            radius=radius,
            deadline=halfway,
        )
        prices = believed.prices
    bundles = integer_master(problem, pool, believed, welfare, deadline)
    if bundles is not None:
        goal = max(goal, problem.welfare(Allocation(bundles)) * (1 + gap))

    if time.perf_counter() > deadline:
        return Proof(relaxed, believed.prices, bundles)

    # What is left between the believed bound and the goal may be spent on looser proofs.
    slack = max(LOSABLE * (goal - believed.bound), PRICING_AIM * gap * scale, 1e-7 * scale)
    pricing = ExactPricing(problem, pool, slack, deadline)
    exact = dual_of(believed.prices, pricing(believed.prices), problem.market.capacities)
    if exact.bound > goal and time.perf_counter() < deadline:
        again = generate(
            problem,
            ExactPricing(problem, pool, 0.5 * slack, deadline),
            pool,
            believed.prices,
            target=goal,
            tolerance=max(EXACT_TOLERANCE * gap, 1e-6),
            most=MOST_EXACT,
            radius=EXACT_RADIUS,
            deadline=deadline,
        )
        exact = min(exact, again, key=lambda dual: dual.bound)
        better = integer_master(problem, pool, exact, welfare, deadline)
        bundles = bundles if better is None else better
    return Proof(min(exact.bound, relaxed), exact.prices, bundles)


def relaxation(problem: WelfareProblem, deadline: float = np.inf) -> tuple[np.ndarray, float]:
    """Prices of the goods in the linear relaxation of the problem's MILP, and its bound."""
    model, _, unit = build(problem)
    left = deadline - time.perf_counter()
    limit = max(0.1, left) if np.isfinite(left) else None
    result = solve_lp(model, time_limit=limit, relax=True)
    if result.duals is None:
        return np.zeros(problem.market.num_goods), np.inf
    # The rows that share out the goods are the last ones.
    prices = np.maximum(0.0, result.duals[-problem.market.num_goods :]) * unit
    return prices, (result.objective + SOLVER_ERROR * max(1.0, abs(result.objective))) * unit


def integer_master(
    problem: WelfareProblem,
    pool: Pool,
    dual: Dual,
    welfare: float,
    deadline: float = np.inf,
) -> np.ndarray | None:
    """
    The best allocation that uses columns of the pool only, if it is better than ``welfare``.

    Columns that the prices rule out are left aside.
    """
    model = Model(maximise=True)
    columns: list[tuple[int, np.ndarray]] = []
    scale = max(abs(dual.bound), 1e-12)
    for i, utility in zip(problem.bidders, dual.utilities, strict=True):
        bundles, values = pool.of(i)
        if not len(values):
            return None
        excluded = problem.excluded_keys.get(i, frozenset())
        deficits = utility - (values - bundles @ dual.prices)
        useful = np.flatnonzero(deficits <= dual.bound - welfare + 1e-6 * scale)
        kept = [row for row in useful if bundles[row].tobytes() not in excluded]
        if not kept:
            return None
        numbers = model.add_variables(len(kept), 0, 1, integer=True, cost=values[kept] / scale)
        model.add_row(numbers, 1.0, lower=1, upper=1)
        columns += [(i, bundles[row]) for row in kept]
    matrix = np.stack([bundle for _, bundle in columns]).astype(float)
    for good, capacity in enumerate(problem.market.capacities):
        held = np.flatnonzero(matrix[:, good])
        model.add_row(held, matrix[held, good], upper=float(capacity))

    left = min(5.0, deadline - time.perf_counter())
    result = solve(model, MilpParams(time_limit=max(0.05, left)))
    if result.x is None or result.objective * scale <= welfare + 1e-9 * scale:
        return None
    chosen = np.zeros((problem.market.num_bidders, problem.market.num_goods), dtype=np.int64)
    for place in np.flatnonzero(result.x.round()):
        i, bundle = columns[place]
        chosen[i] = bundle
    return chosen
