"""What a mean network is trained on."""

import numpy as np
from random_functions import all_bundles

from boca.core import Market, Reports
from boca.surrogates.mean_nets import MeanNetParams
from boca.surrogates.mean_nets.prepare import prepare, training_data

MARKET = Market.simple(5, 2, capacities=[1, 1, 2, 1, 1])
EVERYTHING = all_bundles(MARKET.capacities)


def reports(seed=0, num=20):
    """Additive values with a bonus for two goods together; the full bundle is among them."""
    rng = np.random.default_rng(seed)
    some = np.vstack([EVERYTHING[-1], rng.permutation(EVERYTHING[1:-1])[: num - 1]])
    return Reports(some, some @ [4, 3, 2, 2, 1] + 3.0 * (some[:, 0] * some[:, 1]))


def quick(**changes):
    return MeanNetParams(**({"hidden_units": 16, "learning_rate": 0.01, "epochs": 100} | changes))


def test_scaling_by_own_or_common_largest():
    """Tests the two published scales: each bidder's largest report, or that of all bidders."""
    own = prepare(reports(), MARKET, 0, quick(scaling="own"), largest_of_all=1000.0)
    common = prepare(reports(), MARKET, 0, quick(scaling="common", value_range=500.0), 1000.0)
    assert own.unit == reports().values.max()
    assert common.unit == 2.0


def test_batches_are_whole_shuffled_passes():
    """Tests that every epoch sees every report once, and that a last batch may be smaller."""
    params = quick(batch_size=3, epochs=4)
    problem = prepare(reports(num=19), MARKET, 0, params, 1.0)  # and the empty bundle: 20
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
