"""Tests of the local search over bids."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare

from boca.core import Market, Reports
from boca.payments.bids import Packing
from boca.payments.swaps import improved

NOTHING = np.zeros(0, dtype=np.int64)


@settings(max_examples=100, deadline=None)
@given(auctions(max_bidders=5), st.integers(0, 4))
def test_bids_stay_compatible_and_open(auction, absent):
    """Tests that no answer exceeds capacities, gives a bidder two bids, or uses closed bids."""
    reports, market = auction
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return
    is_open = packing.owners != absent

    bids = improved(packing, NOTHING, is_open)

    assert (packing.bundles[bids].sum(axis=0) <= market.capacities).all()
    assert len(set(packing.owners[bids].tolist())) == len(bids)
    assert is_open[bids].all()
    assert packing.surplus[bids].sum() <= best_welfare(reports, market)


def test_a_loss_on_the_way_is_accepted():
    """Tests two bids of 6 that are better than one of 10, although the first of them loses 4."""
    bundles = ([1, 1], [1, 0], [0, 1])
    reports = [Reports([bundle], [v]) for bundle, v in zip(bundles, (10.0, 6, 6), strict=True)]
    packing = Packing.from_reports(reports, Market.simple(2, 3))

    bids = improved(packing, np.array([0]), np.ones(3, dtype=bool))

    assert bids.tolist() == [1, 2]


def test_several_copies_leave_the_bids_alone():
    """Tests that nothing is tried where pairs of bids do not say what fits."""
    reports = [Reports([[2]], [1.0]), Reports([[2]], [5.0])]
    packing = Packing.from_reports(reports, Market.simple(1, 2, [3]))

    assert improved(packing, np.array([0]), np.ones(2, dtype=bool)).tolist() == [0]
