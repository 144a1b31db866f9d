"""Support vector regression without intercept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles

from boca.core import InputError, Market, Reports
from boca.functions import Kernel, KernelExpansion, Quadratic
from boca.functions.kernel_expansion import kernel_matrix
from boca.surrogates.svr import SvrParams, fit, solve_dual

KERNELS = {
    "linear": SvrParams(kernel="linear", coefficients=(0, 1)),
    "quadratic": SvrParams(kernel="quadratic", coefficients=(0, 1, 0.05)),
    "with constant": SvrParams(kernel="quadratic", coefficients=(0.5, 1, 0.05)),
    "polynomial": SvrParams(kernel="polynomial", coefficients=(0, 1, 0.1, 0.01)),
    "exponential": SvrParams(kernel="exponential", scale=2, bandwidth=4),
    "gaussian": SvrParams(kernel="gaussian", scale=2, bandwidth=4),
}


def random_problem(seed, num_reports=25, num_goods=6):
    rng = np.random.default_rng(seed)
    bundles = all_bundles([1] * num_goods)
    bundles = bundles[rng.permutation(len(bundles))[:num_reports]]
    return bundles, 10 * rng.random(num_reports) + bundles.sum(axis=1)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("penalty", [0.3, 100.0])
def test_agrees_with_a_library(name, penalty):
    """
    Tests the dual against scikit-learn's regression, whose intercept is made 0 by giving it every
    report a second time with opposite sign; each copy then costs half.
    """
    svm = pytest.importorskip("sklearn.svm")
    bundles, values = random_problem(3)
    gram = kernel_matrix(*KERNELS[name].form, bundles, bundles)
    mirrored = np.block([[gram, -gram], [-gram, gram]])
    theirs = svm.SVR(kernel="precomputed", C=penalty / 2, epsilon=0.1, tol=1e-8)
    theirs.fit(mirrored, np.concatenate([values, -values]))
    both = np.zeros(2 * len(values))
    both[theirs.support_] = theirs.dual_coef_[0]

    ours, gap = solve_dual(gram, values, penalty, epsilon=0.1)

    assert gap < 1e-8
    assert theirs.intercept_ == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(gram @ ours, gram @ (both[:25] - both[25:]), atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.floats(-3, 8), st.sampled_from(sorted(KERNELS)))
def test_duality_gap_closes(seed, log_penalty, name):
    """Tests that the answer is optimal whatever the penalty: its value equals the bound's."""
    bundles, values = random_problem(seed, num_reports=15, num_goods=4)
    gram = kernel_matrix(*KERNELS[name].form, bundles, bundles)
    penalty = 10**log_penalty

    weights, gap = solve_dual(gram, values, penalty, epsilon=1e-5)

    assert abs(gap) < 1e-6
    assert np.abs(weights).max() <= penalty * (1 + 1e-9)


@pytest.mark.parametrize("name", ["linear", "quadratic"])
def test_quadratic_form_is_the_same_function(name):
    """Tests that the quadratic function, which has a MILP, equals the sum of kernels."""
    bundles, values = random_problem(5)
    market = Market.simple(6, 1)
    fitted = fit([Reports(bundles, values)], market, {"": KERNELS[name]})[0]
    assert isinstance(fitted.mean, Quadratic)

    numbers = np.array(KERNELS[name].coefficients)
    scale = kernel_matrix(Kernel.POLYNOMIAL, numbers, np.ones((1, 6)), np.ones((1, 6)))[0, 0]
    scale /= values.max()
    gram = kernel_matrix(Kernel.POLYNOMIAL, numbers, bundles, bundles)
    weights, _ = solve_dual(gram, scale * values, 100.0, 1e-5)
    same = KernelExpansion("polynomial", numbers, bundles, weights / scale)
    everything = all_bundles([1] * 6)
    np.testing.assert_allclose(fitted.mean(everything), same(everything), atol=1e-6)


def test_learns_additive_values_from_few_reports():
    """Tests that a linear kernel recovers additive values everywhere once they are determined."""
    market = Market.simple(5, 1, capacities=[1, 2, 1, 3, 1])
    bundles = np.array([[1, 0, 0, 0, 0], [0, 2, 0, 0, 1], [0, 0, 1, 3, 0], [0, 0, 0, 1, 1]])
    bundles = np.concatenate([bundles, [[0, 1, 0, 0, 0]], [[1, 1, 1, 1, 1]]])
    worth = np.array([4.0, 2.0, 7.0, 1.0, 3.0])
    params = {"": SvrParams(kernel="linear", coefficients=(0, 1), penalty=1e6)}

    mean = fit([Reports(bundles, bundles @ worth)], market, params)[0].mean

    everything = all_bundles(market.capacities)
    np.testing.assert_allclose(mean(everything), everything @ worth, rtol=1e-3, atol=1e-2)


def test_units_of_value_do_not_matter_by_default():
    """Tests that a market in millions is learned like one in units."""
    bundles, values = random_problem(8)
    market = Market.simple(6, 1)
    params = {"": SvrParams(epsilon=0.0)}
    small = fit([Reports(bundles, values)], market, params)[0].mean
    large = fit([Reports(bundles, 1e6 * values)], market, params)[0].mean
    np.testing.assert_allclose(1e6 * small(bundles), large(bundles), rtol=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kernel": "cubic"},
        {"kernel": "linear", "coefficients": (0, 1, 2)},
        {"coefficients": (0, -1, 2)},
        {"penalty": 0},
        {"epsilon": -1},
        {"kernel": "gaussian", "bandwidth": 0},
        {"value_scale": 0},
    ],
)
def test_impossible_settings_are_refused(wrong):
    """Tests that a wrong setting is named before any auction starts."""
    with pytest.raises(InputError, match=r"SvrParams\."):
        SvrParams(**wrong)
