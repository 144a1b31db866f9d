"""A sample of ``benchmarks/hostile.py``: bad input ends in one line, whatever the command."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_inputs.case import Outcome, Verdict, judge

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the benchmark copies processes with fork")
def test_a_hundred_hostile_inputs_end_in_a_result_or_one_line(tmp_path):
    """Tests files and options that nobody should send: no traceback, no endless wait or memory."""
    words = ["--inputs", "100", "--seed", "1", "--jobs", "2", "--out", str(tmp_path)]
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))

    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "hostile.py"), *words],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "all   " in done.stdout


@pytest.mark.parametrize(
    ("code", "errors", "verdict"),
    [
        (0, "", Verdict.fine),
        (0, "warning: slow\nWrote x.csv\n", Verdict.fine),
        (0, "error: half a result\n", Verdict.wording),
        (2, "error: no such file\n", Verdict.refused),
        (2, "warning: old\nerror: two mistakes:\n  row 1\n  row 2\n", Verdict.refused),
        (2, "", Verdict.wording),
        (2, "error: one\nerror: two\n", Verdict.wording),
        (2, "Usage: boca\n\nError: x\n", Verdict.wording),
        (1, "Traceback (most recent call last)\nKeyError: 1\n", Verdict.traceback),
        (-11, "", Verdict.crash),
    ],
)
def test_what_counts_as_acceptable(code, errors, verdict):
    """Tests the judge itself: a benchmark that accepts everything would show nothing."""
    assert judge(Outcome(code, 0.1, 0, "", errors)) is verdict
    assert judge(Outcome(code, 99.0, 0, "", errors, Verdict.time)) is Verdict.time


def test_findings_are_results():
    """Tests that a verifier may end with 1 without an error, and others may not."""
    findings = Outcome(1, 0.1, 0, "payments differ\n", "", result_codes=(1, 3))

    assert judge(findings) is Verdict.fine
    assert judge(Outcome(1, 0.1, 0, "payments differ\n", "")) is Verdict.wording
    assert judge(Outcome(3, 0.1, 0, "", "error: x\n", result_codes=(1, 3))) is Verdict.wording
    assert judge(Outcome(-15, 0.1, 0, "", "", result_codes=(-15,))) is Verdict.fine
    assert judge(Outcome(-15, 0.1, 0, "", "")) is Verdict.crash


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the benchmark copies processes with fork")
def test_the_watchdog_bites(tmp_path):
    """Tests that too slow, too large and broken commands are seen for what they are."""
    code = """
import sys, time
from pathlib import Path
import boca.cli.main as entry
from hostile_inputs.case import Case, judge
from hostile_inputs.pool import Limits, run_all

def pretend(words):
    if words[0] == "sleep":
        time.sleep(100)
    if words[0] == "eat":
        kept = bytearray(400_000_000); kept[::4096] = b"x" * len(kept[::4096]); time.sleep(100)
    if words[0] == "break":
        {}["missing"]
    if words[0] == "serve":
        while True:
            time.sleep(0.05)
    sys.exit(0)

def make(name):
    return Case(name, "", (name,), seconds_to_live=0.5 if name == "serve" else None)

entry.main = pretend
names = ("sleep", "eat", "break", "end", "serve")
verdicts = {}
for name in names:
    # Only the sleeper is hurried: a busy machine may need its time for the others.
    limits = Limits(seconds=0.1 if name == "sleep" else 1e6, memory=300_000_000)
    for _, case, outcome in run_all([make(name)], Path("."), limits, 1):
        verdicts[name] = judge(outcome)
print(*(verdicts[name].value for name in names))
"""
    folders = [str(ROOT / "src"), str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH") or ""]

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, folders))},
    )

    assert done.stdout.split() == ["time", "memory", "traceback", "fine", "fine"], done.stderr
