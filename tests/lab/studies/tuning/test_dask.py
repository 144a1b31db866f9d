"""A search on a real Dask scheduler with two worker processes, one of which dies."""

import os
import signal

import pytest
from dask_cluster import running_cluster
from tuning_parts import quick_setup

from boca.lab.studies.tuning.engines import DaskTuningEngine
from boca.lab.studies.tuning.measuring import measure
from boca.lab.studies.tuning.search import TuningListener, open_search, run_trials, suggested_params
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.trials import measurements

NUM_TRIALS = 8


@pytest.fixture
def cluster(tmp_path):
    with running_cluster(tmp_path) as cluster:
        yield cluster


@pytest.mark.kill
def test_search_completes_although_a_worker_dies(cluster, tmp_path):
    """Tests that no trial is lost or counted twice, with the numbers of a training here."""
    workers = cluster.workers
    engine = DaskTuningEngine(cluster.address)
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
