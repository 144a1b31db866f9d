import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, generators, monotone_net
from random_problems import lattices

from boca.functions import MonotoneNet
from boca.wdp.search.steps import NetSteps, steps_of
from boca.wdp.tables import value_table as tables
from boca.wdp.tables.value_table import Lattice, TableSteps, tabulate, worst_case


@given(lattices())
@settings(max_examples=50, deadline=None)
def test_numbers_and_bundles_are_inverse(capacities):
    """Tests the numbering that all tables rely on."""
    lattice = Lattice(tuple(capacities.tolist()))
    numbers = np.arange(lattice.size)

    assert (lattice.numbers(lattice.bundles(numbers)) == numbers).all()
    assert lattice.size == len(all_bundles(capacities))
    prices = np.arange(1.0, len(capacities) + 1)
    assert lattice.sums(prices) == pytest.approx(lattice.bundles(numbers) @ prices)


@given(generators(), lattices())
@settings(max_examples=50, deadline=None)
def test_quick_tables_of_networks(rng, capacities):
    """Tests single-precision tables against the network, within the error they state."""
    lattice = Lattice(tuple(capacities.tolist()))
    net = monotone_net(rng, capacities)
    table = tabulate(net, steps_of(net), lattice, most_double=0)

    expected = net(lattice.bundles(np.arange(lattice.size)))
    assert abs(table.values - expected).max() <= table.error + 1e-12


def test_table_steps_look_neighbours_up():
    """Tests steps up and down in a lattice with several copies."""
    lattice = Lattice((2, 1))
    table = tables.Table(lattice, np.arange(6.0), 0.0)
    steps = TableSteps(table)

    assert steps.values(np.array([[1, 1]])) == [4]
    assert steps.after(np.array([[1, 1]]), np.array([[1, -1]])).tolist() == [[5, 1]]


def test_forbidden_bundles_are_worth_nothing_ever():
    """Tests that a copy with exclusions leaves the shared table alone."""
    lattice = Lattice((1, 1))
    table = tables.Table(lattice, np.arange(4.0), 0.0)

    less = table.without(np.array([[1, 1]]))

    assert np.isneginf(less.values[3])
    assert table.values[3] == 3
    assert np.isneginf(table.where(np.array([True, False, True, True])).values[1])


def steep_net(num_goods):
    """Everything or nothing: large numbers cancel, and what is left is cut off at once."""
    bias = -1000.0 * num_goods
    return MonotoneNet([np.full((num_goods, 1), 1000.00003)], [[bias]], [[1e-3]], [1000.0])


def test_steep_networks_are_tabulated_in_double_precision():
    """Tests a network that single precision takes for zero."""
    net = steep_net(13)
    table = tabulate(net, NetSteps(net), Lattice((1,) * 13))
    assert table.error == 0
    assert table.values[-1] == pytest.approx(net(np.ones((1, 13), dtype=int))[0]) == 0.39


def test_worst_case_covers_the_errors_of_single_precision():
    """Tests the bound on rounding, for networks of several depths and steepness."""
    rng = np.random.default_rng(0)
    for factor in (1.0, 30.0):
        weights = [factor * rng.random((8, 6)), rng.random((6, 5))]
        biases = [-factor * rng.random(6), -rng.random(5)]
        net = MonotoneNet(weights, biases, [rng.random(6), rng.random(5)], rng.random(5))
        bundles = rng.integers(0, 2, (200, 8))
        steps = NetSteps(net)
        error = np.abs(steps.values(bundles) - net(bundles)).max()
        assert 0 < error <= worst_case(steps, (1,) * 8)
