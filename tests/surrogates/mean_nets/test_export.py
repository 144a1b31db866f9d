"""Frozen networks are the trained ones."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import Market, Reports
from boca.surrogates.mean_nets import MeanNetParams
from boca.surrogates.mean_nets.export import freeze
from boca.surrogates.mean_nets.initialisation import draw_layers
from boca.surrogates.mean_nets.prepare import prepare
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
def test_frozen_network_is_the_trained_one(kind):
    """Tests that freezing changes neither values nor units, the ReLU of the output included."""
    params = quick(kind=kind, hidden_layers=2, value_range=7.0)
    problem = prepare(reports(), MARKET, 0, params, largest_of_all=17.0)
    layers = project(draw_layers(5, params, np.random.default_rng(4)), kind)
    values = np.asarray(evaluate(layers, EVERYTHING / MARKET.capacities, kind))

    frozen = freeze(layers, problem, params)

    np.testing.assert_allclose(frozen(EVERYTHING), problem.unit * values, rtol=1e-5, atol=1e-5)
    assert problem.unit == pytest.approx(17 / 7)
    if kind == "relu":
        assert frozen(EVERYTHING).min() >= 0
