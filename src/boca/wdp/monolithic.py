"""Winner determination as one mixed-integer linear program, and one bidder's part of it."""

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter

import numpy as np

from boca.core import Allocation, InfeasibleAllocation, InputError, SolverError
from boca.core.bundle import bundle_key, bundle_keys
from boca.core.market import ROUNDING
from boca.functions.value_function import ValueFunction
from boca.milp import MilpParams, MilpResult, Model, Status, solve
from boca.wdp.encodings import (
    BundleVariables,
    Expression,
    MvnnEncoding,
    add_limits,
    encode,
    exclude,
)
from boca.wdp.problem import WelfareProblem
from boca.wdp.result import Favourite, WelfareResult

# What a solver may be wrong by, in units of the value of a full bundle: it lets every row and every
# whole number be missed by 1e-6, and gives up branches that promise less than that. Bounds are
# widened by this, so that they hold; against brute force they were low by 1.1e-6 at most.
SOLVER_ERROR = 5e-6


def solve_monolithic(
    problem: WelfareProblem,
    params: MilpParams | None = None,
    mvnn: MvnnEncoding = MvnnEncoding.ONE_BINARY,
    start: Allocation | None = None,
) -> WelfareResult:
    """
    Maximises welfare with a single MILP over all bidders.

    The bound is the solver's, widened by what the solver may be wrong by.

    Parameters
    ----------
    problem
        Functions, economy, exclusions. Every function needs an encoding.
    params
        Solver, time limit, gap.
    mvnn
        The encoding of monotone networks.
    start
        A feasible allocation to begin from, and the answer if the solver has no better one.

    Raises
    ------
    InfeasibleAllocation
        If limits and exclusions leave no allocation, or a time limit ended the search for one.
    """
    began = perf_counter()
    params = MilpParams() if params is None else params
    model, variables, unit = build(problem, mvnn)
    result = _solve_within_limits(
        model,
        variables,
        {i: problem.market.limits(i) for i in variables},
        _in_units(params, unit),
        None if start is None else {i: start.bundles[i] for i in variables},
    )

    if result.status is Status.INFEASIBLE:
        if start is not None:
            raise SolverError("The solver calls a problem infeasible that has an allocation.")
        raise InfeasibleAllocation("Limits and exclusions leave no allocation.")
    if result.x is not None:
        bundles = np.zeros((problem.market.num_bidders, problem.market.num_goods), dtype=np.int64)
        for i, bundle in variables.items():
            bundles[i] = result.x[bundle.columns]
    elif start is not None:
        bundles = start.bundles
    else:
        raise InfeasibleAllocation(
            "No allocation was found within the time limit; give it more time."
        )
    bound = _widened(result.bound) * unit
    return WelfareResult.checked(problem, bundles, bound, "milp", "milp", perf_counter() - began)


def build(
    problem: WelfareProblem, mvnn: MvnnEncoding = MvnnEncoding.ONE_BINARY
) -> tuple[Model, dict[int, BundleVariables], float]:
    """
    The program of a problem, the variables of each bidder of the economy, and the unit of value.

    The objective of the program is welfare divided by the unit.
    """
    model = Model(maximise=True)
    market = problem.market
    variables, values = {}, {}
    for i in problem.bidders:
        bundle = BundleVariables(model, market.capacities)
        add_limits(bundle, *market.limits(i))
        exclude(bundle, (problem.excluded or {}).get(i, np.zeros((0, market.num_goods))))
        variables[i], values[i] = bundle, encode(problem.functions[i], bundle, mvnn)
    copies = np.stack([bundle.columns for bundle in variables.values()], axis=1)
    model.add_rows(copies, 1.0, upper=market.capacities)  # (num_goods, num_bidders)

    unit = max(_unit(problem.functions[i], values[i]) for i in problem.bidders) or 1.0
    for value in values.values():
        (value * (1 / unit)).add_to_objective(model)
    return model, variables, unit


def solve_bundle(
    function: ValueFunction,
    prices: np.ndarray,
    limits: tuple[np.ndarray, np.ndarray] | None = None,
    excluded: np.ndarray | None = None,
    params: MilpParams | None = None,
    mvnn: MvnnEncoding = MvnnEncoding.ONE_BINARY,
    start: np.ndarray | None = None,
) -> Favourite:
    """
    The bundle with the largest ``function(x) - prices . x``: exact pricing, exact demand.

    The answer has no bundle where limits and exclusions leave none, or none was found in time.

    Parameters
    ----------
    function
        What bundles are worth to the bidder. Needs an encoding.
    prices
        Price of one copy of each good ``(num_goods,)``, of any sign.
    limits
        The bidder's limits, as :meth:`Market.limits` gives them.
    excluded
        Bundles that must not be chosen, ``(num_bundles, num_goods)``.
    params, mvnn
        As in :func:`solve_monolithic`; ``params.absolute_gap`` is a difference in utility.
    start
        A bundle to begin from ``(num_goods,)``.
    """
    params = MilpParams() if params is None else params
    prices = np.asarray(prices, dtype=float)
    capacities = function.capacities
    if prices.shape != capacities.shape or not np.isfinite(prices).all():
        raise InputError(
            f"Received prices of shape {prices.shape}; expected one finite number for each of the "
            f"{len(capacities)} goods."
        )
    forbidden = np.zeros((0, len(capacities)), np.int64) if excluded is None else excluded
    model = Model(maximise=True)
    bundle = BundleVariables(model, capacities)
    limits = (np.zeros((0, len(capacities))), np.zeros(0)) if limits is None else limits
    add_limits(bundle, *limits)
    exclude(bundle, forbidden)
    value = encode(function, bundle, mvnn)
    # Where the function gives no unit, prices do: the solver takes costs of 1e-8 for none.
    unit = _unit(function, value) or float(np.abs(prices).max(initial=0.0)) or 1.0
    (value * (1 / unit)).add_to_objective(model)
    model.add_cost(bundle.columns, -prices / unit)
    result = _solve_within_limits(
        model,
        {0: bundle},
        {0: limits},
        _in_units(params, unit),
        None if start is None else {0: np.asarray(start)},
    )

    bound = _widened(result.bound) * unit
    if result.x is None:
        return Favourite(np.zeros((0, len(capacities)), dtype=np.int64), np.zeros(0), bound)
    best = result.x[bundle.columns].astype(np.int64)
    if bundle_key(best) in set(bundle_keys(forbidden)):
        raise InfeasibleAllocation(f"The solver chose the excluded bundle {best.tolist()}.")
    # What a solver takes for rounding may still cost more than it is worth: then nothing is better.
    nothing = np.zeros_like(best)
    candidates = [best] if bundle_key(nothing) in set(bundle_keys(forbidden)) else [best, nothing]
    values = function(np.array(candidates))
    utilities = values - np.array(candidates) @ prices
    k = int(np.argmax(utilities))
    return Favourite(candidates[k][None], values[k : k + 1], max(bound, float(utilities[k])))


def _solve_within_limits(
    model: Model,
    variables: Mapping[int, BundleVariables],
    limits: Mapping[int, tuple[np.ndarray, np.ndarray]],
    params: MilpParams,
    start: Mapping[int, np.ndarray] | None,
) -> MilpResult:
    """
    Solves a program such that limits hold to the last digit.

    Solvers let a row be missed by about 1e-6, our limits by 1e-9. A bundle in between is excluded
    and the program solved again, so that nobody gets what the limits do not allow.
    """
    began = perf_counter()
    while True:
        left = None
        if params.time_limit is not None:
            left = max(0.0, params.time_limit - (perf_counter() - began))
        point = None
        if start is not None:
            point = np.full(model.num_variables, np.nan)
            for i, bundle in variables.items():
                point[bundle.columns] = start[i]
        result = solve(model, replace(params, time_limit=left), point)

        beyond = []
        if result.x is not None:
            chosen = {i: result.x[bundle.columns] for i, bundle in variables.items()}
            beyond = [
                i for i, x in chosen.items() if (limits[i][0] @ x > limits[i][1] + ROUNDING).any()
            ]
        if not beyond:
            return replace(result, seconds=perf_counter() - began)
        for i in beyond:
            exclude(variables[i], chosen[i][None])


def _unit(function: ValueFunction, value: Expression) -> float:
    """
    The value of the full bundle, since solvers work best with objectives near 1.

    A function that is not monotone may give the full bundle next to nothing; then the size of
    its terms counts. 0 for a function that is 0 everywhere.
    """
    full = abs(float(function(np.asarray(function.capacities)[None])[0]))
    largest = float(np.abs(value.coefficients).max(initial=0.0))
    return max(full, 1e-3 * largest)


def _widened(bound: float) -> float:
    """A bound in units of value that holds whatever the solver's tolerances were used for."""
    return bound + SOLVER_ERROR * max(1.0, abs(bound)) if np.isfinite(bound) else bound


def _in_units(params: MilpParams, unit: float) -> MilpParams:
    """What the solver is asked for; tiny values do not make an absolute gap a large one."""
    return replace(params, absolute_gap=params.absolute_gap / max(unit, 1.0))
