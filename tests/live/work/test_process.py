"""Children end with their parent and take nothing along."""

import os
import signal
import subprocess
import sys
import time

from boca.live.work.process import Child

ECHO = (sys.executable, "-c", "import sys; print(sys.stdin.readline(), end='')")
PARENT = """
import sys, time
from boca.live.work.process import Child
child = Child("plan", {"market": "m"}, (sys.executable, "-c", sys.argv[1]))
child.process.stdin.write(b"{}" + bytes([10])); child.process.stdin.flush()
print(child.process.pid, flush=True)
time.sleep(1000)
"""
# What the real child does to notice that its parent is gone.
ORPHAN = """
import sys, threading
from boca.live.work import program
sys.stdin.buffer.readline()
program._end_with_parent()
"""


def test_request_goes_in_and_result_comes_out():
    """Tests one line each way."""
    ended = Child("plan", {"a": 1}, ECHO).run(60)
    assert (ended.code, ended.output.strip()) == (0, b'{"a": 1}')


def test_large_request_is_passed_on():
    """Tests more than a pipe holds at once."""
    ended = Child("plan", {"a": "x" * 2_000_000}, ECHO).run(60)
    assert len(ended.output) > 2_000_000


def test_a_child_tells_how_far_it_is():
    """Tests that stages can be read while it works, and are no part of its last words."""
    program = (
        "import sys; say = lambda text: print(text, file=sys.stderr, flush=True); "
        "say('a warning'); say('stage: learning'); say('stage: solving'); sys.stdin.readline()"
    )
    child = Child("plan", {}, (sys.executable, "-c", program))
    deadline = time.monotonic() + 60
    while child.stages() != ["learning", "solving"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert child.run(60).message == "a warning"
    assert child.stages() == []


def test_last_words_are_kept():
    """Tests that only the end of a long complaint is kept."""
    program = (sys.executable, "-c", "import sys; sys.exit('x' * 10000 + 'the end')")
    ended = Child("plan", {}, program).run(60)
    assert ended.code == 1
    assert ended.message.endswith("the end")
    assert len(ended.message) <= 4096


def test_grandchildren_end_too():
    """Tests that the whole process group is killed."""
    program = (
        sys.executable,
        "-c",
        "import subprocess, sys, time; p = subprocess.Popen(['sleep', '1000']);"
        "print(p.pid, flush=True); time.sleep(1000)",
    )
    child = Child("plan", {}, program)
    pid = int(child.process.stdout.readline())
    child.kill()
    child.process.wait()
    assert _is_gone(pid)


def test_child_ends_with_its_parent():
    """Tests that a killed server leaves no planner behind, which would take a core for minutes."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, ORPHAN],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    pid = int(parent.stdout.readline())
    assert not _is_gone(pid, seconds=0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert _is_gone(pid)


def _is_gone(pid, seconds=30.0):
    limit = time.monotonic() + seconds
    while True:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        if time.monotonic() >= limit:
            return False
        time.sleep(0.02)
