"""Claims: every run has at most one living owner, whatever happens to the others."""

import json
import os
import platform
import subprocess
import sys
import time

import pytest

from boca.lab.studies import claims as claims_module
from boca.lab.studies.claims import Claims


@pytest.fixture
def claims(tmp_path):
    return Claims(tmp_path)


def write_claim(claims, key, **owner):
    """A claim as some other process would have left it."""
    data = {"token": "x", "host": platform.node(), "pid": os.getpid(), "started": "0"} | owner
    file = claims.path / f"{key}.json"
    file.write_text(json.dumps(data))
    return file


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def make_old(file):
    past = time.time() - 2 * claims_module.STALE_SECONDS
    os.utime(file, (past, past))


def test_claim_is_exclusive(claims):
    """Tests that of two processes on one folder only one gets a run, until it is released."""
    other = Claims(claims.path)

    assert claims.take("a")
    assert not other.take("a")
    assert not claims.take("a")
    claims.release("a")
    assert other.take("a")


def test_claim_of_a_dead_process_is_taken_over(claims):
    """Tests that a runner that was killed does not block its runs."""
    write_claim(claims, "a", pid=dead_pid())

    assert claims.take("a")


def test_another_process_with_the_same_number_is_not_the_owner(claims):
    """Tests that a reused process number does not keep a dead claim alive."""
    write_claim(claims, "a", pid=os.getpid(), started="long ago")

    assert claims.take("a")


def test_other_machines_are_judged_by_their_heartbeat(claims):
    """Tests that a claim of another machine holds as long as somebody touches it."""
    file = write_claim(claims, "a", host="elsewhere", pid=1)
    assert not claims.take("a")

    make_old(file)
    assert claims.take("a")


@pytest.mark.parametrize("content", ["", "hello", "5", "{}", '{"host": 3}', '{"pid": "x"}'])
def test_broken_claim_is_set_aside_at_once(claims, content):
    """
    Tests that nobody waits for a claim which names no owner: claims appear whole, so it was damaged
    later. The last one here names this machine, so that its other fields would be used.
    """
    file = claims.path / "a.json"
    text = content.replace('"pid"', f'"host": "{platform.node()}", "started": "0", "pid"')
    file.write_text(text)
    with pytest.warns(UserWarning, match=r"cannot be read.*renamed to a\.json\.broken"):
        assert claims.take("a")
    assert (claims.path / "a.json.broken").read_text() == text
    assert not claims.take("a")  # it is a whole claim now
    assert not list(claims.path.glob(".new-*"))


def test_heartbeat_touches_claims(claims):
    """Tests that the claims of a living process look alive to other machines."""
    claims.take("a")
    file = claims.path / "a.json"
    os.utime(file, (0, 0))

    with claims.heartbeat(seconds=0.01):
        deadline = time.monotonic() + 30
        while file.stat().st_mtime == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert file.stat().st_mtime > 0


RACER = """
import sys
from pathlib import Path
from boca.lab.studies.claims import Claims
claims = Claims(Path(sys.argv[1]))
sys.stdin.readline()
print(" ".join(key for key in map(str, range(300)) if claims.take(key)), flush=True)
sys.stdin.readline()
"""


def test_racing_processes_share_the_runs_without_overlap(claims):
    """
    Tests that three processes that claim at the same moment get every run exactly once, also
    where each claim is taken over from a dead process.
    """
    pid = dead_pid()
    for key in range(0, 300, 2):
        write_claim(claims, key, pid=pid)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(claims.path)],
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
