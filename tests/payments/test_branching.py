"""Tests of branching on the linear relaxation."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Market, Reports
from boca.payments.bids import Packing
from boca.payments.branching import Branching
from boca.payments.packing_lp import PackingLP

NOTHING = np.zeros(0, dtype=np.int64)


def branching_of(reports, market, best=NOTHING, gap=0.0) -> Branching:
    packing = Packing.from_reports(reports, market)
    return Branching(packing, PackingLP(packing), np.ones(len(packing), bool), [best], gap=gap)


@settings(max_examples=100, deadline=None)
@given(auctions(max_bidders=5), st.booleans())
def test_brute_force_agrees(auction, is_whole):
    """Tests capacities and ties, with whole numbers and with decimals."""
    reports, market = auction
    if not is_whole:
        reports = [type(r)(r.bundles, r.values * 0.3712345678) for r in reports]
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return
    branching = branching_of(reports, market)

    assert branching.run()

    best = best_welfare(reports, market)
    assert branching.surplus[0] == pytest.approx(best, rel=1e-12)
    assert branching.bound[0] == pytest.approx(best, rel=1e-9)
    assert branching.bound[0] >= best - 1e-12 * (1 + best)
    sold = packing.bundles[branching.best[0]].sum(axis=0)
    assert (sold <= market.capacities).all()
    assert len(set(packing.owners[branching.best[0]].tolist())) == len(branching.best[0])


@settings(max_examples=60, deadline=None)
@given(auctions(max_bidders=5), st.sampled_from([10**9, 10**11, 10**12 - 10]))
def test_the_last_digit_of_large_numbers_decides(auction, size):
    """Tests that bounds of whole numbers have no rounding, whatever the solver's tolerances."""
    reports, market = auction
    reports = [type(r)(r.bundles, size + r.values) for r in reports]
    if not len(Packing.from_reports(reports, market)):
        return
    branching = branching_of(reports, market)

    assert branching.run()
    assert branching.surplus[0] == branching.bound[0] == best_welfare(reports, market)


@settings(max_examples=40, deadline=None)
@given(auctions(max_bidders=5, ties=False), st.integers(0, 40))
@example(([Reports([[1]], [0.5])], Market.simple(1, 1)), 0)
def test_a_pause_leaves_a_bound_that_holds(auction, iterations):
    """Tests that stopping anywhere keeps the promise of the bound, and going on completes it."""
    reports, market = auction
    if not len(Packing.from_reports(reports, market)):
        return
    branching = branching_of(reports, market)
    money = branching.packing.money  # of 0.5 alone, packings count in tenths
    best = best_welfare(reports, market)

    branching.run(iterations)
    assert money(branching.surplus[0]) <= best + 1e-9
    assert money(branching.bound[0]) >= best - 1e-9

    assert branching.run()
    assert money(branching.surplus[0]) == pytest.approx(best)


def test_a_gap_leaves_a_bound_on_whole_numbers_that_holds():
    """
    Tests four bids of which two are worth 32 together: a gap of 15 % lets a single bid of 28 stay,
    since 32 < 32.2, but then the bound has to be 32 and not 31.
    """
    bids = [([1, 1, 0], 23.0), ([1, 0, 1], 23.0), ([0, 0, 1], 9.0), ([0, 1, 1], 28.0)]
    branching = branching_of(
        [Reports([bundle], [value]) for bundle, value in bids], Market.simple(3, 4), gap=0.15
    )

    assert branching.run()

    assert branching.surplus[0] <= 32 <= branching.bound[0] <= branching.surplus[0] * 1.15


@settings(max_examples=100, deadline=None)
@given(auctions(max_bidders=5), st.sampled_from([0.05, 0.1, 0.15, 0.3, 0.5]), st.integers(1, 9))
def test_bounds_hold_with_any_gap(auction, gap, size):
    """Tests by brute force that whole numbers and a gap never give a bound below the optimum."""
    reports, market = auction
    reports = [type(r)(r.bundles, r.values + size * r.bundles.sum(axis=1)) for r in reports]
    if not len(Packing.from_reports(reports, market)):
        return
    branching = branching_of(reports, market, gap=gap)

    assert branching.run()

    assert branching.surplus[0] <= best_welfare(reports, market) <= branching.bound[0]
    assert branching.bound[0] <= branching.surplus[0] * (1 + gap)


def test_a_gap_ends_the_work_early():
    """Tests that a bound within the gap is enough, and that fewer nodes are opened."""
    reports, market = random_reports(20, 30, 20, 0.25, seed=1)
    exact, quick = branching_of(reports, market), branching_of(reports, market, gap=0.1)

    assert exact.run()
    assert quick.run()

    assert quick.num_nodes < exact.num_nodes
    assert exact.surplus[0] <= quick.bound[0] <= 1.1 * quick.surplus[0] + 1e-9


def test_prices_on_the_grid_never_exceed_prices():
    """Tests that rounding keeps prices valid and sums exact, up to the largest numbers."""
    rng = np.random.default_rng(0)
    reports, market = random_reports(5, 10, 8, 0.4, seed=1)
    reports = [type(r)(r.bundles, np.round(10**11 * r.values)) for r in reports]
    packing = Packing.from_reports(reports, market)
    prices = 1e11 * rng.random(8)

    rounded = packing.on_grid(prices)

    assert (rounded <= prices).all()
    assert (prices - rounded < 1).all()
    gains = packing.surplus - packing.bundles @ rounded
    exact = [
        int(v * 1024) - sum(int(p * 1024) for p, x in zip(rounded, row, strict=True) if x)
        for v, row in zip(packing.surplus, packing.bundles, strict=True)
    ]
    assert (rounded * 1024 == np.round(rounded * 1024)).all() or packing.scale < 2**30
    assert [int(gain * 1024) for gain in gains] == exact
