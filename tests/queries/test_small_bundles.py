"""First queries about small bundles."""

import numpy as np
import pytest
from hybrid_situations import full_bundle_values, state_of

from boca.core import InputError, Market, Reports, Seeds
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
