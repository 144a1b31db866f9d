"""Every encoding against brute force, by one statement: at each bundle, the best is the value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_functions import KINDS, all_bundles, capacities, generators, monotone_net, some_bundles

from boca.core.errors import InputError
from boca.functions import Minimum, Scaled
from boca.milp import Model
from boca.wdp.encodings import BundleVariables, MvnnEncoding, can_encode, encode
from boca.wdp.monolithic import solve_bundle

# Moderate numbers: each example solves one or two small MILPs.
QUICK = settings(max_examples=30, deadline=None)


def random_problem(kind, rng, capacities):
    """A function, prices, limits and exclusions, and the utility of every bundle allowed."""
    if kind == "fourier":
        capacities = np.ones_like(capacities)
    function = KINDS[kind](rng, capacities)
    bundles = all_bundles(capacities)
    values = function(bundles)
    prices = rng.normal(size=len(capacities)) * np.ptp(values) / len(capacities)
    limits = rng.random((1, len(capacities))), np.array([capacities.sum() * rng.random()])
    excluded = some_bundles(rng, capacities, share=0.2)
    allowed = (bundles @ limits[0].T <= limits[1]).all(axis=1)
    allowed &= ~(bundles[:, None] == excluded[None]).all(axis=2).any(axis=1)
    return function, prices, limits, excluded, (values - bundles @ prices)[allowed], values


@pytest.mark.parametrize("encoding", MvnnEncoding)
@pytest.mark.parametrize("kind", KINDS)
@given(rng=generators(), capacities=capacities(max_goods=4))
@settings(max_examples=25, deadline=None)
def test_best_bundle_agrees_with_brute_force(kind, encoding, rng, capacities):
    """Tests every kind of function with prices, limits, exclusions and further copies."""
    function, prices, limits, excluded, utilities, values = random_problem(kind, rng, capacities)

    result = solve_bundle(function, prices, limits, excluded, mvnn=encoding)

    if not len(utilities):
        assert len(result.bundles) == 0
        assert result.bound == -np.inf
        return
    tolerance = 1e-6 * max(1.0, np.abs(values).max())
    utility = result.values[0] - result.bundles[0] @ prices
    assert utility == pytest.approx(utilities.max(), abs=tolerance)
    assert result.bound >= utilities.max() - tolerance


def size_of(function):
    """The unit in which a program about one function is solved, at least 1."""
    model = Model(maximise=True)
    terms = encode(function, BundleVariables(model, function.capacities)).coefficients
    values = function(all_bundles(function.capacities))
    return max(1.0, np.abs(values).max(), np.abs(terms).max(initial=0.0))


@pytest.mark.parametrize("kind", KINDS)
@given(rng=generators(), capacities=capacities(max_goods=3))
@settings(max_examples=15, deadline=None)
def test_value_of_a_given_bundle(kind, rng, capacities):
    """Tests the statement of encode at one bundle, also at bundles that nobody would choose."""
    function, *_ = random_problem(kind, rng, capacities)
    bundles = all_bundles(function.capacities)
    chosen = rng.integers(len(bundles))
    others = np.delete(bundles, chosen, axis=0)

    result = solve_bundle(function, np.zeros(len(capacities)), excluded=others)

    value = function(bundles[chosen])[0]
    tolerance = 2e-5 * size_of(function)  # the bound allows for the solver's errors
    assert result.bundles.tolist() == [bundles[chosen].tolist()]
    assert result.bound == pytest.approx(value, abs=tolerance)


@given(generators(), st.lists(st.just(1), min_size=1, max_size=6).map(np.array))
@QUICK
def test_both_encodings_of_a_net_have_the_same_optimum(rng, capacities):
    """Tests the one-binary theorem against the paper's Theorem 2."""
    net = monotone_net(rng, capacities)
    prices = 0.5 * rng.random(len(capacities))

    ours, paper = (solve_bundle(net, prices, mvnn=encoding) for encoding in MvnnEncoding)

    assert ours.values[0] - ours.bundles[0] @ prices == pytest.approx(
        paper.values[0] - paper.bundles[0] @ prices, abs=1e-6
    )


class Unknown:
    """A value function that only a search can handle."""

    capacities = np.ones(2, dtype=int)

    def __call__(self, bundles):
        return np.zeros(len(bundles))


def test_functions_without_encoding_point_to_the_search():
    """Tests that a function of a user's own gets a helpful error, also inside others."""
    for function in (Unknown(), Scaled(Unknown(), 2.0), Minimum([Unknown()])):
        assert not can_encode(function)
        with pytest.raises(InputError, match=r"Functions of type Unknown .* Search"):
            solve_bundle(function, np.zeros(2))


@pytest.mark.parametrize("kind", KINDS)
def test_can_encode_every_kind(kind):
    """Tests that asking first agrees with encoding."""
    rng = np.random.default_rng(0)
    assert can_encode(KINDS[kind](rng, np.ones(3, dtype=int)))
