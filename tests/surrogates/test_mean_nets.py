"""Networks that learn a mean only."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import InputError, Market, Reports
from boca.functions import MonotoneNet, ReluNet
from boca.surrogates.baselines import baseline_params
from boca.surrogates.mean_nets.fit import (
    draw_layers,
    fit,
    freeze,
    pearson,
    prepare,
    training_data,
)
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mean_nets.training import evaluate, project

MARKET = Market.simple(5, 2, capacities=[1, 1, 2, 1, 1])
EVERYTHING = all_bundles(MARKET.capacities)


def reports(seed=0, num=20):
    """Additive values with a bonus for two goods together; the full bundle is among them."""
    rng = np.random.default_rng(seed)
    some = np.vstack([EVERYTHING[-1], rng.permutation(EVERYTHING[1:-1])[: num - 1]])
    return Reports(some, some @ [4, 3, 2, 2, 1] + 3.0 * (some[:, 0] * some[:, 1]))


def quick(**changes):
    return MeanNetParams(**({"hidden_units": 16, "learning_rate": 0.01, "epochs": 100} | changes))


@pytest.mark.parametrize("kind", ["monotone", "relu"])
@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
@pytest.mark.parametrize("loss", ["mae", "mse"])
def test_reports_are_learned(kind, optimiser, loss):
    """Tests that every combination reaches a good fit, in units of value."""
    params = {"": quick(kind=kind, optimiser=optimiser, loss=loss)}
    fitted = fit([reports(), Reports.empty(5)], MARKET, params, seed=1)

    assert fitted.keys() == {0}  # nobody learns from nothing
    assert fitted[0].diagnostics["pearson"] > 0.9
    assert isinstance(fitted[0].mean, MonotoneNet if kind == "monotone" else ReluNet)
    found = fitted[0].mean(reports().bundles)
    assert np.abs(found - reports().values).mean() < 1.5  # of values up to 17


@pytest.mark.parametrize("kind", ["monotone", "relu"])
def test_frozen_network_is_the_trained_one(kind):
    """Tests that freezing changes neither values nor units, the ReLU of the output included."""
    params = quick(kind=kind, hidden_layers=2, value_range=7.0)
    problem = prepare(reports(), MARKET, params, largest_of_all=17.0)
    layers = project(draw_layers(5, params, np.random.default_rng(4)), kind)
    values = np.asarray(evaluate(layers, EVERYTHING / MARKET.capacities, kind))

    frozen = freeze(layers, problem, params)

    np.testing.assert_allclose(frozen(EVERYTHING), problem.unit * values, rtol=1e-5, atol=1e-5)
    assert problem.unit == pytest.approx(17 / 7)
    if kind == "relu":
        assert frozen(EVERYTHING).min() >= 0


def test_scaling_by_own_or_common_largest():
    """Tests the two published scales: each bidder's largest report, or that of all bidders."""
    own = prepare(reports(), MARKET, quick(scaling="own"), largest_of_all=1000.0)
    common = prepare(reports(), MARKET, quick(scaling="common", value_range=500.0), 1000.0)
    assert own.unit == reports().values.max()
    assert common.unit == 2.0


def test_batches_are_whole_shuffled_passes():
    """Tests that every epoch sees every report once, and that a last batch may be smaller."""
    params = quick(batch_size=3, epochs=4)
    problem = prepare(reports(num=19), MARKET, params, 1.0)  # and the empty bundle: 20
    data = training_data(problem, params, np.random.default_rng(0))

    assert data.num_steps == 4 * 7
    passes = data.batches[: data.num_steps].reshape(4, 21)
    for rows in passes:
        assert sorted(rows) == [-1, *range(20)]
    assert not np.array_equal(passes[0], passes[1])
    rates = data.rates[: data.num_steps].reshape(4, 7)
    assert (rates == rates[:, :1]).all()  # one rate an epoch
    expected = 0.01 * 0.5 * (1 + np.cos(np.pi * np.array([0, 0.25, 0.5, 0.75])))
    np.testing.assert_allclose(rates[:, 0], expected, rtol=1e-6)


def test_bad_fits_are_tried_again():
    """Tests that training starts anew while the correlation is too small, and then gives up."""
    params = {"": quick(epochs=1, learning_rate=1e-6, max_attempts=3, min_pearson=1.0)}
    fitted = fit([reports()], MARKET, params, seed=1)
    assert fitted[0].diagnostics["attempts"] == 3


def test_bidder_that_values_nothing():
    """Tests that values of 0 give the function 0 rather than a division by it."""
    nothing = Reports(reports().bundles, 0 * reports().values)
    fitted = fit([nothing], MARKET, {"": quick()}, seed=1)
    assert not fitted[0].mean(EVERYTHING).any()


def test_correlation_of_constant_predictions():
    """Tests that a dead network counts as the worst fit, not as an undefined one."""
    assert pearson(np.ones(3), np.array([1.0, 2.0, 3.0])) == -1.0
    assert pearson(np.array([1.0, 2.0]), np.array([10.0, 20.0])) == pytest.approx(1.0)


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "linear"},
        {"hidden_units": 0},
        {"batch_size": 1.5},
        {"learning_rate": 0},
        {"dropout": 1.0},
        {"steps_fraction": 0},
        {"loss": "huber"},
    ],
)
def test_impossible_settings_are_refused(wrong):
    """Tests that a wrong setting is named before any auction starts."""
    with pytest.raises(InputError, match=r"MeanNetParams\."):
        MeanNetParams(**wrong)
