"""The allocation that rounds are planned from."""

import numpy as np
import pytest

from boca.core import Economy, Market, Reports, check_feasible
from boca.payments import allocate, allocate_quickly
from boca.payments.effort import Effort


def random_bids(num_bidders, num_goods, num_bids, seed, density=0.2):
    """Unrelated bundles, which are hard to pack."""
    rng = np.random.default_rng(seed)
    reports = []
    for _ in range(num_bidders):
        bundles = (rng.random((num_bids, num_goods)) < density).astype(np.int64)
        bundles = np.unique(bundles[bundles.any(axis=1)], axis=0)
        reports.append(Reports(bundles, bundles.sum(axis=1) * rng.uniform(1, 2, len(bundles))))
    return Market.simple(num_goods, num_bidders), reports


@pytest.mark.parametrize("seed", range(5))
def test_markets_of_few_bidders_get_the_best_allocation(seed):
    """Tests that planning from a quick allocation changes nothing where a proof takes little."""
    market, reports = random_bids(6, 12, 20, seed)
    for economy in (None, Economy.without(2, 6)):
        exact, quick = (f(reports, market, economy) for f in (allocate, allocate_quickly))
        assert quick.is_proven
        assert quick.allocation == exact.allocation
        assert quick.welfare == exact.welfare


def test_many_bidders_do_not_wait_for_a_proof():
    """
    Tests that 60 bidders with unrelated bundles get a feasible allocation and an honest bound
    where a mixed-integer program would take over.
    """
    market, reports = random_bids(60, 60, 20, 0, density=0.15)
    quick = allocate_quickly(reports, market)
    check_feasible(quick.allocation, market)
    assert not quick.is_proven
    assert quick.method != "milp"
    assert 0 < quick.welfare < quick.bound
    assert allocate_quickly(reports, market).allocation == quick.allocation


def test_reserve_prices_count():
    """Tests that nothing is given away below its reserve price."""
    market, reports = random_bids(3, 5, 5, 1)
    assert not allocate_quickly(reports, market, reserve=[9.0] * 5).allocation.bundles.any()


def test_a_quick_effort_shrinks_with_the_market():
    """Tests that iterations, which grow with bidders, become fewer."""
    assert Effort.quick(100).iterations < Effort.quick(10).iterations
    assert not Effort.quick(10).to_the_end
