"""
The best trials of a search, measured once more before one of them is called the winner.

The smallest of many noisy numbers is small by luck as well as by merit, and more so the more trials
are about as good. Finalists are therefore trained again for the same bidders, with other bundles
and other first weights; both measurements count.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial

from boca.lab.studies.tuning.engines import TuningEngine
from boca.lab.studies.tuning.scores import Scored, of_target, score_trials
from boca.lab.studies.tuning.search import TuningListener
from boca.lab.studies.tuning.setup import NUM_FINALISTS, TuningSetup
from boca.lab.studies.tuning.storage import open_study
from boca.lab.studies.tuning.validation import as_text, measure_all
from boca.lab.studies.tuning.winners import Winner


def run_off(
    storage: BaseStorage,
    name: str,
    setup: TuningSetup,
    trials: Sequence[FrozenTrial],
    engine: TuningEngine,
    listener: TuningListener,
    where: str,
    num_finalists: int = NUM_FINALISTS,
) -> dict[str, Winner]:
    """
    The winner of every target; nothing where no trial is complete.

    Parameters
    ----------
    storage, name, where
        Where the search is kept, and its name.
    setup
        What the search was about.
    trials
        All its trials.
    engine, listener
        As for :func:`boca.lab.studies.tuning.search.run_trials`.
    num_finalists
        Complete trials of every target that are measured again, the best ones.
    """
    finalists = {
        target: best_trials(score_trials(trials, target), num_finalists) for target in setup.targets
    }
    anew = setup.anew()
    study = open_study(storage, f"{name}-run-off", anew, where)
    rivals = [params_of(setup, one) for few in finalists.values() for one in few]
    again = measure_all(study, anew, rivals, engine, listener)
    winners = {}
    for target, few in finalists.items():
        rows = {
            one.trial.number: of_target(again[as_text(params_of(setup, one))], target)
            for one in few
        }
        best = min(few, key=lambda one: _both(one, rows), default=None)
        if best is not None:
            winners[target] = Winner(
                target,
                best.trial.number,
                params_of(setup, best),
                best.by_instance,
                _both(best, rows),
            )
    return winners


def best_trials(scored: Sequence[Scored], num: int) -> list[Scored]:
    """The complete trials with the smallest values, the best first."""
    complete = [one for one in scored if one.is_complete]
    return sorted(complete, key=lambda one: one.value)[:num]


def params_of(setup: TuningSetup, scored: Scored) -> Any:
    """The parameters of a trial."""
    return setup.space.params(scored.trial.params, setup.num_train)


def _both(one: Scored, rows: dict[int, dict[int, float]]) -> float:
    """The mean of what was measured in the search and in the run-off."""
    return float(np.mean([one.value, np.mean(list(rows[one.trial.number].values()))]))
