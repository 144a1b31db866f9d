"""The lock between processes, where the system has one and where it has none."""

import os
import sys
import threading
import time

import pytest

from boca.lab.studies import file_lock as lock_module
from boca.lab.studies.file_lock import file_lock


@pytest.fixture(params=["with fcntl", "without fcntl"])
def path(request, tmp_path, monkeypatch):
    if request.param == "without fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    return tmp_path / "lock"


def test_one_holder_at_a_time(path):
    """Tests that increments which are not atomic are not lost between threads."""
    total = [0]

    def add():
        for _ in range(20):
            with file_lock(path):
                before = total[0]
                time.sleep(0.0005)
                total[0] = before + 1

    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == [60]


def test_error_inside_opens_the_lock(path):
    """Tests that a failure while it is held does not lock everybody out."""
    with pytest.raises(KeyError), file_lock(path):
        raise KeyError
    with file_lock(path):
        pass


def test_lock_of_a_dead_process_is_removed(tmp_path, monkeypatch):
    """Tests that a process that died while it held the lock file is waited for only so long."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    path, held = tmp_path / "lock", tmp_path / "lock-held"
    held.touch()
    past = time.time() - 2 * lock_module.STALE_SECONDS
    os.utime(held, (past, past))
    with file_lock(path):
        assert held.stat().st_mtime > past, "the lock is still the dead process's"
    assert not held.exists()
