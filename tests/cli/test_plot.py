"""The plot command: files, and how it refuses."""

import pytest

from boca.cli.main import main

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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lsvm", "--seed", "1", "--bidder", "9"], "expected 0 to 5"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--init", "random"], "mixture, generic"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--q", "0.5"], "0.6, 0.75, 0.9, 0.95"),
        (["lsvm", "--seed", "1", "--bidder", "0", "--reports", "2"], "at least 3"),
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
