"""
How well the networks learn, measured the way the published hyperparameters were selected.

For each instance one bidder of a type is asked about random bundles and the full bundle; its two
networks are judged on further random bundles. Deviations from the published tuning: (1) it trained
on 100 instances, we take those that are asked for; (2) where an instance has several bidders of
a type we take the first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Bidder, Market
from boca.domains import Domain, load_domain
from boca.studies.learning.data import LearningData, learning_data
from boca.surrogates import Fitted, fit
from boca.surrogates.hyperparameters import (
    QUANTILES,
    TUNED_DOMAINS,
    LearningMetrics,
    Tuning,
    defaults,
    published,
    published_metrics,
    tuning,
)
from boca.surrogates.mvnn.params import MvnnParams

# Sizes for domains that were never tuned: those of LSVM, the smallest tuned one.
UNTUNED = Tuning(num_train=50, num_test=1024, num_instances=100)

# Instances that train at the same time; a step of the progress display.
INSTANCES_PER_FIT = 4

# How much worse than published a metric may be, as a factor.
TOLERANCE = {"test_r2": 0.9, "test_mae": 1.1, "quantile_loss": 1.1, "train_upper_mae": 3.0}
LARGER_IS_BETTER = ("test_r2",)


@dataclass(frozen=True)
class LearningRow:
    """
    What was measured for one bidder type, beside what was published.

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
        return getattr(self.measured, metric) / getattr(self.published, metric)

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


def learn(
    domain: str,
    q: float,
    instances: Sequence[int],
    types: Sequence[str] | None = None,
    params: Mapping[str, MvnnParams] | None = None,
    generic: bool = False,
    seed: int = 0,
    progress: Callable[[str, int], None] | None = None,
) -> Iterator[LearningRow]:
    """
    Trains on random bundles of several instances; one row a bidder type, as soon as it is ready.

    Parameters
    ----------
    domain
        Name for :func:`boca.domains.load_domain`.
    q
        Quantile of the upper bound's loss, and of the published configurations.
    instances
        Seeds of the instances.
    types
        Bidder types; all of the domain if None.
    params
        Hyperparameters by type; the published ones, or the defaults of the market, if None.
    generic
        Whether identical goods are one good with a capacity. Then nothing is published.
    seed
        Of the trainings.
    progress
        Called with a bidder type and the number of instances just trained.
    """
    if not instances:
        raise InputError("Received no instances; expected at least one seed, such as 1-20.")
    if not 0 < q < 1:
        raise InputError(f"Received q = {q:g}; expected a quantile between 0 and 1.")
    worlds = [load_domain(domain, seed=instance, generic=generic) for instance in instances]
    tuned = is_tuned(worlds[0])
    params = choose_params(worlds[0], q) if params is None else params
    reference = published_metrics(worlds[0].name, q) if tuned and q in QUANTILES else {}
    sizes = tuning(worlds[0].name) if tuned else UNTUNED

    for bidder_type in choose_types(worlds[0], types):
        data = [
            learning_data(world, bidder_type, sizes, instance)
            for world, instance in zip(worlds, instances, strict=True)
        ]
        found: list[LearningMetrics] = []
        for fitted in fit_together(data, worlds[0].market, bidder_type, params, seed):
            found.append(measure(fitted, data[len(found)], q))
            if progress is not None:
                progress(bidder_type, 1)
        measured, error = mean_and_error(found)
        yield LearningRow(
            domain=worlds[0].name,
            bidder_type=bidder_type,
            q=q,
            instances=tuple(instances),
            measured=measured,
            error=error,
            published=reference.get(bidder_type),
        )


def is_tuned(domain: Domain) -> bool:
    """Whether there are published hyperparameters, which see every good by name."""
    return domain.name in TUNED_DOMAINS and not domain.is_generic


def choose_params(domain: Domain, q: float) -> dict[str, MvnnParams]:
    """The published winners by bidder type where there are any, the defaults elsewhere."""
    return published(domain.name, q) if is_tuned(domain) else defaults(domain.market)


def choose_types(domain: Domain, types: Sequence[str] | None) -> list[str]:
    """The bidder types to look at, each once, in the order of the domain's bidders."""
    there = list(dict.fromkeys(domain.bidder_types))
    for name in types or ():
        if name not in there:
            raise InputError(
                f"Received the bidder type '{name}'; {domain.name} has: {', '.join(there)}."
            )
    return [name for name in there if not types or name in types]


def fit_together(
    data: Sequence[LearningData],
    market: Market,
    bidder_type: str,
    params: Mapping[str, MvnnParams],
    seed: int,
) -> Iterator[Fitted]:
    """
    Trains one bidder of each instance, as if all were bidders of one market, in their order.

    Without the limits of the type: they are about winning, not about values.
    """
    bidders = tuple(Bidder(f"instance {d.seed}", bidder_type) for d in data)
    together = replace(market, bidders=bidders, name="instances")
    for start in range(0, len(data), INSTANCES_PER_FIT):
        part = range(start, min(start + INSTANCES_PER_FIT, len(data)))
        fitted = fit({i: data[i].train for i in part}, together, params, seed)
        yield from (fitted[i] for i in part)


def measure(fitted: Fitted, data: LearningData, q: float) -> LearningMetrics:
    """The four metrics of one bidder; errors are divided by its largest training value."""
    if fitted.upper is None:
        raise InputError("This surrogate has no upper bound; its quantile loss does not exist.")
    truth = data.test.values
    residual = truth - fitted.mean(data.test.bundles)
    below = truth - fitted.upper(data.test.bundles)
    at_reports = data.train.values - fitted.upper(data.train.bundles)
    return LearningMetrics(
        test_r2=float(1 - np.sum(residual**2) / np.sum((truth - truth.mean()) ** 2)),
        test_mae=float(np.abs(residual).mean()) / data.scale,
        quantile_loss=float(np.maximum(q * below, (q - 1) * below).mean()) / data.scale,
        train_upper_mae=float(np.abs(at_reports).mean()) / data.scale,
    )


def mean_and_error(found: Sequence[LearningMetrics]) -> tuple[LearningMetrics, LearningMetrics]:
    """Means over the instances and their standard errors."""
    names = [f.name for f in fields(LearningMetrics)]
    table = np.array([[getattr(metrics, name) for name in names] for metrics in found])
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(len(names))
    mean = LearningMetrics(*table.mean(axis=0).tolist())
    return mean, LearningMetrics(*(spread / np.sqrt(len(table))).tolist())
