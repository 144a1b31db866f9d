import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities, generators, xor_table

from boca.core import InputError, Reports
from boca.functions import XorTable


def test_value_by_hand():
    """Tests that the best contained bid counts, and that two bids never add up."""
    table = XorTable([[1, 0], [0, 1], [2, 1]], [3.0, 2.0, 10.0], capacities=[2, 1])

    assert table([[0, 0], [2, 0], [0, 1], [1, 1], [2, 1]]).tolist() == [0, 3, 2, 3, 10]


@given(generators(), capacities())
@settings(max_examples=25, deadline=None)
def test_value_is_the_best_contained_bid(rng, capacities):
    """Tests the table against its definition, bid by bid."""
    table = xor_table(rng, capacities)
    bundles = all_bundles(capacities)

    expected = [
        max(
            (v for b, v in zip(table.bundles, table.values, strict=True) if (b <= x).all()),
            default=0,
        )
        for x in bundles
    ]

    assert table(bundles).tolist() == expected


def test_no_bids_are_worth_nothing():
    """Tests the table of a bidder who has said nothing yet."""
    table = XorTable.from_reports(Reports.empty(3))

    assert table(np.ones((2, 3))).tolist() == [0, 0]


def test_bids_must_fit_the_market():
    """Tests that a bid for more copies than exist, or below 0, is refused."""
    with pytest.raises(InputError, match="holds 2 copies of good 1"):
        XorTable([[1, 2]], [1.0])
    with pytest.raises(InputError, match="the value -1"):
        XorTable([[1, 1]], [-1.0])
    with pytest.raises(InputError, match="num_bids, num_goods"):
        XorTable([1, 1], [1.0])
