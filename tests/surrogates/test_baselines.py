"""Parameters of the mechanisms that BOCA is compared with."""

import pytest

from boca.core import Market
from boca.surrogates.baselines import baseline_params

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
