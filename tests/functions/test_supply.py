import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities, generators, monotone_net, supply_net
from random_problems import brute_force, random_market

from boca.core.errors import InputError
from boca.functions import XorTable
from boca.functions.average import Optimistic, average_net
from boca.functions.supply import Savings, SupplyNet, negated, savings
from boca.wdp import Listing, WelfareProblem, Workspace, maximise_welfare
from boca.wdp.bounds.relaxation import Relaxation
from boca.wdp.encodings import MvnnEncoding
from boca.wdp.improve import improve_welfare
from boca.wdp.monolithic import solve_monolithic
from boca.wdp.search.local_search import Effort
from boca.wdp.search.steps import steps_of


@given(generators(), capacities())
@settings(max_examples=60, deadline=None)
def test_a_negated_network_is_price_less_cost(rng, capacities):
    """Tests the identity at every bundle, for all depths, with and without skip."""
    cost, bundles = monotone_net(rng, capacities), all_bundles(capacities)
    prices = rng.random(len(capacities))

    net = negated(cost, prices)

    expected = bundles @ prices - cost(bundles)
    assert net(bundles) == pytest.approx(expected, abs=1e-12)
    assert net(0 * capacities) == pytest.approx(0.0, abs=1e-12)
    assert steps_of(net).values(bundles) == pytest.approx(expected, abs=1e-5)


@given(generators(), capacities())
@settings(max_examples=40, deadline=None)
def test_bounds_hold_where_weights_are_negative(rng, capacities):
    """Tests that the ranges of pre-activations contain all of them, exactly in the first layer."""
    net, z = supply_net(rng, capacities), all_bundles(capacities) / capacities
    for k, (lower, upper) in enumerate(net.bounds()):
        before = z @ net.weights[k] + net.biases[k]
        assert (lower <= before.min(axis=0) + 1e-9).all()
        assert (upper >= before.max(axis=0) - 1e-9).all()
        if k == 0:
            assert lower == pytest.approx(before.min(axis=0), abs=1e-9)
            assert upper == pytest.approx(before.max(axis=0), abs=1e-9)
        z = np.clip(before, 0, net.cutoffs[k])


@given(generators(), capacities())
@settings(max_examples=40, deadline=None)
def test_the_relaxation_bounds_what_can_be_saved(rng, capacities):
    """Tests that no bundle of a box saves more than the bound of the box, which is met in one."""
    net, prices = supply_net(rng, capacities), 0.3 * rng.random(len(capacities))
    if not net.depth:
        return
    bundles = all_bundles(capacities)
    true = 2.0 * net(bundles) - bundles @ prices
    relaxation = Relaxation(net, 2.0, prices)

    low = np.minimum(rng.integers(0, capacities + 1), capacities)
    box = relaxation.bound(low[None], capacities[None], 5)
    points = relaxation.bound(bundles, bundles, 0)

    inside = (bundles >= low).all(axis=1)
    assert box.bounds[0] >= true[inside].max() - 1e-9
    assert points.bounds == pytest.approx(true, abs=1e-9)
    assert relaxation.utilities(bundles) == pytest.approx(true, abs=1e-9)


@given(generators(), capacities(max_goods=4, max_capacity=2))
@settings(max_examples=25, deadline=None)
def test_all_engines_find_the_cheapest_award(rng, capacities):
    """
    Tests tables, columns, search and both encodings against brute force over all awards, with
    at-most prices and limits.
    """
    market = random_market(rng, capacities, 3)
    functions = [supply_net(rng, capacities) for _ in range(3)]
    problem = WelfareProblem(market, functions)
    best = brute_force(problem)

    unlisted = Workspace(market, functions, Listing(most_of_nets=0, most_called=0))
    by_search = improve_welfare(problem, [], Effort(chains=8, steps=100), 0)
    assert maximise_welfare(problem).welfare == pytest.approx(best, abs=1e-6)
    assert by_search.welfare == pytest.approx(best, abs=1e-6)
    proven = maximise_welfare(problem, proof="optimal", workspace=unlisted)
    assert proven.welfare == pytest.approx(best, abs=1e-5)
    assert proven.bound >= best - 1e-6
    for encoding in MvnnEncoding:
        result = solve_monolithic(problem, mvnn=encoding)
        assert result.welfare == pytest.approx(best, abs=1e-5)


def test_optimism_about_costs_is_a_smaller_cost():
    """Tests that the spread of networks adds to what is saved, and that others are called."""
    rng, bundles = np.random.default_rng(3), all_bundles([1, 2])
    members = [monotone_net(rng, np.array([1, 2])) for _ in range(3)]
    members = [net for net in members if net.depth == members[0].depth]
    prices = np.array([1.0, 2.0])
    costs = np.stack([net(bundles) for net in members])

    saved = savings(Optimistic(members, 2.0), prices)
    table = XorTable([[1, 0], [1, 2]], [3.0, 5.0], [1, 2])

    expected = bundles @ prices - (costs.mean(axis=0) - 2.0 * costs.std(axis=0))
    assert saved(bundles) == pytest.approx(expected)
    assert isinstance(savings(average_net(members), prices), SupplyNet)
    assert isinstance(savings(table, prices), Savings)
    assert savings(table, prices)([[1, 1], [1, 2], [0, 2]]).tolist() == [0.0, 0.0, 4.0]


def test_signs_that_matter_are_checked():
    """Tests that a later layer with a negative weight is refused: no bound would hold."""
    layer = {"biases": [[0.0], [0.0]], "cutoffs": [[1.0], [1.0]], "output": [1.0]}

    SupplyNet([[[-1.0]], [[1.0]]], **layer)
    with pytest.raises(InputError, match=r"weights\[1\] with a negative"):
        SupplyNet([[[-1.0]], [[-1.0]]], **layer)
    with pytest.raises(InputError, match="output with a negative"):
        SupplyNet([[[-1.0]], [[1.0]]], **{**layer, "output": [-1.0]})
