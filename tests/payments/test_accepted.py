"""When bids count as proven to be the best."""

import numpy as np
import pytest

from boca.core import Market, Reports
from boca.payments.accepted import Accepted, relative_gap
from boca.payments.bids import Packing


def accepted(values, bids, bound) -> Accepted:
    """Bids for a good each, and a bound on what they are worth together."""
    goods = np.eye(len(values), dtype=int)
    reports = [Reports([row], [value]) for row, value in zip(goods, values, strict=True)]
    packing = Packing.from_reports(reports, Market.simple(len(values), len(values)))
    return Accepted.of(packing, np.array(bids), bound, "search")


def test_less_than_a_unit_is_no_better():
    """Tests bounds on whole units, which are rounded down, and one below what is there."""
    for bound, proven in ((20.0, 20), (20.9, 20), (21.0, 21), (21.9, 21), (19.0, 20)):
        best = accepted([10, 10], [1, 0], bound)
        assert (best.surplus, best.bound, best.is_proven) == (20, proven, proven == 20)
    assert best.bids.tolist() == [0, 1]


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_without_units_a_millionth_of_the_largest_bid_is_no_better(size):
    """Tests bounds a little closer and a little farther than what solvers promise."""
    values = size * np.array([np.pi, np.sqrt(2)])
    for share, is_proven in ((0.9e-6, True), (1.1e-6, False)):
        bound = values.sum() + share * values.max()
        best = accepted(values, [0, 1], bound)
        assert best.is_proven == is_proven
        assert best.bound == bound


def test_gaps_are_relative_to_what_is_there():
    """Tests a bound above, at and below a surplus, and above nothing."""
    assert relative_gap(10.0, 12.0) == 0.2
    assert relative_gap(10.0, 10.0) == relative_gap(10.0, 9.0) == relative_gap(0.0, 0.0) == 0
    assert relative_gap(0.0, 1.0) == np.inf
