"""The learning table as text."""

from dataclasses import replace

from boca.lab.reports.learning.learning_table import LEARNING_TABLE
from boca.lab.studies.learning.comparison import LearningRow
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


def test_table_marks_what_is_missed():
    """Tests that a reader sees which metric failed, not only that one did."""
    bad = replace(ROW, measured=replace(ROW.measured, quantile_loss=0.030, train_upper_mae=1e-5))
    names = ("d", "t", "q", "r2", "mae", "qloss", "train", "verdict")
    row = dict(zip(names, LEARNING_TABLE.cells(bad), strict=True))
    assert row["qloss"] == "0.030 / 0.020 (1.50) ✗"
    assert row["r2"] == "0.510 / 0.500 (1.02)"
    assert row["verdict"] == "NOT met"
    assert LEARNING_TABLE.markdown([bad]).count("\n| ") == 2
    assert "2 instances" in LEARNING_TABLE.markdown([bad])
