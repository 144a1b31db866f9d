"""Demand queries and the answers to them."""

import json

import numpy as np
import pytest

from boca.core import DemandQuery, Demands, InputError


def answers():
    return (
        Demands.empty(2)
        .add([1.0, 2.0], [1, 1])
        .add([2.0, 2.0], [0, 0])
        .add([3.0, 2.0], [0, 1])
        .add([3.0, 4.0], [0, 1])
    )


def test_wanted_bundles_are_bids_of_their_price():
    """Tests that each bundle counts once, at the highest price it was wanted at."""
    bids = answers().bids()
    assert bids.bundles.tolist() == [[1, 1], [0, 1]]  # wanting nothing is no bid
    assert bids.values.tolist() == [3.0, 4.0]


def test_answers_are_kept_in_order():
    """Tests that later rounds come last, and that adding changes nothing that exists."""
    before = answers()
    after = before.add([9.0, 9.0], [0, 0])
    assert len(before) == 4
    assert len(after) == 5
    prices, bundle = list(after)[-1]
    assert prices.tolist() == [9.0, 9.0]
    assert bundle.tolist() == [0, 0]


def test_files_hold_everything():
    """Tests that answers and queries survive JSON, also where there are none."""
    for demands in (answers(), Demands.empty(2)):
        assert Demands.from_dict(json.loads(json.dumps(demands.to_dict())), 2) == demands
    query = DemandQuery(1, (1.5, 0.1 + 0.2), 7)
    assert DemandQuery.from_dict(json.loads(json.dumps(query.to_dict()))) == query


@pytest.mark.parametrize(
    ("prices", "bundles"),
    [
        ([[1.0, 2.0]], [[1]]),
        ([[-1.0, 2.0]], [[1, 1]]),
        ([[np.nan, 2.0]], [[1, 1]]),
        ([[1.0, 2.0]], [[-1, 1]]),
        ([[1.0, 2.0]], [[0.5, 1]]),
    ],
)
def test_impossible_answers_are_refused(prices, bundles):
    """Tests that prices below 0, fractions and mismatched shapes do not enter the state."""
    with pytest.raises(InputError):
        Demands(np.array(prices), np.array(bundles))
