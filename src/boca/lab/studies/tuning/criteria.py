"""
How a configuration is judged on one instance. Smaller is better everywhere.

The paper's criterion (BOCA, Section 4, "Hyperparameter Optimization") is the quantile loss of the
upper bound U on test bundles plus its mean absolute error on the training bundles, in units of
value. Its quantile q enters nowhere else: networks are trained without knowing it. So one set of
trainings gives the criterion for every q, and a winner for each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.report import Reports
from boca.core.wording import did_you_mean
from boca.surrogates import Fitted
from boca.surrogates.goodness import mean_absolute_error, r_squared

# The only target of a criterion without quantiles.
ALL = "all"

# A fitted function, what it was trained on, what it is tested on, quantiles -> one number each.
Judge = Callable[[Fitted, Reports, Reports, Sequence[float]], list[float]]


@dataclass(frozen=True)
class Criterion:
    """
    A way to judge.

    Parameters
    ----------
    description
        What is minimised, in a line.
    judge
        The number for each target, of one bidder; None for whole auctions.
    per_quantile
        Whether every quantile has its own number.
    wanted
        Whether the test bundles are those that the bidder wants at some prices.
    needs_truth
        Whether it takes a simulated bidder, whom one can ask anything.
    """

    description: str
    judge: Judge | None
    per_quantile: bool = False
    wanted: bool = False
    needs_truth: bool = False

    def targets(self, quantiles: Sequence[float]) -> tuple[str, ...]:
        """What a winner is wanted for."""
        return tuple(f"{q:g}" for q in quantiles) if self.per_quantile else (ALL,)


def quantile_loss(upper: np.ndarray, values: np.ndarray, q: float) -> float:
    """The mean of max{(y - u) q, (u - y)(1 - q)}."""
    below = values - upper
    return float(np.maximum(q * below, (q - 1) * below).mean())


def judge_as_paper(
    fitted: Fitted, train: Reports, test: Reports, quantiles: Sequence[float]
) -> list[float]:
    """Quantile loss of the upper bound on test bundles plus its error on the training bundles."""
    if fitted.upper is None:
        raise InputError(
            "This surrogate has no upper bound, which the criterion 'paper' judges; take "
            "--criterion mae or r2."
        )
    missed = mean_absolute_error(fitted.upper(train.bundles), train.values)
    upper = fitted.upper(test.bundles)
    return [quantile_loss(upper, test.values, q) + missed for q in quantiles]


def judge_error(
    fitted: Fitted, train: Reports, test: Reports, quantiles: Sequence[float]
) -> list[float]:
    """Mean absolute error of the mean on test bundles."""
    return [mean_absolute_error(fitted.mean(test.bundles), test.values)]


def judge_unexplained(
    fitted: Fitted, train: Reports, test: Reports, quantiles: Sequence[float]
) -> list[float]:
    """1 - R^2 of the mean on test bundles."""
    return [1 - r_squared(fitted.mean(test.bundles), test.values)]


CRITERIA: dict[str, Criterion] = {
    "paper": Criterion(
        "quantile loss of the upper bound on test bundles plus its error on the reports",
        judge_as_paper,
        per_quantile=True,
    ),
    "mae": Criterion("mean absolute error of the mean on random test bundles", judge_error),
    "r2": Criterion(
        "1 - R² of the mean on bundles that the bidder wants at a clock's prices",
        judge_unexplained,
        wanted=True,
        needs_truth=True,
    ),
    "auction": Criterion("efficiency loss of a short auction, in %", None, needs_truth=True),
}


def get_criterion(name: str) -> Criterion:
    """The criterion of a name; an error that names the nearest one otherwise."""
    if name not in CRITERIA:
        raise InputError(f"Received --criterion {name}; {did_you_mean(name, CRITERIA)}")
    return CRITERIA[name]
