"""What is tried next."""

import numpy as np
import optuna
import pytest
from optuna.trial import TrialState
from tuning_parts import QUICK, study_of, trial_of

from boca.core.errors import InputError
from boca.lab.studies.tuning.choosing import TargetSampler, distributions, view_of
from boca.lab.studies.tuning.choosing.sampler import NUM_SPREAD, tried_points
from boca.surrogates.ranges import Space

pytestmark = pytest.mark.slow


def test_ranges_in_optuna_s_words():
    """Tests whole numbers, steps, logarithms and choices."""
    space = Space.from_dict(
        {
            "surrogate": "mvnn",
            "ranges": {
                "epochs": {"low": 4000, "high": 8000, "step": 500},
                "l2": {"low": 1e-9, "high": 1e-3, "log": True},
                "linear_skip": {"choices": [True, False]},
            },
        }
    )

    assert distributions(space) == {
        "epochs": optuna.distributions.IntDistribution(4000, 8000, step=500),
        "l2": optuna.distributions.FloatDistribution(1e-9, 1e-3, log=True),
        "linear_skip": optuna.distributions.CategoricalDistribution((True, False)),
    }


def test_trial_that_was_given_up_counts_with_its_distance_from_the_best():
    """Tests that easy instances do not make a bad trial look good to the sampler."""
    best = trial_of({"all": [1, 2, 3, 4, 5, 6]})  # 3.5 on average
    bad = trial_of({"all": [2, 3]}, TrialState.PRUNED)  # 1 worse, on the two easiest
    view = view_of(study_of(best, bad).trials, "all", distributions(QUICK))

    assert [t.value for t in view.trials] == [3.5, 4.5]


@pytest.mark.parametrize("name", ["random", "tpe", "gp"])
def test_same_seed_and_history_same_suggestion(name):
    """Tests that a search can be repeated; another trial gets another point."""
    points = []
    for _ in range(2):
        sampler = TargetSampler(name, QUICK, ["all"], seed=5)
        history = (
            trial_of({"all": [k, k]}, penalty=10.0 ** (k / 8)) for k in range(NUM_SPREAD + 1)
        )
        study = study_of(*history)
        study.sampler = sampler
        points.append([study.ask(distributions(QUICK)).params for _ in range(2)])

    assert points[0] == points[1]
    assert points[0][0] != points[0][1]


@pytest.mark.parametrize("name", ["tpe", "gp"])
def test_sampler_learns_where_good_trials_are(name):
    """Tests that after many trials most suggestions are near the best ones."""
    grid = [10.0 ** (-2 + 0.2 * k) for k in range(20)]
    study = study_of(
        *(trial_of({"all": [abs(k - 10.0)] * 2}, penalty=p) for k, p in enumerate(grid))
    )
    study.sampler = TargetSampler(name, QUICK, ["all"], seed=0)
    tried = []
    for _ in range(10):
        asked = study.ask(distributions(QUICK))
        tried.append(asked.params["penalty"])
        study.tell(asked, state=TrialState.FAIL)

    assert sum(0.1 < penalty < 10 for penalty in tried) >= 8  # half of the range


def test_first_trials_are_spread_before_anything_is_learned():
    """Tests that trials under way count: several processes start with different points."""
    study = optuna.create_study(sampler=TargetSampler("gp", QUICK, ["all"], seed=0))
    tried = [study.ask(distributions(QUICK)).params for _ in range(NUM_SPREAD)]
    decades = [int(2 + np.log10(params["penalty"])) for params in tried]
    kernels = [params["kernel"] for params in tried]

    assert [decades.count(k) for k in range(4)] == [NUM_SPREAD // 4] * 4
    assert kernels.count("gaussian") == NUM_SPREAD // 2


def test_what_a_sampler_knows_of_trials():
    """Tests that a trial counts by the share of its instances, and one under way has no value."""
    trials = study_of(
        trial_of({"all": [1, 2, 3, 4]}),
        trial_of({"all": [2]}, TrialState.PRUNED),
        trial_of({"all": [2]}, TrialState.RUNNING),
        trial_of({"all": [0]}, TrialState.FAIL),
    ).trials
    tried = tried_points(trials, "all", distributions(QUICK))

    assert [(one.value, one.share) for one in tried] == [(2.5, 1.0), (3.5, 0.25), (None, 1.0)]


def test_unknown_sampler():
    """Tests that a slip is refused."""
    with pytest.raises(InputError, match="expected one of gp, tpe, random"):
        TargetSampler("grid", QUICK, ["all"], seed=0)
