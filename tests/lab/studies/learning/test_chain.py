"""The numbers behind the paper's Figures 2 and 3."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.lab.domains import load_domain
from boca.lab.studies.learning.chain import bounds_along_chain, figure_params, growing_chain
from boca.surrogates.hyperparameters import published
from boca.surrogates.mvnn.params import MvnnParams

QUICK = MvnnParams(hidden_units=16, epochs=1000, num_artificial=64, dropout_prob=0.0)


@pytest.fixture(scope="module")
def bounds():
    """One short training, looked at from several sides."""
    return bounds_along_chain(load_domain("lsvm", seed=11), 0, QUICK, 20, num_on_chain=4, seed=3)


def test_chain_grows_by_one_copy():
    """Tests that a good with several copies takes part once for each copy."""
    chain = growing_chain(np.array([1, 3, 2]), np.random.default_rng(1))
    assert len(chain) == 7
    assert not chain[0].any()
    np.testing.assert_array_equal(chain[-1], [1, 3, 2])
    assert (np.diff(chain, axis=0).sum(axis=1) == 1).all()
    assert (np.diff(chain, axis=0) >= 0).all()


def test_numbers_along_the_chain(bounds):
    """Tests what must hold of any such figure: monotone, zero at nothing, exact at reports."""
    for column in (bounds.true, bounds.mean, bounds.upper, bounds.envelope):
        assert column[0] == pytest.approx(0, abs=1e-9)
        assert (np.diff(column) >= -1e-9).all()
    assert bounds.reported.sum() == 6  # both ends and four between them
    np.testing.assert_allclose(
        bounds.envelope[bounds.reported], bounds.true[bounds.reported], rtol=1e-6
    )
    assert (bounds.envelope >= bounds.true - 1e-6).all()
    assert bounds.num_reports == 20


def test_training_reaches_the_reports(bounds):
    """Tests that the drawn functions were learned: a hundredth of the largest value away."""
    at = bounds.reported
    assert np.abs(bounds.mean - bounds.true)[at].max() < 0.05 * bounds.true.max()
    assert np.abs(bounds.upper - bounds.true)[at].max() < 0.05 * bounds.true.max()


def test_csv_holds_what_is_drawn(bounds, tmp_path):
    """Tests that the figure can be drawn again from its file."""
    bounds.write_csv(tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["size"]) for row in rows] == list(range(19))
    assert rows[-1]["bundle"] == "1" * 18
    np.testing.assert_allclose([float(row["upper"]) for row in rows], bounds.upper, rtol=1e-8)
    assert [row["reported"] == "1" for row in rows] == bounds.reported.tolist()


def test_networks_of_the_figures():
    """Tests that Figure 3 uses [64, 64] and that a width means two layers of it."""
    tuned = published("lsvm", 0.9)["national"]
    assert figure_params(tuned) == tuned
    assert figure_params(tuned, "generic").hidden == (64, 64)
    assert figure_params(tuned, "generic").init == "generic_glorot"
    assert figure_params(tuned, width=256).hidden == (256, 256)
    assert figure_params(tuned, width=256).l2 == tuned.l2


def test_generic_initialisation_gets_stuck():
    """
    Tests the failure of Figure 3, and that weight decay is what would hide it: without, both
    networks stay constant on all bundles but the smallest.
    """
    domain = load_domain("lsvm", seed=11)
    quick = replace(QUICK, trainable_cutoffs=False, linear_skip=False, max_attempts=1)
    stuck = bounds_along_chain(domain, 0, figure_params(quick, "generic"), seed=3)
    half = stuck.sizes >= 9
    assert np.ptp(stuck.mean[half]) < 0.02 * stuck.true.max()
    assert np.ptp(stuck.upper[half]) < 0.02 * stuck.true.max()
    assert "no weight decay" in stuck.networks

    learned = bounds_along_chain(domain, 0, figure_params(quick, width=64, l2=0.0), seed=3)
    assert np.ptp(learned.mean[half]) > 0.5 * learned.true.max()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bidder": 6}, "expected 0 to 5"),
        ({"num_on_chain": 18}, "expected 0 to 17"),
        ({"num_reports": 2}, "at least 3"),
    ],
)
def test_impossible_requests_are_refused(changes, words):
    """Tests that a wrong number is answered with the right range."""
    with pytest.raises(InputError, match=words):
        bounds_along_chain(
            load_domain("lsvm", seed=11), **({"bidder": 0, "params": QUICK} | changes)
        )


@pytest.mark.parametrize("arguments", [("glorot", None), ("mixture", 0)])
def test_unknown_networks_are_refused(arguments):
    """Tests the two choices that the command line passes on."""
    with pytest.raises(InputError, match="expected"):
        figure_params(QUICK, *arguments)
