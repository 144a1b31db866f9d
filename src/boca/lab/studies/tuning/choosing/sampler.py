"""
What to try next: Optuna's samplers and one of ours, for several targets.

Every target (such as a quantile) has its own best trial. Trials are suggested for one target after
the other, and all of them learn from all trials.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.lab.studies.tuning.choosing.improvement import Tried, first_point, propose
from boca.lab.studies.tuning.choosing.unit_cube import UnitCube
from boca.lab.studies.tuning.scores import score_trials
from boca.surrogates.ranges import Choice, Interval, Space

SamplerName = Literal["gp", "tpe", "random"]
SAMPLERS: tuple[str, ...] = get_args(SamplerName)

# Trials before anything is learned from them: spread over the ranges, or at random.
NUM_SPREAD = 16
NUM_RANDOM = 10


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
        ``gp``: a Gaussian process; ``tpe``: a tree-structured Parzen estimator; or ``random``, as
        in the paper.
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
        target = self._targets[trial.number % len(self._targets)]
        others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
        match self._name:
            case "random":
                view = optuna.create_study(sampler=RandomSampler(seed))
            case "tpe":
                view = view_of(others, target, search_space)
                view.sampler = TPESampler(n_startup_trials=NUM_RANDOM, seed=seed)
            case _:
                return self._propose(others, target, trial.number, np.random.default_rng(seed))
        return view.ask(search_space).params

    def _propose(
        self, others: Sequence[FrozenTrial], target: str, number: int, rng: np.random.Generator
    ) -> dict[str, Any]:
        cube = UnitCube(self._distributions)
        tried = tried_points(others, target, self._distributions)
        num_known = sum(one.value is not None for one in tried)
        if len(tried) < NUM_SPREAD or num_known < NUM_SPREAD // 2:
            return first_point(cube, number, self._seeds.child("first").integer(32))
        return propose(cube, tried, rng)

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


def tried_points(
    trials: Sequence[FrozenTrial], target: str, space: Mapping[str, BaseDistribution]
) -> list[Tried]:
    """
    What was tried or is being tried, with its value for one target.

    Parameters
    ----------
    trials, target, space
        As for :func:`view_of`.
    """
    scored = score_trials(trials, target)
    most = max((len(one.by_instance) for one in scored), default=1)
    tried = [
        Tried(one.trial.params, one.value, len(one.by_instance) / most)
        for one in scored
        if one.trial.params.keys() == space.keys()
    ]
    pending = [
        Tried(trial.params, None)
        for trial in trials
        if trial.state == TrialState.RUNNING and trial.params.keys() == space.keys()
    ]
    return tried + pending
