"""Networks that learn a mean only."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import Demands, Market, Reports, Seeds
from boca.functions import MonotoneNet, ReluNet
from boca.surrogates.mean_nets import MeanNetParams
from boca.surrogates.mean_nets.fit import fit

MARKET = Market.simple(5, 2, capacities=[1, 1, 2, 1, 1])
EVERYTHING = all_bundles(MARKET.capacities)


def reports(seed=0, num=20):
    """Additive values with a bonus for two goods together; the full bundle is among them."""
    rng = np.random.default_rng(seed)
    some = np.vstack([EVERYTHING[-1], rng.permutation(EVERYTHING[1:-1])[: num - 1]])
    return Reports(some, some @ [4, 3, 2, 2, 1] + 3.0 * (some[:, 0] * some[:, 1]))


def quick(**changes):
    return MeanNetParams(**({"hidden_units": 16, "learning_rate": 0.01, "epochs": 100} | changes))


def learn(rows, params):
    """What is learned about the first bidders of the market."""
    return fit(rows, [Demands.empty(5)] * len(rows), MARKET, params, Seeds(1))


@pytest.mark.parametrize("kind", ["monotone", "relu"])
@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
@pytest.mark.parametrize("loss", ["mae", "mse"])
def test_reports_are_learned(kind, optimiser, loss):
    """Tests that every combination reaches a good fit, in units of value."""
    params = {"": quick(kind=kind, optimiser=optimiser, loss=loss)}
    fitted = learn([reports(), Reports.empty(5)], params)

    assert fitted.keys() == {0}  # nobody learns from nothing
    assert fitted[0].diagnostics["pearson"] > 0.9
    assert isinstance(fitted[0].mean, MonotoneNet if kind == "monotone" else ReluNet)
    found = fitted[0].mean(reports().bundles)
    assert np.abs(found - reports().values).mean() < 1.5  # of values up to 17


def test_bad_fits_are_tried_again():
    """Tests that training starts anew while the correlation is too small, and then gives up."""
    params = {"": quick(epochs=1, learning_rate=1e-6, max_attempts=3, min_pearson=1.0)}
    fitted = learn([reports()], params)
    assert fitted[0].diagnostics["attempts"] == 3


def test_bidder_that_values_nothing():
    """Tests that values of 0 give the function 0 rather than a division by it."""
    nothing = Reports(reports().bundles, 0 * reports().values)
    fitted = learn([nothing], {"": quick()})
    assert not fitted[0].mean(EVERYTHING).any()
