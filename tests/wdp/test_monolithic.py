from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import KINDS, all_bundles, capacities, generators, monotone_net, some_bundles

from boca.core import (
    Allocation,
    Bidder,
    Economy,
    Good,
    InfeasibleAllocation,
    InputError,
    Limit,
    Market,
)
from boca.functions import MonotoneNet, Scaled, XorTable
from boca.milp import MilpParams, installed
from boca.wdp.encodings import MvnnEncoding
from boca.wdp.monolithic import build, solve_bundle, solve_monolithic
from boca.wdp.problem import WelfareProblem


def brute_force(problem: WelfareProblem) -> float | None:
    """The best welfare over all allocations to the economy's bidders; None if there is none."""
    market = problem.market
    choices = []
    for i in problem.bidders:
        bundles = all_bundles(market.capacities)
        bundles = bundles[market.allows(i, bundles)]
        for excluded in problem.excluded.get(i, []):
            bundles = bundles[(bundles != excluded).any(axis=1)]
        values = problem.functions[i](bundles) if len(bundles) else np.zeros(0)
        choices.append(list(zip(bundles, values, strict=True)))
    welfare = [
        sum(value for _, value in choice)
        for choice in product(*choices)
        if (sum(bundle for bundle, _ in choice) <= market.capacities).all()
    ]
    return max(welfare, default=None)


def random_problem(rng, capacities, num_bidders, kinds) -> WelfareProblem:
    """Bidders with limits and exclusions; every other time, one of them is left out."""
    bidders = []
    for i in range(num_bidders):
        bound = float(capacities.sum() * rng.random())
        limits = (Limit(tuple(rng.random(len(capacities))), bound),) if rng.random() < 0.5 else ()
        bidders.append(Bidder(f"bidder {i}", limits=limits))
    goods = tuple(Good(f"good {j}", int(c)) for j, c in enumerate(capacities))
    market = Market(goods, tuple(bidders))
    economy = Economy.main(num_bidders)
    if num_bidders > 1 and rng.random() < 0.5:
        economy = Economy.without(int(rng.integers(num_bidders)), num_bidders)
    functions = [KINDS[kind](rng, capacities) for kind in kinds]
    excluded = {
        i: some_bundles(rng, capacities, 0.15) for i in economy.bidders if rng.random() < 0.5
    }
    return WelfareProblem(market, functions, economy, excluded)


@given(
    generators(),
    capacities(max_goods=3, max_capacity=2),
    st.lists(st.sampled_from(sorted(set(KINDS) - {"fourier"})), min_size=2, max_size=3),
    st.sampled_from(MvnnEncoding),
)
@settings(max_examples=150, deadline=None)
def test_agrees_with_brute_force(rng, capacities, kinds, encoding):
    """Tests all kinds of functions together, with limits, exclusions and economies."""
    problem = random_problem(rng, capacities, len(kinds), kinds)

    best = brute_force(problem)
    if best is None:
        with pytest.raises(InfeasibleAllocation):
            solve_monolithic(problem, mvnn=encoding)
        return
    result = solve_monolithic(problem, mvnn=encoding)

    largest = max(abs(f(all_bundles(capacities))).max() for f in problem.functions)
    problem.check(result.allocation)
    assert result.welfare == pytest.approx(best, abs=1e-6 * max(1.0, largest))
    # Differences of functions in units of 1e6 and near 1 leave rounding errors of that size.
    assert result.bound >= best - 1e-12 * largest
    unit = build(problem, encoding)[2]
    assert result.bound <= best + 2e-5 * max(unit, largest)


@given(generators(), st.integers(2, 6), st.sampled_from(["fourier", "monotone net"]))
@settings(max_examples=50, deadline=None)
def test_two_bidders_and_up_to_six_goods(rng, num_goods, kind):
    """Tests larger lattices, and Fourier series, which know single copies only."""
    problem = random_problem(rng, np.ones(num_goods, dtype=int), 2, [kind, kind])

    best = brute_force(problem)
    if best is None:
        with pytest.raises(InfeasibleAllocation):
            solve_monolithic(problem)
    else:
        assert solve_monolithic(problem).welfare == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("solver", installed())
def test_solvers_agree(solver):
    """Tests that a second solver gives the same welfare, as verification of payments needs."""
    rng = np.random.default_rng(1)
    capacities = np.array([1, 2, 1, 1])
    functions = [monotone_net(rng, capacities) for _ in range(3)]
    problem = WelfareProblem(Market.simple(4, 3, capacities), functions)

    result = solve_monolithic(problem, MilpParams(solver=solver))

    assert result.welfare == pytest.approx(brute_force(problem), abs=1e-6)


def test_start_survives_when_there_is_a_wide_gap():
    """Tests that a known allocation is where the solver begins."""
    rng = np.random.default_rng(2)
    functions = [
        MonotoneNet([rng.random((6, 8))], [-rng.random(8)], [np.ones(8)], rng.random(8))
        for _ in range(3)
    ]
    problem = WelfareProblem(Market.simple(6, 3), functions)
    best = solve_monolithic(problem)

    again = solve_monolithic(problem, MilpParams(gap=10.0), start=best.allocation)

    assert again.welfare >= best.welfare - 1e-9


def test_without_time_the_start_is_the_answer():
    """Tests that a time limit without solution keeps what is known, with a valid bound."""
    rng = np.random.default_rng(8)
    functions = [
        MonotoneNet([rng.random((12, 16))], [-rng.random(16)], [np.ones(16)], rng.random(16))
        for _ in range(4)
    ]
    problem = WelfareProblem(Market.simple(12, 4), functions)
    start = Allocation(np.eye(4, 12, dtype=int))

    result = solve_monolithic(problem, MilpParams(time_limit=0.0), start=start)

    assert result.welfare >= problem.welfare(start)
    assert result.bound >= solve_monolithic(problem).welfare - 1e-6


def test_without_time_and_start_there_is_no_answer():
    """Tests that a time limit that leaves nothing to return says so."""
    rng = np.random.default_rng(8)
    functions = [
        MonotoneNet([rng.random((12, 16))], [-rng.random(16)], [np.ones(16)], rng.random(16))
        for _ in range(4)
    ]
    problem = WelfareProblem(Market.simple(12, 4), functions, excluded={0: [[0] * 12]})

    with pytest.raises(InfeasibleAllocation, match="time limit"):
        solve_monolithic(problem, MilpParams(time_limit=0.0))


def test_money_does_not_upset_the_solver():
    """Tests values of billions, which are brought near 1 before solving."""
    tables = [XorTable([[1, 0]], [3e9]), XorTable([[1, 0], [0, 1]], [4e9, 2e9])]
    problem = WelfareProblem(Market.simple(2, 2), tables)

    assert solve_monolithic(problem).welfare == 5e9
    assert build(problem)[2] == 4e9


def test_limits_hold_to_the_last_digit():
    """Tests a bundle beyond its limit by less than solvers notice: it must not be given away."""
    limit = Limit((1.0, 1.0 + 4e-7), 2.0)  # both goods exceed it by 4e-7
    goods, table = (Good("a"), Good("b")), XorTable([[1, 1], [1, 0]], [5.0, 1.0])
    market = Market(goods, (Bidder("one", limits=(limit,)),))

    assert solve_monolithic(WelfareProblem(market, [table])).welfare == 1
    assert solve_bundle(table, [0.0, 0.0], market.limits(0)).values.tolist() == [1]


def test_excluding_everything_is_infeasible():
    """Tests that a bidder who must not get anything, not even nothing, leaves no allocation."""
    table = XorTable([[1]], [1.0])
    problem = WelfareProblem(Market.simple(1, 2), [table, table], excluded={0: [[0], [1]]})

    with pytest.raises(InfeasibleAllocation, match="leave no allocation"):
        solve_monolithic(problem)


def test_demand_by_hand():
    """Tests one bidder's best bundle at prices, with a wide gap and a start."""
    table = XorTable([[1, 0], [0, 1], [1, 1]], [5.0, 4.0, 7.0])

    # 4.5 against 4 and 2.5
    assert solve_bundle(table, [1.0, 1.5]).bundles.tolist() == [[1, 1]]
    assert solve_bundle(table, [1.0, 2.5]).bundles.tolist() == [[1, 0]]
    assert solve_bundle(table, [6.0, 6.0]).values.tolist() == [0]  # nothing is worth its price
    assert solve_bundle(table, [1.0, 1.5], excluded=[[1, 1]]).bundles.tolist() == [[1, 0]]
    quick = solve_bundle(table, [1.0, 1.5], params=MilpParams(gap=0.5), start=np.array([1, 0]))
    assert quick.values[0] - quick.bundles[0] @ [1.0, 1.5] >= 3
    assert quick.bound >= 4.5 - 1e-6


def test_prices_must_fit():
    """Tests that prices of another market are refused."""
    with pytest.raises(InputError, match="prices of shape"):
        solve_bundle(XorTable([[1, 0]], [1.0]), [1.0])


@given(generators(), capacities(max_goods=4, max_capacity=2), st.sampled_from(sorted(KINDS)))
@settings(max_examples=200, deadline=None)
def test_bounds_of_one_bidder_hold(rng, capacities, kind):
    """
    Tests that no bundle exceeds the bound by anything, because a bound is a promise and a solver
    is right up to its tolerances only.
    """
    if kind == "fourier":
        capacities = np.ones_like(capacities)
    function = KINDS[kind](rng, capacities)
    bundles = all_bundles(capacities)
    # A function that is zero everywhere gets prices of 0: its terms, which set the solver's unit,
    # may be any number of times as large as other prices.
    size = abs(function(bundles)).max()
    prices = rng.normal(size=len(capacities)) * size * rng.choice([0.0, 1e-8, 0.3])

    answer = solve_bundle(function, prices)

    utilities = function(bundles) - bundles @ prices
    assert answer.bound >= utilities.max()
    assert answer.values[0] - answer.bundles[0] @ prices >= utilities.max() - 1e-5 * size


@pytest.mark.parametrize("price", [1e-8, 1e-12, 1.0])
def test_nothing_is_bought_that_is_worth_nothing(price):
    """Tests a function that is 0 everywhere at prices that a solver takes for rounding."""
    table = XorTable(np.zeros((0, 3), dtype=int), np.zeros(0), np.ones(3, dtype=int))

    answer = solve_bundle(table, np.full(3, price))

    assert answer.bundles.tolist() == [[0, 0, 0]]
    assert answer.bound >= 0
    assert answer.bound <= 1e-5 * price


@pytest.mark.parametrize("unit", [1e-8, 1e-10, 1e-13])
def test_tiny_values_are_solved_to_the_end(unit):
    """Tests that the default gap is small beside the values, whatever their unit."""
    rng, num_goods = np.random.default_rng(0), 7
    nets = [
        MonotoneNet(
            [rng.uniform(0, 1, (num_goods, 6))],
            [-rng.uniform(0, 2, 6)],
            [rng.uniform(0.3, 1, 6)],
            rng.uniform(0, 1, 6),
        )
        for _ in range(3)
    ]
    market = Market.simple(num_goods, 3)
    whole = solve_monolithic(WelfareProblem(market, nets))
    tiny = solve_monolithic(WelfareProblem(market, [Scaled(net, unit) for net in nets]))
    assert tiny.welfare / unit == pytest.approx(whole.welfare)
    assert tiny.bound / unit == pytest.approx(whole.welfare, rel=1e-4)
