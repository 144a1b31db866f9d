"""What was measured and what was published, next to each other."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from boca.surrogates.hyperparameters import LearningMetrics

# How much worse than published a metric may be, as a factor.
TOLERANCE = {"test_r2": 0.9, "test_mae": 1.1, "quantile_loss": 1.1, "train_upper_mae": 3.0}
LARGER_IS_BETTER = ("test_r2",)


@dataclass(frozen=True)
class LearningRow:
    """
    What was measured for one bidder type, and what was published.

    Parameters
    ----------
    domain, bidder_type, q
        What was learned. Rows of untuned domains have the q of their quantile loss.
    instances
        Seeds of the instances.
    measured
        Means over the instances.
    error
        Standard errors of these means; zero for a single instance.
    published
        The published means of the same configuration; None where there are none.
    """

    domain: str
    bidder_type: str
    q: float
    instances: tuple[int, ...]
    measured: LearningMetrics
    error: LearningMetrics
    published: LearningMetrics | None

    def ratio(self, metric: str) -> float | None:
        """Measured by published."""
        if self.published is None:
            return None
        return float(getattr(self.measured, metric) / getattr(self.published, metric))

    def holds(self, metric: str) -> bool | None:
        """Whether a metric is at most as much worse than published as is tolerated."""
        ratio = self.ratio(metric)
        if ratio is None:
            return None
        if metric in LARGER_IS_BETTER:
            return ratio >= TOLERANCE[metric]
        return ratio <= TOLERANCE[metric]

    @property
    def passed(self) -> bool | None:
        """Whether all metrics hold; None if nothing is published to compare with."""
        if self.published is None:
            return None
        return all(self.holds(metric) for metric in TOLERANCE)

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values, for JSON."""
        verdicts = {metric: self.holds(metric) for metric in TOLERANCE}
        ratios = {metric: self.ratio(metric) for metric in TOLERANCE}
        return asdict(self) | {"ratio": ratios, "holds": verdicts, "passed": self.passed}


def mean_and_error(rows: Sequence[LearningMetrics]) -> tuple[LearningMetrics, LearningMetrics]:
    """Means over the instances and their standard errors."""
    names = [f.name for f in fields(LearningMetrics)]
    table = np.array([[getattr(metrics, name) for name in names] for metrics in rows])
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(len(names))
    mean = LearningMetrics(*table.mean(axis=0).tolist())
    return mean, LearningMetrics(*(spread / np.sqrt(len(table))).tolist())
