"""Winners and what they are compared with, measured on instances that chose neither."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, Trial

from boca.core.randomness import format_seeds
from boca.studies.tuning.engines import TuningEngine
from boca.studies.tuning.scores import of_target
from boca.studies.tuning.search import TuningListener, TuningProgress, run_trials
from boca.studies.tuning.setup import TuningSetup, as_plain
from boca.studies.tuning.storage import open_study
from boca.studies.tuning.trials import CONFIGURATION, Trials
from boca.studies.tuning.winners import Reference, Winner
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
    held_out = setup.on(instances)
    title = f"{name}-validation-{format_seeds(instances).replace(' ', '')}"
    study = open_study(storage, title, held_out, where)
    trials = Trials(study, None)
    wanted = {
        as_text(params)
        for params in (*(w.params for w in winners.values()), *reference.params.values())
    }
    for text in sorted(wanted):
        trials.add(text, {})
    progress = TuningProgress(
        held_out, trials, len(trials.all()), len(trials.done()), is_search=False
    )
    run_trials(progress, configured(setup), engine, listener, gives_up=False)

    done = {trial.user_attrs[CONFIGURATION]: trial for trial in trials.done()}
    return [
        Compared(
            target,
            _numbers(done, winner.params, target),
            _numbers(done, reference.params[target], target),
        )
        for target, winner in winners.items()
        if target in reference.params
    ]


def as_text(params: Any) -> str:
    """Parameters as a text that is the same for the same parameters."""
    return json.dumps(as_plain(params), sort_keys=True)


def configured(setup: TuningSetup) -> Any:
    """What makes parameters of a trial's configuration."""

    def params_of(trial: Trial) -> Any:
        return make_params(setup.space.surrogate, json.loads(trial.user_attrs[CONFIGURATION]))

    return params_of


def _numbers(done: Mapping[str, FrozenTrial], params: Any, target: str) -> dict[int, float]:
    return of_target(done[as_text(params)], target)
