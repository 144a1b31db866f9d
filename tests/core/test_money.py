"""Amounts of money."""

import numpy as np
import pytest

from boca.core.money import add_up, common_decimals, cost_of, in_units, num_decimals


@pytest.mark.parametrize(
    ("amounts", "decimals"),
    [
        ([3.0, 12.0], 0),
        ([3.5, 12.0], 1),
        ([0.01, 300_000.25], 2),
        ([0.0001], 4),
        ([0.00001], None),
        ([1 / 3], None),
        ([], 0),
        ([2e14], 0),
        ([2e14 + 1], None),
        ([3.0, -2e14 - 1], None),
        ([2e12 - 0.01, 1e12], 2),
        ([2e12 + 0.25], None),
        ([-0.25], 2),
    ],
)
def test_decimals_that_amounts_share(amounts, decimals):
    """Tests units from wholes to ten-thousandths, as long as sums of them are exact."""
    assert common_decimals(np.array(amounts)) == decimals


def test_units_are_whole():
    """Tests that cents are whole numbers, and that amounts without a unit stay."""
    assert in_units(np.array([0.29, 300_000.25]), 2).tolist() == [29, 30_000_025]
    assert in_units(np.array([1 / 3]), None).tolist() == [1 / 3]


def test_sums_have_no_more_decimals_than_their_parts():
    """Tests what floats make 0.30000000000000004, and a sum that is not finite."""
    assert add_up([0.1, 0.2]) == 0.3
    assert add_up([0.3, -0.1]) == 0.2
    assert add_up([]) == 0
    assert add_up([np.inf, 1.0]) == np.inf
    assert add_up([1 / 3, 1 / 3]) == 2 / 3
    assert num_decimals([1.5, 2.25, 1e20]) == 2
    assert num_decimals([18.0, 0.0]) == num_decimals([]) == num_decimals([np.inf]) == 0
    assert add_up([np.inf, 0.25]) == np.inf  # where nothing is bounded
    assert add_up([300.0, 45.0]) == 345.0
    assert num_decimals([300.0, 2000.0]) == -2
    assert add_up([300.0, 2000.0]) == 2300.0
    assert add_up([np.inf, 300.0]) == np.inf
    assert add_up([1e300, 3e299]) == 1.3e300
    assert isinstance(add_up([300.0]), float)


def test_units_cost_no_more_decimals_than_their_prices_have():
    """Tests three units at 0.1, several lots, round prices, and nothing."""
    assert cost_of([3], [0.1]) == 0.3
    assert cost_of([3, 1, 0], [0.1, 0.25, 7.0]) == 0.55
    assert cost_of([3, 7], [100.0, 20.0]) == 440
    assert cost_of([], []) == 0
    assert cost_of([1], [1 / 3]) == 1 / 3
