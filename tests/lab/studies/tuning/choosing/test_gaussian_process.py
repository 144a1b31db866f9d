"""A Gaussian process against its formulas written out."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from boca.lab.studies.tuning.choosing.gaussian_process import JITTER, GaussianProcess, _regret


def smooth(places):
    """A function of the first axis alone, with a minimum inside."""
    return 3 * (places[:, 0] - 0.4) ** 2


@pytest.fixture(scope="module")
def places():
    """Points that were measured."""
    return np.random.default_rng(0).random((25, 4))


@pytest.fixture(scope="module")
def process(places):
    """A process that has seen a smooth function."""
    return GaussianProcess.fit(places, smooth(places), np.ones(25))


def matern(first, second, scales):
    """Matern's correlation, pair by pair."""
    rows = []
    for one in first:
        r = np.array([np.sqrt((((one - other) / scales) ** 2).sum()) for other in second])
        rows.append((1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r))
    return np.array(rows)


def test_slope_is_that_of_the_density(places):
    """Tests the gradient against differences, since a wrong one still converges somewhere."""
    squares = (places[:, None] - places[None]) ** 2
    noise = np.linspace(1, 5, 25)
    logs = np.array([0.3, -0.2, 0.8, 0.1, 0.2, -2.0])
    numbers = smooth(places)
    differences = approx_fprime(logs, lambda x: _regret(x, squares, numbers, noise, 1.0)[0], 1e-6)

    assert _regret(logs, squares, numbers, noise, 1.0)[1] == pytest.approx(differences, abs=1e-3)


def test_expectations_are_those_of_the_formula(process, places):
    """Tests means and deviations against an inverse that is written out."""
    points = np.random.default_rng(1).random((6, 4))
    numbers = (smooth(places) - process.centre) / process.unit
    inverse = np.linalg.inv(process.covariance)
    cross = process.amplitude * matern(points, places, process.scales)
    mean, deviation = process.predict(points)

    assert mean == pytest.approx(process.centre + process.unit * cross @ inverse @ numbers)
    variance = process.amplitude - np.einsum("ij,jk,ik->i", cross, inverse, cross)
    assert deviation == pytest.approx(process.unit * np.sqrt(variance), rel=1e-3)
    inner = process.amplitude * matern(places, places, process.scales)
    assert (np.diag(process.covariance - inner) > JITTER / 2).all()


def test_learns_a_smooth_function_and_which_axis_matters(process):
    """Tests predictions elsewhere, and that the other axes have longer scales."""
    points = np.random.default_rng(2).random((50, 4))
    mean, _ = process.predict(points)

    assert np.corrcoef(mean, smooth(points))[0, 1] > 0.98
    assert process.scales[0] < process.scales[1:].min()


def test_noisy_measurements_count_less(places):
    """Tests that one wild number with a large variance does not bend the others."""
    numbers = smooth(places)
    wild = numbers.copy()
    wild[3] += 5
    noise = np.ones(25)
    means = []
    for variance in (1.0, 1e4):
        noise[3] = variance
        means.append(GaussianProcess.fit(places, wild, noise).predict(places[3:4])[0][0])

    assert abs(means[1] - numbers[3]) < 0.5 * abs(means[0] - numbers[3])


def test_expecting_what_is_expected_changes_nothing_but_certainty(process):
    """Tests points under way: the same means everywhere, smaller deviations around them."""
    points = np.random.default_rng(3).random((3, 4))
    more = process.expecting(points)
    mean, deviation = process.predict(points)
    same, surer = more.predict(points)

    assert same == pytest.approx(mean)
    assert (surer < 0.2 * deviation + 1e-3).all()


def test_equal_numbers():
    """Tests that nothing is divided by a spread of zero."""
    places = np.random.default_rng(4).random((5, 2))
    mean, _ = GaussianProcess.fit(places, np.full(5, 2.0), np.ones(5)).predict(places)

    assert mean == pytest.approx(np.full(5, 2.0))
