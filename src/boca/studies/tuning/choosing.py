"""
What to try next, and when to give up: Optuna's samplers and Wilcoxon pruner, for several targets.

Every target (such as a quantile) has its own best trial. Trials are suggested for one target after
the other, and all of them learn from all trials; a trial is given up when it is worse than the best
one of every target.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.pruners import WilcoxonPruner
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.studies.tuning.scores import best_of, of_target, score_trials
from boca.surrogates.ranges import Choice, Interval, Space

SamplerName = Literal["random", "tpe"]
SAMPLERS: tuple[str, ...] = get_args(SamplerName)

# How sure we want to be that a trial is worse than the best one. The smallest number of instances
# that can give such a probability is four, if all of them are worse.
GIVE_UP_BELOW = 0.1

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Optuna calls it experimental
    PRUNER = WilcoxonPruner(p_threshold=GIVE_UP_BELOW)

# Trials at random before anything is learned from them.
NUM_STARTUP = 10


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """The ranges in Optuna's words."""
    return {name: _distribution(dimension) for name, dimension in space.dimensions.items()}


def _distribution(dimension: Choice | Interval) -> BaseDistribution:
    if isinstance(dimension, Choice):
        return CategoricalDistribution(dimension.labels)
    low, high, step = dimension.low, dimension.high, dimension.step
    if dimension.is_whole and (step is None or isinstance(step, int)):
        return IntDistribution(int(low), int(high), log=dimension.log, step=int(step or 1))
    return FloatDistribution(float(low), float(high), log=dimension.log, step=step)


class TargetSampler(BaseSampler):
    """
    Suggests points for one target after the other.

    Parameters
    ----------
    name
        ``random`` (the paper), or ``tpe``: a tree-structured Parzen estimator.
    space
        What may be chosen.
    targets
        What a winner is wanted for.
    seed
        Of all choices; a trial's also depend on its number.
    """

    def __init__(self, name: str, space: Space, targets: Sequence[str], seed: int):
        if name not in SAMPLERS:
            raise InputError(f"Received --sampler {name}; expected one of {', '.join(SAMPLERS)}.")
        self._name, self._targets = name, tuple(targets)
        self._distributions = distributions(space)
        self._seeds = Seeds(seed).child("sampler")

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Everything is chosen at once."""
        return self._distributions

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """A point of the space."""
        seed = self._seeds.child(trial.number).integer(32)
        if self._name == "random":
            view = optuna.create_study(sampler=RandomSampler(seed))
        else:
            target = self._targets[trial.number % len(self._targets)]
            others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
            view = view_of(others, target, search_space)
            view.sampler = TPESampler(n_startup_trials=NUM_STARTUP, seed=seed)
        return view.ask(search_space).params

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Never needed: everything was chosen at once."""
        raise NotImplementedError(param_name)


def view_of(
    trials: Sequence[FrozenTrial], target: str, space: Mapping[str, BaseDistribution]
) -> Study:
    """
    A study in memory in which every trial has its value for one target.

    Parameters
    ----------
    trials
        Those of the study itself, in any state.
    target
        Which numbers count.
    space
        The ranges; trials that were made for others are left out.
    """
    view = optuna.create_study()
    scored = {one.trial.number: one.value for one in score_trials(trials, target)}
    for trial in trials:
        if trial.params.keys() != space.keys() or trial.state == TrialState.FAIL:
            continue
        is_running = trial.state == TrialState.RUNNING
        if not is_running and trial.number not in scored:
            continue
        view.add_trial(
            create_trial(
                state=TrialState.RUNNING if is_running else TrialState.COMPLETE,
                value=None if is_running else scored[trial.number],
                params=trial.params,
                distributions=dict(space),
            )
        )
    return view


def is_hopeless(trial: FrozenTrial, trials: Sequence[FrozenTrial], targets: Sequence[str]) -> bool:
    """
    Whether a trial is worse than the best one of every target, as far as can be seen.

    Parameters
    ----------
    trial
        What was measured so far.
    trials
        All trials of the study.
    targets
        What winners are wanted for.
    """
    for target in targets:
        best = best_of(score_trials(trials, target))
        if best is None:
            return False
        view = optuna.create_study()
        view.add_trial(create_trial(value=best.value, intermediate_values=best.by_instance))
        own = create_trial(state=TrialState.RUNNING, intermediate_values=of_target(trial, target))
        if not PRUNER.prune(view, own):
            return False
    return True
