"""The best configuration for every target, and what it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optuna.trial import FrozenTrial

from boca.lab.domains import DOMAINS, load_domain
from boca.lab.studies.tuning.criteria import ALL
from boca.lab.studies.tuning.scores import best_of, score_trials
from boca.lab.studies.tuning.setup import TuningSetup
from boca.surrogates.hyperparameters import QUANTILES, TUNED_DOMAINS, defaults, published
from boca.surrogates.ranges import make_params


@dataclass(frozen=True)
class Winner:
    """
    The best configuration for one target.

    Parameters
    ----------
    target
        A quantile as text, or ``all``.
    number
        Of its trial.
    params
        Parameters of the surrogate.
    by_instance
        The criterion by instance.
    value
        The mean over the instances, and over what was measured again in a run-off.
    """

    target: str
    number: int
    params: Any
    by_instance: dict[int, float]
    value: float


@dataclass(frozen=True)
class Reference:
    """
    What winners are compared with.

    Parameters
    ----------
    name
        ``published``, or ``defaults`` where nothing is published.
    params
        Parameters by target.
    """

    name: str
    params: dict[str, Any]


def find_winners(setup: TuningSetup, trials: Sequence[FrozenTrial]) -> dict[str, Winner]:
    """The best complete trial for every target; nothing where none is complete."""
    winners = {}
    for target in setup.targets:
        best = best_of(score_trials(trials, target))
        if best is not None:
            params = setup.space.params(best.trial.params, setup.num_train)
            winners[target] = Winner(
                target, best.trial.number, params, best.by_instance, best.value
            )
    return winners


def reference(setup: TuningSetup) -> Reference:
    """The published winners of the same quantiles, or else the defaults of market and surrogate."""
    name, surrogate = setup.market.lower(), setup.space.surrogate
    if surrogate != "mvnn" or setup.bidder_type is None:
        params = make_params(surrogate, {})
        return Reference("defaults", dict.fromkeys(setup.targets, params))
    if name in TUNED_DOMAINS and not setup.generic:
        by_target = {
            target: published(name, 0.9 if target == ALL else float(target))[setup.bidder_type]
            for target in setup.targets
            if target == ALL or float(target) in QUANTILES
        }
        return Reference("published", by_target)
    market = _market(setup)
    params = defaults(market)[setup.bidder_type]
    return Reference("defaults", dict.fromkeys(setup.targets, params))


def _market(setup: TuningSetup) -> Any:
    if setup.reports:
        from boca.lab.studies.tuning.instances import read_answers

        return read_answers(setup.reports).market
    seed = setup.instances[0] if setup.market.lower() in DOMAINS else None
    name = setup.market if seed is not None else Path(setup.market)
    return load_domain(name, seed=seed, generic=setup.generic).market
