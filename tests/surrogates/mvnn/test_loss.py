"""Each term of the loss against a value computed by hand."""

import numpy as np
import pytest

from boca.surrogates.mvnn.loss import (
    LossWeights,
    keep_order,
    mean_fit,
    one_plus_elu,
    push_up,
    smooth_l1,
    upper_fit,
    upper_overshoot,
)

WEIGHTS = LossWeights(
    mean_smooth_l1_beta=0.25,
    pi_sqr=2.0,
    pi_exp=1.0,
    c_exp=10.0,
    pi_above_mean=4.0,
    pi_below_envelope=0.25,
)
HALF = np.array([0.5, 0.5])


def test_smooth_l1():
    """Tests both pieces of Definition D.1 and that they meet."""
    found = smooth_l1(np.array([0.0, 0.1, -0.5, 0.5, 2.0]), 0.5)
    np.testing.assert_allclose(found, [0, 0.01, 0.25, 0.25, 1.75], rtol=1e-6)


def test_one_plus_elu():
    """Tests both pieces of Definition D.2, and that large arguments do not overflow."""
    found = one_plus_elu(np.array([-1.0, 0.0, 3.0, 1000.0]))
    np.testing.assert_allclose(found, [np.exp(-1), 1, 4, 1001], rtol=1e-6)


def test_mean_fit():
    """Tests that the mean's residuals 0.1 and 1 cost 0.02 and 0.875 with beta 1/4."""
    loss = mean_fit(np.array([0.6, 1.0]), np.array([0.5, 0.0]), HALF, WEIGHTS)
    assert loss == pytest.approx((0.02 + 0.875) / 2)


def test_padding_does_not_count():
    """Tests that rows of weight zero are ignored, so that padding changes nothing."""
    loss = mean_fit(np.array([0.6, 9.0]), np.array([0.5, 0.0]), np.array([1.0, 0.0]), WEIGHTS)
    assert loss == pytest.approx(0.02)


def test_upper_fit():
    """Tests (D.3a): residuals -0.1 and 1 with beta 1/8, times pi_sqr."""
    loss = upper_fit(np.array([0.4, 1.0]), np.array([0.5, 0.0]), HALF, WEIGHTS)
    assert loss == pytest.approx(2 * (0.01 / 0.25 + 1 - 1 / 16) / 2)


def test_upper_overshoot():
    """Tests (D.3e): only the residual above the report costs."""
    loss = upper_overshoot(np.array([0.4, 1.0]), np.array([0.5, 0.0]), HALF, WEIGHTS)
    assert loss == pytest.approx(2 * (0.001 + 0.5 * (1 - 1 / 256)) / 2)


@pytest.mark.parametrize(("form", "argument"), [("published", -0.6), ("paper", -0.49)])
def test_push_up(form, argument):
    """
    Tests (D.3b) in both forms: -c (0.01 + s) in the published code, 0.01 - c s in the paper; s is
    0.05 where the envelope, not the bound, is the smaller.
    """
    ones = np.ones(1)
    loss = push_up(0.9 * ones, 0.5 * ones, 0.55 * ones, WEIGHTS, form)
    assert loss == pytest.approx(np.exp(argument), rel=1e-5)


def test_keep_order_published():
    """Tests the published form: one smooth L1 of 0.25 * 0.4 + 4 * 0 and of 4 * 0.001."""
    upper, mean = np.array([0.9, 0.499]), np.array([0.5, 0.5])
    loss = keep_order(upper, mean, np.array([0.5, 1.0]), WEIGHTS, "published")
    parts = [0.1 - 1 / 128, 0.004**2 * 32]
    assert loss == pytest.approx(10 * np.mean(parts), rel=1e-3)


def test_keep_order_paper():
    """Tests (D.3c) and (D.3d): separate smooth L1 losses with their weights outside."""
    upper, mean = np.array([0.9, 0.499]), np.array([0.5, 0.5])
    loss = keep_order(upper, mean, np.array([0.5, 1.0]), WEIGHTS, "paper")
    parts = [0.25 * (0.4 - 1 / 128), 4 * 0.001**2 * 32]
    assert loss == pytest.approx(10 * np.mean(parts), rel=1e-3)
