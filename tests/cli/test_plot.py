"""The plot command: files, and how it refuses."""

import json

import pytest
from fake_runs import make_result, make_spec

from boca.cli.main import main
from boca.lab.reports.run_path import read_run_path
from boca.lab.simulation.run_folder import RunFolder
from boca.lab.studies.store import Store

QUICK = "hidden_units = 8\nepochs = 40\nnum_artificial = 16\nmax_attempts = 1\n"


def run(*arguments):
    """Runs the command and gives its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["plot", *arguments])
    return ended.value.code


def test_bounds_writes_figure_and_numbers(tmp_path, capsys):
    """Tests that PNG, SVG and CSV appear where the command says, for the networks asked for."""
    params = tmp_path / "quick.toml"
    params.write_text(QUICK)
    out = tmp_path / "figures"
    arguments = ["--seed", "11", "--bidder", "0", "--params", str(params), "--out", str(out)]
    assert run("bounds", "lsvm", *arguments, "--init", "generic", "--width", "8") == 0

    stem = "bounds_lsvm_11_bidder0_generic_width8"
    assert {path.name for path in out.iterdir()} == {f"{stem}.{e}" for e in ("png", "svg", "csv")}
    printed = capsys.readouterr().out.split()
    assert sorted(printed) == sorted(str(path) for path in out.iterdir())
    assert "generic initialisation" in (out / f"{stem}.svg").read_text()


def test_bounds_takes_the_winners_of_a_search(tmp_path, capsys):
    """Tests that a file of winners means the same here as for an auction, by its quantile."""
    winners = tmp_path / "tuned.toml"
    table = '[winners."0.9".regional]\n' + QUICK
    winners.write_text('[tuned]\nsurrogate = "mvnn"\n' + table)
    arguments = ["lsvm", "--seed", "11", "--bidder", "1", "--params", str(winners)]
    assert run("bounds", *arguments, "--out", str(tmp_path / "figures")) == 0
    capsys.readouterr()

    assert run("bounds", *arguments, "--q", "0.6") == 2
    assert "the file has winners for 0.9 only" in capsys.readouterr().err


ROUNDS = ["--mechanism", "random", "--initial", "3", "--per-round", "1", "--budget", "5"]


@pytest.fixture
def finished(tmp_path):
    """The folder of a small auction that came to its end."""
    folder = tmp_path / "toy"
    with pytest.raises(SystemExit):
        main(["run", "toy", *ROUNDS, "--out", str(folder), "--quiet"])
    return folder


def test_regret_of_a_finished_run(finished, tmp_path, capsys):
    """Tests that the figure of a run can be drawn again, here or elsewhere."""
    (finished / "regret.png").unlink()
    assert run("regret", str(finished)) == 0
    assert (finished / "regret.png").read_bytes().startswith(b"\x89PNG")

    out = tmp_path / "figures"
    assert run("regret", str(finished), "--out", str(out)) == 0
    assert {path.name for path in out.iterdir()} == {"toy-regret.png", "toy-regret.svg"}
    assert str(out / "toy-regret.png") in capsys.readouterr().out
    assert "toy, seed 10001, random" in (out / "toy-regret.svg").read_text()


def test_regret_of_a_run_under_way(finished):
    """Tests that the saved state is enough, and gives the losses that the result has."""
    whole = [
        entry["efficiency_loss"]
        for entry in json.loads((finished / "result.json").read_text())["path"]
    ]
    (finished / "result.json").unlink()

    path = read_run_path(RunFolder(finished))
    assert [entry.efficiency_loss for entry in path.path] == whole
    assert run("regret", str(finished)) == 0
    assert "unfinished" in (finished / "regret.svg").read_text()


def test_regret_of_an_experiment(tmp_path):
    """Tests an experiment's folder, also beside a run's."""
    store = Store(tmp_path / "grid")
    store.create()
    spec = make_spec("lsvm", 1)
    store.save(spec.key, make_result(spec, 3))

    assert run("regret", str(store.path)) == 0
    assert (store.path / "report" / "grid-regret.png").exists()


def test_regret_mistakes(tmp_path, finished, capsys):
    """Tests folders that hold nothing to draw, each with one line."""
    Store(tmp_path / "empty").create()
    (tmp_path / "nothing").mkdir()
    for folder, words in (
        (tmp_path / "nothing", "neither a run nor an experiment"),
        (tmp_path / "missing", "neither a run nor an experiment"),
        (tmp_path / "empty", "finished yet"),
    ):
        assert run("regret", str(folder)) == 2
        assert words in capsys.readouterr().err
    for text in ("hello", "{}", '{"path": [5]}', '{"path": []}'):
        (finished / "result.json").write_text(text)
        assert run("regret", str(finished)) == 2
        assert "no losses by round" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lsvm", "--seed", "1", "--bidder", "9"], "expected 0 to 5"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--init", "random"], "mixture, generic"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--q", "0.5"], "0.6, 0.75, 0.9, 0.95"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--reports", "2"], "at least 3"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--reports", "1000000"], "expected 1 to 2,000"),
        (["nowhere", "--seed", "1", "--bidder", "0"], "nowhere"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--out", __file__], "Cannot write to the folder"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(capsys, tmp_path, monkeypatch, arguments, words):
    """Tests the messages for wrong numbers and names; nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    assert run("bounds", *arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--format", "gif"), "expected some of png, svg, pdf"),
        (("--size", "5"), "expected width and height in inches"),
        (("--size", "0x4"), "expected width and height in inches"),
        (("--label", "boca"), "such as boca=BOCA"),
        (("--label", "boca=BOCA"), "which is a single run"),
    ],
)
def test_drawing_options_that_cannot_be_used(option, message, finished, capsys):
    """Tests that nothing is drawn in another way than asked for."""
    assert run("regret", str(finished), *option) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_drawing_as_pdf(finished, tmp_path):
    """Tests the format that papers take."""
    assert (
        run("regret", str(finished), "--format", "pdf", "--size", "4x3", "--out", str(tmp_path))
        == 0
    )
    assert (tmp_path / "toy-regret.pdf").read_bytes().startswith(b"%PDF")
