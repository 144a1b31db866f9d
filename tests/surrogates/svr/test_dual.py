"""The dual of regression without intercept, against a library and its own bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import all_bundles

from boca.functions.kernel_expansion import kernel_matrix
from boca.surrogates.svr import SvrParams
from boca.surrogates.svr.dual import solve_dual

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
