"""
Networks trained on random bundles, the way the published hyperparameters were selected.

For each instance one bidder of a type is asked about random bundles and the full bundle.
Deviations from the published tuning: (1) it trained on 100 instances, we take those that are asked
for; (2) where an instance has several bidders of a type we take the first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from boca.core.errors import InputError
from boca.core.market import Bidder, Market
from boca.core.wording import did_you_mean
from boca.lab.domains import Domain, load_domain
from boca.lab.studies.learning.data import LearningData, learning_data
from boca.surrogates import Fitted, fit
from boca.surrogates.hyperparameters import TUNED_DOMAINS, Tuning, defaults, published, tuning
from boca.surrogates.mvnn.params import MvnnParams

# Sizes for domains that were never tuned: those of LSVM, the smallest tuned one.
UNTUNED = Tuning(num_train=50, num_test=1024, num_instances=100)

# Instances that train at the same time; a step of the progress display.
INSTANCES_PER_FIT = 4

# Called with a bidder type and the number of instances that were just trained.
Advance = Callable[[str, int], None]


@dataclass(frozen=True)
class LearningStudy:
    """
    Which networks are trained, on what. Checked on construction.

    Parameters
    ----------
    domain
        Name for :func:`boca.lab.domains.load_domain`.
    q
        Quantile of the upper bound's loss, and of the published configurations, in (0, 1).
    instances
        Seeds of the instances, at least one.
    types
        Bidder types; all of the domain if None.
    params
        Hyperparameters by type; the published ones, or the defaults of the market, if None.
    generic
        Whether identical goods are one good with a capacity. Then nothing is published.
    seed
        Of the trainings.
    """

    domain: str
    q: float
    instances: Sequence[int]
    types: Sequence[str] | None = None
    params: Mapping[str, MvnnParams] | None = None
    generic: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.instances:
            raise InputError("Received no instances; expected at least one seed, such as 1-20.")
        if not 0 < self.q < 1:
            raise InputError(f"Received q = {self.q:g}; expected a quantile between 0 and 1.")
        check_values(self.first)
        choose_types(self.first, self.types)  # refuses types that do not exist
        if self.params is None:
            choose_params(self.first, self.q)  # refuses quantiles that were not tuned

    @cached_property
    def first(self) -> Domain:
        """The first instance, which has the goods and bidder types of all."""
        return self.world(self.instances[0])

    def world(self, instance: int) -> Domain:
        """One instance."""
        return load_domain(self.domain, seed=instance, generic=self.generic)

    @property
    def params_by_type(self) -> Mapping[str, MvnnParams]:
        """Hyperparameters of each bidder type."""
        return choose_params(self.first, self.q) if self.params is None else self.params

    @property
    def bidder_types(self) -> list[str]:
        """Whose networks are trained, each type once."""
        return choose_types(self.first, self.types)


def check_values(domain: Domain) -> None:
    """Raises InputError where a market has costs: quantiles of a bound mean the opposite there."""
    if domain.market.sense == "buy":
        raise InputError(
            f"'{domain.name}' buys, and studies of learning are about values; expected a market "
            "that sells, such as lsvm. Whole purchases are compared by boca experiment."
        )


@dataclass(frozen=True)
class Training:
    """
    One bidder's training.

    Parameters
    ----------
    data
        What it was trained on, and what it can be tested on.
    fitted
        What was learned.
    """

    data: LearningData
    fitted: Fitted


def trainings(
    study: LearningStudy, bidder_type: str, advance: Advance | None = None
) -> Iterator[Training]:
    """The trainings of one bidder type, instance by instance, as soon as they are ready."""
    first = study.first
    sizes = tuning(first.name) if is_tuned(first) else UNTUNED
    data = [
        learning_data(study.world(instance), bidder_type, sizes, instance)
        for instance in study.instances
    ]
    together = fit_together(data, first.market, bidder_type, study.params_by_type, study.seed)
    for one, fitted in zip(data, together, strict=True):
        yield Training(one, fitted)
        if advance is not None:
            advance(bidder_type, 1)


def is_tuned(domain: Domain) -> bool:
    """Whether there are published hyperparameters, which see every good by name."""
    return domain.name in TUNED_DOMAINS and not domain.is_generic


def choose_params(domain: Domain, q: float) -> dict[str, MvnnParams]:
    """The published winners by bidder type where there are any, the defaults elsewhere."""
    return published(domain.name, q) if is_tuned(domain) else defaults(domain.market)


def choose_types(domain: Domain, types: Sequence[str] | None) -> list[str]:
    """The bidder types to look at, each once, in the order of the domain's bidders."""
    every = list(dict.fromkeys(domain.bidder_types))
    for name in types or ():
        if name not in every:
            raise InputError(
                f"{domain.name} has no bidder type '{name}'; {did_you_mean(name, every)}"
            )
    return [name for name in every if not types or name in types]


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
