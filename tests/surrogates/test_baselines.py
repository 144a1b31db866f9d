"""Parameters of the mechanisms that BOCA is compared with."""

import json
from dataclasses import asdict

import pytest

from boca.core import Market
from boca.surrogates.baselines import baseline_params, ft_shares
from boca.surrogates.hyperparameters import BASELINES

MARKET = Market.simple(5, 2)


@pytest.mark.parametrize("mechanism", ["mvnn-mlca", "nn-mlca"])
@pytest.mark.parametrize("domain", ["gsvm", "lsvm", "srvm", "mrvm"])
def test_published_settings_become_parameters(mechanism, domain):
    """Tests that every published table can be used, with the scaling that belongs to it."""
    params = baseline_params(mechanism, MARKET, domain)
    assert len(params) >= 2
    for own in params.values():
        assert own.kind == ("monotone" if mechanism == "mvnn-mlca" else "relu")
        assert own.value_range == (1.0 if mechanism == "mvnn-mlca" else 500.0)
        assert own.max_attempts == 20


def test_unknown_markets_get_defaults():
    """Tests that a market nobody tuned can be learned all the same."""
    assert baseline_params("nn-mlca", MARKET, "").keys() == {""}
    assert baseline_params("svr-mlca", MARKET, "srvm").keys() == {""}


@pytest.mark.parametrize("domain", ["gsvm", "lsvm", "srvm", "mrvm", "", "market.toml"])
@pytest.mark.parametrize("mechanism", BASELINES)
def test_parameters_for_every_market_survive_as_plain_values(mechanism, domain):
    """Tests that each mechanism can be set up and saved, also where nothing is published."""
    params = baseline_params(mechanism, MARKET, domain)
    assert params
    for one in params.values():
        assert type(one)(**json.loads(json.dumps(asdict(one)))) == one


def test_shares_of_fourier_queries():
    """Tests the published split of GSVM and the defaults, which are those of LSVM."""
    assert sum(ft_shares("gsvm")) == pytest.approx(1)
    assert ft_shares("nowhere") == ft_shares("lsvm")
