"""Tests of ``boca run`` as a person would use it."""

import csv
import json
import signal
import subprocess
import sys
import time
import tomllib

import pytest

from boca.cli.main import main

QUICK = ["--initial", "4", "--per-round", "2", "--budget", "8"]


def boca(*arguments: str) -> subprocess.CompletedProcess:
    """The real command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "boca", *arguments], capture_output=True, text=True, timeout=600
    )


def run_in_process(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    printed = capsys.readouterr()
    return int(stopped.value.code or 0), printed.out, printed.err


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One run of the toy market with everything it writes."""
    folder = tmp_path_factory.mktemp("runs") / "toy"
    result = boca("run", "toy", "--seed", "3", *QUICK, "--out", str(folder))
    return folder, result


def test_a_run_shows_rounds_and_outcome(finished):
    """Tests what a newcomer sees: a line per round, who gets what, the loss, where files are."""
    _, result = finished
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "3 bidders, 3 goods" in lines[0]
    head = next(number for number, line in enumerate(lines) if line.split()[:1] == ["round"])
    assert lines[head].split()[:3] == ["round", "phase", "queries"]
    assert [line.split()[:3] for line in lines[head + 1 : head + 4]] == [
        ["0", "first", "4"],
        ["1", "acquisition", "6"],
        ["2", "acquisition", "8"],
    ]
    assert "budget of 8 queries" in result.stdout
    assert "efficiency loss" in result.stdout
    assert "pair" in result.stdout
    assert "regret.png" in result.stdout


def test_a_run_leaves_its_files(finished):
    """Tests the output folder, file by file."""
    folder, _ = finished
    params = tomllib.loads((folder / "params.toml").read_text())
    assert params["run"]["domain"] == "toy"
    assert params["run"]["seed"] == 3
    assert params["auction"]["num_total"] == 8
    assert {"boca", "numpy", "jax", "highspy"} <= params["versions"].keys()

    result = json.loads((folder / "result.json").read_text())
    assert 0 <= result["efficiency_loss"] <= 1
    assert 0 <= result["relative_revenue"] <= 1
    assert [entry["queries"] for entry in result["path"]] == [4, 6, 8]
    assert result["path"][-1]["efficiency_loss"] == pytest.approx(result["efficiency_loss"])
    assert result["seconds"] > 0

    rows = list(csv.DictReader((folder / "rounds.csv").open()))
    assert [row["num_queries"] for row in rows] == ["4", "6", "8"]
    assert (folder / "regret.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "state.json").read_text())["closed"]


def test_json_is_the_only_output(tmp_path):
    """Tests that a script can read what is printed."""
    result = boca(
        "run", "toy", *QUICK, "--mechanism", "random", "--json", "--out", str(tmp_path / "r")
    )
    assert json.loads(result.stdout)["auction"]["mechanism"] == "random"


def test_an_existing_folder_is_not_overwritten(finished, capsys):
    """Tests that a second run does not destroy the first, and that --force may."""
    folder, _ = finished
    before = (folder / "result.json").read_text()
    code, _, error = run_in_process(
        capsys, "run", "toy", *QUICK, "--mechanism", "random", "--out", str(folder)
    )
    assert code == 2
    assert "exists already" in error
    assert "--force" in error
    assert (folder / "result.json").read_text() == before


def test_force_overwrites(tmp_path, capsys):
    """Tests that --force replaces an earlier run and leaves other files alone."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "result.json").write_text("old")
    arguments = ["run", "toy", *QUICK, "--mechanism", "random", "--out", str(folder), "--force"]
    code, _, _ = run_in_process(capsys, *arguments)
    assert code == 0
    assert (folder / "notes.txt").read_text() == "mine"
    assert json.loads((folder / "result.json").read_text())["path"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["toy", "--budget", "10"], "budget of 10 queries per bidder for phases that need 40"),
        (["toy", "--mechanism", "bocca"], "Unknown mechanism 'bocca'; did you mean 'boca'?"),
        (["toi"], "toi"),
        ([], "Received no market"),
        (["toy", "--proof", "maybe"], "'none', 'optimal' or a relative gap"),
        (["toy", "--payments", "gsp"], "expected one of vcg, core"),
        (["toy", "--first", "mine"], "independent or published"),
        (["toy", "--out", "/proc/boca"], "Cannot write to the output folder"),
        (["missing.toml"], "missing.toml"),
        (["--resume", "nowhere"], "no run to resume in nowhere"),
        (["lsvm", "--q", "0.5"], "0.5"),
        (["toy", "--q", "0.9"], "Leave out --q"),
        (["lsvm", "--mechanism", "svr", "--q", "0.9"], "Leave out --q"),
        (["toy", "--acquisition", "clock"], "expected one of mean, upper, bounded, envelope"),
        (["toy", "--mechanism", "random", "--acquisition", "mean"], "maximises nothing"),
        (["toy", "--mechanism", "vcg", "--acquisition", "mean"], "for vcg, which maximises"),
        (["toy", "--mechanism", "svr", "--acquisition", "upper"], "for svr; expected one of mean"),
        (["toy", "--mechanism", "vcg", "--payments", "core"], "VCG payments only"),
        (["mine.toml", "--generic"], "--generic for 'mine.toml'"),
        (["mine.toml", "--first", "published"], "--first published for 'mine.toml'"),
        (["lsvm", "--mechanism", "cca", "--first", "published"], "asks no first queries"),
        (["toy", "--stop-when-proven", "2"], "Received --stop-when-proven 2; expected a share"),
        (["toy", "--stop-when-proven", "-0.1"], "Received --stop-when-proven -0.1; expected"),
        (["toy", "--stop-when-proven", "nan"], "Received --stop-when-proven nan; expected"),
        (
            ["toy", "--stop-when-proven", "0.03"],
            "--stop-when-proven 0.03 for boca, which asks no demand queries",
        ),
        (
            ["toy", "--mechanism", "cca", "--initial", "40", "--per-round", "4", "--proof", "none"],
            "Received --initial, --per-round, --proof for cca, which has no use for them",
        ),
        (["toy", "--mechanism", "hybrid", "--initial", "5"], "--initial for hybrid, which has no"),
        (["toy", "--mechanism", "local", "--per-round", "2"], "--per-round for local, which has"),
        (["toy", "--mechanism", "random", "--proof", "optimal"], "--proof for random, which has"),
        (["toy", "--mechanism", "vcg", "--budget", "9"], "no use for it; leave it out."),
    ],
)
def test_bad_arguments_get_one_clear_line(arguments, message, capsys, tmp_path, monkeypatch):
    """Tests message and exit code of every mistake; nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    code, _, error = run_in_process(capsys, "run", *arguments)
    assert code == 2
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert "Traceback" not in error
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("file", "folder"),
    [
        ("shop.toml", "runs/shop-10001-vcg"),
        ("rooms/shop.toml", "runs/shop-10001-vcg"),
        ("rooms/market.toml", "runs/rooms-10001-vcg"),
        ("market.toml", "runs/market-10001-vcg"),
    ],
)
def test_a_market_file_gives_the_run_its_name(file, folder, capsys, tmp_path, monkeypatch):
    """Tests that runs of two files do not want the same folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(
        '[[goods]]\nname = "a"\n[[bidders]]\nname = "x"\nvalues = { a = 2 }\n'
        '[[bidders]]\nname = "y"\nvalues = { a = 1 }\n'
    )
    assert run_in_process(capsys, "run", file, "--mechanism", "vcg")[0] == 0
    assert (tmp_path / folder / "result.json").exists()


def copy_of(finished, tmp_path, **changes):
    """A run that looks unfinished, with its state changed."""
    folder, _ = finished
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "params.toml").write_text((folder / "params.toml").read_text())
    state = json.loads((folder / "state.json").read_text())
    (copy / "state.json").write_text(json.dumps(state | changes))
    return copy


def test_a_truncated_state_is_refused(finished, tmp_path, capsys):
    """Tests resuming from a file that was cut off."""
    copy = copy_of(finished, tmp_path)
    text = (copy / "state.json").read_text()
    (copy / "state.json").write_text(text[: len(text) // 2])
    code, _, error = run_in_process(capsys, "run", "--resume", str(copy))
    assert code == 2
    assert "damaged" in error


def test_a_state_of_another_market_is_refused(finished, tmp_path, capsys):
    """Tests that a state is not continued with other people's values."""
    copy = copy_of(finished, tmp_path)
    params = (copy / "params.toml").read_text().replace('domain = "toy"', 'domain = "gsvm"')
    (copy / "params.toml").write_text(params)
    code, _, error = run_in_process(capsys, "run", "--resume", str(copy))
    assert code == 2
    assert "true values" in error


@pytest.mark.parametrize("key", ["history", "pending", "reports", "demands", "planning", "use"])
@pytest.mark.parametrize("entry", [[], {}, None, 0, "x", [None], [{}], [[]]])
def test_damaged_entries_of_a_state_are_one_line_or_harmless(
    finished, tmp_path, capsys, key, entry
):
    """Tests emptied entries and wrong types: the run goes on, or one line says what is wrong."""
    copy = copy_of(finished, tmp_path, **{key: entry})
    code, _, error = run_in_process(capsys, "run", "--resume", str(copy), "--quiet")
    assert code in (0, 2)
    assert error.count("\n") == (code == 2)
    if key == "history":
        assert code == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("num_total = 8", "num_total = 12", "not those that the run began with"),
        ("seed = 3\ngeneric", "seed = 4.5\ngeneric", "a whole number as seed"),
        ("[truth]", "[myth]", "true values"),
    ],
)
def test_edited_settings_are_not_ignored(finished, tmp_path, capsys, old, new, message):
    """Tests that a run does not go on with other settings than its file shows."""
    copy = copy_of(finished, tmp_path)
    text = (copy / "params.toml").read_text()
    assert old in text
    (copy / "params.toml").write_text(text.replace(old, new))
    code, _, error = run_in_process(capsys, "run", "--resume", str(copy))
    assert code == 2
    assert message in error


def test_changed_values_in_a_market_file_are_noticed(tmp_path, capsys):
    """Tests that two truths are not mixed in one run."""
    market = tmp_path / "market.toml"
    market.write_text(
        '[[goods]]\nname = "a"\n[[bidders]]\nname = "x"\nvalues = { a = 2 }\n'
        '[[bidders]]\nname = "y"\nvalues = { a = 1 }\n'
    )
    folder = tmp_path / "run"
    arguments = ["run", str(market), "--mechanism", "random", *QUICK, "--out", str(folder)]
    assert run_in_process(capsys, *arguments)[0] == 0
    (folder / "result.json").unlink()
    market.write_text(market.read_text().replace("a = 2", "a = 3"))
    code, _, error = run_in_process(capsys, "run", "--resume", str(folder))
    assert code == 2
    assert "true values" in error


def test_options_beside_resume_are_refused(finished, capsys):
    """Tests that a seed given with --resume is not silently ignored."""
    folder, _ = finished
    arguments = ["run", "--resume", str(folder), "--seed", "9", "--budget", "50"]
    code, _, error = run_in_process(capsys, *arguments)
    assert code == 2
    assert "--seed, --budget with --resume" in error


def test_a_finished_run_gets_the_files_that_it_lacks(finished, capsys):
    """Tests a run that was killed between its result and its plot."""
    folder, _ = finished
    rounds = (folder / "rounds.csv").read_text()
    (folder / "rounds.csv").unlink()
    (folder / "regret.png").unlink()
    code, printed, _ = run_in_process(capsys, "run", "--resume", str(folder))
    assert code == 0
    assert "complete" in printed
    assert (folder / "rounds.csv").read_text() == rounds
    assert (folder / "regret.png").exists()


@pytest.mark.kill
def test_a_run_that_was_killed_before_it_asked_starts_again(finished, tmp_path, capsys):
    """Tests a folder that has settings and no state."""
    folder, _ = finished
    copy = copy_of(finished, tmp_path)
    (copy / "state.json").unlink()
    code, _, _ = run_in_process(capsys, "run", "--resume", str(copy), "--quiet")
    assert code == 0
    assert trajectory(copy) == trajectory(folder)


def trajectory(folder):
    return json.loads((folder / "state.json").read_text())["reports"]


@pytest.mark.kill
def test_a_killed_run_resumes_to_the_same_result(finished, tmp_path):
    """
    Tests that a process killed in the middle of an auction loses nothing: resumed, it ends like an
    uninterrupted one of another process.
    """
    folder, _ = finished
    copy = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "boca", "run", "toy", "--seed", "3", *QUICK, "--out", str(copy)],
        stdout=subprocess.DEVNULL,
    )
    while process.poll() is None:
        if (copy / "state.json").exists():
            state = json.loads((copy / "state.json").read_text())
            if state["history"]:
                process.send_signal(signal.SIGKILL)
                break
        time.sleep(0.005)
    process.wait()
    assert not (copy / "result.json").exists(), "the run ended before it could be killed"

    resumed = boca("run", "--resume", str(copy))
    assert resumed.returncode == 0, resumed.stderr
    assert trajectory(copy) == trajectory(folder)
    ours, theirs = (json.loads((f / "result.json").read_text()) for f in (copy, folder))
    assert ours["payments"] == theirs["payments"]
    assert ours["path"] == theirs["path"]


def test_ctrl_c_says_how_to_go_on(tmp_path):
    """Tests the message and the code of an interrupted run."""
    copy = tmp_path / "interrupted"
    process = subprocess.Popen(
        [sys.executable, "-m", "boca", "run", "toy", "--seed", "3", *QUICK, "--out", str(copy)],
        stdout=subprocess.PIPE,
        text=True,
        # Tests that were started in the background ignore Ctrl-C, and so would their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while process.poll() is None and not (copy / "state.json").exists():
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert f"--resume {copy}" in printed.replace("\n", "")
