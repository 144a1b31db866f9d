"""Support vector regression without intercept."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import Demands, Market, Reports, Seeds
from boca.functions import Kernel, KernelExpansion, Quadratic
from boca.functions.kernel_expansion import kernel_matrix
from boca.surrogates.svr import SvrParams
from boca.surrogates.svr.dual import solve_dual
from boca.surrogates.svr.fit import fit

KERNELS = {
    "linear": SvrParams(kernel="linear", coefficients=(0, 1)),
    "quadratic": SvrParams(kernel="quadratic", coefficients=(0, 1, 0.05)),
}


def fit_one(reports, market, params):
    """What is learned about the only bidder."""
    return fit([reports], [Demands.empty(market.num_goods)], market, {"": params}, Seeds(0))[0]


def random_problem(seed, num_reports=25, num_goods=6):
    rng = np.random.default_rng(seed)
    bundles = all_bundles([1] * num_goods)
    bundles = bundles[rng.permutation(len(bundles))[:num_reports]]
    return bundles, 10 * rng.random(num_reports) + bundles.sum(axis=1)


@pytest.mark.parametrize("name", ["linear", "quadratic"])
def test_quadratic_form_is_the_same_function(name):
    """Tests that the quadratic function, which has a MILP, equals the sum of kernels."""
    bundles, values = random_problem(5)
    market = Market.simple(6, 1)
    fitted = fit_one(Reports(bundles, values), market, KERNELS[name])
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
    params = SvrParams(kernel="linear", coefficients=(0, 1), penalty=1e6)

    mean = fit_one(Reports(bundles, bundles @ worth), market, params).mean

    everything = all_bundles(market.capacities)
    np.testing.assert_allclose(mean(everything), everything @ worth, rtol=1e-3, atol=1e-2)


def test_units_of_value_do_not_matter_by_default():
    """Tests that a market in millions is learned like one in units."""
    bundles, values = random_problem(8)
    values = values * bundles.any(axis=1)  # the empty bundle is worth nothing
    market = Market.simple(6, 1)
    params = SvrParams(epsilon=0.0)
    small = fit_one(Reports(bundles, values), market, params).mean
    large = fit_one(Reports(bundles, 1e6 * values), market, params).mean
    np.testing.assert_allclose(1e6 * small(bundles), large(bundles), rtol=1e-5)
