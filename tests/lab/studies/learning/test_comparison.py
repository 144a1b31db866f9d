"""When a published figure counts as met."""

from dataclasses import replace

import pytest

from boca.lab.studies.learning.comparison import LearningRow, mean_and_error
from boca.surrogates.hyperparameters import LearningMetrics

ROW = LearningRow(
    domain="lsvm",
    bidder_type="national",
    q=0.9,
    instances=(1, 2),
    measured=LearningMetrics(0.51, 0.055, 0.010, 3e-5),
    error=LearningMetrics(0, 0, 0, 0),
    published=LearningMetrics(0.50, 0.050, 0.020, 1e-5),
)


def test_verdict_tolerates_ten_per_cent_and_three_times_the_training_error():
    """Tests the limits of what counts as reproduced, on both sides."""
    exact = replace(ROW, measured=replace(ROW.measured, test_mae=0.0549, train_upper_mae=2.9e-5))
    assert exact.passed
    assert not replace(ROW, measured=replace(ROW.measured, test_mae=0.0551)).passed
    assert not replace(exact, measured=replace(exact.measured, train_upper_mae=3.1e-5)).passed
    assert not replace(exact, measured=replace(exact.measured, test_r2=0.449)).passed
    assert replace(exact, measured=replace(exact.measured, test_r2=0.451)).passed


def test_mean_and_standard_error():
    """Tests the standard error of two instances: half their distance."""
    mean, error = mean_and_error([LearningMetrics(1, 0, 0, 0), LearningMetrics(3, 0, 0, 0)])
    assert mean.test_r2 == 2
    assert error.test_r2 == pytest.approx(1)
