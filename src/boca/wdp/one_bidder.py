"""Which bundle does a bidder want at these prices?"""

import time

import numpy as np

from boca.core import InfeasibleAllocation, InputError, Market
from boca.functions.value_function import ValueFunction
from boca.wdp.bounds.columns import Pool
from boca.wdp.bounds.pricing import ExactPricing, PricedSteps
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import Demand
from boca.wdp.search.local_search import Effort, search
from boca.wdp.search.steps import steps_of
from boca.wdp.search.threads import one_thread
from boca.wdp.tables.value_table import Lattice

EFFORT = Effort(chains=16, steps=150)


def best_bundle(
    function: ValueFunction,
    prices: np.ndarray,
    market: Market | None = None,
    bidder: int = 0,
    excluded: np.ndarray | None = None,
    proof: str = "optimal",
    seed: int = 0,
    time_limit: float | None = None,
    most_listed: int = 1 << 14,
) -> Demand:
    """
    The bundle with the largest value less price.

    Parameters
    ----------
    function
        What bundles are worth to the bidder.
    prices
        Price of one copy of each good ``(num_goods,)``, of any sign.
    market, bidder
        Whose limits count; none if no market is given.
    excluded
        Bundles that cannot be chosen, ``(num_bundles, num_goods)``.
    proof
        ``optimal`` for a proven answer, ``none`` for a quick one.
    seed
        Same seed, same answer.
    time_limit
        Seconds after which the best bundle so far is returned with its bound.
    most_listed
        Number of bundles up to which all of them are looked at.
    """
    if proof not in ("optimal", "none"):
        raise InputError(f"Received proof={proof!r}; expected 'optimal' or 'none'.")
    began = time.perf_counter()
    prices = np.asarray(prices, dtype=float)
    problem = _alone(function, prices, market, bidder, excluded)
    deadline = np.inf if time_limit is None else began + time_limit
    lattice = Lattice(tuple(problem.market.capacities.tolist()))
    with one_thread():
        if lattice.size <= most_listed:
            bundle, bound = _listed(problem, prices, lattice)
        else:
            bundle, bound = _searched(problem, prices, seed, proof, deadline)
    if bundle is None:
        raise InfeasibleAllocation("Limits and exclusions leave the bidder no bundle.")
    utility = float(function(bundle[None])[0] - bundle @ prices)
    return Demand(bundle, utility, max(bound, utility), time.perf_counter() - began)


def _alone(
    function: ValueFunction,
    prices: np.ndarray,
    market: Market | None,
    bidder: int,
    excluded: np.ndarray | None,
) -> WelfareProblem:
    """The bidder as the only one of a market."""
    capacities = np.asarray(function.capacities)
    if prices.shape != capacities.shape or not np.isfinite(prices).all():
        raise InputError(
            f"Received prices of shape {prices.shape}; expected one finite number for each of the "
            f"{len(capacities)} goods."
        )
    if market is None:
        alone = Market.simple(len(capacities), 1, capacities.tolist())
    else:
        alone = Market(market.goods, (market.bidders[bidder],), market.name)
    forbidden = {} if excluded is None or not len(excluded) else {0: excluded}
    return WelfareProblem(alone, [function], excluded=forbidden)


def _listed(
    problem: WelfareProblem, prices: np.ndarray, lattice: Lattice
) -> tuple[np.ndarray | None, float]:
    bundles = lattice.bundles(np.arange(lattice.size))
    utilities = problem.functions[0](bundles) - bundles @ prices
    utilities[~problem.market.allows(0, bundles)] = -np.inf
    for excluded in (problem.excluded or {}).values():
        utilities[lattice.numbers(excluded)] = -np.inf
    best = int(utilities.argmax())
    if np.isneginf(utilities[best]):
        return None, -np.inf
    return bundles[best], float(utilities[best])


def _searched(
    problem: WelfareProblem, prices: np.ndarray, seed: int, proof: str, deadline: float
) -> tuple[np.ndarray | None, float]:
    function = problem.functions[0]
    steps = PricedSteps(steps_of(function), prices)
    optima = search(problem, {0: steps}, EFFORT, seed, deadline=deadline)
    pool = Pool()
    for bundles in optima.allocations:
        pool.add(0, bundles[0], float(function(bundles)[0]))
    best = pool.best(0, prices, 1)
    if proof == "none":
        return (best[0], np.inf) if len(best) else (None, np.inf)
    scale = float(np.abs(function(np.asarray(function.capacities)[None]))[0])
    (answer,) = ExactPricing(problem, pool, 1e-9 * max(scale, 1e-9), deadline)(prices)
    if len(answer.bundles):
        return answer.bundles[0], answer.bound
    return (best[0] if len(best) else None), answer.bound
