"""Tests of core-selecting payments."""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, coalitions, random_reports
from scipy.optimize import linprog

from boca.core import Market, Reports
from boca.payments import quadratic_core, vcg
from boca.payments.bids import Packing
from boca.payments.core_rule import Coalition, _CorePoint
from boca.payments.effort import Effort
from boca.payments.winners import WinnerDetermination

core_module = import_module("boca.payments.core_rule")
vcg_module = import_module("boca.payments.vcg_rule")  # the package's `vcg` is the function


def local_local_global(first, second, both):
    """Two bidders who want one good each, and one who wants both."""
    return [Reports([[1, 0]], [first]), Reports([[0, 1]], [second]), Reports([[1, 1]], [both])]


def test_locals_share_what_the_global_bidder_offers():
    """Tests the textbook example: VCG charges 0 and 0, the core asks for 10 together."""
    outcome = quadratic_core(local_local_global(10, 10, 10), Market.simple(2, 3))

    assert outcome.payments == pytest.approx([5, 5, 0])
    assert outcome.vcg_payments == pytest.approx([0, 0, 0])
    assert [c.members for c in outcome.binding] == [(2,)]
    assert outcome.explain().splitlines()[-1] == (
        "So that bidder 2 cannot offer the seller more, bidder 0 and bidder 1 must pay at least 10 "
        "together."
    )
    assert outcome.to_dict()["binding_coalitions"] == [
        {"members": ["bidder 2"], "payers": ["bidder 0", "bidder 1"], "least": 10}
    ]
    assert [row["payment"] for row in outcome.to_dict()["bidders"]] == [5, 5, 0]


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
    both = np.pi + np.sqrt(2)
    for share, num in ((1e-10, 0), (0.9e-8, 0), (1.1e-8, 1)):
        reports = local_local_global(np.pi, np.sqrt(2), both * (1 - share))
        assert len(quadratic_core(reports, Market.simple(2, 3)).coalitions) == num


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


def rival_for_pairs(unit) -> list[Reports]:
    """Three bidders with a good each, and a rival who wants any two of the goods."""
    pairs = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    singles = [Reports([row], [20 * unit]) for row in np.eye(3, dtype=int)]
    return [*singles, Reports(pairs, [10 * unit] * 3)]


@pytest.mark.parametrize("unit", [1, 0.01, 10**10, np.pi])
def test_one_group_after_another_is_paid_off(unit):
    """
    Tests groups that show only at the payments that others ask for. At VCG payments of 0 the rival
    alone asks for 10 from all three; at a third of that each, the rival and one winner ask for 10
    from the other two. Everybody pays 5 then, which is more than the first group asks for.
    """
    outcome = quadratic_core(rival_for_pairs(unit), Market.simple(3, 4))

    assert outcome.vcg_payments == pytest.approx([0] * 4)
    assert outcome.payments == pytest.approx([5 * unit] * 3 + [0], rel=1e-9)
    assert outcome.coalitions[0].payers == (0, 1, 2)
    groups = [(coalition.members, coalition.payers) for coalition in outcome.binding]
    assert sorted(groups) == [((0, 3), (1, 2)), ((1, 3), (0, 2)), ((2, 3), (0, 1))]
    assert [c.least for c in outcome.binding] == pytest.approx([10 * unit] * 3)
    assert outcome.is_in_core
    assert outcome.status == "optimal"


def test_a_bid_of_one_unit_above_its_profit_takes_part():
    """Tests a winner who pays 1 and sides with the rival: the others pay 12 without its help."""
    reports = [
        Reports([[1, 0, 0]], [10]),
        Reports([[0, 1, 0]], [10]),
        Reports([[0, 0, 1]], [10]),
        Reports([[1, 0, 0]], [1]),
        Reports([[0, 1, 1]], [12]),
    ]
    assert quadratic_core(reports, Market.simple(3, 5)).payments.tolist() == [1, 6, 6, 0, 0]


def test_members_of_a_group_are_in_the_order_of_the_market():
    """Tests bidders 1 and 8, who want a good of each winner and ask for 12 together."""
    nobody = Reports.empty(4)
    winners = [Reports([[1, 1, 0, 0]], [10]), Reports([[0, 0, 1, 1]], [10])]
    first, second = Reports([[1, 0, 1, 0]], [6]), Reports([[0, 1, 0, 1]], [6])
    reports = [nobody, first, *winners, *[nobody] * 4, second]
    outcome = quadratic_core(reports, Market.simple(4, 9))

    assert outcome.payments.tolist() == [0, 0, 6, 6, 0, 0, 0, 0, 0]
    assert [c.members for c in outcome.binding] == [(1, 8)]


def core_point(reports, won=(0, 1), verifier=None) -> _CorePoint:
    """The search for core payments where these bids were accepted."""
    market = Market.simple(reports[0].bundles.shape[1], len(reports))
    packing = Packing.from_reports(reports, market)
    return _CorePoint(packing, market, np.array(won), Effort(), verifier)


def test_nobody_starts_below_nothing_or_above_its_bid():
    """Tests VCG terms of economies that were not solved to the end."""
    core = core_point(local_local_global(10, 10, 3))
    assert core.payments([-3.0, 12.0, 0.0], np.zeros(3)).tolist() == [0, 10, 0]
    assert core.is_proven


def test_a_group_that_cannot_be_paid_off_proves_nothing():
    """Tests accepted bids that are not the best: the group wants more than the winner has bid."""
    core = core_point(local_local_global(10, 10, 15), won=[2])
    assert core.payments([0.0] * 3, np.zeros(3)).tolist() == [0, 0, 15]
    assert core.coalitions == [Coalition((0, 1), (2,), 20)]
    assert not core.is_proven


def test_a_group_with_all_winners_proves_nothing():
    """Tests accepted bids of which somebody is missing: there is nobody who could pay."""
    core = core_point(local_local_global(10, 10, 3), won=[0])
    assert core.payments([3.0, 0.0, 0.0], np.zeros(3)).tolist() == [3, 0, 0]
    assert core.coalitions == []
    assert not core.is_proven


def test_bids_are_lowered_in_parts_of_a_unit():
    """
    Tests bids less profits: in the parts that payments have; in powers of two where those are too
    many for exact sums, of some bids and of many bidders; in money where there are no units.
    """
    core = core_point(local_local_global(8, 10, 12))
    lowered, unit = core._lowered([Fraction(5, 2), Fraction(13, 3), Fraction(0)])
    assert (lowered.tolist(), unit) == ([15, 26, 72], 1 / 6)

    large = 4 * 10**13  # of which five parts are counted exactly
    core = core_point(local_local_global(large, large, large))
    lowered, unit = core._lowered([Fraction(1, 5), Fraction(2, 5), Fraction(0)])
    assert (lowered.tolist(), unit) == ([1, 2, 5 * large], 1 / 5)
    lowered, unit = core._lowered([Fraction(1, 7), Fraction(6, 7), Fraction(0)])
    assert (lowered.tolist(), unit) == ([1, 3, 4 * large], 1 / 4)  # 4/7 and 24/7, rounded

    large = 2**44  # of which 32 bidders have eight parts
    core = core_point([Reports([[1]], [large])] * 32, won=[0])
    lowered, unit = core._lowered([Fraction(1, 10)] + [Fraction(0)] * 31)
    assert (lowered[:2].tolist(), unit) == ([1, 8 * large], 1 / 8)

    core = core_point(local_local_global(np.pi, np.sqrt(2), np.pi))
    quarter = Fraction(round(np.pi / 4 / core.grain))
    lowered, unit = core._lowered([quarter, Fraction(0), Fraction(0)])
    assert lowered == pytest.approx([np.pi / 4, 0, np.pi], abs=1e-12)
    assert unit == 1


def test_nobody_pays_less_than_its_vcg_payment_by_rounding():
    """Tests amounts that are no whole units, with reserve prices, to the last digit."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = np.sort(rng.random(2))[::-1] + 1
        reports = [Reports([[1]], [first]), Reports([[1]], [second])]
        reserve = rng.random(1)
        outcome = quadratic_core(reports, Market.simple(1, 2), reserve)
        term = outcome.explanations[0]
        assert outcome.payments[0] >= term.reserve + term.harm


def test_a_search_without_proof_leaves_the_core_unproven(monkeypatch):
    """Tests groups that are the best known ones only."""
    right = WinnerDetermination.accept

    def unproven(self, economy, stage, *arguments, **options):
        accepted = right(self, economy, stage, *arguments, **options)
        return replace(accepted, is_proven=stage != "blocking groups")

    reports, market = local_local_global(10, 10, 10), Market.simple(2, 3)
    monkeypatch.setattr(WinnerDetermination, "accept", unproven)
    outcome = quadratic_core(reports, market)
    assert outcome.payments.tolist() == [5, 5, 0]
    assert (outcome.is_proven, outcome.is_in_core) == (True, False)
    assert outcome.status == "core not proven"


def test_one_group_that_is_not_confirmed_leaves_all_unverified(monkeypatch):
    """Tests a second solver that confirms every economy, and the first group or none."""
    for opinions, verified, num_asked in (([True, True], "scip", 2), ([False], None, 1)):
        asked = []

        def opinion(packing, economy, first, solver, effort, market, asked=asked, all_=opinions):
            asked.append((solver, first.bids.tolist()))
            return all_[len(asked) - 1]

        monkeypatch.setattr(vcg_module, "second_solver", lambda: "scip")
        monkeypatch.setattr(vcg_module, "compare", lambda *arguments: True)
        monkeypatch.setattr(core_module, "compare", opinion)
        reports = local_local_global(10, 10, 10)
        outcome = quadratic_core(reports, Market.simple(2, 3), verify=True)
        assert outcome.verified_by == verified
        assert [solver for solver, _ in asked] == ["scip"] * num_asked
        assert asked[0][1] == [0]  # the rival's bid is the only one left at VCG payments of 0


@pytest.mark.parametrize("rule", [vcg, quadratic_core])
def test_the_time_is_that_of_the_work(rule):
    """Tests that it is counted from the beginning of the call, and no longer than the call."""
    before = perf_counter()
    outcome = rule(local_local_global(10, 10, 10), Market.simple(2, 3))
    assert 0 < outcome.seconds <= perf_counter() - before
