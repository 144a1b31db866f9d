"""Tests of the local search over bids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare

from boca.core import Market, Reports
from boca.payments import swaps as module
from boca.payments.bids import Packing
from boca.payments.swaps import improved

NOTHING = np.zeros(0, dtype=np.int64)


def three_against_one(values=(10.0, 4, 4, 4), decimals=0, copies=1):
    """A bid for three goods, and one for each of them."""
    bundles = np.vstack([np.ones((1, 3), dtype=int), np.eye(3, dtype=int)])
    capacities = np.array([copies, 1, 1])
    return Packing(np.arange(4), bundles, np.array(values), capacities, decimals)


def improve(packing, start, is_open=None):
    is_open = np.ones(len(packing), dtype=bool) if is_open is None else np.array(is_open)
    return improved(packing, np.array(start, dtype=int), is_open).tolist()


@pytest.mark.parametrize(("tenure", "bids"), [(1, [0]), (2, [1, 2, 3]), (10, [1, 2, 3])])
def test_what_went_out_stays_out_for_some_steps(monkeypatch, tenure, bids):
    """
    Tests 10 for three goods and 4 for each: after the first loss, of 6, going back gains 6 and
    going on gains 4, so that the way is found by who may not go back at once.
    """
    monkeypatch.setattr(module, "TENURE", tenure)
    assert improve(three_against_one(), [0]) == bids


@pytest.mark.parametrize(("patience", "bids"), [(0, [0]), (2, [0]), (3, [1, 2, 3])])
def test_the_search_ends_after_some_steps_without_gain(monkeypatch, patience, bids):
    """Tests that the third step, to 12, is the first above 10."""
    monkeypatch.setattr(module, "PATIENCE", patience)
    assert improve(three_against_one(), [0]) == bids


def test_patience_begins_again_with_every_gain(monkeypatch):
    """Tests three bids that come in one after another, with patience for one step."""
    monkeypatch.setattr(module, "PATIENCE", 1)
    assert improve(three_against_one((1.0, 4, 4, 4)), []) == [1, 2, 3]


def test_the_largest_gain_comes_first(monkeypatch):
    """Tests one step: the bid for 9, not that for 4 which comes before it."""
    monkeypatch.setattr(module, "PATIENCE", 1)
    packing = Packing(np.arange(3), np.ones((3, 1), int), np.array([4.0, 9, 5]), np.array([1]))
    assert improve(packing, []) == [1]
    assert improve(packing, [], [True, False, False]) == [0]
    assert improve(packing, [1]) == [1]


def test_as_much_is_no_gain():
    """Tests two bids of the same worth, and decimals that differ by less than rounding."""
    for values, kept in (([5.0, 5.0], [0]), ([1.0, 1 + 5e-13], [0]), ([1.0, 1 + 2e-12], [1])):
        packing = Packing(np.arange(2), np.ones((2, 1), int), np.array(values), np.array([1]), None)
        assert improve(packing, [0]) == kept
    small = three_against_one((1.0e-6, 0.4e-6, 0.4e-6, 0.4e-6), None)
    assert improve(small, [0]) == [1, 2, 3]


def test_nothing_is_tried_where_pairs_do_not_say_what_fits(monkeypatch):
    """Tests a second copy of one good, and bids that are too many to compare."""
    assert improve(three_against_one(copies=2), [0]) == [0]
    monkeypatch.setattr("boca.payments.bids.MOST_PAIRED", 3)
    assert improve(three_against_one(), [0]) == [0]


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
