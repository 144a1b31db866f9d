"""Quick steps give what calling the function gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import (
    all_bundles,
    capacities,
    fourier_series,
    generators,
    quadratic,
    relu_net,
)

from boca.functions import FourierSeries
from boca.wdp.search.step_kinds import FourierSteps, QuadraticSteps, ReluSteps
from boca.wdp.search.steps import CallSteps, steps_of


def compare(function, quick, rng):
    """Compares values and every possible step from every bundle."""
    limits = np.asarray(function.capacities)
    bundles = all_bundles(limits)
    plain = CallSteps(function)
    size = np.abs(function(bundles)).max() + 1
    np.testing.assert_allclose(quick.values(bundles), plain.values(bundles), atol=1e-5 * size)

    step = np.where(rng.random(bundles.shape) < 0.5, 1, -1)
    possible = (bundles + step >= 0) & (bundles + step <= limits)
    ours, theirs = quick.after(bundles, step), plain.after(bundles, step)
    np.testing.assert_allclose(ours[possible], theirs[possible], atol=1e-5 * size)


@settings(max_examples=40, deadline=None)
@given(generators(), capacities())
def test_plain_networks(rng, limits):
    """Tests networks of any sign, with goods of several copies."""
    net = relu_net(rng, limits)
    if len(net.weights):
        compare(net, ReluSteps(net), rng)


@settings(max_examples=40, deadline=None)
@given(generators(), capacities())
def test_quadratic_functions(rng, limits):
    """Tests the formula for one step, the diagonal included."""
    function = quadratic(rng, limits)
    compare(function, QuadraticSteps(function), rng)


@settings(max_examples=60, deadline=None)
@given(generators(), capacities(max_goods=5, max_capacity=1))
def test_fourier_series(rng, limits):
    """Tests that terms appear and vanish in all three bases when a good comes or goes."""
    function = fourier_series(rng, limits)
    compare(function, FourierSteps(function), rng)


@pytest.mark.parametrize("make", [relu_net, quadratic, fourier_series])
def test_search_uses_them(make):
    """Tests that the search does not fall back to calling functions it has quick steps for."""
    rng = np.random.default_rng(3)
    function = make(rng, np.ones(4, dtype=int))
    while isinstance(function, FourierSeries) and not len(function.coefficients):
        function = make(rng, np.ones(4, dtype=int))
    if make is relu_net:
        while not len(function.weights):
            function = make(rng, np.ones(4, dtype=int))
    assert not isinstance(steps_of(function), CallSteps)
