"""A buyer's market of lanes: costs, awards and offers against brute force."""

from itertools import product

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import InputError
from boca.lab.domains import load_domain
from boca.lab.domains.lanes import LaneCosts, Lanes
from boca.lab.domains.true_demand import demanded


def test_costs_by_hand():
    """
    Tests two lanes that are each other's way back: together no empty km, alone the way home.
    """
    costs = LaneCosts(100.0, np.array([200.0, 300.0]), np.array([[50.0, 0.0], [0.0, 70.0]]))

    assert costs([[0, 0], [1, 0], [0, 1], [1, 1]]).tolist() == [0.0, 350.0, 470.0, 600.0]


@pytest.mark.parametrize("seed", range(5))
def test_costs_are_monotone_and_below_the_spot_price_in_part(seed):
    """Tests that no lane more ever costs less, and that supplying can pay at all."""
    domain = Lanes(seed, 5, 2)
    bundles = all_bundles([1] * 5)
    for i in range(2):
        costs = dict(zip(map(tuple, bundles.tolist()), domain.values(i, bundles), strict=True))
        for bundle, cost in costs.items():
            for j in np.flatnonzero(np.array(bundle)):
                part = tuple(n - (k == j) for k, n in enumerate(bundle))
                assert costs[part] <= cost + 1e-9
    assert domain.efficient().allocation.bundles.any()


@pytest.mark.parametrize("seed", range(4))
def test_the_cheapest_award_is_that_of_brute_force(seed):
    """Tests the optimum, what it leaves to the spot market, and the award without a supplier."""
    domain = Lanes(seed, 4, 2)

    def cheapest(suppliers):
        best = np.inf
        for owners in product((None, *suppliers), repeat=4):
            rows = np.array([[o == i for o in owners] for i in range(2)], dtype=int)
            if all(domain.market.allows(i, rows[i])[0] for i in suppliers):
                costs = [domain.values(i, rows[i])[0] for i in suppliers]
                spot = sum(domain.reserve[j] for j, o in enumerate(owners) if o is None)
                best = min(best, sum(costs) + spot)
        return best

    best = domain.solve()
    assert -best.welfare == pytest.approx(cheapest((0, 1)))
    assert best.proven
    assert -domain.efficient_without(0).welfare == pytest.approx(cheapest((1,)))


def test_offers_at_prices_are_the_most_profitable_ones():
    """Tests what a supplier would supply at prices, within its capacity; nothing at low ones."""
    domain = Lanes(3, 6, 2)
    bundles = all_bundles([1] * 6)
    bundles = bundles[domain.market.allows(1, bundles)]
    for factor in (0.4, 0.6, 1.0):
        prices = factor * domain.at_most
        profits = bundles @ prices - domain.values(1, bundles)
        (offer,) = demanded(domain, 1, prices)
        profit = offer @ prices - domain.values(1, offer)[0]
        assert profit == pytest.approx(max(profits.max(), 0.0))
    assert not demanded(domain, 1, 0.01 * domain.at_most).any()
    assert domain.wanted(1, domain.at_most, 2) is None


def test_the_model_is_found_by_its_name():
    """Tests size, sense, capacities and prices of what a user gets."""
    domain = load_domain("lanes", 20001)
    market = domain.market
    assert (market.num_goods, market.num_bidders, market.sense) == (15, 6, "buy")
    assert {limit.bound for b in market.bidders for limit in b.limits} <= {3.0, 4.0, 5.0, 6.0}
    assert min(domain.reserve) > 2.5 * 150 + 300 - 1e-9
    assert np.array_equal(
        domain.values(2, market.full_bundle),
        load_domain("lanes", 20001).values(2, market.full_bundle),
    )
    with pytest.raises(InputError, match="0 lanes and 6 suppliers"):
        Lanes(1, 0)
