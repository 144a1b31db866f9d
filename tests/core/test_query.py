"""Tests of queries and their reasons."""

import json

from boca.core import Query, Reason


def test_queries_compare_and_hash():
    """Tests that queries can be put into sets, to see that none is asked twice."""
    first = Query(0, (1, 0), Reason("initial"))

    assert {first, Query(0, (1, 0), Reason("initial"))} == {first}
    assert first != Query(1, (1, 0), Reason("initial"))
    assert first.array.tolist() == [1, 0]


def test_json_round_trip_keeps_the_reason():
    """Tests that a saved query can still say why it was asked."""
    query = Query(2, (0, 3), Reason("marginal", "without 1", True, predicted=4.5, mean=4.0))

    assert Query.from_dict(json.loads(json.dumps(query.to_dict()))) == query
