"""``boca run`` on markets that buy and exchange: its words, and that a kill loses nothing."""

import json
import signal
import subprocess
import sys
import time

import pytest

from boca.cli.main import run

RUNS = {
    "lanes": ["run", "lanes", "--mechanism", "random", "--seed", "3", "--budget", "28"],
    "exchange-gsvm": ["run", "exchange-gsvm", "--mechanism", "random", "--seed", "3"],
}
ROUNDS = ["--initial", "8", "--per-round", "2"]
# What tells that nobody reads "welfare" or "pays" about a purchase.
WORDS = {
    "lanes": ("cost above the optimum", "saved", "is paid", "supplies"),
    "exchange-gsvm": ("gains from trade lost", "left with the exchange", "holds"),
}


def boca(*arguments: str, folder=None) -> subprocess.CompletedProcess:
    """The real command in a process of its own, in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "boca", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )


@pytest.fixture(scope="module", params=RUNS)
def finished(request, tmp_path_factory):
    """One whole run: which, its folder and what was printed."""
    folder = tmp_path_factory.mktemp("runs") / request.param
    result = boca(*RUNS[request.param], *ROUNDS, "--out", str(folder))
    assert result.returncode == 0, result.stderr
    return request.param, folder, result.stdout


def test_the_end_is_told_in_the_words_of_the_market(finished):
    """Tests what is printed, and the figures in the result file."""
    name, folder, printed = finished
    for word in WORDS[name]:
        assert word in printed
    result = json.loads((folder / "result.json").read_text())
    rule, figure = ("vcg", "savings") if name == "lanes" else ("threshold", "largest_gain")
    assert result["auction"]["payment_rule"] == rule
    assert result[figure] > 0


@pytest.mark.kill
def test_a_killed_run_resumes_to_the_same_result(finished, tmp_path):
    """Tests a kill (-9) in the middle: resumed, the run ends like the uninterrupted one."""
    name, folder, _ = finished
    copy = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "boca", *RUNS[name], *ROUNDS, "--out", str(copy)],
        stdout=subprocess.DEVNULL,
    )
    while process.poll() is None:
        if (copy / "state.json").exists():
            state = json.loads((copy / "state.json").read_text())
            if len(state["history"]) >= 2:
                process.send_signal(signal.SIGKILL)
                break
        time.sleep(0.005)
    process.wait()
    assert not (copy / "result.json").exists(), "the run ended before it could be killed"

    resumed = boca("run", "--resume", str(copy))
    assert resumed.returncode == 0, resumed.stderr
    ours, theirs = (json.loads((f / "result.json").read_text()) for f in (copy, folder))
    for figure in ("payments", "path", "allocation", "efficiency_loss"):
        assert ours[figure] == theirs[figure]


def test_rules_of_other_markets_are_refused(tmp_path):
    """Tests one line instead of payments that mean nothing, and that no folder is left behind."""
    for market, rule, text in (
        ("lanes", "threshold", "which buys; expected one of none, offered, vcg, core"),
        ("exchange-gsvm", "core", "which exchanges; expected one of"),
    ):
        options = ("--payments", rule, "--mechanism", "random", "--json")
        result = boca("run", market, *options, folder=tmp_path)
        assert result.returncode == 2
        assert text in " ".join(result.stderr.split())
        assert "Traceback" not in result.stderr
        assert not list(tmp_path.iterdir())


def test_studies_of_values_refuse_costs(capsys):
    """Tests one line from both commands, in whose tables a bound of costs would be upside down."""
    for command in (["learn", "lanes", "--instances", "20001"], ["tune", "lanes"]):
        assert run(command) == 2
        assert "'lanes' buys" in capsys.readouterr().err
