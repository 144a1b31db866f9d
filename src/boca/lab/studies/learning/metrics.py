"""How well the networks learn, in the four metrics of the published tuning."""

from collections.abc import Iterator

import numpy as np

from boca.core.errors import InputError
from boca.lab.studies.learning.comparison import LearningRow, mean_and_error
from boca.lab.studies.learning.data import LearningData
from boca.lab.studies.learning.study import Advance, LearningStudy, is_tuned, trainings
from boca.surrogates import Fitted
from boca.surrogates.goodness import mean_absolute_error, r_squared
from boca.surrogates.hyperparameters import QUANTILES, LearningMetrics, published_metrics


def learn(study: LearningStudy, advance: Advance | None = None) -> Iterator[LearningRow]:
    """
    Trains and measures; one row per bidder type, as soon as it is ready.

    Parameters
    ----------
    study
        What is trained.
    advance
        Called after every training.
    """
    first = study.first
    comparable = is_tuned(first) and study.q in QUANTILES
    reference = published_metrics(first.name, study.q) if comparable else {}
    for bidder_type in study.bidder_types:
        measured, error = mean_and_error(
            [
                measure(training.fitted, training.data, study.q)
                for training in trainings(study, bidder_type, advance)
            ]
        )
        yield LearningRow(
            domain=first.name,
            bidder_type=bidder_type,
            q=study.q,
            instances=tuple(study.instances),
            measured=measured,
            error=error,
            published=reference.get(bidder_type),
        )


def measure(fitted: Fitted, data: LearningData, q: float) -> LearningMetrics:
    """The four metrics of one bidder; errors are divided by its largest training value."""
    if fitted.upper is None:
        raise InputError("This surrogate has no upper bound; its quantile loss does not exist.")
    truth, mean = data.test.values, fitted.mean(data.test.bundles)
    below = truth - fitted.upper(data.test.bundles)
    at_reports = fitted.upper(data.train.bundles)
    return LearningMetrics(
        test_r2=r_squared(mean, truth),
        test_mae=mean_absolute_error(mean, truth) / data.scale,
        quantile_loss=float(np.maximum(q * below, (q - 1) * below).mean()) / data.scale,
        train_upper_mae=mean_absolute_error(at_reports, data.train.values) / data.scale,
    )
