"""Tests of the search over bidders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Market, Reports
from boca.payments.bids import Packing
from boca.payments.branch_and_bound import search
from boca.payments.packing_lp import PackingLP


def dual_prices(packing):
    """Prices of the linear relaxation in units of weight."""
    everything = np.ones(len(packing), dtype=bool)
    return PackingLP(packing).solve(~everything, everything)[1] / packing.scale


@settings(max_examples=80, deadline=None)
@given(auctions(), st.sampled_from(["none", "dual", "random"]), st.integers(0, 1000))
def test_any_prices_give_the_optimum(auction, kind, seed):
    """Tests that prices decide how much is looked at, never what is best."""
    reports, market = auction
    packing = Packing.from_reports(reports, market)
    prices = {
        "none": [],
        "dual": [dual_prices(packing)] if len(packing) else [],
        "random": [np.random.default_rng(seed).random(market.num_goods)],
    }[kind]

    result = search(packing, prices)

    assert result.complete
    assert packing.surplus[result.accepted].sum() == pytest.approx(best_welfare(reports, market))
    given_away = packing.bundles[result.accepted].sum(axis=0)
    assert (given_away <= market.capacities).all()
    assert len(set(packing.owners[result.accepted].tolist())) == len(result.accepted)


def test_three_bids_that_fit_in_pairs_only():
    """Tests a capacity that no pair of bids exceeds and all three together do."""
    reports = [Reports([[1]], [v]) for v in (5.0, 4.0, 3.0)]
    packing = Packing.from_reports(reports, Market.simple(1, 3, [2]))

    result = search(packing)

    assert result.accepted.tolist() == [0, 1]


def test_the_start_survives_the_node_limit():
    """Tests that a search that gives up at once returns what it began with, and says so."""
    reports, market = random_reports(5, 30, 10, 0.4, seed=2)
    packing = Packing.from_reports(reports, market)
    start = np.array([0])

    result = search(packing, start=start, node_limit=0)

    assert not result.complete
    assert result.accepted.tolist() == [0]
    assert result.weight == packing.weights[0]


def test_a_better_start_is_not_lost_and_a_worse_one_is_replaced():
    """Tests that the same optimum is reached from nothing, from the optimum and from one bid."""
    reports, market = random_reports(5, 30, 10, 0.4, seed=2)
    packing = Packing.from_reports(reports, market)
    best = search(packing)

    for start in (best.accepted, best.accepted[:1]):
        again = search(packing, [dual_prices(packing)], start)
        assert again.accepted.tolist() == best.accepted.tolist()
        assert again.complete


def test_more_bids_than_one_word_of_bits():
    """Tests a bidder with 150 bids, which take three words of 64 bits."""
    rng = np.random.default_rng(6)
    bundles = np.unique((rng.random((400, 9)) < 0.4).astype(int), axis=0)
    bundles = bundles[bundles.any(axis=1)][:150]
    values = bundles.sum(axis=1) ** 1.3 + 0.1 * rng.random(len(bundles))
    reports = [Reports(bundles, values), Reports(np.eye(9, dtype=int), rng.random(9))]
    market = Market.simple(9, 2)
    packing = Packing.from_reports(reports, market)
    assert (packing.owners == 0).sum() > 64

    result = search(packing)

    assert packing.surplus[result.accepted].sum() == pytest.approx(best_welfare(reports, market))


def test_no_bids_at_all():
    """Tests that an empty problem is solved at once."""
    packing = Packing.from_reports([Reports.empty(2)], Market.simple(2, 1))

    assert search(packing).complete
    assert search(packing).num_nodes == 0
