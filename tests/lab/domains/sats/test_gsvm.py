import numpy as np
import pytest

from boca.lab.domains import load_domain
from boca.lab.domains.sats.gsvm import items_of_interest


def test_draws_are_the_recorded_ones(golden_params):
    """Tests every base value of every recorded instance, so that a wrong draw is named."""
    for seed, recorded in golden_params("gsvm").items():
        drawn = load_domain("gsvm", seed=seed).base_values
        for bidder, expected in enumerate(recorded["bidders"]):
            base = {int(item): value for item, value in expected["base"].items()}
            assert drawn[bidder] == base, (seed, bidder)


def test_bidder_1_of_the_check_list():
    """Tests the published numbers of bidder 1 in instance 10001."""
    assert load_domain("gsvm", seed=10001).base_values[1] == {
        2: 13.428328107016117,
        3: 17.970596637752383,
        4: 29.103993093279893,
        5: 5.3599956961248285,
        13: 1.5160147688897507,
        14: 15.294049097667695,
    }


def test_draws_go_up_from_position_zero():
    """Tests the order for the bidder whose interests wrap around both circles."""
    assert items_of_interest(5) == (0, 1, 10, 11, 12, 17)


def test_synergy_counts_items_of_interest_only():
    """Tests that a bundle's value ignores what the bidder does not want."""
    domain = load_domain("gsvm", seed=1)
    base = domain.base_values[0]
    bundle = np.zeros(18, dtype=int)
    bundle[[0, 1, 7, 17]] = 1  # 7 and 17 mean nothing to bidder 0
    expected = 1.2 * (base[0] + base[1])
    assert domain.values(0, bundle)[0] == pytest.approx(expected, rel=1e-15)


def test_limits_are_in_the_market():
    """Tests the allocation limits, without which the optimum would be too large."""
    market = load_domain("gsvm", seed=1).market
    five, regional = np.zeros(18, dtype=int), np.zeros(18, dtype=int)
    five[:5] = 1
    regional[12] = 1
    assert not market.allows(0, five)[0]
    assert market.allows(0, regional)[0]
    assert market.allows(6, five)[0]
    assert not market.allows(6, regional)[0]


def test_samples_obey_the_limits():
    """Tests that a first query never asks for a bundle that the bidder cannot win."""
    domain = load_domain("gsvm", seed=1)
    for bidder in range(7):
        assert domain.market.allows(bidder, domain.sample(bidder, 50, seed=3)).all()


def test_limits_cost_welfare(golden_optima):
    """Tests that the limits bind where the record says so: forgetting them would show."""
    recorded = golden_optima("gsvm")[10001]
    assert recorded["value_without_limits"] > recorded["value"]
    welfare = load_domain("gsvm", seed=10001).efficient().welfare
    assert welfare == pytest.approx(recorded["value"], rel=1e-9)
