"""How good trials are."""

import optuna
from optuna.trial import TrialState, create_trial

from boca.lab.studies.tuning.scores import best_of, score_trials


def make_trials(*rows):
    """Trials with numbers, from pairs of a state and the scores by instance."""
    study = optuna.create_study()
    for state, scores in rows:
        attrs = {f"instance {i}": {"scores": {"all": score}} for i, score in scores.items()}
        value = 1.0 if state == TrialState.COMPLETE else None
        study.add_trial(create_trial(state=state, value=value, user_attrs=attrs))
    return study.trials


def test_complete_trials_have_their_mean():
    """Tests the value that decides who wins; the earlier of two equal ones does."""
    trials = make_trials(
        (TrialState.COMPLETE, {1: 3.0, 2: 5.0}),
        (TrialState.COMPLETE, {1: 2.0, 2: 4.0}),
        (TrialState.COMPLETE, {1: 4.0, 2: 2.0}),
    )
    scored = score_trials(trials, "all")

    assert [one.value for one in scored] == [4.0, 3.0, 3.0]
    assert best_of(scored).trial.number == 1


def test_unfinished_trials_have_no_score():
    """Tests that a trial of a dead process does not appear beside its copy, nor one that runs."""
    trials = make_trials(
        (TrialState.FAIL, {1: 1.0}),
        (TrialState.RUNNING, {1: 1.0}),
        (TrialState.PRUNED, {}),
    )

    assert score_trials(trials, "all") == []
    assert best_of([]) is None


def test_trial_given_up_without_a_complete_one():
    """Tests that its own mean is the best guess then, and that it cannot win."""
    scored = score_trials(make_trials((TrialState.PRUNED, {1: 1.0, 2: 3.0})), "all")

    assert [one.value for one in scored] == [2.0]
    assert best_of(scored) is None
