"""First queries about small bundles."""

import numpy as np
import pytest
from hybrid_situations import state_of

from boca.core import InputError, Market, Reports, Seeds
from boca.queries import SmallBundles

MARKET = Market.simple(20, 2, [3] * 20)


def test_bundles_hold_a_small_share():
    """Tests that the full bundle comes first and the others hold between 5 and 50 %."""
    planner = SmallBundles(30)
    situation = state_of(MARKET, planner, [Reports.empty(20)] * 2)
    queries = planner.plan(situation, {}, Seeds(0)).questions
    for bidder in range(2):
        bundles = np.array([q.bundle for q in queries if q.bidder == bidder])
        assert len(bundles) == 30
        assert bundles[0].sum() == 60
        shares = bundles[1:].sum(axis=1) / 60
        assert shares.mean() < 0.4
        assert shares.max() < 0.7


def test_it_happens_once_and_ranges_are_checked():
    """Tests the end of the phase, and the message."""
    planner = SmallBundles(3)
    situation = state_of(MARKET, planner, [Reports.empty(20)] * 2, rounds=1)
    assert not planner.plan(situation, {}, Seeds(0)).questions
    with pytest.raises(InputError, match="expected a range"):
        SmallBundles(lowest=0.6, highest=0.5)
