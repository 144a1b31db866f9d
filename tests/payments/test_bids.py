"""Reports read as bids: what is left out, what conflicts, and what is refused."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare

from boca.core.errors import InputError
from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.payments import bids
from boca.payments.bids import TIE, Packing
from boca.payments.vcg_rule import vcg


def test_bids_that_cannot_win_are_left_out():
    """
    Tests what stays: not the empty bundle, not what reserve prices eat up, not paying the same for
    more.
    """
    market = Market.simple(2, 2)
    first = Reports([[0, 0], [1, 0], [1, 1]], [0, 5, 5])
    second = Reports([[0, 1], [1, 0]], [3, 1])
    packing = Packing.from_reports([first, second], market, reserve=[1, 1])

    assert packing.owners.tolist() == [0, 1]
    assert packing.surplus.tolist() == [4, 2]
    assert packing.bundles.tolist() == [[1, 0], [0, 1]]


def test_a_bid_at_the_reserve_price_has_no_surplus():
    """Tests that what only rounding puts above the reserve prices is not above them."""
    market = Market.simple(2, 1)
    report = Reports([[1, 0], [1, 1]], [0.15, 0.1 + 0.2])  # 0.30000000000000004

    assert not len(Packing.from_reports([report], market, reserve=[0.15, 0.15]))
    assert len(Packing.from_reports([report], market, reserve=[0.15, 0.15 - 1e-9])) == 1


@pytest.mark.parametrize("reserve", [0, 1, 10**12 - 1, 10**15 - 1])
def test_a_unit_above_whole_reserve_prices_counts(reserve):
    """Tests that nothing is rounded where a unit of money decides, however large the sums are."""
    report = Reports([[1]], [reserve + 1.0])

    packing = Packing.from_reports([report], Market.simple(1, 1), reserve=[reserve])

    assert packing.surplus.tolist() == [1.0]


def test_conflicts_are_pairs_that_exceed_a_capacity_or_have_one_owner():
    """Tests every pair of random bids over goods with several copies against the definition."""
    rng = np.random.default_rng(0)
    capacities, num_bids = np.array([1, 3, 2]), 40
    bundles = rng.integers(0, capacities + 1, (num_bids, 3))
    owners = np.sort(rng.integers(0, 8, num_bids))
    packing = Packing(owners, bundles, np.ones(num_bids), capacities)

    together = bundles[:, None] + bundles[None, :]
    expected = (together > capacities).any(axis=2) | (owners[:, None] == owners[None, :])
    np.testing.assert_array_equal(packing.conflicts, expected)
    assert 0 < expected.sum() < expected.size


def test_breaking_ties_never_outweighs_surplus():
    """Tests that all tie-breaking amounts of an allocation together stay below a tie."""
    market = Market.simple(3, 3)
    reports = [Reports([[1, 0, 0]], [2]), Reports([[0, 1, 0]], [2]), Reports([[0, 0, 1]], [1])]
    packing = Packing.from_reports(reports, market)
    moved = packing.weights - packing.surplus / packing.scale
    assert (moved != 0).all()
    assert abs(moved).sum() < TIE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda reports, market: (market, reports), "check their order"),
        (lambda reports, market: (reports[:1], market), "Received reports of 1 bidders"),
        (lambda reports, market: ([[1, 2], reports[1]], market), "Received list as the reports of"),
        (lambda reports, market: ([Reports([[1]], [1])] * 2, market), "are about 1 goods"),
    ],
)
def test_wrong_reports_are_named(change, words):
    """Tests the message for every way to call it wrongly."""
    reports = [Reports([[1, 0]], [1]), Reports([[0, 1]], [1])]
    with pytest.raises(InputError, match=words):
        Packing.from_reports(*change(reports, Market.simple(2, 2)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 3, 40]), st.integers(1, 60), st.integers(1, 20))
def test_conflicts_are_those_of_pairs(seed, most_copies, cells, levels):
    """Tests the matrix against sums of pairs, in parts of any width and both ways of comparing."""
    rng = np.random.default_rng(seed)
    capacities = rng.integers(1, most_copies + 1, 4)
    bundles = rng.integers(0, capacities + 1, (15, 4))
    packing = Packing(np.sort(rng.integers(0, 6, 15)), bundles, np.ones(15), capacities)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bids, "MOST_CELLS", cells)
        patch.setattr(bids, "FEW_LEVELS", levels)
        conflicts = packing.conflicts

    for a in range(15):
        for b in range(15):
            exceeds = (bundles[a] + bundles[b] > capacities).any()
            assert conflicts[a, b] == (exceeds or packing.owners[a] == packing.owners[b])


def test_a_million_copies_need_little_memory():
    """Tests that comparing bids takes memory by their number, not by copies: it was gigabytes."""
    rng = np.random.default_rng(0)
    bundles = rng.integers(1, 400_000, (40, 5))
    reports = [Reports(rows[None], [1.0 + i]) for i, rows in enumerate(bundles)]
    market = Market.simple(5, 40, [1_000_000] * 5)
    tracemalloc.start()

    packing = Packing.from_reports(reports, market)
    num_conflicts = packing.num_conflicts

    assert tracemalloc.get_traced_memory()[1] < 20e6  # 800 million bytes for one row of bits
    tracemalloc.stop()
    assert num_conflicts.tolist() == [1] * 40


@settings(max_examples=30, deadline=None)
@given(auctions(max_bidders=5), st.sampled_from([0, 10**9]))
def test_more_bids_than_can_be_compared_are_decided_all_the_same(auction, size):
    """Tests that nothing but speed depends on comparing each bid with each."""
    reports, market = auction
    reports = [type(r)(r.bundles, r.values + size) for r in reports]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bids, "MOST_PAIRED", 1)
        outcome = vcg(reports, market)

    welfare = best_welfare(reports, market)
    assert outcome.welfare == welfare
    for i in range(market.num_bidders):
        others = [j for j in range(market.num_bidders) if j != i]
        harm = best_welfare(reports, market, others) - (welfare - outcome.values[i])
        assert outcome.payments[i] == harm


def test_a_bid_for_copies_that_do_not_exist_is_a_mistake_with_a_name():
    """Tests three copies of a good with one, which no allocation could give; one is fine."""
    market = Market((Good("a"), Good("b", 2)), (Bidder("Ann"), Bidder("Bob")))
    fine = Reports([[1, 2]], [5.0])
    wrong = Reports([[1, 0], [0, 3]], [4.0, 5.0])
    with pytest.raises(InputError, match="'Bob' bids for 3 copies of 'b'; expected at most 2"):
        Packing.from_reports([fine, wrong], market)
    assert len(Packing.from_reports([fine, fine], market)) == 2
