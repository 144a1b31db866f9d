"""Which process is alive, and the lock between processes."""

import platform
import subprocess
import sys
import threading
import time

import pytest

from boca.lab.studies.liveness import file_lock, is_dead, signature


@pytest.fixture
def path(tmp_path):
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


def test_a_signature_tells_the_living_from_the_dead():
    """Tests a living process, a dead one, and one whose number another process has now."""
    own = signature()
    assert is_dead(own) is False
    assert is_dead({**own, "started": "1"}) is True
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert is_dead({**own, "pid": child.pid}) is True


@pytest.mark.parametrize(
    "owner",
    [
        None,
        "x",
        {},
        {"host": platform.node(), "pid": 1},
        {"host": platform.node(), "pid": "1", "started": "1"},
        {"host": "elsewhere", "pid": 1, "started": "1"},
    ],
)
def test_only_silence_tells_of_others(owner):
    """Tests that nobody is declared dead by a signature that this machine cannot check."""
    assert is_dead(owner) is None
