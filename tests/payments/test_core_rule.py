"""Tests of core-selecting payments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, coalitions, random_reports
from scipy.optimize import linprog, minimize

from boca.core import Market, Reports
from boca.payments import quadratic_core, vcg
from boca.payments.core_rule import nearest_cheapest
from boca.payments.projection import nearest_point


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


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_nearest_of_the_cheapest_agrees_with_scipy(seed):
    """Tests the quadratic program against a general-purpose method."""
    rng = np.random.default_rng(seed)
    num = int(rng.integers(1, 6))
    lower, upper = rng.random(num) * 0.3, 0.5 + rng.random(num) * 0.5
    rows = (rng.random((int(rng.integers(1, 6)), num)) < 0.6).astype(float)
    least = rows @ lower + rng.random(len(rows)) * (rows @ (upper - lower))

    point = nearest_cheapest(lower, upper, rows, least)

    bounds = list(zip(lower, upper, strict=True))
    smallest = linprog(np.ones(num), -rows, -least, bounds=bounds).fun
    assert point.sum() == pytest.approx(smallest, abs=1e-7)
    assert (rows @ point >= least - 1e-7).all()
    other = minimize(
        lambda x: ((x - lower) ** 2).sum(),
        upper,
        jac=lambda x: 2 * (x - lower),
        bounds=bounds,
        constraints=[
            {"type": "ineq", "fun": lambda x: rows @ x - least},
            {"type": "ineq", "fun": lambda x: smallest + 1e-9 - x.sum()},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    if other.success:
        assert ((point - lower) ** 2).sum() <= other.fun + 1e-6


def test_projection_satisfies_its_optimality_conditions():
    """Tests that the step to the nearest point is a non-negative mix of the active normals."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        normals = rng.normal(size=(8, 4))
        inside, target = rng.normal(size=4), 3 * rng.normal(size=4)
        offsets = normals @ inside - rng.random(8)

        point = nearest_point(target, normals, offsets)

        slack = normals @ point - offsets
        assert slack.min() > -1e-9
        active = normals[slack < 1e-8]
        multipliers = np.linalg.lstsq(active.T, point - target, rcond=None)[0]
        assert multipliers.min(initial=0) > -1e-7
        assert active.T @ multipliers == pytest.approx(point - target, abs=1e-7)


def test_second_solver_checks_the_blocking_groups_too():
    """Tests that verified core payments equal unverified ones."""
    pytest.importorskip("pyscipopt")
    reports, market = random_reports(4, 20, 8, 0.4, seed=1)

    outcome = quadratic_core(reports, market, verify=True)

    assert outcome.verified_by == "scip"
    assert outcome.payments == pytest.approx(quadratic_core(reports, market).payments)


def test_a_degenerate_face_does_not_overcharge():
    """
    Tests three groups that ask for the same sum of overlapping winners.

    Pulled far down the direction of falling revenue, the projection once returned a point outside
    all bounds with the right sum; cut off at the bounds, it charged ten times the least revenue.
    """
    lower, upper = np.zeros(6), np.array([0.6, 0.8, 0.8, 1.0, 0.2, 0.8])
    rows = np.array([[1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 0, 0], [1, 0, 1, 1, 1, 1]], dtype=float)
    point = nearest_cheapest(lower, upper, rows, np.full(3, 0.2))

    assert point == pytest.approx([0, 0, 0, 0.2, 0, 0], abs=1e-9)


@pytest.mark.parametrize("seed", range(200))
def test_many_demands_are_met_at_the_least_revenue(seed):
    """Tests whole numbers with many ties, where faces of the core are degenerate."""
    rng = np.random.default_rng(seed)
    num = int(rng.integers(2, 9))
    upper = rng.integers(1, 6, num) / 5.0
    rows = (rng.random((int(rng.integers(1, 7)), num)) < 0.5).astype(float)
    least = np.minimum(rng.integers(0, 6, len(rows)) / 5.0, rows @ upper)
    point = nearest_cheapest(np.zeros(num), upper, rows, least)

    best = linprog(np.ones(num), -rows, -least, bounds=np.stack([np.zeros(num), upper], axis=1))
    assert (rows @ point >= least - 1e-9).all()
    assert point.sum() == pytest.approx(best.fun, abs=1e-8)
