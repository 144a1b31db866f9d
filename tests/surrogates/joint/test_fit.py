"""Networks of all bidders that share a hidden layer."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import InputError, Market, Reports, Seeds
from boca.core.demand import Demands
from boca.surrogates.joint import JointParams
from boca.surrogates.joint.fit import fit

CAPACITIES = [1, 2, 1, 2]
MARKET = Market.simple(4, 3, CAPACITIES)
BUNDLES = all_bundles(CAPACITIES)
NO_DEMANDS = [Demands.empty(4)] * 3
TINY = JointParams(hidden_units=16, steps=400, batch_size=20)
ANY = {"": TINY}


def true_values(bundles, scale):
    """All bidders agree about the shape of values, not about their size."""
    return scale * (np.asarray(bundles) @ [2, 1, 1, 1]) ** 0.7


def reports_of(num, scale, seed):
    chosen = np.random.default_rng(seed).permutation(np.arange(1, len(BUNDLES) - 1))[: num - 1]
    rows = BUNDLES[[*chosen, -1]]
    return Reports(rows, true_values(rows, scale))


def test_every_bidder_is_learned_in_its_own_units():
    """Tests values that differ a thousandfold, and that networks are monotone."""
    reports = [reports_of(15, scale, i) for i, scale in enumerate((1.0, 50.0, 1000.0))]
    found = fit(reports, NO_DEMANDS, MARKET, ANY, Seeds(0))
    parts = (BUNDLES[:, None, :] <= BUNDLES[None, :, :]).all(axis=2)
    for one in found.values():
        assert one.diagnostics["mean_r2"] > 0.95
        values = one.mean(BUNDLES)
        assert values[0] == 0
        assert (values[:, None] <= values[None, :] + 1e-9)[parts].all()


def test_what_one_bidder_shows_helps_with_another():
    """
    Tests that a bidder with five reports is predicted better together with others of the same
    kind than alone.
    """
    few = reports_of(5, 10.0, 1)
    others = [reports_of(25, 10.0, seed) for seed in (2, 3)]
    truth = true_values(BUNDLES, 10.0)
    together = fit([few, *others], NO_DEMANDS, MARKET, ANY, Seeds(0))[0].mean
    silent = Reports.empty(4)
    alone = fit([few, silent, silent], NO_DEMANDS, MARKET, ANY, Seeds(0))[0].mean
    assert np.abs(together(BUNDLES) - truth).mean() < np.abs(alone(BUNDLES) - truth).mean()


def test_same_seed_same_networks():
    """Tests that batches and dropout follow from the seed."""
    reports = [reports_of(10, 1.0, i) for i in range(3)]
    first, second, other = (
        fit(reports, NO_DEMANDS, MARKET, ANY, Seeds(seed))[0].mean for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.output, second.output)
    assert not np.array_equal(first.output, other.output)


def test_silent_bidders_are_left_out_and_worthless_reports_give_nothing():
    """Tests bidders without reports, and one to whom everything is worth nothing."""
    silent = Reports.empty(4)
    found = fit([reports_of(5, 1.0, 0), silent, silent], NO_DEMANDS, MARKET, ANY, Seeds(0))
    assert list(found) == [0]
    worthless = Reports(BUNDLES[-1:], [0.0])
    found = fit([worthless, silent, silent], NO_DEMANDS, MARKET, ANY, Seeds(0))
    assert (found[0].mean(BUNDLES) == 0).all()


def test_different_settings_cannot_share():
    """Tests the message where bidder types were given settings of their own."""
    params = {"a": TINY, "b": JointParams()}
    with pytest.raises(InputError, match="share a layer"):
        fit([reports_of(5, 1.0, 0)] * 3, NO_DEMANDS, MARKET, params, Seeds(0))
    with pytest.raises(InputError, match=r"JointParams\.dropout_prob is 1"):
        JointParams(dropout_prob=1)
