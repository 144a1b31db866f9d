"""Finalists measured again before one of them wins."""

import pytest
from optuna.trial import TrialState
from tuning_parts import ScriptedEngine, quick_setup, study_of, trial_of

from boca.lab.studies.tuning.instances import make_instance
from boca.lab.studies.tuning.measuring import measure
from boca.lab.studies.tuning.run_off import run_off
from boca.lab.studies.tuning.search import TuningListener
from boca.lab.studies.tuning.storage import open_storage
from boca.surrogates.ranges import make_params

SETUP = quick_setup(instances=(1, 2))


def decide(folder, engine, trials, num_finalists):
    """A run-off among trials."""
    storage = open_storage(str(folder / "j"))
    return run_off(storage, "x", SETUP, trials, engine, TuningListener(), "here", num_finalists)


@pytest.fixture
def trials():
    """Three complete trials and a better one that was given up; the engine likes 1.0 best."""
    return study_of(
        trial_of({"all": [1.0, 2.0]}, penalty=10.0),  # 1.5 by luck; the engine says 2.5
        trial_of({"all": [1.2, 2.2]}, penalty=1.0),  # 1.7; the engine says 1.5
        trial_of({"all": [3.0, 3.0]}, penalty=0.1),
        trial_of({"all": [0.5]}, TrialState.PRUNED, penalty=2.0),
    ).trials


def test_luck_does_not_win_twice(tmp_path, trials):
    """Tests that the winner is the best of both measurements together."""
    engine = ScriptedEngine()
    winner = decide(tmp_path, engine, trials, 2)["all"]

    assert winner.number == 1
    assert winner.params.penalty == 1.0
    assert winner.value == pytest.approx(1.6)
    assert winner.by_instance == {0: 1.2, 1: 2.2}
    assert {params.penalty for params, _ in engine.calls} == {10.0, 1.0}


def test_run_off_is_measured_once(tmp_path, trials):
    """Tests that the same command again, or another process, measures nothing again."""
    decide(tmp_path, ScriptedEngine(), trials, 2)
    engine = ScriptedEngine()
    winner = decide(tmp_path, engine, trials, 3)["all"]

    assert winner.number == 1
    assert {params.penalty for params, _ in engine.calls} == {0.1}


def test_no_complete_trial_no_winner(tmp_path, trials):
    """Tests a search in which everything was given up."""
    assert decide(tmp_path, ScriptedEngine(), trials[3:], 5) == {}


def test_same_bidder_other_bundles():
    """Tests that a run-off is about the same values and asks for others of them."""
    usual, anew = make_instance(SETUP, 1), make_instance(SETUP.anew(), 1)
    full = usual.market.full_bundle

    assert usual.reports[0].value_of(full) == anew.reports[0].value_of(full)
    assert not (usual.reports[0].bundles[:-1] == anew.reports[0].bundles[:-1]).all()
    assert not (usual.tests[0].bundles == anew.tests[0].bundles).all()
    params = make_params("svr", {"penalty": 1.0})
    assert measure(SETUP, params, 1)["scores"] != measure(SETUP.anew(), params, 1)["scores"]
