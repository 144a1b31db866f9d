"""How well predictions fit."""

import numpy as np


def r_squared(predicted: np.ndarray, values: np.ndarray) -> float:
    """Coefficient of determination: 1 is perfect, 0 as good as the average."""
    spread = ((values - values.mean()) ** 2).sum()
    missed = ((values - predicted) ** 2).sum()
    return float(1 - missed / spread) if spread > 0 else float(missed == 0)


def mean_absolute_error(predicted: np.ndarray, values: np.ndarray) -> float:
    """The average distance of predictions from values, in their unit."""
    return float(np.abs(predicted - values).mean())


def pearson(predicted: np.ndarray, values: np.ndarray) -> float:
    """Correlation of predictions with values; -1 where predictions do not vary at all."""
    if len(values) < 2 or np.ptp(values) == 0:
        return 1.0
    if np.ptp(predicted) <= 1e-12 * np.abs(predicted).max(initial=0.0):
        return -1.0
    return float(np.corrcoef(predicted, values)[0, 1])


def goodness(name: str, predicted: np.ndarray, values: np.ndarray) -> dict[str, float]:
    """
    The diagnostics ``NAME_r2`` and ``NAME_mae`` of a fitted function at the reports.

    Parameters
    ----------
    name
        Of the function: ``mean`` or ``upper``.
    predicted, values
        What it says about the reported bundles, and what was reported, ``(num_reports,)``.
    """
    return {
        f"{name}_r2": r_squared(predicted, values),
        f"{name}_mae": mean_absolute_error(predicted, values),
    }
