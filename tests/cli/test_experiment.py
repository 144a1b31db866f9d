"""``boca experiment`` from the outside."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from fake_runs import make_result, make_spec
from typer.testing import CliRunner

from boca.cli.main import build
from boca.core.errors import InputError
from boca.lab.studies.grid import load_grid
from boca.lab.studies.store import Store

GRID = """
seeds = "1-3"
domains = ["toy"]
mechanisms = ["random"]

[auction]
num_initial = 3
num_per_round = 1
num_total = 5
"""


@pytest.fixture
def grid(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text(GRID)
    return file


def run(*arguments):
    """Runs a command in this process."""
    return CliRunner().invoke(
        build(["experiment"]), ["experiment", *map(str, arguments)], catch_exceptions=True
    )


def error_of(*arguments) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    return str(result.exception)


@pytest.fixture
def folder(tmp_path):
    """Stored runs of two mechanisms on LSVM, one of six missing."""
    file = tmp_path / "pair.toml"
    file.write_text('seeds = "1-3"\ndomains = "lsvm"\nmechanisms = ["boca", "random"]\n')
    store = Store(tmp_path / "pair")
    store.create()
    store.plan(load_grid(file))
    for name, losses in {"boca": (1, 2, 4), "random": (30, 35)}.items():
        for seed, loss in enumerate(losses, 1):
            spec = make_spec("lsvm", seed, name)
            store.save(spec.key, make_result(spec, loss))
    return store.path


def numbers(folder):
    """What the runs found, by key, without times."""
    return {
        result["key"]: (result["efficiency_loss"], result["relative_revenue"], result["path"])
        for result in Store(folder).results()
    }


def test_run_then_run_again(grid, tmp_path):
    """Tests that a grid is done, shown, and not done again."""
    first = run("run", grid, "--out", tmp_path / "out", "--workers", 2)
    assert first.exit_code == 0, first.output
    assert "3 done, 0 running, 0 left" in first.output
    assert "3 of 3" in first.output

    again = run("run", grid, "--out", tmp_path / "out")
    assert "3 runs: 3 done already, 0 to do" in again.output


def test_runs_of_another_experiment_are_reused(grid, tmp_path):
    """Tests that --reuse takes what a grid has in common with another folder."""
    assert run("run", grid, "--out", tmp_path / "first", "--limit", 2).exit_code == 0

    result = run("run", grid, "--out", tmp_path / "second", "--reuse", tmp_path / "first")
    assert "2 runs were taken from other experiments." in result.output
    assert "3 runs: 2 done already, 1 to do" in result.output
    first = numbers(tmp_path / "first")
    assert first.items() <= numbers(tmp_path / "second").items()

    nowhere = run("run", grid, "--out", tmp_path / "third", "--reuse", tmp_path / "nowhere")
    assert "There are no runs in" in str(nowhere.exception)
    assert not (tmp_path / "third").exists()


def test_part_of_a_grid_is_reported_as_partial(grid, tmp_path):
    """Tests that --seeds and --limit narrow what is done, not what was planned."""
    out = tmp_path / "out"
    result = run("run", grid, "--out", out, "--seeds", "2-3", "--limit", 1)
    assert "1 done" in result.output
    assert [r["spec"]["seed"] for r in Store(out).results()] == [2]

    report = run("report", out)
    assert "[partial: 1 of 3 runs]" in " ".join(report.output.split())  # a table may wrap its title


@pytest.mark.kill
def test_killed_twice_gives_the_same_table(grid, tmp_path):
    """Tests that a runner killed with SIGKILL twice ends with what an undisturbed one found."""
    command = [sys.executable, "-m", "boca", "experiment", "run", str(grid), "--workers", "1"]
    plain, broken = tmp_path / "plain", tmp_path / "broken"
    subprocess.run([*command, "--out", str(plain)], check=True, capture_output=True)

    for num_results in (1, 2):
        runner = subprocess.Popen([*command, "--out", str(broken)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while len(list((broken / "runs").glob("*.json"))) < num_results:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
    last = subprocess.run([*command, "--out", str(broken)], check=True, capture_output=True)

    assert b"2 done already, 1 to do" in last.stdout
    assert numbers(broken) == numbers(plain)
    assert len(numbers(plain)) == 3


def test_two_runners_share_a_grid(grid, tmp_path):
    """Tests that two processes on one folder never do the same run, and both see all of it."""
    command = [sys.executable, "-m", "boca", "experiment", "run", str(grid), "--workers", "1"]
    command += ["--out", str(tmp_path / "out")]
    runners = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    outputs = [runner.communicate()[0] for runner in runners]

    assert all("3 done, 0 running, 0 left" in output for output in outputs), outputs
    logs = [path.read_text() for path in (tmp_path / "out" / "logs").iterdir()]
    assert [log.count(" starts, ") for log in logs] == [1, 1, 1]


def test_failures_are_listed_with_their_logs(grid, tmp_path, monkeypatch):
    """Tests that a run that cannot work is reported at the end, and the code says so."""
    monkeypatch.setattr(sys, "executable", "/bin/false")

    result = run("run", grid, "--out", tmp_path / "out", "--limit", 1)
    assert result.exit_code == 1
    assert "1 runs failed" in result.output
    assert "code 1" in result.output
    assert str(next((tmp_path / "out" / "logs").iterdir())) in result.output.replace("\n", "")


def test_flags_instead_of_a_file(tmp_path, monkeypatch):
    """Tests a grid that was never written down."""
    monkeypatch.chdir(tmp_path)
    result = run(
        *("run", "--domains", "toy", "--mechanisms", "random", "--seeds", "1"),
        *("--set", "num_initial=3", "--set", "num_total=3,4"),
    )

    assert result.exit_code == 0, result.output
    (folder,) = (tmp_path / "runs").iterdir()
    totals = {r["auction"]["num_total"] for r in Store(folder).results()}
    assert totals == {3, 4}


@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "csv"])
def test_report_in_every_format(folder, format_):
    """Tests that the same numbers are in each, and the figures and CSV files beside them."""
    result = run("report", folder, "--format", format_)

    assert result.exit_code == 0, result.output
    assert ("2.33" if format_ != "csv" else "2.333333") in result.output  # mean of 1, 2, 4
    written = {path.name for path in (folder / "report").iterdir()}
    assert written == {"pair-regret.png", "pair-regret.svg", "pair.csv", "pair-summary.csv"}


def test_page_of_results(folder, tmp_path):
    """Tests the one command that makes the page, its figures and its CSV files."""
    docs, results = tmp_path / "docs", tmp_path / "results"
    run("report", folder, "--format", "markdown", "--out", docs / "results.md", "--csv", results)

    page = (docs / "results.md").read_text()
    assert "Partial: 5 of 6 planned runs" in page
    assert "(figures/pair-regret.png)" in page
    assert (docs / "figures" / "pair-regret.png").exists()
    assert "LSVM boca: 3 of 3, seeds 1-3" in page
    assert len((results / "pair.csv").read_text().splitlines()) == 1 + 5


def test_packed_experiment_gives_the_same_report(folder, tmp_path):
    """Tests that report, compare and plot read the one file as they read the folder."""
    packed = tmp_path / "pair.json.gz"
    assert run("pack", folder).exit_code == 0
    assert packed.stat().st_size < 5000

    pages = [run("report", path, "--format", "latex").stdout for path in (folder, packed)]
    assert pages[0] == pages[1]
    for name in ("pair.csv", "pair-summary.csv"):
        folders = (folder / "report", tmp_path / "pair-report")
        texts = [(place / name).read_text() for place in folders]
        assert texts[0] == texts[1]
    difference = run("compare", f"{packed}@boca", f"{packed}@random", "--format", "markdown")
    assert "+31.00" in difference.output
    assert "exists already" in error_of("pack", folder)
    assert run("pack", folder, "--force").exit_code == 0
    assert "There are no runs" in error_of("pack", tmp_path)

    unpacked = tmp_path / "again"
    assert "Wrote 5 of 5 runs" in run("unpack", packed, "--out", unpacked).output
    assert run("report", unpacked, "--format", "latex").stdout.count("LSVM") > 0
    assert "There is no packed experiment" in error_of("unpack", tmp_path / "no.json.gz")


def test_compare(folder):
    """Tests the paired differences on the two common instances."""
    result = run("compare", f"{folder}@boca", f"{folder}@random", "--format", "markdown")

    assert (
        "| LSVM | boca q=0.9 → random | loss, points | 2 | 1.50 | 32.50 | +31.00" in result.output
    )


@pytest.mark.parametrize("command", ["report", "compare", "run"])
def test_one_bad_file_stops_nothing(folder, tmp_path, command):
    """Tests that a file which is no result is named, set aside, and everything else goes on."""
    (folder / "runs" / "zzz.json").write_text("hello")
    (folder / "claims" / "zzz.json").write_text("hello")
    arguments = {
        "report": ["report", folder],
        "compare": ["compare", f"{folder}@boca", f"{folder}@random"],
        "run": ["run", tmp_path / "pair.toml", "--out", folder, "--seeds", "1"],
    }[command]
    with (
        pytest.warns(UserWarning, match=r"zzz\.json' is not JSON")
        if command != "run"
        else (contextlib.nullcontext())
    ):
        result = run(*arguments)

    assert result.exit_code == 0, result.output
    assert (folder / "runs" / "zzz.json.broken").exists() == (command != "run")


def test_broken_result_is_done_again(grid, tmp_path):
    """Tests that a run whose file was damaged is repeated, with the same numbers."""
    out = tmp_path / "out"
    run("run", grid, "--out", out, "--limit", 1)
    before = numbers(out)
    (file,) = (out / "runs").iterdir()
    file.write_text(file.read_text()[:100])

    with pytest.warns(UserWarning, match="is not JSON"):
        result = run("run", grid, "--out", out, "--limit", 1)
    assert "0 done already, 1 to do" in result.output
    assert numbers(out) == before


FULL_DISK = """
import resource, sys
from boca.cli import experiment
from boca.cli.main import main
from fake_runs import ScriptedEngine
experiment._engine = lambda scheduler, workers: ScriptedEngine()
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
main(sys.argv[2:])
"""


@pytest.mark.parametrize("limit", [0, 10, 400])
def test_full_disk_gets_one_line(grid, tmp_path, limit):
    """Tests writes that the system refuses: of the plan, of a claim, of a result."""
    out = tmp_path / "out"
    command = [sys.executable, "-c", FULL_DISK, str(limit), "experiment", "run", str(grid)]
    support = os.path.join(__file__.rpartition("/cli/")[0], "support")
    path = os.pathsep.join([support, *sys.path])
    done = subprocess.run(
        [*command, "--out", str(out), "--quiet"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )

    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert "File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list((out / "claims").glob("*.json")) == []


def test_mistakes_are_answered_with_what_to_do(folder, grid, tmp_path, monkeypatch):
    """Tests the messages for what users get wrong, and that nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    assert "There is no experiment file" in error_of("run", tmp_path / "none.toml")
    assert "neither an experiment file nor --seeds" in error_of("run", "--domains", "toy")
    assert "There are no runs in" in error_of("report", tmp_path)
    assert "expected table, markdown, latex or csv" in error_of("report", folder, "--format", "pdf")
    assert "add --format markdown" in error_of("report", folder, "--out", tmp_path / "x.md")
    assert "did you mean 'num_initial'" in error_of("run", grid, "--set", "num_inital=3")
    assert "expected a name and a value" in error_of("run", grid, "--set", "num_initial")
    assert "expected a name and a value" in error_of("run", grid, "--set", "surrogate.=1")
    assert "expected a name and a value" in error_of("run", grid, "--set", ".num_initial=1")
    assert "--seeds 9,10, which the plan" in error_of("run", grid, "--seeds", "2, 9-10")
    assert "--mechanisms svr, which the plan" in error_of("run", grid, "--mechanisms", "svr")
    assert "--domains gsvm, which the plan" in error_of("run", grid, "--domains", "gsvm")
    assert "Leave out --workers" in error_of("run", grid, "--workers", 1, "--scheduler", "x:1")
    assert "write published_start = true" in error_of("run", grid, "--published-start")
    assert "expected a whole number" in error_of("run", grid, "--set", "num_initial=x")
    assert "--limit 0" in error_of("run", grid, "--limit", 0)
    assert "Cannot write to the folder" in error_of("run", grid, "--out", grid)
    blocked = ["--format", "markdown", "--out", grid / "page.md"]
    assert "Cannot write to the folder" in error_of("report", folder, *blocked)
    assert "finished yet" in error_of("compare", _empty(tmp_path), folder)
    assert not (tmp_path / "runs").exists()


def _empty(tmp_path):
    store = Store(tmp_path / "empty")
    store.create()
    return store.path


@pytest.mark.parametrize("name", ["quick", "mechanisms", "table1", "table5"])
def test_ready_files(name):
    """Tests that the experiments that come with boca are what their names say."""
    root = __file__.rpartition("/tests/")[0]
    runs = load_grid(f"{root}/experiments/{name}.toml").runs()
    for spec in runs:
        spec.params()

    if name in ("quick", "mechanisms"):
        assert len({spec.seed for spec in runs}) == 3
    else:
        assert {spec.seed for spec in runs} == set(range(10001, 10051))
        assert {spec.domain for spec in runs} == {"lsvm", "srvm", "mrvm"}
        assert all(spec.setup.stop_when_efficient for spec in runs)
        started = {spec.setting.mechanism for spec in runs if spec.setup.published_start}
        asked = {spec.setting.mechanism for spec in runs} - {"cca"}  # which asks no first queries
        assert started == asked
        first = {s.params().phase("first").num_queries for s in runs if s.setup.published_start}
        assert first == {20 if name == "table5" else 40}


def test_result_files_are_plain_json(grid, tmp_path):
    """Tests that anybody can read a stored run without boca."""
    run("run", grid, "--out", tmp_path / "out", "--limit", 1)
    (file,) = (tmp_path / "out" / "runs").iterdir()
    data = json.loads(file.read_text())

    assert data["spec"]["domain"] == "toy"
    assert data["num_queries"] == 5
    origin = {
        "versions",
        "machine",
        "processor",
        "compiler_flags",
        "compiler",
        "source",
        "parts",
    }
    assert origin | {"started", "finished", "market_hash"} <= data.keys()
