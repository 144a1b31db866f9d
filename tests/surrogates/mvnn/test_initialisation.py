"""Random starts: the paper's mixture keeps mean and variance at any width, generic ones do not."""

import numpy as np
import pytest

from boca.surrogates import MvnnParams
from boca.surrogates.mvnn.initialisation import draw_weights, scaling_rule

WIDTHS = (4, 16, 64, 256, 1024)


@pytest.mark.parametrize("fan_in", WIDTHS)
@pytest.mark.parametrize("variance", [0.02, 0.16])
def test_pre_activations_match_the_theorem(fan_in, variance):
    """
    Tests Theorem 3 by sampling: an all-ones input has mean E_init, and variance V_init where the
    width allows it, more where it does not (small widths use the branch p = 1).
    """
    params = MvnnParams(init_mean=1.5, init_variance=variance)
    rng = np.random.default_rng(fan_in)
    mixture = scaling_rule(fan_in, params)
    sums = mixture.draw((40_000, fan_in), rng).sum(axis=1)
    biases = -params.init_bias * rng.random(40_000)

    assert (sums + biases).mean() == pytest.approx(1.5, abs=0.02)
    if fan_in > (1.5 + 0.025) ** 2 / (3 * variance):
        assert sums.var() == pytest.approx(variance, rel=0.05)
    else:
        assert mixture.probability == 1
        assert sums.var() >= 0.95 * variance


def test_both_branches_are_met():
    """Tests that the widths above use both branches of the rule, so that both are tested."""
    params = MvnnParams(init_mean=1.5, init_variance=0.02)
    probabilities = [scaling_rule(d, params).probability for d in WIDTHS]
    assert probabilities[0] == 1
    assert probabilities[-1] < 1


def test_parts_of_the_mixture_are_ordered():
    """Tests 0 <= A <= B and that B stays away from zero for wide layers (items 6 to 9)."""
    params = MvnnParams(init_mean=1.2, init_variance=0.1)
    for fan_in in WIDTHS:
        mixture = scaling_rule(fan_in, params)
        assert 0 <= mixture.smaller <= mixture.largest
        assert mixture.largest >= 3 * 0.1 / (2 * 1.225) - 1e-12


def share_in_the_linear_part(init: str) -> float:
    """Of second-layer neurons and random bundles, those with an activation between 0 and t."""
    params = MvnnParams(hidden_layers=2, hidden_units=64, init=init)
    rng = np.random.default_rng(3)
    weights = draw_weights(18, params, rng)
    z = rng.integers(0, 2, (200, 18)).astype(float)
    for w, b, t in zip(weights.hidden, weights.biases, weights.cutoffs, strict=True):
        before = z @ w + b
        z = np.clip(before, 0, t)
    return float(((before > 0) & (before < t)).mean())


def test_generic_initialisation_saturates():
    """
    Tests the failure of the paper's Figure 3: at [64, 64] hardly a neuron of a generic start can
    pass on a gradient, while a good part of the mixture's can.
    """
    assert share_in_the_linear_part("generic_glorot") < 0.02
    assert share_in_the_linear_part("mixture") > 0.1


def test_shrunk_initialisation_has_vanishing_variance():
    """Tests the other failure: pre-activations of wide layers are all the same."""
    params = MvnnParams(init="generic_shrunk", hidden_units=512, hidden_layers=1)
    weights = draw_weights(1024, params, np.random.default_rng(0))
    assert weights.hidden[0].sum(axis=0).var() < 0.01


def test_start_is_a_valid_network():
    """Tests signs and the zero skip connection of a fresh start."""
    weights = draw_weights(5, MvnnParams(hidden_units=8), np.random.default_rng(0))
    assert all((w >= 0).all() for w in weights.hidden)
    assert all((b <= 0).all() for b in weights.biases)
    assert all(((t >= 0) & (t <= 1)).all() for t in weights.cutoffs)
    assert not weights.skip.any()
