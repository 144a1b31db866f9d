"""What is tried next, and when a trial is given up."""

import optuna
import pytest
from optuna.trial import TrialState, create_trial
from tuning_parts import QUICK

from boca.core.errors import InputError
from boca.studies.tuning.choosing import TargetSampler, distributions, is_hopeless, view_of
from boca.surrogates.ranges import Space


def trial(scores, state=TrialState.COMPLETE, penalty=1.0):
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


def test_worse_everywhere_is_hopeless_after_four_instances():
    """Tests that four instances of which all are worse have a probability of 1/16."""
    best = trial({"all": [1, 2, 3, 4, 5, 6]})
    for num, expected in ((3, False), (4, True)):
        bad = trial({"all": [2.0 * (i + 1) for i in range(num)]}, TrialState.RUNNING)
        study = study_of(best, bad)
        assert is_hopeless(study.trials[1], study.trials, ["all"]) is expected


def test_trial_that_may_win_one_quantile_goes_on():
    """Tests that a trial is judged for every target, since one set of trainings serves all."""
    best = trial({"0.6": [1, 2, 3, 4, 5], "0.9": [1, 2, 3, 4, 5]})
    mixed = trial({"0.6": [2, 4, 6, 8, 10], "0.9": [0.5, 1, 1.5, 2, 2.5]}, TrialState.RUNNING)
    study = study_of(best, mixed)

    assert is_hopeless(study.trials[1], study.trials, ["0.6"])
    assert not is_hopeless(study.trials[1], study.trials, ["0.6", "0.9"])


def test_nothing_is_hopeless_before_one_is_complete():
    """Tests the first trial of a search."""
    study = study_of(trial({"all": [9, 9, 9, 9, 9]}, TrialState.RUNNING))

    assert not is_hopeless(study.trials[0], study.trials, ["all"])


def test_trial_that_was_given_up_counts_with_its_distance_from_the_best():
    """Tests that easy instances do not make a bad trial look good to the sampler."""
    best = trial({"all": [1, 2, 3, 4, 5, 6]})  # 3.5 on average
    bad = trial({"all": [2, 3]}, TrialState.PRUNED)  # 1 worse, on the two easiest
    view = view_of(study_of(best, bad).trials, "all", distributions(QUICK))

    assert [t.value for t in view.trials] == [3.5, 4.5]


@pytest.mark.parametrize("name", ["random", "tpe"])
def test_same_seed_and_history_same_suggestion(name):
    """Tests that a search can be repeated; another trial gets another point."""
    points = []
    for _ in range(2):
        sampler = TargetSampler(name, QUICK, ["all"], seed=5)
        study = study_of(*(trial({"all": [k, k]}, penalty=10.0**-k) for k in range(2)))
        study.sampler = sampler
        points.append([study.ask(distributions(QUICK)).params for _ in range(2)])

    assert points[0] == points[1]
    assert points[0][0] != points[0][1]


def test_estimator_learns_where_good_trials_are():
    """Tests that after many trials most suggestions are near the best ones."""
    grid = [10.0 ** (-2 + 0.2 * k) for k in range(20)]
    study = study_of(*(trial({"all": [abs(k - 10.0)] * 2}, penalty=p) for k, p in enumerate(grid)))
    study.sampler = TargetSampler("tpe", QUICK, ["all"], seed=0)
    tried = []
    for _ in range(10):
        asked = study.ask(distributions(QUICK))
        tried.append(asked.params["penalty"])
        study.tell(asked, state=TrialState.FAIL)

    assert sum(0.1 < penalty < 10 for penalty in tried) >= 8  # half of the range


def test_unknown_sampler():
    """Tests that a slip is refused."""
    with pytest.raises(InputError, match="expected one of random, tpe"):
        TargetSampler("grid", QUICK, ["all"], seed=0)
