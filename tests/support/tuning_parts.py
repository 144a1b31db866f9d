"""Small searches for tests: learning in milliseconds, and an engine that follows a script."""

import math
import time

import optuna
from optuna.trial import TrialState, create_trial

from boca.lab.studies.tuning.choosing import distributions
from boca.lab.studies.tuning.setup import TuningSetup
from boca.surrogates.ranges import Space

# Support vector regression learns in milliseconds and compiles nothing.
QUICK = Space.from_dict(
    {
        "surrogate": "svr",
        "ranges": {
            "penalty": {"low": 0.01, "high": 100.0, "log": True},
            "kernel": {"choices": ["quadratic", "gaussian"]},
        },
    }
)


def quick_setup(**changes) -> TuningSetup:
    """A search in LSVM that a test can wait for."""
    values = {
        "market": "lsvm",
        "bidder_type": "national",
        "space": QUICK,
        "criterion": "mae",
        "instances": tuple(range(1, 7)),
        "num_train": 15,
        "num_test": 20,
    }
    return TuningSetup(**(values | changes))


class ScriptedEngine:
    """
    Measures by a formula instead of a training: best at a penalty of 1, harder with every instance.

    Parameters
    ----------
    num_workers
        Trials at once.
    seconds
        What a measurement takes.
    """

    def __init__(self, num_workers=1, seconds=0.0):
        self.num_workers = num_workers
        self.seconds = seconds
        self.calls = []

    def measure(self, setup, params, number):
        time.sleep(self.seconds)
        self.calls.append((params, number))
        distance = abs(math.log10(params.penalty))
        scores = {target: number + distance + 0.1 * k for k, target in enumerate(setup.targets)}
        return {"scores": scores, "seconds": self.seconds}

    def close(self):
        pass


def trial_of(scores, state=TrialState.COMPLETE, penalty=1.0):
    """A trial with scores by target, one for each instance."""
    num = len(next(iter(scores.values())))
    attrs = {
        f"instance {i}": {"scores": {target: row[i] for target, row in scores.items()}}
        for i in range(num)
    }
    return create_trial(
        state=state,
        value=1.0 if state == TrialState.COMPLETE else None,
        params={"penalty": penalty, "kernel": "quadratic"},
        distributions=distributions(QUICK),
        user_attrs=attrs,
    )


def study_of(*trials):
    """A study in memory, whose trials have numbers."""
    study = optuna.create_study()
    study.add_trials(trials)
    return study
