"""
When to give up: Optuna's Wilcoxon pruner, for several targets.

Every target (such as a quantile) has its own best trial; a trial is given up when it is worse than
the best one of every target.
"""

import warnings
from collections.abc import Sequence

import optuna
from optuna.pruners import WilcoxonPruner
from optuna.trial import FrozenTrial, TrialState, create_trial

from boca.lab.studies.tuning.scores import best_of, of_target, score_trials

# How sure we want to be that a trial is worse than the best one. The smallest number of instances
# that can give such a probability is four, if all of them are worse.
GIVE_UP_BELOW = 0.1

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Optuna calls it experimental
    PRUNER = WilcoxonPruner(p_threshold=GIVE_UP_BELOW)


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
