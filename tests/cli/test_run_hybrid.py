"""``boca run --mechanism hybrid``: what it shows, and that nothing is lost when it is killed."""

import json
import signal
import subprocess
import sys
import time

import pytest

RUN = ["run", "toy", "--mechanism", "hybrid", "--seed", "3", "--budget", "9"]


def boca(*arguments: str) -> subprocess.CompletedProcess:
    """The real command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "boca", *arguments], capture_output=True, text=True, timeout=600
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One whole run: its folder and what was printed."""
    folder = tmp_path_factory.mktemp("runs") / "toy"
    result = boca(*RUN, "--out", str(folder))
    assert result.returncode == 0, result.stderr
    return folder, result.stdout


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def test_the_table_shows_phases_and_certificate(finished):
    """Tests that every round names its phase, and that what may be missing is a number by then."""
    _, printed = finished
    lines = printed.splitlines()
    head = next(number for number, line in enumerate(lines) if line.split()[:1] == ["round"])
    assert "missing %" in lines[head]
    rows = [line.split() for line in lines[head + 1 :]]
    rounds = [cells for cells in rows if len(cells) == 9 and cells[0].isdigit()]
    phases = list(dict.fromkeys(cells[1] for cells in rounds))
    assert phases[:4] == ["first", "clock", "wanted", "prices"]
    assert rounds[0][6] == "-"  # a value alone proves nothing
    assert 0 <= float(rounds[-1][6]) <= 100


def test_the_result_has_the_certificate_and_everybodys_effort(finished):
    """Tests the keys that pages and tables read."""
    result = result_of(finished[0])
    assert result["welfare_bound"] >= result["optimum"] * (1 - 1e-9)
    assert result["efficiency_loss"] <= result["missing"] + 1e-9
    assert max(result["num_asked"]) <= 9
    assert set(result["loss_by_phase"]) >= {"first", "clock"}


@pytest.mark.kill
def test_a_killed_run_resumes_to_the_same_result(finished, tmp_path):
    """
    Tests a kill (-9) while networks are in use: resumed, the run ends like the uninterrupted one,
    although its networks were never saved; --json has all of the result.
    """
    folder, _ = finished
    copy = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "boca", *RUN, "--out", str(copy)], stdout=subprocess.DEVNULL
    )
    while process.poll() is None:
        if (copy / "state.json").exists():
            state = json.loads((copy / "state.json").read_text())
            if len(state["history"]) >= 5:
                process.send_signal(signal.SIGKILL)
                break
        time.sleep(0.005)
    process.wait()
    assert not (copy / "result.json").exists(), "the run ended before it could be killed"

    resumed = boca("run", "--resume", str(copy), "--json")
    assert resumed.returncode == 0, resumed.stderr
    ours, theirs = result_of(copy), result_of(folder)
    for key in ("payments", "path", "allocation", "welfare_bound", "missing", "num_asked"):
        assert ours[key] == theirs[key]
    printed = json.loads(resumed.stdout)
    assert printed["missing"] == theirs["missing"]
    assert printed["payments"] == theirs["payments"]
