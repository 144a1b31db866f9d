"""How good every trial is for every target, also those that were given up early."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from boca.lab.studies.tuning.trials import DONE, measurements


@dataclass(frozen=True)
class Scored:
    """
    A trial with its numbers for one target.

    Parameters
    ----------
    trial
        The trial.
    by_instance
        The criterion by instance.
    value
        The mean over all instances; for a trial that was given up, an estimate.
    is_complete
        Whether it was measured on all instances.
    """

    trial: FrozenTrial
    by_instance: dict[int, float]
    value: float
    is_complete: bool


def score_trials(trials: Sequence[FrozenTrial], target: str) -> list[Scored]:
    """
    The finished trials, with their values for one target. Those of dead processes are left out:
    what was measured in them belongs to their copies.

    A trial that was given up is estimated by its mean distance from the best trial on the
    instances that both have, added to the best: some instances are harder than others.
    """
    finished = [trial for trial in trials if trial.state in DONE]
    numbers = {trial.number: of_target(trial, target) for trial in finished}
    measured = [trial for trial in finished if numbers[trial.number]]
    complete = {
        trial.number: float(np.mean(list(numbers[trial.number].values())))
        for trial in measured
        if trial.state == TrialState.COMPLETE
    }
    best = min(complete, key=lambda number: complete[number], default=None)
    scored = []
    for trial in measured:
        own, is_complete = numbers[trial.number], trial.number in complete
        if is_complete:
            value = complete[trial.number]
        elif best is None:
            value = float(np.mean(list(own.values())))
        else:
            common = [i for i in own if i in numbers[best]]
            distance = np.mean([own[i] - numbers[best][i] for i in common]) if common else 0.0
            value = complete[best] + float(distance)
        scored.append(Scored(trial, own, value, is_complete))
    return scored


def best_of(scored: Sequence[Scored]) -> Scored | None:
    """The complete trial with the smallest value, the earliest of several; None without any."""
    complete = [one for one in scored if one.is_complete]
    return min(complete, key=lambda one: one.value, default=None)


def of_target(trial: FrozenTrial, target: str) -> dict[int, float]:
    """The criterion of one target by instance."""
    return {
        number: float(measurement["scores"][target])
        for number, measurement in measurements(trial).items()
    }
