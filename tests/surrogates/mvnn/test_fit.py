"""From reports to fitted functions."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market, Reports
from boca.surrogates import MvnnParams, fit
from boca.surrogates.goodness import r_squared

TINY = MvnnParams(
    hidden_layers=1, hidden_units=8, batch_size=8, epochs=300, num_artificial=16, steps_fraction=1.0
)
ALL = np.array(list(np.ndindex(2, 2, 2, 2)))


def reports_of(num_reports: int = 9, seed: int = 0, scale: float = 100.0) -> Reports:
    """Some bundles of four goods worth (number of goods)^1.5, the full one among them."""
    chosen = np.random.default_rng(seed).permutation(14)[: num_reports - 1] + 1
    bundles = ALL[[*chosen, 15]]
    return Reports(bundles, scale * bundles.sum(axis=1) ** 1.5)


@pytest.fixture(scope="module")
def fitted():
    """Three bidders, fitted once."""
    reports = [reports_of(seed=i, scale=10.0**i) for i in range(3)]
    return reports, fit(reports, Market.simple(4, 3), TINY, seed=5)


def same(first, second) -> bool:
    """Whether two networks agree to the last bit."""
    return all(
        np.array_equal(a, b)
        for name in ("weights", "biases", "cutoffs")
        for a, b in zip(getattr(first, name), getattr(second, name), strict=True)
    ) and np.array_equal(first.output, second.output)


def test_networks_learn_the_reports(fitted):
    """Tests the fit in units of value, for bidders whose values differ a hundredfold."""
    reports, found = fitted
    assert list(found) == [0, 1, 2]
    for i, one in found.items():
        for function in (one.mean, one.upper):
            assert r_squared(function(reports[i].bundles), reports[i].values) > 0.9
        assert one.diagnostics["attempts"] == 1
        assert one.diagnostics["mean_r2"] > 0.9


def test_trained_functions_are_monotone_and_zero_on_nothing(fitted):
    """Tests that training leaves the networks valid, mean and bound alike."""
    for one in fitted[1].values():
        for function in (one.mean, one.upper):
            values = function(ALL)
            assert values[0] == 0
            part = (ALL[:, None, :] <= ALL[None, :, :]).all(axis=2)
            assert (values[:, None] <= values[None, :] + 1e-9)[part].all()


def test_envelope_goes_through_the_reports(fitted):
    """Tests that the envelope belongs to the same reports."""
    reports, found = fitted
    for i, one in found.items():
        np.testing.assert_allclose(one.envelope(reports[i].bundles), reports[i].values)


def test_acquisitions(fitted):
    """Tests the four acquisitions, one of them the smaller of bound and envelope."""
    one = fitted[1][0]
    np.testing.assert_array_equal(one.acquisition("mean")(ALL), one.mean(ALL))
    np.testing.assert_array_equal(one.acquisition()(ALL), one.upper(ALL))
    lower = np.minimum(one.upper(ALL), one.envelope(ALL))
    np.testing.assert_array_equal(one.acquisition("bounded")(ALL), lower)
    np.testing.assert_array_equal(one.acquisition("envelope")(ALL), one.envelope(ALL))
    with pytest.raises(InputError, match="expected one of mean, upper, bounded"):
        one.acquisition("best")


def test_acquisition_without_a_bound(fitted):
    """Tests that asking a surrogate for a bound it does not have is an error, not the mean."""
    one = replace(fitted[1][0], upper=None)
    with pytest.raises(InputError, match="no upper bound"):
        one.acquisition("upper")
    with pytest.raises(InputError, match="no envelope"):
        replace(one, envelope=None).acquisition("envelope")


def test_same_seed_same_networks(fitted):
    """Tests reproducibility to the last bit; another seed gives other networks."""
    reports, found = fitted
    market = Market.simple(4, 3)
    again = fit(reports, market, TINY, seed=5, num_threads=1)
    assert all(same(again[i].upper, found[i].upper) for i in found)
    assert all(same(again[i].mean, found[i].mean) for i in found)
    other = fit({0: reports[0]}, market, TINY, seed=6)
    assert not same(other[0].upper, found[0].upper)


def test_networks_do_not_depend_on_the_others(fitted):
    """Tests that fitting one bidder alone gives the same networks as fitting all."""
    reports, found = fitted
    alone = fit({2: reports[2]}, Market.simple(4, 3), TINY, seed=5)
    assert list(alone) == [2]
    assert same(alone[2].upper, found[2].upper)


def test_more_reports_do_not_compile_again():
    """Tests that the rounds of an auction share a program: compiling takes longer than training."""
    from boca.surrogates.mvnn.fit import PROGRAMS

    market = Market.simple(4, 1)
    fit([reports_of(5)], market, TINY, seed=0)
    before = len(PROGRAMS._compiled)
    fit([reports_of(12)], market, replace(TINY, learning_rate=0.01, epochs=100), seed=0)
    assert len(PROGRAMS._compiled) == before


def test_values_of_zero():
    """Tests that a bidder who wants nothing gets the zero function, without a division by zero."""
    reports = Reports(ALL[[3, 15]], np.zeros(2))
    one = fit([reports], Market.simple(4, 1), TINY, seed=0)[0]
    for function in (one.mean, one.upper, one.envelope):
        assert not function(ALL).any()


def test_capacities():
    """Tests goods with several copies: inputs are divided by capacities, values follow counts."""
    market = Market((Good("a", 3), Good("b", 1)), (Bidder("x"),))
    bundles = np.array([[1, 0], [2, 0], [0, 1], [2, 1], [3, 1]])
    reports = Reports(bundles, bundles @ [10.0, 20.0])
    one = fit([reports], market, replace(TINY, artificial="bundles"), seed=1)[0]
    np.testing.assert_allclose(one.mean(bundles), reports.values, atol=3)
    assert one.upper(np.array([[0, 0]])) == 0


@pytest.mark.parametrize("form", ["paper", "main_text"])
def test_paper_loss_trains(form):
    """Tests that the forms of the paper run and fit."""
    reports = reports_of()
    one = fit([reports], Market.simple(4, 1), replace(TINY, loss=form), seed=2)[0]
    assert one.diagnostics["upper_r2"] > 0.9


def test_bad_fit_is_tried_again():
    """Tests that a fit that cannot reach the wanted R^2 uses all attempts and keeps the best."""
    hopeless = replace(TINY, min_r2=1.0, max_attempts=3, epochs=50)
    one = fit([reports_of()], Market.simple(4, 1), hopeless, seed=2)[0]
    assert one.diagnostics["attempts"] == 3


def test_full_bundle_is_needed():
    """Tests that reports without the full bundle are an error that says what to do."""
    reports = Reports(ALL[[1, 3]], [1.0, 2.0])
    with pytest.raises(InputError, match=r"'bidder 0' has not reported .* full bundle"):
        fit([reports], Market.simple(4, 1), TINY, seed=0)


def test_full_bundle_is_not_needed_if_forbidden():
    """Tests that a bidder who cannot be given everything need not be asked about it."""
    limits = (Limit((1.0,) * 4, 2.0, "at most two"),)
    market = Market(tuple(Good(f"g{j}") for j in range(4)), (Bidder("x", limits=limits),))
    bundles = ALL[[1, 2, 3, 5, 12]]
    reports = Reports(bundles, bundles.sum(axis=1) ** 1.5)
    one = fit([reports], market, TINY, seed=0)[0]
    assert one.envelope(ALL).max() == reports.values.max()


def test_no_reports():
    """Tests that a bidder without reports is an error, not a made-up function."""
    with pytest.raises(InputError, match="has not reported anything"):
        fit([Reports.empty(4)], Market.simple(4, 1), TINY, seed=0)


def test_bundle_outside_capacities():
    """Tests that an impossible bundle is refused with the bidder's name."""
    reports = Reports(np.array([[2, 0, 0, 0], [1, 1, 1, 1]]), [1.0, 2.0])
    with pytest.raises(InputError, match=r"bidder 'bidder 0'.*2 copies of good 0"):
        fit([reports], Market.simple(4, 1), TINY, seed=0)


@pytest.mark.parametrize("value", [np.nan, -1.0, np.inf])
def test_impossible_values(value):
    """Tests that such values do not even become reports."""
    with pytest.raises(InputError, match="expected a finite number"):
        Reports(ALL[[15]], [value])


def test_contradictions_are_reported():
    """
    Tests that a bundle worth more than one that contains it gives a warning saying what is done,
    and that the envelope then uses the larger value.
    """
    reports = Reports(ALL[[1, 3, 15]], [5.0, 4.0, 9.0])
    with pytest.warns(UserWarning, match=r"reported 5 .* only 4 .* envelope takes the larger"):
        one = fit([reports], Market.simple(4, 1), TINY, seed=0)[0]
    np.testing.assert_allclose(one.envelope(ALL[[1, 3]]), [5, 5])


def test_monotone_reports_give_no_warning():
    """Tests that ordinary reports, ties included, are accepted in silence."""
    reports = Reports(ALL[[1, 3, 15]], [5.0, 5.0, 5.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit([reports], Market.simple(4, 1), TINY, seed=0)


def test_unknown_type_and_bidder():
    """Tests that hyperparameters and bidders that do not exist are named."""
    market = Market.simple(4, 1)
    with pytest.raises(InputError, match="no parameters for bidder type ''"):
        fit([reports_of()], market, {"national": TINY}, seed=0)
    with pytest.raises(InputError, match="reports of bidder 3"):
        fit({3: reports_of()}, market, TINY, seed=0)
