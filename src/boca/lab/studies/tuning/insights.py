"""What a finished search teaches: its history, what mattered, where good configurations lie."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import optuna
from optuna.importance import PedAnovaImportanceEvaluator
from optuna.trial import FrozenTrial

from boca.lab.studies.tuning.choosing import distributions, view_of
from boca.lab.studies.tuning.scores import score_trials
from boca.lab.studies.tuning.setup import TuningSetup
from boca.surrogates.ranges import Choice

# Importance is about being among this share of all trials.
GOOD_SHARE = 0.25

# Fewer trials say nothing about importance.
FEWEST_TRIALS = 10


@dataclass(frozen=True, eq=False)
class History:
    """
    The trials of a search in their order, for one target.

    Parameters
    ----------
    target
        A quantile as text, or ``all``.
    numbers
        Numbers of the trials, ``(num_trials,)``.
    values
        The criterion; an estimate for those that were given up.
    is_complete
        Whether each was measured on all instances.
    """

    target: str
    numbers: np.ndarray
    values: np.ndarray
    is_complete: np.ndarray

    @property
    def best_so_far(self) -> np.ndarray:
        """The smallest value of a complete trial up to each one; infinite before the first."""
        best: np.ndarray = np.minimum.accumulate(np.where(self.is_complete, self.values, np.inf))
        return best


@dataclass(frozen=True, eq=False)
class Lines:
    """
    Trials as lines through the axes of a space.

    Parameters
    ----------
    names
        The axes.
    places
        Where each trial lies on each axis, from 0 to 1, ``(num_trials, num_axes)``.
    ends
        What the lower and upper end of each axis are called; choices are all named.
    values
        The criterion of each trial, ``(num_trials,)``.
    """

    names: tuple[str, ...]
    places: np.ndarray
    ends: tuple[tuple[str, ...], ...]
    values: np.ndarray


def history(trials: Sequence[FrozenTrial], target: str) -> History:
    """The history of one target."""
    scored = score_trials(trials, target)
    return History(
        target,
        np.array([one.trial.number for one in scored]),
        np.array([one.value for one in scored]),
        np.array([one.is_complete for one in scored], dtype=bool),
    )


def importances(setup: TuningSetup, trials: Sequence[FrozenTrial], target: str) -> dict[str, float]:
    """
    How much each range decides whether a trial is among the best quarter (PED-ANOVA, Watanabe et
    al., 2023), as shares of 1, the largest first; empty with too few trials.
    """
    view = view_of(trials, target, distributions(setup.space))
    if len(view.trials) < FEWEST_TRIALS:
        return {}
    evaluator = PedAnovaImportanceEvaluator(target_quantile=GOOD_SHARE)
    return dict(optuna.importance.get_param_importances(view, evaluator=evaluator))


def lines(setup: TuningSetup, trials: Sequence[FrozenTrial], target: str) -> Lines:
    """Every trial as a line through all axes."""
    scored = [one for one in score_trials(trials, target) if one.trial.params]
    names = tuple(setup.space.dimensions)
    places = np.array([[_place(setup, n, one.trial.params[n]) for n in names] for one in scored])
    return Lines(
        names,
        places.reshape(-1, len(names)),
        tuple(_ends(setup, name) for name in names),
        np.array([one.value for one in scored]),
    )


def _place(setup: TuningSetup, name: str, value: object) -> float:
    dimension = setup.space.dimensions[name]
    if isinstance(dimension, Choice):
        return dimension.labels.index(value) / max(1, len(dimension.labels) - 1)
    low, high, at = dimension.low, dimension.high, float(value)  # type: ignore[arg-type]
    if dimension.log:
        low, high, at = np.log(low), np.log(high), np.log(at)
    return float((at - low) / (high - low))


def _ends(setup: TuningSetup, name: str) -> tuple[str, ...]:
    dimension = setup.space.dimensions[name]
    if isinstance(dimension, Choice):
        tables = [value for value in dimension.values if isinstance(value, dict)]
        if tables:
            return tuple(" x ".join(f"{part}" for part in table.values()) for table in tables)
        return tuple(map(_word, dimension.values))
    return f"{dimension.low:g}", f"{dimension.high:g}"


def _word(value: object) -> str:
    """A choice in a few letters."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
