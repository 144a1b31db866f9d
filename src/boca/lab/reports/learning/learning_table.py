"""The learning table as text: measured compared with published."""

from collections.abc import Sequence

from boca.lab.reports.row_table import RowTable
from boca.lab.studies.learning.comparison import TOLERANCE, LearningRow

HEADINGS = {
    "test_r2": "test R²",
    "test_mae": "test MAE",
    "quantile_loss": "quantile loss",
    "train_upper_mae": "train MAE (upper)",
}


def cells(row: LearningRow) -> list[str]:
    """One row of the table."""
    verdict = {True: "met", False: "NOT met", None: "-"}[row.passed]
    metrics = [_cell(row, metric) for metric in TOLERANCE]
    return [row.domain, row.bidder_type or "(none)", f"{row.q:g}", *metrics, verdict]


def _cell(row: LearningRow, metric: str) -> str:
    measured = _number(getattr(row.measured, metric))
    if row.published is None:
        return measured
    mark = "" if row.holds(metric) else " ✗"
    published = _number(getattr(row.published, metric))
    return f"{measured} / {published} ({row.ratio(metric):.2f}){mark}"


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 0.01 else f"{value:.3f}"


def caption(rows: Sequence[LearningRow]) -> str:
    """How to read the table."""
    counts = sorted({len(row.instances) for row in rows})
    return (
        f"Means over {' or '.join(map(str, counts))} instances, values divided by the largest "
        "training value; measured / published (ratio). Met: R², MAE and quantile loss within 10 % "
        "of the published figure or better, train MAE at most 3 times it."
    )


LEARNING_TABLE = RowTable(
    title="Learning, measured / published (ratio)",
    columns=("domain", "bidder type", "q", *HEADINGS.values(), "verdict"),
    cells=cells,
    caption=caption,
)
