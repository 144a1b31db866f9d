"""Tests of groups of bids of which at most one can win."""

import numpy as np
import pytest
from hypothesis import given, settings
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Market, Reports
from boca.payments.bids import Packing
from boca.payments.branching import Branching
from boca.payments.cliques import tightened, violated_cliques

NOTHING = np.zeros(0, dtype=np.int64)


def test_a_triangle_is_one_clique():
    """Tests three pairs of three goods: half of each is worth 15, with the clique only 10."""
    pairs = ([1, 1, 0], [0, 1, 1], [1, 0, 1])
    market = Market.simple(3, 3)
    packing = Packing.from_reports([Reports([pair], [10.0]) for pair in pairs], market)

    tight, lp = tightened(packing)

    assert tight.bundles[:, 3:].tolist() == [[1], [1], [1]]
    shares, _ = lp.solve(np.zeros(3, dtype=bool), np.ones(3, dtype=bool))
    assert packing.surplus @ shares == pytest.approx(10)


def test_cliques_are_cliques_and_violated():
    """Tests on random bids that members exclude each other and hold too large a share."""
    reports, market = random_reports(30, 5, 20, 0.2, seed=3)
    packing = Packing.from_reports(reports, market)
    rng = np.random.default_rng(0)
    shares = np.where(rng.random(len(packing)) < 0.5, rng.random(len(packing)), 0.0)

    cliques = violated_cliques(shares, packing.conflicts)

    assert len(cliques) > 0
    for members in cliques:
        pairs = packing.conflicts[np.ix_(members, members)] | np.eye(members.sum(), dtype=bool)
        assert pairs.all()
        assert shares[members].sum() > 1
        # No further bid excludes all members.
        others = packing.conflicts[members].all(axis=0) & ~members
        assert not others.any()


@settings(max_examples=60, deadline=None)
@given(auctions(max_bidders=5))
def test_the_optimum_stays(auction):
    """Tests that cliques cut fractions off and no allocation, with several copies as well."""
    reports, market = auction
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return
    tight, lp = tightened(packing)
    branching = Branching(tight, lp, np.ones(len(packing), bool), [NOTHING])

    assert branching.run()
    assert branching.surplus[0] == branching.bound[0] == best_welfare(reports, market)
