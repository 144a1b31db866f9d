import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import KINDS, generators, some_bundles
from random_problems import allowed_bundles, kinds_for, lattices, random_market

from boca.core import InfeasibleAllocation, InputError
from boca.functions import MonotoneNet, Quadratic
from boca.wdp import WelfareProblem, best_bundle


@given(
    generators(),
    lattices(most=64, max_goods=6),
    st.booleans(),
    st.sampled_from(["optimal", "none"]),
)
@settings(max_examples=120, deadline=None)
def test_agrees_with_brute_force(rng, capacities, is_large, proof):
    """Tests listing and, pretending that markets are large, search and exact pricing."""
    function = KINDS[rng.choice(kinds_for(capacities))](rng, capacities)
    market = random_market(rng, capacities, 2)
    excluded = some_bundles(rng, capacities, 0.1)
    prices = rng.normal(size=len(capacities)) * 0.3
    problem = WelfareProblem(market, [function, function], excluded={1: excluded})
    bundles = allowed_bundles(problem, 1)

    arguments = (function, prices, market, 1, excluded, proof)
    most_listed = 0 if is_large else 64
    if not len(bundles):
        with pytest.raises(InfeasibleAllocation):
            best_bundle(*arguments, most_listed=most_listed)
        return
    answer = best_bundle(*arguments, most_listed=most_listed)

    utilities = function(bundles) - bundles @ prices
    slack = 2e-6 * (1 + abs(function(bundles)).max())
    assert (bundles == answer.bundle).all(axis=1).any()
    assert answer.utility <= utilities.max() + slack
    assert answer.bound >= utilities.max() - slack
    if proof == "optimal":
        assert answer.utility == pytest.approx(utilities.max(), abs=slack)


def test_demand_by_hand():
    """Tests a bidder with additive values 3 and 1 at prices 2 and 2."""
    function = Quadratic(np.zeros((2, 2)), np.array([3.0, 1.0]))

    answer = best_bundle(function, np.array([2.0, 2.0]))

    assert answer.bundle.tolist() == [1, 0]
    assert answer.utility == answer.bound == 1


def test_prices_must_fit():
    """Tests that a missing price is not taken for 0."""
    with pytest.raises(InputError, match="prices"):
        best_bundle(Quadratic(np.zeros((2, 2))), np.ones(3))
    with pytest.raises(InputError, match="proof"):
        best_bundle(Quadratic(np.zeros((2, 2))), np.ones(2), proof="some")


@pytest.mark.parametrize("copies", [12_000, 40_000])
def test_goods_with_thousands_of_copies(copies):
    """Tests search and proof together where counts are larger than 16 bits or than 10,000."""
    capacities = np.array([copies, copies])
    net = MonotoneNet(
        [[[1.0, 0.3], [0.2, 0.8]]], [[-0.2, -0.4]], [[2.0, 2.0]], [1.0, 1.0], capacities=capacities
    )
    full = float(net(capacities[None])[0])

    answer = best_bundle(net, np.full(2, 0.05 / copies))

    assert answer.bundle.tolist() == capacities.tolist()
    assert answer.utility == pytest.approx(full - 0.1)
    assert answer.bound >= answer.utility
