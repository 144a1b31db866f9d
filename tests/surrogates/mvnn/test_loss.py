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
    """Tests (D.3a) of the published code: residuals -0.1 and 1 with beta 1/8, times pi_sqr."""
    loss = upper_fit(np.array([0.4, 1.0]), np.array([0.5, 0.0]), HALF, WEIGHTS, "published")
    assert loss == pytest.approx(2 * (0.01 / 0.25 + 1 - 1 / 16) / 2)


def test_upper_overshoot():
    """Tests (D.3e) of the published code: only the residual above the report costs."""
    loss = upper_overshoot(np.array([0.4, 1.0]), np.array([0.5, 0.0]), HALF, WEIGHTS, "published")
    assert loss == pytest.approx(2 * (0.001 + 0.5 * (1 - 1 / 256)) / 2)


@pytest.mark.parametrize(
    ("form", "argument"), [("published", -0.6), ("paper", -0.49), ("main_text", -0.5)]
)
def test_push_up(form, argument):
    """
    Tests (D.3b) in all forms: -c (0.01 + s) in the published code, 0.01 - c s in Definition D.3 and
    -c s in the main text; s is 0.05 where the envelope, not the bound, is the smaller.
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


def random_values(seed):
    """U and y at seven reports, and U, M and U100 at eleven points, in all orders."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 1, (2, 7)), rng.uniform(0, 1, (3, 11))


@pytest.mark.parametrize("beta", [1 / 32, 1 / 4])
@pytest.mark.parametrize("seed", range(3))
def test_paper_form_is_definition_d3(beta, seed):
    """
    Tests the sum of all terms against Definition D.3, written down again in numpy: one threshold
    beta for every smooth L1 loss, and 0.01 - c_exp s in the term that pushes up.
    """
    (u_reports, y), (u, m, u100) = random_values(seed)
    weights = WEIGHTS._replace(mean_smooth_l1_beta=beta, pi_exp=0.3)
    n, plus = len(y), lambda x: np.maximum(x, 0)

    def sl(x):
        return np.where(np.abs(x) <= beta, 0.5 / beta * x**2, np.abs(x) - 0.5 * beta)

    def g(x):
        return 1 + np.where(x >= 0, x, np.exp(np.minimum(x, 0)) - 1)

    expected = (
        2.0 * sl(u_reports - y).sum()
        + 0.3 * g(0.01 - 10.0 * (np.minimum(u, u100) - m)).mean()
        + 0.3 * 10.0 * 0.25 * sl(plus(u - u100)).mean()
        + 0.3 * 10.0 * 4.0 * sl(plus(m - u)).mean()
        + 2.0 * (0.001 * plus(u_reports - y) + 0.5 * sl(plus(u_reports - y))).sum()
    )
    at_reports = (u_reports, y, np.full(n, 1 / n), weights, "paper")
    at_points = (u, m, u100, weights, "paper")
    total = n * (upper_fit(*at_reports) + upper_overshoot(*at_reports))
    total += 0.3 * (push_up(*at_points) + keep_order(*at_points))
    assert total == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_main_text_form_is_the_loss_of_section_3(seed):
    """Tests the four terms of the main text: no asymmetric one, and -c_exp s pushes up."""
    (u_reports, y), (u, m, u100) = random_values(seed)
    n, plus, beta = len(y), lambda x: np.maximum(x, 0), WEIGHTS.mean_smooth_l1_beta

    def sl(x):
        return np.where(np.abs(x) <= beta, 0.5 / beta * x**2, np.abs(x) - 0.5 * beta)

    s = np.minimum(u, u100) - m
    pushed = np.where(s <= 0, 1 - 10.0 * s, np.exp(np.minimum(-10.0 * s, 0)))
    expected = 2.0 * sl(u_reports - y).sum() + pushed.mean()
    expected += 10.0 * (0.25 * sl(plus(u - u100)).mean() + 4.0 * sl(plus(m - u)).mean())

    at_reports = (u_reports, y, np.full(n, 1 / n), WEIGHTS, "main_text")
    at_points = (u, m, u100, WEIGHTS, "main_text")
    total = n * (upper_fit(*at_reports) + upper_overshoot(*at_reports))
    total += push_up(*at_points) + keep_order(*at_points)
    assert total == pytest.approx(expected, rel=1e-5)
