"""The store: whole results or none, and every run claimed by one living process."""

import json
import os
import platform
import subprocess
import sys
import time

import pytest
from fake_runs import make_result, make_spec

from boca.core.errors import InputError
from boca.studies import store as store_module
from boca.studies.grid import parse_grid
from boca.studies.store import Store


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "grid")
    made.create()
    return made


def write_claim(store, key, **owner):
    """A claim as some other process would have left it."""
    data = {"token": "x", "host": platform.node(), "pid": os.getpid(), "started": "0"} | owner
    file = store.path / "claims" / f"{key}.json"
    file.write_text(json.dumps(data))
    return file


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_result_comes_back(store):
    """Tests that a stored run is done, and what it was."""
    spec = make_spec()
    assert not store.is_done(spec.key)

    result = make_result(spec, loss=1.5)
    store.save(spec.key, result)
    assert store.is_done(spec.key)
    assert store.read(spec.key) == result
    assert store.results() == [result]


def test_half_written_result_does_not_count(store, monkeypatch):
    """Tests that a process that dies while it writes leaves no result behind."""

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(store_module.os, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        store.save("a", {"x": 1})

    assert not store.is_done("a")
    assert store.results() == []


def test_claim_is_exclusive(store):
    """Tests that of two stores on one folder only one gets a run, until it is released."""
    other = Store(store.path)

    assert store.claim("a")
    assert not other.claim("a")
    assert not store.claim("a")
    store.release("a")
    assert other.claim("a")


def test_finished_run_cannot_be_claimed(store):
    """Tests that a run which another process finished in between is not done again."""
    store.save("a", {})

    assert not store.claim("a")


def test_claim_of_a_dead_process_is_taken_over(store):
    """Tests that a runner that was killed does not block its runs."""
    write_claim(store, "a", pid=dead_pid())

    assert store.claim("a")


def test_another_process_with_the_same_number_is_not_the_owner(store):
    """Tests that a reused process number does not keep a dead claim alive."""
    write_claim(store, "a", pid=os.getpid(), started="long ago")

    assert store.claim("a")


def test_other_machines_are_judged_by_their_heartbeat(store):
    """Tests that a claim of another machine holds as long as somebody touches it."""
    file = write_claim(store, "a", host="elsewhere", pid=1)
    assert not store.claim("a")

    past = time.time() - 2 * store_module.STALE_SECONDS
    os.utime(file, (past, past))
    assert store.claim("a")


def test_heartbeat_touches_claims(store):
    """Tests that the claims of a living process look alive to other machines."""
    store.claim("a")
    file = store.path / "claims" / "a.json"
    os.utime(file, (0, 0))

    with store.heartbeat(seconds=0.01):
        deadline = time.monotonic() + 30
        while file.stat().st_mtime == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert file.stat().st_mtime > 0


RACER = """
import sys
from boca.studies.store import Store
store = Store(sys.argv[1])
sys.stdin.readline()
print(" ".join(key for key in map(str, range(300)) if store.claim(key)), flush=True)
sys.stdin.readline()
"""


def test_racing_processes_share_the_runs_without_overlap(store):
    """
    Tests that three processes that claim at the same moment get every run exactly once, also
    where each claim is taken over from a dead process.
    """
    pid = dead_pid()
    for key in range(0, 300, 2):
        write_claim(store, key, pid=pid)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(store.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    shares = [racer.stdout.readline().split() for racer in racers]
    for racer in racers:
        racer.communicate("end\n")

    assert sorted(int(key) for share in shares for key in share) == list(range(300))


def test_success_forgets_failure(store):
    """Tests that a run that worked the second time is no failure any more."""
    store.fail("a", {"error": "x"})
    assert store.failures() == {"a": {"error": "x"}}

    store.save("a", {})
    assert store.failures() == {}


def test_plans_add_up(store):
    """Tests that two grids in one folder are both remembered, and common runs counted once."""
    base = {"seeds": [1, 2], "domains": "toy", "mechanisms": "random"}
    store.plan(parse_grid(base | {"name": "one"}))
    store.plan(parse_grid(base | {"name": "two", "seeds": [2, 3]}))

    assert sorted(spec.seed for spec in store.planned()) == [1, 2, 3]


def test_folder_without_runs(tmp_path):
    """Tests that a wrong folder is said plainly."""
    with pytest.raises(InputError, match="There are no runs in"):
        Store.open(tmp_path)
