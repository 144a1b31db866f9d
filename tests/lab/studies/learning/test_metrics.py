"""How learning is measured: the four metrics, and a row per bidder type."""

import numpy as np
import pytest

from boca.core.report import Reports
from boca.lab.studies.learning import study as learning
from boca.lab.studies.learning.data import LearningData
from boca.lab.studies.learning.metrics import learn, measure
from boca.lab.studies.learning.study import LearningStudy
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
    metrics = measure(fitted, LearningData(1, 0, train, test), q=0.9)

    # mean says 1, 1, 2: residuals 0, 1, 1; the truth varies by 1 + 0 + 1 around 2.
    assert metrics.test_r2 == pytest.approx(1 - 2 / 2)
    assert metrics.test_mae == pytest.approx(2 / 3 / 4)
    # upper says 1.5, 1.5, 2.5: above by 0.5, below by 0.5 twice.
    assert metrics.quantile_loss == pytest.approx((0.1 * 0.5 + 0.9 * 0.5 * 2) / 3 / 4)
    # at the reports upper says 2.5 and 3.5.
    assert metrics.train_upper_mae == pytest.approx(0.5 / 4)


def test_every_type_gives_a_row_with_its_published_figures(monkeypatch):
    """Tests the study with a scripted learner: order, means, references and progress."""
    monkeypatch.setattr(learning, "fit", scripted_fit)
    seen = []
    study = LearningStudy("lsvm", 0.9, range(1, 13))
    rows = list(learn(study, lambda name, num: seen.append(num)))

    assert [row.bidder_type for row in rows] == ["national", "regional"]
    assert rows[0].published == published_metrics("lsvm", 0.9)["national"]
    assert sum(seen) == 24
    assert rows[0].instances == tuple(range(1, 13))
    assert rows[0].error.test_mae > 0


def test_untuned_domains_have_rows_without_comparison(monkeypatch):
    """Tests that GSVM, for which nothing is published, is measured all the same."""
    monkeypatch.setattr(learning, "fit", scripted_fit)
    (row,) = learn(LearningStudy("gsvm", 0.9, [1], types=["national"]))
    assert row.published is None
    assert row.passed is None
    assert row.error == LearningMetrics(0, 0, 0, 0)
