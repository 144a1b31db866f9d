"""Tests of the full-information benchmark."""

import pytest

from boca.lab.domains import load_domain
from boca.lab.simulation.full_information import full_information_vcg
from boca.lab.simulation.mechanisms import mechanism_params
from boca.lab.simulation.simulated_auction import simulate
from boca.mechanism import PRESETS


def test_toy_prices_are_those_of_its_table():
    """Tests the payments in the toy's own comment: 5, nothing, 2."""
    outcome, _ = full_information_vcg(load_domain("toy"))
    assert outcome.payments.tolist() == [5, 0, 2]
    assert outcome.welfare == 12


@pytest.mark.parametrize("name", ["lsvm", "srvm"])
def test_payments_lie_between_zero_and_value(name):
    """Tests individual rationality and no deficit on real instances."""
    outcome, _ = full_information_vcg(load_domain(name, seed=10002))
    assert (outcome.payments >= 0).all()
    assert (outcome.payments <= outcome.values).all()
    assert 0 < outcome.revenue < outcome.welfare


def test_single_bidder_pays_nothing(tmp_path):
    """Tests a market where nobody is left when a bidder is absent."""
    file = tmp_path / "one.toml"
    file.write_text('[[goods]]\nname = "hall"\n[[bidders]]\nname = "Ann"\nvalues = { hall = 3 }\n')
    outcome, _ = full_information_vcg(load_domain(str(file)))
    assert (outcome.welfare, outcome.payments.tolist()) == (3, [0])


def test_it_is_a_mechanism_of_simulations_only():
    """Tests that simulations know it and that it is none of the mechanism's presets."""
    domain = load_domain("toy", seed=1)
    result = simulate(domain, mechanism_params("vcg", domain.market))
    assert result.efficiency_loss == 0
    assert result.state.num_asked == (0, 0, 0)
    assert "vcg" not in PRESETS
