"""Tests of core-selecting payments."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, coalitions, random_reports
from scipy.optimize import linprog

from boca.core import Market, Reports
from boca.payments import quadratic_core, vcg


def local_local_global(first, second, both):
    """Two bidders who want one good each, and one who wants both."""
    return [Reports([[1, 0]], [first]), Reports([[0, 1]], [second]), Reports([[1, 1]], [both])]


def test_locals_share_what_the_global_bidder_offers():
    """Tests the textbook example: VCG charges 0 and 0, the core asks for 10 together."""
    outcome = quadratic_core(local_local_global(10, 10, 10), Market.simple(2, 3))

    assert outcome.payments == pytest.approx([5, 5, 0])
    assert outcome.vcg_payments == pytest.approx([0, 0, 0])
    assert [c.members for c in outcome.binding] == [(2,)]
    assert "bidder 0 and bidder 1 must pay at least 10 together" in outcome.explain()


def test_the_shortfall_is_split_equally_above_vcg():
    """Tests VCG of 2 and 4 with 12 asked for: 6 is missing, 3 for each."""
    outcome = quadratic_core(local_local_global(8, 10, 12), Market.simple(2, 3))

    assert outcome.vcg_payments == pytest.approx([2, 4, 0])
    assert outcome.payments == pytest.approx([5, 7, 0])


def test_the_explanation_tells_vcg_payments_from_core_payments():
    """Tests that nobody is said to pay its VCG payment where the core asks for more."""
    text = quadratic_core(local_local_global(8, 10, 12), Market.simple(2, 3)).explain()

    assert "The VCG payment of bidder 0 would be the difference of 2; bidder 0 pays 5." in text
    assert "The VCG payment of bidder 1 would be the difference of 4; bidder 1 pays 7." in text
    assert "pays the difference" not in text


def test_the_explanation_of_core_payments_includes_reserve_prices():
    """Tests the sentence with a reserve price of 1 per good: all terms are surplus above it."""
    reports = local_local_global(8, 10, 12)
    outcome = quadratic_core(reports, Market.simple(2, 3), reserve=[1.0, 1.0])

    assert outcome.payments == pytest.approx([5, 7, 0])
    assert (
        "The VCG payment of bidder 0 would be the difference of 1 on top of the reserve prices of "
        "1; bidder 0 pays 5." in outcome.explain()
    )


def test_nobody_pays_more_than_its_bid():
    """Tests a share that is cut at the bid: 3 and 10 against 12."""
    outcome = quadratic_core(local_local_global(3, 10, 12), Market.simple(2, 3))

    assert outcome.vcg_payments == pytest.approx([2, 9, 0])
    assert outcome.payments == pytest.approx([2.5, 9.5, 0])

    outcome = quadratic_core(local_local_global(1, 20, 12), Market.simple(2, 3))
    assert outcome.payments == pytest.approx([0.5, 11.5, 0])  # VCG 0 and 11


def test_vcg_in_the_core_stays():
    """Tests that a second price needs no correction."""
    outcome = quadratic_core([Reports([[1]], [v]) for v in (9, 4)], Market.simple(1, 2))

    assert outcome.payments.tolist() == [4, 0]
    assert outcome.coalitions == ()


def test_nobody_reported_anything():
    """Tests that silence has core payments too."""
    assert quadratic_core([Reports.empty(1)] * 2, Market.simple(1, 2)).revenue == 0


@settings(max_examples=60, deadline=None)
@given(auctions(), st.sampled_from([0.0, 0.6]))
def test_no_group_blocks_and_revenue_is_least(auction, price):
    """Tests every group of bidders by brute force, and the revenue against a linear program."""
    reports, market = auction
    reserve = np.full(market.num_goods, price)

    outcome = quadratic_core(reports, market, reserve)
    cheap = vcg(reports, market, reserve)

    base = outcome.allocation.bundles @ reserve
    above, surplus = outcome.payments - base, outcome.values - base
    winners = np.flatnonzero(outcome.allocation.bundles.any(axis=1))
    rows, least = [], []
    for group in coalitions(market.num_bidders):
        outside = np.array([i in winners and i not in group for i in range(market.num_bidders)])
        needed = best_welfare(reports, market, group, reserve) - surplus[list(group)].sum()
        assert above[outside].sum() >= needed - 1e-6
        rows.append(-outside.astype(float))
        least.append(-needed)
    bounds = list(zip(np.zeros(len(surplus)), surplus, strict=True))
    smallest = linprog(np.ones(len(surplus)), np.array(rows), np.array(least), bounds=bounds)
    assert above.sum() == pytest.approx(smallest.fun, abs=1e-6)
    assert (outcome.payments >= cheap.payments - 1e-9).all()
    assert (outcome.utilities >= 0).all()


def test_second_solver_checks_the_blocking_groups_too():
    """Tests that verified core payments equal unverified ones."""
    pytest.importorskip("pyscipopt")
    reports, market = random_reports(4, 20, 8, 0.4, seed=1)

    outcome = quadratic_core(reports, market, verify=True)

    assert outcome.verified_by == "scip"
    alone = quadratic_core(reports, market)
    assert alone.verified_by is None
    assert outcome.payments == pytest.approx(alone.payments)


def test_nothing_is_left_open_unless_a_gap_is_given():
    reports, market = random_reports(20, 30, 15, 0.2, seed=3)
    assert quadratic_core(reports, market).is_proven
    assert not quadratic_core(reports, market, gap=1.0).is_proven


@pytest.mark.parametrize(
    ("first", "second", "both", "payments"),
    [
        (30_000_000, 30_000_002, 60_000_000, [29_999_999, 30_000_001]),
        (100_000.00, 500_000.02, 600_000.00, [99_999.99, 500_000.01]),
        (10**12, 10**12 - 1, 2 * 10**12 - 2, [10**12 - 0.5, 10**12 - 1.5]),
        (0.1, 0.25, 0.3, [0.075, 0.225]),
    ],
)
def test_a_group_that_blocks_by_a_little_is_paid_off(first, second, both, payments):
    """
    Tests sums that miss the rival's bid by a unit or two, whatever the amounts.

    Payments were once computed in shares of the largest bid with several tolerances, and between
    1e-8 and 1e-7 of it no payments were found.
    """
    outcome = quadratic_core(local_local_global(first, second, both), Market.simple(2, 3))

    assert outcome.payments.tolist() == [*payments, 0]
    assert outcome.revenue == both
    assert outcome.status == "optimal"


def test_a_group_that_is_paid_off_with_room_to_spare_is_not_binding():
    """Tests that one unit of 10^8 tells a group that sets the payments from one that does not."""
    reports = [*local_local_global(10**8, 10**8, 10**8), Reports([[1, 1]], [10**8 - 1])]
    outcome = quadratic_core(reports, Market.simple(2, 4))

    assert [c.members for c in outcome.binding] == [(2,)]


def test_amounts_without_a_unit_end_in_the_core_too():
    """Tests bids that are no decimals: up to the solvers' tolerance, as nothing is exact there."""
    reports = local_local_global(np.pi, np.sqrt(2), np.pi + np.sqrt(2) - 1e-6)
    outcome = quadratic_core(reports, Market.simple(2, 3))

    assert outcome.payments[:2].sum() == pytest.approx(np.pi + np.sqrt(2) - 1e-6, abs=1e-9)
    assert np.diff(outcome.utilities[:2]) == pytest.approx(0, abs=1e-9)

    # Less than 1e-8 of the largest bid apart: VCG payments, since the bids say no more.
    reports = local_local_global(np.pi, np.sqrt(2), np.pi + np.sqrt(2) - 1e-9)
    assert quadratic_core(reports, Market.simple(2, 3)).coalitions == ()


def test_time_that_runs_out_leaves_the_core_unproven():
    """Tests that VCG payments below the core are not called core payments."""
    reports = local_local_global(10, 10, 10)
    outcome = quadratic_core(reports, Market.simple(2, 3), max_seconds=1e-9)

    assert not outcome.is_in_core
    assert outcome.status != "optimal"


def test_only_a_proven_allocation_is_called_core_not_proven():
    """Tests the three states: proven, groups not all looked at, allocation itself not proven."""
    proven = quadratic_core(local_local_global(10, 10, 10), Market.simple(2, 3))

    assert proven.status == "optimal"
    assert replace(proven, is_in_core=False).status == "core not proven"
    unproven = replace(proven, is_in_core=False, is_proven=False)
    assert unproven.status == "not proven"
