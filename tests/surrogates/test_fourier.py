"""Fourier transforms of set functions, and sparse functions found from few reports."""

import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, generators

from boca.core import InputError, Market, Reports, Seeds
from boca.functions import Basis, FourierSeries, ReluNet
from boca.surrogates.fitted import Fitted
from boca.surrogates.fourier import (
    FourierParams,
    fit,
    fit_bidder,
    largest_sets,
    small_coefficients,
    sparse_fit,
)
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.transforms import all_sets, inverse, small_sets, transform

BASES = list(Basis)


@pytest.mark.parametrize("basis", BASES)
def test_transforms_invert_on_all_functions_of_six_goods(basis):
    """
    Tests every function over 6 goods at once: both maps are linear, so it is enough that they undo
    each other on the 64 functions that are 1 at one set.
    """
    both = np.array([inverse(transform(unit, basis), basis) for unit in np.eye(64)])
    np.testing.assert_allclose(both, np.eye(64), atol=1e-12)
    other = np.array([transform(inverse(unit, basis), basis) for unit in np.eye(64)])
    np.testing.assert_allclose(other, np.eye(64), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(generators())
def test_series_with_the_coefficients_is_the_function(rng):
    """Tests transform and series against each other: they share no code."""
    values = rng.normal(size=32)
    for basis in BASES:
        series = FourierSeries(all_sets(5), transform(values, basis), basis)
        np.testing.assert_allclose(series(all_sets(5)), values, atol=1e-10)


def planted(rng, basis, num_goods, num_terms, largest=None):
    """A sparse function and its sets; large and distinct coefficients."""
    sets = all_sets(num_goods) if largest is None else small_sets(num_goods, largest)
    chosen = sets[1 + rng.choice(len(sets) - 1, num_terms, replace=False)]
    return FourierSeries(
        chosen, rng.choice([-1, 1], num_terms) * rng.uniform(1, 2, num_terms), basis
    )


@pytest.mark.parametrize("basis", BASES)
def test_planted_sets_are_found(basis):
    """Tests that the sets of a sparse function are those with its largest coefficients."""
    rng = np.random.default_rng(1)
    function = planted(rng, basis, num_goods=9, num_terms=12)
    found = largest_sets(function, basis, 12, rng)
    expected = {row.astype(np.int8).tobytes() for row in function.frequencies}
    assert {row.tobytes() for row in found} == expected


@pytest.mark.parametrize("basis", BASES)
def test_planted_function_is_recovered_from_few_reports(basis):
    """Tests that 80 reports determine 7 terms among 130 candidates, at all 512 bundles."""
    rng = np.random.default_rng(2)
    function = planted(rng, basis, num_goods=9, num_terms=6, largest=3)
    function = FourierSeries(
        np.vstack([function.frequencies, np.zeros(9)]), [*function.coefficients, 20.0], basis
    )
    bundles = all_sets(9)[rng.choice(512, 80, replace=False)]
    candidates = small_sets(9, 3)
    assert len(candidates) == 130

    found = sparse_fit(Reports(bundles, function(bundles)), candidates, basis, num_terms=80)

    np.testing.assert_allclose(found(all_sets(9)), function(all_sets(9)), atol=1e-6)


@pytest.mark.parametrize("basis", BASES)
def test_coefficients_of_small_sets_in_large_markets(basis):
    """Tests estimates (WHT) and exact values (FT3, FT4) where subsets cannot be listed."""
    rng = np.random.default_rng(3)
    function = planted(rng, basis, num_goods=25, num_terms=8, largest=2)
    sets = small_sets(25, 2)
    found = small_coefficients(function, sets, basis, rng)
    expected = np.zeros(len(sets))
    for row, coefficient in zip(function.frequencies, function.coefficients, strict=True):
        expected[(sets == row).all(axis=1)] = coefficient
    tolerance = 0.3 if basis is Basis.WHT else 1e-9
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_suggestions_are_complements_of_the_largest_sets():
    """Tests that bundles are suggested in the order of the network's coefficients."""
    net = ReluNet([np.diag([1.0, 2.0, 4.0])], [np.zeros(3)], np.ones(3))
    reports = Reports(all_bundles([1, 1, 1])[1:], net(all_bundles([1, 1, 1])[1:]))
    params = FourierParams(num_candidates=4, num_terms=4)

    fitted = fit_bidder(reports, Fitted(net), params, Seeds(0))

    # Coefficients: 3.5 of the empty set, then -2, -1 and -0.5 of the single goods.
    assert fitted.suggestions.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]]
    np.testing.assert_allclose(fitted.mean(all_sets(3)), net(all_sets(3)), atol=1e-9)


def test_several_copies_are_refused():
    """Tests that markets beyond the theory are named, rather than learned wrongly."""
    market = Market.simple(2, 1, capacities=[1, 2])
    with pytest.raises(InputError, match="more than one copy"):
        fit([Reports.empty(2)], market, {"": FourierParams()}, seed=0)


def test_constant_reports():
    """Tests that reports without any variation give a constant, not an undefined function."""
    reports = Reports(np.array([[1, 0], [0, 1]]), np.array([3.0, 3.0]))
    found = sparse_fit(reports, all_sets(2), Basis.WHT, 4)
    np.testing.assert_allclose(found(all_sets(2)), 3.0)


def test_settings_survive_as_plain_values():
    """Tests that the network's settings can come from a file, as a mapping."""
    params = FourierParams(network={"kind": "relu", "hidden_units": 7})
    assert params.network == MeanNetParams(kind="relu", hidden_units=7)
    with pytest.raises(InputError, match="basis"):
        FourierParams(basis="FT5")
    with pytest.raises(InputError, match="num_terms"):
        FourierParams(num_terms=0)
