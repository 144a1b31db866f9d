"""When a trial is given up."""

from optuna.trial import TrialState
from tuning_parts import study_of, trial_of

from boca.lab.studies.tuning.choosing import is_hopeless


def test_worse_everywhere_is_hopeless_after_four_instances():
    """Tests that four instances of which all are worse have a probability of 1/16."""
    best = trial_of({"all": [1, 2, 3, 4, 5, 6]})
    for num, expected in ((3, False), (4, True)):
        bad = trial_of({"all": [2.0 * (i + 1) for i in range(num)]}, TrialState.RUNNING)
        study = study_of(best, bad)
        assert is_hopeless(study.trials[1], study.trials, ["all"]) is expected


def test_trial_that_may_win_one_quantile_goes_on():
    """Tests that a trial is judged for every target, since one set of trainings serves all."""
    best = trial_of({"0.6": [1, 2, 3, 4, 5], "0.9": [1, 2, 3, 4, 5]})
    mixed = trial_of({"0.6": [2, 4, 6, 8, 10], "0.9": [0.5, 1, 1.5, 2, 2.5]}, TrialState.RUNNING)
    study = study_of(best, mixed)

    assert is_hopeless(study.trials[1], study.trials, ["0.6"])
    assert not is_hopeless(study.trials[1], study.trials, ["0.6", "0.9"])


def test_nothing_is_hopeless_before_one_is_complete():
    """Tests the first trial of a search."""
    study = study_of(trial_of({"all": [9, 9, 9, 9, 9]}, TrialState.RUNNING))

    assert not is_hopeless(study.trials[0], study.trials, ["all"])
