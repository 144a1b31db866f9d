import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core.allocation import check_feasible
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.lab.domains import generic_view, load_domain
from boca.lab.domains.generic import OfCounts, grouped_market
from boca.lab.domains.grouping import Grouping

SEEDS = st.integers(-5, 5)
RANDOM = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@settings(deadline=None)
@given(st.sampled_from(["srvm", "mrvm"]), SEEDS, RANDOM)
def test_same_values_in_both_views(name, seed, generator):
    """Tests both ways: counts of item bundles, and items of counted bundles."""
    items, counts = load_domain(name, seed=seed), load_domain(name, seed=seed, generic=True)
    grouping = counts.grouping
    bidder = int(generator.integers(items.market.num_bidders))

    bundles = generator.binomial(1, generator.random(), (20, items.market.num_goods))
    assert np.array_equal(
        items.values(bidder, bundles), counts.values(bidder, grouping.to_counts(bundles))
    )
    bundles = generator.integers(
        0, counts.market.capacities, (20, len(grouping.names)), endpoint=True
    )
    assert np.array_equal(
        counts.values(bidder, bundles), items.values(bidder, grouping.to_items(bundles))
    )


@settings(deadline=None)
@given(st.sampled_from(["srvm", "mrvm"]), SEEDS, RANDOM)
def test_identical_licences_can_be_swapped(name, seed, generator):
    """Tests that which copy a bidder holds does not matter."""
    domain = load_domain(name, seed=seed)
    bidder = int(generator.integers(domain.market.num_bidders))
    bundles = generator.integers(0, 2, (20, domain.market.num_goods))
    goods = np.array(domain.grouping.goods)
    order = np.arange(len(goods))
    for good in set(domain.grouping.goods):
        copies = np.flatnonzero(goods == good)
        order[copies] = generator.permutation(copies)
    assert np.array_equal(domain.values(bidder, bundles), domain.values(bidder, bundles[:, order]))


@pytest.mark.parametrize(("name", "num_goods"), [("srvm", 3), ("mrvm", 42)])
def test_same_optimum_in_both_views(name, num_goods):
    """Tests that the efficient allocation carries over and stays feasible."""
    items, counts = load_domain(name, seed=3), load_domain(name, seed=3, generic=True)
    assert counts.is_generic
    assert counts.market.num_goods == num_goods
    assert counts.market.capacities.sum() == items.market.num_goods
    assert counts.bidder_types == items.bidder_types
    assert counts.efficient().welfare == items.efficient().welfare
    check_feasible(counts.efficient().allocation, counts.market)


@pytest.mark.parametrize("name", ["srvm", "mrvm"])
def test_same_samples_in_both_views(name):
    """Tests that a sampling seed means the same bundles in both views."""
    items, counts = load_domain(name, seed=3), load_domain(name, seed=3, generic=True)
    expected = counts.grouping.to_counts(items.sample(1, 5, seed=8))
    assert np.array_equal(counts.sample(1, 5, seed=8), expected)


@pytest.mark.parametrize("name", ["gsvm", "lsvm", "toy"])
def test_view_without_identical_licences_is_the_domain(name):
    """Tests that there is nothing to group where no two goods are alike."""
    domain = load_domain(name, seed=3)
    assert generic_view(domain) is domain


def test_view_of_a_view_is_the_view():
    """Tests that asking twice changes nothing."""
    view = load_domain("srvm", seed=3, generic=True)
    assert generic_view(view) is view


def test_limits_carry_over():
    """Tests that a limit on items becomes one on counts."""
    limit = Limit((1.0, 3.0, 1.0), 4.0, "credits")
    market = Market((Good("A1"), Good("B"), Good("A2")), (Bidder("ann", limits=(limit,)),))
    grouped = grouped_market(market, Grouping((0, 1, 0), ("A", "B")))
    assert grouped.bidders[0].limits == (Limit((1.0, 3.0), 4.0, "credits"),)
    assert grouped.allows(0, np.array([[1, 1], [2, 1]])).tolist() == [True, False]


def test_item_function_seen_as_counts():
    """Tests the view of a function that knows items only."""
    domain = load_domain("srvm", seed=3)
    function = OfCounts(domain.function(4), domain.grouping)
    bundles = np.array([[0, 0, 0], [2, 3, 4], [6, 14, 9]])
    expected = load_domain("srvm", seed=3, generic=True).values(4, bundles)
    assert function.capacities.tolist() == [6, 14, 9]
    assert np.array_equal(function(bundles), expected)
