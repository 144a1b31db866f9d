"""Tests of queries and their reasons."""

import json

import numpy as np
import pytest

from boca.core import DemandQuery, InputError, Query, Reason


def test_queries_compare_and_hash():
    """Tests that queries can be put into sets, to see that none is asked twice."""
    first = Query(0, (1, 0), Reason("initial"))

    assert {first, Query(0, (1, 0), Reason("initial"))} == {first}
    assert first != Query(1, (1, 0), Reason("initial"))
    assert first.bundle.tolist() == [1, 0]


def test_json_round_trip_keeps_the_reason():
    """Tests that a saved query can still say why it was asked."""
    query = Query(2, (0, 3), Reason("marginal", "without 1", True, predicted=4.5, mean=4.0))

    assert Query.from_dict(json.loads(json.dumps(query.to_dict()))) == query


def test_bundles_and_prices_cannot_be_changed():
    """Tests that a question stays what it was when it was asked."""
    query = Query(0, np.array([1, 0]), Reason("initial"))
    with pytest.raises(ValueError, match="read-only"):
        query.bundle[0] = 2
    demand = DemandQuery(0, [1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        demand.prices[0] = 0


def test_demand_queries_survive_json():
    """Tests a saved question about wishes, prices and reason included."""
    query = DemandQuery(1, [0.5, 2.0], 3, Reason("profit-max"))
    assert DemandQuery.from_dict(json.loads(json.dumps(query.to_dict()))) == query


@pytest.mark.parametrize("prices", [[-1.0, 2.0], [float("nan"), 1.0], [[1.0]]])
def test_prices_must_be_prices(prices):
    """Tests that nobody is asked what it wants at a negative price."""
    with pytest.raises(InputError, match="prices"):
        DemandQuery(0, prices)
