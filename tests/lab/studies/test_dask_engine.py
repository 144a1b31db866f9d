"""A grid on a real Dask scheduler with two worker processes, one of which dies."""

import os
import signal
import subprocess
import sys

import pytest
from dask_cluster import running_cluster
from fake_runs import make_spec

from boca.lab.studies.dask_engine import DaskEngine
from boca.lab.studies.runner import Listener, run_grid
from boca.lab.studies.store import Store
from boca.lab.studies.worker import perform

SPECS = [make_spec("toy", seed, num_initial=3, num_total=4, num_per_round=1) for seed in range(5)]


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory):
    with running_cluster(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster


def names_at_work(client) -> set[str]:
    """Names of the workers that have something to do."""
    names = client.run(lambda dask_worker: dask_worker.name)
    return {names[address] for address, tasks in client.processing().items() if tasks}


@pytest.mark.kill
def test_grid_completes_although_a_worker_dies(dask_cluster, tmp_path):
    """Tests that the runs of a killed worker are done by the other one, with the same numbers."""
    engine = DaskEngine(dask_cluster.address)
    engine._client.wait_for_workers(2, timeout=60)
    victim = dask_cluster.workers["first"]
    killed_with_work = []

    class Killer(Listener):
        def on_change(self, progress):
            if not killed_with_work and "first" in names_at_work(engine._client):
                os.kill(victim.pid, signal.SIGKILL)
                victim.wait()
                killed_with_work.append(len(progress.results))

    assert engine.num_workers == 2
    store = Store(tmp_path / "grid")
    progress = run_grid(SPECS, store, engine, Killer(), poll_seconds=0.05)
    engine.close()

    assert killed_with_work
    assert killed_with_work[0] < len(SPECS)
    assert progress.failures == {}
    assert {spec.key for spec in SPECS} == {result["key"] for result in store.results()}
    assert store.read(SPECS[0].key)["path"] == perform(SPECS[0])["path"]


@pytest.mark.slow
def test_command_line(dask_cluster, tmp_path):
    """Tests the option, with the one worker that is left."""
    flags = ["--domains", "toy", "--mechanisms", "random", "--seeds", "9", "--set", "num_initial=3"]
    command = [sys.executable, "-m", "boca", "experiment", "run", *flags, "--out", str(tmp_path)]
    done = subprocess.run(
        [*command, "--scheduler", dask_cluster.address], check=True, capture_output=True, text=True
    )

    assert "1 done, 0 running, 0 left" in done.stdout


def test_crash_on_the_cluster_comes_back_with_its_log(dask_cluster, tmp_path):
    """Tests that a failure far away can be read here."""
    engine = DaskEngine(dask_cluster.address)
    ended = engine.submit(make_spec("nowhere.toml", 1), tmp_path / "log").result(timeout=120)
    engine.close()

    assert ended.result is None
    assert "InputError" in ended.error
    assert "Traceback" in ended.log
