"""Real processes on one study, one of which is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from optuna.trial import TrialState
from tuning_parts import quick_setup

from boca.lab.studies.tuning.search import open_search
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.trials import RETRY_OF, measurements

SUPPORT = Path(__file__).parents[3] / "support"
NUM_TRIALS = 8

pytestmark = pytest.mark.kill

WORK = """
import sys
from tuning_parts import ScriptedEngine, quick_setup
from boca.lab.studies.tuning.search import open_search, run_trials, suggested_params
from boca.lab.studies.tuning.storage import open_storage

setup = quick_setup()
progress = open_search(open_storage(sys.argv[1]), "x", setup, int(sys.argv[2]), "random", "here")
engine = ScriptedEngine(2, seconds=float(sys.argv[3]))
run_trials(progress, suggested_params(setup), engine, poll_seconds=0.05)
"""


def start(place: str, seconds: float) -> subprocess.Popen:
    """A process that works on the study, with this time for every measurement."""
    path = os.pathsep.join([str(SUPPORT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", WORK, place, str(NUM_TRIALS), str(seconds)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})


@pytest.fixture(params=["journal", "database"])
def place(request, tmp_path):
    """Both kinds of storage."""
    if request.param == "journal":
        return str(tmp_path / "study.journal")
    return f"sqlite:///{tmp_path / 'study.db'}"


def test_no_trial_is_lost_or_counted_twice(place):
    """Tests two processes of which one is killed at work, in a journal and in a database."""
    trials = open_search(open_storage(place), "x", quick_setup(), NUM_TRIALS, "random", "").trials
    victim, survivor = start(place, 0.5), start(place, 0.01)
    try:
        deadline = time.monotonic() + 60
        while not at_work(trials, victim.pid) or not trials.done():
            assert time.monotonic() < deadline
            assert victim.poll() is None
            time.sleep(0.01)
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
        assert survivor.wait(timeout=120) == 0
    finally:
        for process in (victim, survivor):
            process.kill()
            process.wait()

    every = trials.all()
    done = trials.done()
    assert len(done) == NUM_TRIALS
    assert all(t.state in (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL) for t in every)
    # Every point that was chosen is finished exactly once, those of the dead process included.
    points = [tuple(trial.params.values()) for trial in done]
    assert len(set(points)) == NUM_TRIALS
    passed_on = [t for t in every if t.state == TrialState.FAIL and measurements(t)]
    retries = {t.user_attrs.get(RETRY_OF) for t in done}
    assert passed_on
    assert {trial.number for trial in passed_on} <= retries


def at_work(trials, pid: int) -> bool:
    """Whether a process has a trial of which some instances are measured."""
    attrs = trials.study.user_attrs
    tokens = {
        name.removeprefix("process ")
        for name, record in attrs.items()
        if name.startswith("process ") and record["pid"] == pid
    }
    return any(
        t.state == TrialState.RUNNING and t.user_attrs.get("owner") in tokens and measurements(t)
        for t in trials.all()
    )
