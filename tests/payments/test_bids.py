"""Reports read as bids: what is left out, what conflicts, and what is refused."""

import hashlib
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare

from boca.core.errors import InputError
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.payments import bids
from boca.payments.bids import (
    MANY_COPIES,
    TIE,
    Packing,
    as_reserve,
    check_reports,
    lottery_number,
    surplus_of,
)
from boca.payments.vcg_rule import vcg


def one_good(values, decimals=0, owners=None):
    """Bids for the same good."""
    num = len(values)
    owners = np.arange(num) if owners is None else np.array(owners)
    bundles, worth = np.ones((num, 1), dtype=int), np.array(values, dtype=float)
    return Packing(owners, bundles, worth, np.array([1]), decimals)


@pytest.mark.parametrize(
    ("values", "decimals", "is_whole"),
    [
        ([5, 4], 0, True),
        ([5, 4], 2, True),
        ([5, 4], None, False),
        ([5, 4.5], 0, False),
        ([2e14], 0, True),
        ([2e14 + 1], 0, False),
        ([2.0**47] * 32, 0, True),
        ([2.0**47] * 33, 0, False),
    ],
)
def test_units_are_whole_as_long_as_sums_are_exact(values, decimals, is_whole):
    """Tests 2 * 10^14 for one bid, and 2^52 for the largest of everybody."""
    assert one_good(values, decimals).is_whole == is_whole


def test_one_unit_is_never_a_tie():
    """Tests half a unit of 10^10, a part in a thousand millions of ten and of what is not whole."""
    assert one_good([1e10, 4]).tie == 0.5e-10
    assert one_good([10, 4]).tie == 1e-9
    assert one_good([1e12, 4], None).tie == 1e-9
    assert one_good([]).tie == 1e-9
    assert one_good([]).scale == 1


def test_units_are_written_as_money():
    """Tests cents, whole amounts, and amounts that are as reported."""
    cents, whole, free = one_good([5], 2), one_good([5], 0), one_good([5], None)
    assert [packing.money(150) for packing in (cents, whole, free)] == [1.5, 150, 150]
    assert [p.written(0.1 + 0.2) for p in (cents, whole, free)] == [0.3, 0, 0.1 + 0.2]
    assert [cents.in_words(1.5), whole.in_words(3.0), free.in_words(1.5)] == [
        "1.50",
        "3",
        "1.50000",
    ]


def test_the_grid_is_as_fine_as_sums_allow():
    """
    Tests a price of 0.3: with sums up to 10 multiples of 2^-46, and with four copies at 1000 each,
    of 2^-38; what is not whole is left alone.
    """
    packing = one_good([5])
    assert packing.on_grid(np.array([0.3])).tolist() == [int(0.3 * 2**46) / 2**46]
    dear = Packing(np.zeros(1, int), np.ones((1, 1), int), np.array([5.0]), np.array([4]))
    assert dear.on_grid(np.array([1000.3])).tolist() == [int(1000.3 * 2**38) / 2**38]
    assert one_good([5], None).on_grid(np.array([0.3])).tolist() == [0.3]


def test_conflicts_of_bids_that_are_too_many_are_meetings(monkeypatch):
    """Tests bids for a; a and b; b; c: a meets two of a, the second two of a and two of b."""
    bundles = np.array([[1, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 3]])
    packing = Packing(np.arange(4), bundles, np.ones(4), np.array([2, 1, 3]))
    monkeypatch.setattr(bids, "MOST_PAIRED", 4)
    assert packing.is_paired
    monkeypatch.setattr(bids, "MOST_PAIRED", 3)
    assert not packing.is_paired
    assert packing.num_conflicts.tolist() == [2, 4, 2, 1]


def test_of_many_copies_those_that_are_asked_for_count():
    """Tests the largest bids of all bidders together, 5 + 7, where the market has many copies."""
    owners, bundles = np.array([0, 0, 2]), np.array([[1, 1], [2, 3], [0, 7]])
    for capacities, most in (
        ([MANY_COPIES - 3, 3], MANY_COPIES),
        ([MANY_COPIES - 3, 4], 12),
        ([4, 4], 8),
    ):
        packing = Packing(owners, bundles, np.ones(3), np.array(capacities))
        assert packing.most_copies == most
    greedy = Packing(np.arange(2), np.full((2, 1), 9_999), np.ones(2), np.array([10_001]))
    assert greedy.most_copies == 10_001
    nobody = Packing(np.zeros(0, int), np.zeros((0, 1), int), np.zeros(0), np.array([20_000]))
    assert nobody.most_copies == 20_000


def test_ties_are_broken_by_copies_and_then_by_lot():
    """Tests what copies and lottery numbers cost, of four copies and two bidders, by hand."""
    owners, bundles = np.array([3, 5]), np.array([[1, 1], [1, 0]])
    packing = Packing(owners, bundles, np.array([6.0, 2.0]), np.array([2, 2]))
    lots = [lottery_number(3, bundles[0]), lottery_number(5, bundles[1])]
    assert lots[0] == int.from_bytes(hashlib.blake2b(b"3:1,1", digest_size=8).digest()) / 2**64
    expected = [(2 - lots[0] / 4) / 8, (1 - lots[1] / 4) / 8]
    assert packing.reluctance == pytest.approx(expected, rel=1e-14)
    assert packing.weights - [1, 2 / 6] == pytest.approx(-1e-9 * np.array(expected), rel=1e-5)
    both = np.arange(2)
    assert packing.rank(both) == (8, -packing.reluctance.sum())
    decimal = Packing(owners, bundles, np.array([6.0, 2.0]), np.array([2, 2]), None)
    assert decimal.rank(both) == (decimal.weights.sum(), 0)


@pytest.mark.parametrize(
    ("value", "price", "surplus"),
    [
        (5.5, 1.5, 1.0),
        (0.3, 0.1, 0.0),  # three times 0.1 is 0.30000000000000004
        (30.0, 10.0, 0.0),
        (29.0, 10.0, -1.0),
        (1.0, (1 - 0.9e-12) / 3, 0.0),
        (1.0, (1 - 1.5e-12) / 3, 1.5e-12),
        (1.0, (1 + 1.5e-12) / 3, -1.5e-12),
    ],
)
def test_what_only_rounding_adds_is_no_surplus(value, price, surplus):
    """Tests a value and three copies: a part in 10^12 is rounding where amounts are not whole."""
    (above,) = surplus_of(np.array([value]), np.array([[3]]), np.array([price]))
    assert above == pytest.approx(surplus, rel=1e-3, abs=0)


def test_only_whole_values_at_whole_prices_count_every_unit():
    """Tests 10^13 and one more, and the same above a price that is not whole."""
    values, bundles = np.array([1e13 + 1, 1e13 + 1.5]), np.array([[1], [1]])
    assert surplus_of(values, bundles, np.array([1e13])).tolist() == [1, 0]
    assert surplus_of(values, bundles, np.array([1e13 + 0.5])).tolist() == [0, 0]
    thirds = np.array([10.0, (1 - 0.5e-12) / 3])
    assert surplus_of(np.array([1.0]), np.array([[0, 3]]), thirds).tolist() == [0]


def test_reserve_prices_are_one_number_per_good():
    market = Market.simple(2, 1)
    assert as_reserve(None, market).tolist() == [0, 0]
    assert as_reserve([0, 2.5], market).tolist() == [0, 2.5]
    for wrong in ([1], [1, 2, 3], [[1, 2]]):
        with pytest.raises(InputError, match="expected one number for each of the 2 goods"):
            as_reserve(wrong, market)
    for wrong in ([-0.1, 1], [np.nan, 1], [np.inf, 1]):
        with pytest.raises(InputError, match="negative or not finite"):
            as_reserve(wrong, market)


def test_bids_beyond_limits_never_win_and_reports_may_be_missing():
    """Tests a limit of one copy, and a bidder without reports."""
    market = Market(
        (Good("a", 2),), (Bidder("A", limits=(Limit((1.0,), 1.0),)), Bidder("B"), Bidder("C"))
    )
    both = Reports([[1], [2]], [3.0, 5.0])
    packing = Packing.from_reports([both, Reports.empty(1), both], market)
    assert packing.owners.tolist() == [0, 2, 2]
    assert packing.surplus.tolist() == [3, 3, 5]
    assert packing.num_bidders == 2
    check_reports([both] * 3, market)


def test_costs_are_not_taken_for_values():
    """Tests a market that buys."""
    lots = Market((Good("a"),), (Bidder("A"),), sense="buy")
    with pytest.raises(InputError, match="buys"):
        Packing.from_reports([Reports([[1]], [5.0])], lots)


def test_of_bids_that_cannot_be_compared_all_stay(monkeypatch):
    """Tests two bids of which the second asks for more and offers no more."""
    market, reports = Market.simple(2, 1), [Reports([[1, 0], [1, 1]], [5, 5])]
    assert len(Packing.from_reports(reports, market)) == 1
    monkeypatch.setattr(bids, "MOST_PAIRED", 1)
    assert len(Packing.from_reports(reports, market)) == 2


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
