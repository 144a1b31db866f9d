"""First queries about small bundles."""

import numpy as np
import pytest
from hybrid_situations import full_bundle_values, state_of

from boca.core import Bidder, Good, InputError, Limit, Market, Reports, Seeds
from boca.queries import SmallBundles

MARKET = Market.simple(20, 2, [3] * 20)


def test_the_full_bundle_comes_first():
    """Tests the first round, which learning needs for its scale."""
    planner = SmallBundles()
    situation = state_of(MARKET, planner, [Reports.empty(20)] * 2)
    queries = planner.plan(situation, {}, Seeds(0)).questions
    assert [query.bundle.sum() for query in queries] == [60, 60]


def test_other_bundles_hold_a_small_share():
    """Tests that bundles hold between 5 and 50 %, and that bidders and rounds differ."""
    planner = SmallBundles()
    situation = state_of(MARKET, planner, full_bundle_values(MARKET, [1.0, 2.0]))
    bundles = np.array(
        [
            query.bundle
            for round in range(30)
            for query in planner.plan(situation, {}, Seeds(0).child("round", round)).questions
        ]
    )
    shares = bundles.sum(axis=1) / 60
    assert 0.2 < shares.mean() < 0.35
    assert shares.max() < 0.7
    assert len(np.unique(bundles, axis=0)) == 60


def test_ranges_are_checked():
    """Tests the message."""
    with pytest.raises(InputError, match="expected a range"):
        SmallBundles(lowest=0.6, highest=0.5)


def test_bundles_end_at_what_a_bidder_can_hold():
    """Tests that limits come before shares: one seat of 900 each, then never all of them again."""
    limits = tuple(Limit(tuple(np.eye(3)[j]), 1.0) for j in range(3))
    goods = tuple(Good(f"course {j}", 900) for j in range(3))
    market = Market(goods, (Bidder("student", limits=limits), Bidder("no", limits=(NOTHING,))))
    planner = SmallBundles(0.4, 0.6)
    situation = state_of(market, planner, [Reports.empty(3)] * 2)

    (first,) = planner.plan(situation, {}, Seeds(1)).questions
    assert first.bundle.tolist() == [1, 1, 1]
    (second,) = planner.plan(situation.report(0, first.bundle, 5.0), {}, Seeds(1)).questions
    assert 0 < second.bundle.sum() < 3
    assert second.bundle.max() == 1


NOTHING = Limit((1.0, 1.0, 1.0), 0.5)
