"""A search on a real Dask scheduler with two worker processes, one of which dies."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tuning_parts import quick_setup

from boca.core.errors import InputError, MissingExtra
from boca.studies.tuning import engines
from boca.studies.tuning.engines import DaskTuningEngine
from boca.studies.tuning.measuring import measure
from boca.studies.tuning.search import TuningListener, open_search, run_trials, suggested_params
from boca.studies.tuning.storage import open_storage
from boca.studies.tuning.trials import measurements

NUM_TRIALS = 8


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each in a process; its address and the workers by name."""
    file = tmp_path / "scheduler.json"
    log = (tmp_path / "dask.log").open("w")

    def start(program, *options):
        module = f"distributed.cli.{program}"
        command = [sys.executable, "-m", module, "--scheduler-file", str(file), "--no-dashboard"]
        return subprocess.Popen([*command, *options], stdout=log, stderr=log)

    processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline, (tmp_path / "dask.log").read_text()
            time.sleep(0.1)
        workers = {
            name: start("dask_worker", "--nthreads", "1", "--no-nanny", "--name", name)
            for name in ("first", "second")
        }
        processes += workers.values()
        yield json.loads(file.read_text())["address"], workers
    finally:
        for process in processes:
            process.kill()
            process.wait()
        log.close()


def test_search_completes_although_a_worker_dies(cluster, tmp_path):
    """Tests that no trial is lost or counted twice, with the numbers of a training here."""
    address, workers = cluster
    engine = DaskTuningEngine(address)
    engine._client.wait_for_workers(2, timeout=60)
    setup = quick_setup()
    killed = []

    class Killer(TuningListener):
        def on_measured(self, progress, number):
            if not killed and progress.num_measured >= 5:
                os.kill(workers["first"].pid, signal.SIGKILL)
                workers["first"].wait()
                killed.append(progress.num_measured)

    storage = open_storage(str(tmp_path / "study.journal"))
    progress = open_search(storage, "x", setup, NUM_TRIALS, "tpe", "here")
    run_trials(progress, suggested_params(setup), engine, Killer(), poll_seconds=0.05)
    engine.close()

    trials = progress.trials.all()
    assert killed
    assert len(progress.trials.done()) == len(trials) == NUM_TRIALS
    # No measurement was recorded twice either: each was counted when it was kept.
    assert progress.num_measured == sum(len(measurements(trial)) for trial in trials)
    params = setup.space.params(trials[0].params, setup.num_train)
    number, kept = next(iter(measurements(trials[0]).items()))
    assert kept["scores"] == pytest.approx(measure(setup, params, number)["scores"])


def test_no_scheduler(monkeypatch):
    """Tests that a wrong address is answered with what to do."""
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="No Dask scheduler answers at 'tcp"):
        DaskTuningEngine("tcp://127.0.0.1:9")


def test_missing_extra(monkeypatch):
    """Tests that without the extra the message says how to get it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"boca\[cluster\]"):
        DaskTuningEngine("tcp://127.0.0.1:9")
