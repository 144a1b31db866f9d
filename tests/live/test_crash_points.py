"""A server that crashes anywhere goes on after a restart, and the auction ends as without it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kill

SUPPORT = Path(__file__).parents[1] / "support"


def crash(folder, steps, every, *options):
    """What the program in tests/support reports; it forks, which a test's process should not."""
    path = os.pathsep.join([str(SUPPORT), *sys.path])
    command = [sys.executable, str(SUPPORT / "crash_points.py"), str(folder), *steps]
    ended = subprocess.run(
        [*command, "--every", str(every), *options],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["problems"] == [], ended.stderr
    return report


@pytest.mark.parametrize("step", ["before commit", "after commit"])
def test_crash_around_every_commit(tmp_path, step):
    """Tests the two sides of the moment in which a command becomes true."""
    assert crash(tmp_path, [step], every=1)["crashes"] >= 15


def test_crash_at_the_other_steps(tmp_path):
    """Tests the way into the queue, the decision, and the way of the answer."""
    steps = ["queue", "decide", "decided", "before answer", "after answer"]
    assert crash(tmp_path, steps, every=4)["crashes"] >= 15


def test_crash_around_every_child_process(tmp_path):
    """Tests the start and the end of planning and deciding."""
    steps = ["plan start", "plan end", "decide start", "decide end"]
    assert crash(tmp_path, steps, every=1)["crashes"] >= 8


def test_crash_while_prices_are_announced(tmp_path):
    """Tests that wanted bundles are neither lost nor counted twice."""
    steps = ["before commit", "after commit"]
    report = crash(tmp_path, steps, 3, "--mechanism", "hybrid")
    assert report["crashes"] >= 8
    assert all(report["essence"]["demands"])


def test_crash_on_postgres(tmp_path, postgres):
    """Tests some of the same on the other database."""
    urls = [postgres.new_database() for _ in range(8)]
    report = crash(tmp_path, ["before commit", "after commit"], 6, "--db", *urls)
    assert 4 <= report["crashes"] <= 7


def test_crash_with_the_real_engine(tmp_path):
    """Tests that planning again on the same machine gives the same questions."""
    report = crash(tmp_path, ["plan end"], 2, "--engine", "real")
    assert report["crashes"] >= 2
