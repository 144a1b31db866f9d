"""Winners and what they are compared with, measured on instances that chose neither."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial

from boca.core.randomness import format_seeds
from boca.lab.studies.tuning.engines import TuningEngine
from boca.lab.studies.tuning.scores import of_target
from boca.lab.studies.tuning.search import TuningListener, TuningProgress, run_trials
from boca.lab.studies.tuning.setup import TuningSetup, as_plain
from boca.lab.studies.tuning.storage import open_study
from boca.lab.studies.tuning.trials import CONFIGURATION, Trials
from boca.lab.studies.tuning.winners import Reference, Winner
from boca.surrogates.ranges import make_params

# A winner may be worse than what is published by this share and still be called as good.
TOLERANCE = 0.05


@dataclass(frozen=True)
class Compared:
    """
    A winner and its reference on the same instances, for one target.

    Parameters
    ----------
    target
        A quantile as text, or ``all``.
    winner, reference
        The criterion by instance.
    """

    target: str
    winner: dict[int, float]
    reference: dict[int, float]

    @property
    def means(self) -> tuple[float, float]:
        """Means of winner and reference."""
        return tuple(float(np.mean(list(n.values()))) for n in (self.winner, self.reference))  # type: ignore[return-value]

    @property
    def ratio(self) -> float:
        """The winner's mean by the reference's."""
        winner, reference = self.means
        return winner / reference

    @property
    def difference(self) -> tuple[float, float]:
        """Winner minus reference, instance by instance: the mean and its standard error."""
        pairs = [self.winner[i] - self.reference[i] for i in self.winner if i in self.reference]
        error = np.std(pairs, ddof=1) / np.sqrt(len(pairs)) if len(pairs) > 1 else 0.0
        return float(np.mean(pairs)), float(error)

    @property
    def is_as_good(self) -> bool:
        """Whether the winner is at most a little worse."""
        return self.ratio <= 1 + TOLERANCE


def validate(
    storage: BaseStorage,
    name: str,
    setup: TuningSetup,
    instances: tuple[int, ...],
    winners: Mapping[str, Winner],
    reference: Reference,
    engine: TuningEngine,
    listener: TuningListener,
    where: str,
) -> list[Compared]:
    """
    Measures every winner and its reference; what was measured before is not measured again.

    Parameters
    ----------
    storage, name, where
        Where the search is kept, and its name.
    setup
        What the search was about.
    instances
        Instances to measure on.
    winners, reference
        What is measured.
    engine, listener
        As for :func:`run_trials`.
    """
    title = f"{name}-validation-{format_seeds(instances).replace(' ', '')}"
    study = open_study(storage, title, setup.on(instances), where)
    rivals = [*(winner.params for winner in winners.values()), *reference.params.values()]
    done = measure_all(study, setup.on(instances), rivals, engine, listener)
    return [
        Compared(
            target,
            of_target(done[as_text(winner.params)], target),
            of_target(done[as_text(reference.params[target])], target),
        )
        for target, winner in winners.items()
        if target in reference.params
    ]


def measure_all(
    study: Study,
    setup: TuningSetup,
    rivals: Iterable[Any],
    engine: TuningEngine,
    listener: TuningListener,
) -> dict[str, FrozenTrial]:
    """
    Measures parameters on all instances; what was measured before is not measured again.

    Parameters
    ----------
    study
        Where measurements are kept.
    setup
        What they are about.
    rivals
        Parameters, of which the same ones count once.
    engine, listener
        As for :func:`run_trials`.

    Returns
    -------
    Trials by parameters as text.
    """
    trials = Trials(study, None)
    for text in sorted({as_text(params) for params in rivals}):
        trials.add(text, {})
    progress = TuningProgress(setup, trials, len(trials.all()), len(trials.done()), is_search=False)
    run_trials(progress, configured(setup), engine, listener, gives_up=False)
    return {trial.user_attrs[CONFIGURATION]: trial for trial in trials.done()}


def as_text(params: Any) -> str:
    """Parameters as a text that is the same for the same parameters."""
    return json.dumps(as_plain(params), sort_keys=True)


def configured(setup: TuningSetup) -> Any:
    """What makes parameters of a trial's configuration."""

    def params_of(trial: Trial) -> Any:
        return make_params(setup.space.surrogate, json.loads(trial.user_attrs[CONFIGURATION]))

    return params_of
