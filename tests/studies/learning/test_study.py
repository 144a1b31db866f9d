"""How learning is measured: the data, the four metrics, and the comparison with the paper."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.core.report import Reports
from boca.reports.learning_table import cells, markdown
from boca.studies.learning import study as learning
from boca.studies.learning.data import LearningData
from boca.studies.learning.study import LearningRow, learn, mean_and_error, measure
from boca.surrogates import Fitted
from boca.surrogates.hyperparameters import LearningMetrics, published_metrics


class Linear:
    """A value function that counts goods, times a factor, plus a constant."""

    def __init__(self, num_goods, factor=1.0, constant=0.0):
        self.capacities = np.ones(num_goods, dtype=np.int64)
        self.factor, self.constant = factor, constant

    def __call__(self, bundles):
        return self.factor * bundles.sum(axis=1) + self.constant


def scripted_fit(reports, market, params, seed):
    """Knows nothing but the number of goods; the upper bound lies a bit above."""
    assert all(bidder.type in params and not bidder.limits for bidder in market.bidders)
    num = market.num_goods
    return {i: Fitted(Linear(num), Linear(num, 1.0, 2.0)) for i in reports}


def test_metrics_by_hand():
    """Tests all four metrics on three bundles, because the table stands on them."""
    train = Reports([[1, 1, 0], [1, 1, 1]], [2, 4])
    test = Reports([[1, 0, 0], [0, 1, 0], [0, 1, 1]], [1, 2, 3])
    fitted = Fitted(Linear(3), Linear(3, 1.0, 0.5))
    found = measure(fitted, LearningData(1, 0, train, test), q=0.9)

    # mean says 1, 1, 2: residuals 0, 1, 1; the truth varies by 1 + 0 + 1 around 2.
    assert found.test_r2 == pytest.approx(1 - 2 / 2)
    assert found.test_mae == pytest.approx(2 / 3 / 4)
    # upper says 1.5, 1.5, 2.5: above by 0.5, below by 0.5 twice.
    assert found.quantile_loss == pytest.approx((0.1 * 0.5 + 0.9 * 0.5 * 2) / 3 / 4)
    # at the reports upper says 2.5 and 3.5.
    assert found.train_upper_mae == pytest.approx(0.5 / 4)


def test_every_type_gives_a_row_with_its_published_figures(monkeypatch):
    """Tests the study with a scripted learner: order, means, references and progress."""
    monkeypatch.setattr(learning, "fit", scripted_fit)
    seen = []
    rows = list(learn("lsvm", 0.9, range(1, 13), progress=lambda name, num: seen.append(num)))

    assert [row.bidder_type for row in rows] == ["national", "regional"]
    assert rows[0].published == published_metrics("lsvm", 0.9)["national"]
    assert sum(seen) == 24
    assert rows[0].instances == tuple(range(1, 13))
    assert rows[0].error.test_mae > 0


def test_untuned_domains_have_rows_without_comparison(monkeypatch):
    """Tests that GSVM, for which nothing is published, is measured all the same."""
    monkeypatch.setattr(learning, "fit", scripted_fit)
    (row,) = learn("gsvm", 0.9, [1], types=["national"])
    assert row.published is None
    assert row.passed is None
    assert row.error == LearningMetrics(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: learn("lsvm", 0.9, []), "no instances"),
        (lambda: learn("lsvm", 1.5, [1]), "between 0 and 1"),
        (lambda: learn("lsvm", 0.8, [1]), "tuned quantiles"),
        (lambda: learn("lsvm", 0.9, [1], types=["local"]), "lsvm has: national, regional"),
    ],
)
def test_mistakes_are_named(call, words):
    """Tests that nothing is trained before the request is understood."""
    with pytest.raises(InputError, match=words):
        next(call())


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


def test_table_marks_what_is_missed():
    """Tests that a reader sees which metric failed, not only that one did."""
    bad = replace(ROW, measured=replace(ROW.measured, quantile_loss=0.030, train_upper_mae=1e-5))
    names = ("d", "t", "q", "r2", "mae", "qloss", "train", "verdict")
    row = dict(zip(names, cells(bad), strict=True))
    assert row["qloss"] == "0.030 / 0.020 (1.50) ✗"
    assert row["r2"] == "0.510 / 0.500 (1.02)"
    assert row["verdict"] == "NOT met"
    assert markdown([bad]).count("\n| ") == 2
    assert "2 instances" in markdown([bad])


def test_mean_and_standard_error():
    """Tests the standard error of two instances: half their distance."""
    mean, error = mean_and_error([LearningMetrics(1, 0, 0, 0), LearningMetrics(3, 0, 0, 0)])
    assert mean.test_r2 == 2
    assert error.test_r2 == pytest.approx(1)
