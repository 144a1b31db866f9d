"""What simulated bidders want at given prices."""

import numpy as np
import pytest

from boca.lab.domains import load_domain
from boca.lab.domains.true_demand import best_first, demanded, of_any

CASES = [
    (name, generic)
    for name in ("gsvm", "lsvm", "srvm", "mrvm", "toy")
    for generic in (False, True)
    if name in ("srvm", "mrvm") or not generic
]


def some_prices(domain, seed):
    """Prices of the size of what single copies are worth, all different."""
    market = domain.market
    single = np.eye(market.num_goods, dtype=np.int64)
    worth = np.mean([domain.values(i, single) for i in range(market.num_bidders)])
    return np.random.default_rng(seed).uniform(0, 3 * worth, market.num_goods)


@pytest.mark.parametrize(("name", "generic"), CASES)
def test_no_neighbour_and_no_random_bundle_is_better(name, generic):
    """Tests each value model's own method against what a bidder could easily find itself."""
    domain = load_domain(name, seed=10001, generic=generic)
    market = domain.market
    for bidder in (0, market.num_bidders - 1):
        prices = some_prices(domain, bidder)
        best = demanded(domain, bidder, prices)[0]
        assert market.allows(bidder, best)[0]
        others = [domain.sample(bidder, 300, seed=1), [0 * best]]
        for step in (-1, 1):
            near = best + step * np.eye(market.num_goods, dtype=np.int64)
            others.append(near[market.allows(bidder, near)])
        bundles = np.vstack(others)
        utility = domain.values(bidder, best)[0] - best @ prices
        others_utility = domain.values(bidder, bundles) - bundles @ prices
        assert others_utility.max() <= utility + 1e-9 * abs(utility) + 1e-9


@pytest.mark.parametrize("bidder", [0, 6])
def test_tables_agree_with_listing_everything(bidder):
    """Tests GSVM, with its limits, against all 2^18 bundles."""
    domain = load_domain("gsvm", seed=3)
    prices = some_prices(domain, 5)
    outside = np.setdiff1d(np.arange(18), domain.function(bidder).items)
    prices[outside] = 1e6  # so that bundles with items of no interest come last
    quick = demanded(domain, bidder, prices, 20)
    listed = of_any(domain.function(bidder), domain.market, bidder, prices, 21)
    listed = listed[listed.any(axis=1)][:20]
    gain = domain.values(bidder, quick) - quick @ prices
    expected = domain.values(bidder, listed) - listed @ prices
    np.testing.assert_allclose(gain, expected)


def test_regions_agree_with_listing_counts():
    """Tests the lists over regions against every choice, with all but three regions priced out."""
    domain = load_domain("mrvm", seed=10002, generic=True)
    bidder = 9  # national: the factor depends on how many regions are missed
    prices = np.full(42, 1e12)
    open_goods = [region + 14 * band for region in (3, 5, 8) for band in range(3)]
    prices[open_goods] = np.random.default_rng(0).uniform(1e5, 4e7, 9)
    grids = np.meshgrid(*[np.arange(domain.market.capacities[j] + 1) for j in open_goods])
    bundles = np.zeros((grids[0].size, 42), dtype=np.int64)
    bundles[:, open_goods] = np.stack([grid.ravel() for grid in grids], axis=1)
    profits = np.sort(domain.values(bidder, bundles) - bundles @ prices)[::-1]

    found = demanded(domain, bidder, prices, 50)

    gain = domain.values(bidder, found) - found @ prices
    expected = profits[np.abs(profits) > 0][:50]  # without the empty bundle
    np.testing.assert_allclose(gain, expected, rtol=1e-9)


def test_several_bundles_are_distinct_sorted_and_not_empty():
    """Tests what supplementary bids rely on."""
    domain = load_domain("srvm", seed=10001)
    prices = some_prices(domain, 1)
    found = demanded(domain, 3, prices, 100)
    gain = domain.values(3, found) - found @ prices
    assert len(np.unique(found, axis=0)) == len(found) == 100
    assert (np.diff(gain) <= 1e-9).all()
    assert found.any(axis=1).all()


def test_best_first_breaks_ties_by_order():
    """Tests that equal profits come in the order of the table, so that answers repeat."""
    assert best_first(np.array([1.0, 3.0, 3.0, 2.0, -np.inf]), 2).tolist() == [1, 2]
    assert best_first(np.array([1.0, 3.0, 3.0, 3.0]), 2).tolist() == [1, 2]
    assert best_first(np.array([1.0, -np.inf]), 5).tolist() == [0]
