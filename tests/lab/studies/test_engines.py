"""Runs in processes of this machine: results, crashes, kills, and how many at once."""

import contextlib
import os
import re
import subprocess
import sys
import time

import pytest
from fake_runs import make_spec

from boca.core.errors import InputError
from boca.lab.studies.engines import ProcessEngine, default_workers
from boca.lab.studies.runner import Listener, run_grid
from boca.lab.studies.store import Store
from boca.lab.studies.worker import perform, perform_apart

SPECS = [make_spec("toy", seed, num_initial=3, num_total=4, num_per_round=1) for seed in (1, 2)]
# Everything about a run that must not depend on where and when it was done.
SAME = ("key", "spec", "auction", "path", "allocation", "payments", "efficiency_loss")


@pytest.fixture
def engine():
    engine = ProcessEngine(2)
    yield engine
    engine.close()


def alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_until(condition, seconds=60):
    """Waits for something that must happen, with patience for a busy machine."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_process_gives_what_we_would_have_got(engine, tmp_path):
    """Tests that a run in a process of its own is the run, and leaves a log."""
    apart = engine.submit(SPECS[0], tmp_path / "log").result()
    here = perform(SPECS[0])

    assert apart.error == ""
    assert {name: apart.result[name] for name in SAME} == {name: here[name] for name in SAME}
    assert "ends after" in (tmp_path / "log").read_text()


def test_one_thread_each(tmp_path, monkeypatch):
    """Tests that a run's libraries are told to use one thread before they are imported."""
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nenv\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))

    log = perform_apart({}).log
    assert "OMP_NUM_THREADS=1" in log
    assert "intra_op_parallelism_threads=1" in log


def test_crash_is_told_with_its_reason(engine, tmp_path):
    """Tests that a run that raises comes back as a failure with its last words."""
    spec = make_spec("nowhere.toml", 1)
    ended = engine.submit(spec, tmp_path / "log").result()

    assert ended.result is None
    assert "InputError" in ended.error
    assert "Traceback" in (tmp_path / "log").read_text()


class KillsFirst(ProcessEngine):
    """Kills the first process that it starts."""

    num_started = 0

    def _started(self, process):
        super()._started(process)
        self.num_started += 1
        if self.num_started == 1:
            process.kill()


def test_killed_run_is_repeated_and_the_others_go_on(tmp_path):
    """Tests that a kill from outside, as by the system when memory is short, costs one attempt."""
    crashes = []

    class Witness(Listener):
        def on_crash(self, progress, key, error, again):
            crashes.append((error, again))

    engine = KillsFirst(2)
    progress = run_grid(SPECS, Store(tmp_path), engine, Witness())
    engine.close()
    assert crashes == [("killed by signal 9", True)]
    assert engine.num_started == 3
    assert len(progress.results) == 2
    assert progress.failures == {}


def test_runs_end_with_their_runner(tmp_path):
    """Tests that killing the runner leaves no process behind that goes on working for nobody."""
    spec, log = make_spec("lsvm", 1, num_total=4000), tmp_path / "log"
    call = f"perform_apart({spec.to_dict()!r}, {str(log)!r})"
    code = f"from boca.lab.studies.worker import perform_apart\n{call}"
    runner = subprocess.Popen([sys.executable, "-c", code])
    wait_until(lambda: log.exists() and "process" in log.read_text())
    pid = int(re.search(r"process (\d+)", log.read_text())[1])
    assert alive(pid)

    runner.kill()
    runner.wait()
    wait_until(lambda: not alive(pid))


def test_closing_ends_what_is_under_way(tmp_path):
    """Tests that an interrupted grid does not wait for its long runs."""
    engine = ProcessEngine(1)
    future = engine.submit(make_spec("lsvm", 1, num_total=4000), tmp_path / "log")
    wait_until(lambda: (tmp_path / "log").exists() and "process" in (tmp_path / "log").read_text())

    engine.close()
    assert future.result().error == "killed by signal 9"


def test_number_of_workers_heeds_memory(monkeypatch):
    """Tests that two gigabytes are kept for each run, and that there is always one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    for gigabytes, expected in ((100, 8), (5, 2), (0.5, 1)):
        monkeypatch.setattr(
            "boca.lab.studies.engines.available_gigabytes", lambda value=gigabytes: value
        )
        assert default_workers() == expected


def test_no_workers():
    """Tests that a nonsensical number is refused."""
    with pytest.raises(InputError, match="at least 1"):
        ProcessEngine(0)
