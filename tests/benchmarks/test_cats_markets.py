"""Tests of auctions from the published CATS distributions."""

from itertools import pairwise

import numpy as np
import pytest
from cats_markets import DISTRIBUTIONS, draw_auction
from cats_markets.auction import Bid, CatsAuction, undominated

from boca.markets import read_bids


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_boca_reads_every_distribution(name, tmp_path):
    """Tests that the file means the same to our reader: bidders, bids and prices."""
    auction = draw_auction(name, 64, 120, seed=1)
    path = tmp_path / f"{name}.cats"
    path.write_text(auction.to_text(name))

    bids = read_bids(path)

    assert auction.num_bids == 120
    assert len(bids.market.bidders) == len(auction.bidders)
    for report, own in zip(bids.reports, auction.bidders, strict=True):
        prices = sorted(bid.price for bid in own)
        np.testing.assert_allclose(sorted(report.values), prices, atol=1e-6)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_bids_are_well_formed(name):
    """Tests that goods exist and ascend, that prices are offers, and that no bidder repeats one."""
    auction = draw_auction(name, 64, 100, seed=2)

    for bids in auction.bidders:
        assert len({bid.goods for bid in bids}) == len(bids)
        for bid in bids:
            assert bid.goods[0] >= 0
            assert bid.goods[-1] < 64
            assert all(a < b for a, b in pairwise(bid.goods))
            assert bid.price >= 0


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_seed_names_an_auction(name):
    """Tests that figures measured on a seed can be measured again, and that seeds differ."""
    assert draw_auction(name, 64, 60, seed=0) == draw_auction(name, 64, 60, seed=0)
    assert draw_auction(name, 64, 60, seed=0) != draw_auction(name, 64, 60, seed=1)


@pytest.mark.parametrize("name", [name for name in DISTRIBUTIONS if name.startswith("L")])
def test_no_legacy_bid_dominates_another(name):
    """Tests that a solver cannot win time by leaving out bids that never win."""
    bids = [own[0] for own in draw_auction(name, 64, 150, seed=3).bidders]

    assert all(len(own) == 1 for own in draw_auction(name, 64, 150, seed=3).bidders)
    assert not any(a.dominates(b) for a in bids for b in bids if a is not b)


def test_bids_of_one_bidder_share_a_dummy_good():
    """Tests the format by hand: only a bidder with a choice needs a dummy good."""
    auction = CatsAuction(3, ((Bid((0,), 1.5),), (Bid((1,), 2.0), Bid((0, 2), 3.0))))

    lines = auction.to_text("by hand").splitlines()

    assert lines[2:5] == ["goods 3", "bids 3", "dummy 1"]
    assert lines[6:] == [
        "0\t1.500000\t0\t#",
        "1\t2.000000\t1\t3\t#",
        "2\t3.000000\t0\t2\t3\t#",
    ]


def test_dominated_bids_of_one_bidder_are_left_out():
    """Tests that asking for more and offering less is pointless, and that equals count once."""
    small, large, rich = Bid((0,), 2.0), Bid((0, 1), 2.0), Bid((0, 1), 5.0)

    assert undominated([large, small, small, rich]) == (small, rich)


def test_jobs_are_slots_in_a_row_and_lose_value():
    """Tests the law of scheduling: a later deadline never pays more."""
    for bids in draw_auction("scheduling", 64, 300, seed=4).bidders:
        assert len({len(bid.goods) for bid in bids}) == 1
        assert all(bid.goods[-1] - bid.goods[0] == len(bid.goods) - 1 for bid in bids)
        assert all(a.price >= b.price for a, b in pairwise(bids))


def test_flights_connect_two_airports():
    """Tests the law of matching: two slots, at different airports."""
    for bids in draw_auction("matching", 64, 200, seed=5).bidders:
        for bid in bids:
            assert len(bid.goods) == 2
            assert bid.goods[0] // 16 != bid.goods[1] // 16


def test_impossible_sizes_are_refused():
    """Tests that too small a market is refused instead of drawn for ever."""
    with pytest.raises(ValueError, match="multiple of 4"):
        draw_auction("matching", 30, 10, seed=0)
    with pytest.raises(ValueError, match="at least 16"):
        draw_auction("paths", 5, 10, seed=0)
    with pytest.raises(ValueError, match="none dominated"):
        draw_auction("L3", 3, 10, seed=0)
