"""Tests of ``boca domain``."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from boca.cli.console_tables import numbers
from boca.cli.main import main
from boca.core import Allocation, Market, check_feasible

EXAMPLES = Path(__file__).parents[2] / "examples"
COURSES = str(EXAMPLES / "points" / "market.toml")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keeps tests away from the user's cache, and the width of tables fixed."""
    monkeypatch.setenv("BOCA_CACHE", str(tmp_path_factory.getbasetemp() / "boca-cache"))
    monkeypatch.setenv("COLUMNS", "120")


def call(*arguments: str) -> int:
    """Runs the command in this process and returns its exit code."""
    with pytest.raises(SystemExit) as stopped:
        main(["domain", *arguments])
    return int(stopped.value.code or 0)


def run(*arguments: str) -> subprocess.CompletedProcess:
    """Runs the command as people do, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "boca", "domain", *arguments], capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("name", "welfare"),
    [("lsvm", "563.5768403770246"), ("srvm", "4580.719612689756"), ("mrvm", "10781291924.493317")],
)
def test_welfare_is_printed_with_all_digits(name, welfare, capsys):
    """Tests against the published optimum of seed 10001, which readers compare by eye."""
    assert call(name, "--seed", "10001") == 0
    assert welfare in capsys.readouterr().out


def test_real_command_shows_goods_bidders_and_allocation():
    """Tests the whole of what a newcomer sees on the market that can be checked by hand."""
    done = run("toy")

    assert done.returncode == 0, done.stderr
    for words in ("Goods", "Bidders", "Efficient allocation", "value of all goods", "2 x C"):
        assert words in done.stdout
    assert "Welfare (sum of these values): 12.0" in done.stdout


def test_default_seed_is_said(capsys):
    """Tests that nobody mistakes one instance for the domain."""
    assert call("lsvm") == 0
    assert "seed 10001 (the default; choose another with --seed)" in capsys.readouterr().out
    assert call("lsvm", "--seed", "3") == 0
    assert "seed 3\n" in capsys.readouterr().out


def test_generic_view_counts_licences(capsys):
    """Tests that --generic reaches the domain: 3 bands instead of 29 licences."""
    assert call("srvm", "--generic", "--json") == 0
    data = json.loads(capsys.readouterr().out)

    assert data["generic"] is True
    assert len(data["market"]["goods"]) == 3
    assert data["efficient"]["welfare"] == pytest.approx(4580.719612689756, rel=1e-9)


def test_json_holds_everything(capsys):
    """Tests that a program can rebuild market and allocation from the output alone."""
    assert call("gsvm", "--seed", "10002", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    market = Market.from_dict(data["market"])
    efficient = data["efficient"]

    check_feasible(Allocation(np.array(efficient["allocation"])), market)
    assert data["seed"] == 10002
    assert len(data["full_bundle_values"]) == market.num_bidders
    assert sum(efficient["values"]) == pytest.approx(efficient["welfare"], rel=1e-12)
    assert efficient["proven"] is True


def test_market_file_is_shown(capsys):
    """Tests limits and seats of the worked example in the words of a table."""
    assert call(COURSES) == 0
    shown = capsys.readouterr().out

    assert "Market 'points'" in shown
    assert "Every bidder can get at most 1 of each; only one of Algebra, Databases" in shown
    assert "Left over: " in shown
    assert "Welfare (sum of these values): 1075.0" in shown


def test_out_writes_json_once(tmp_path, capsys):
    """Tests that --out keeps what is there unless told otherwise."""
    target = tmp_path / "toy.json"
    assert call("toy", "--out", str(target)) == 0
    assert f"Wrote {target}" in capsys.readouterr().err
    first = target.read_text()
    assert json.loads(first)["efficient"]["welfare"] == 12.0

    target.write_text("mine")
    assert call("toy", "--out", str(target)) == 2
    assert f"The file '{target}' exists already; choose another name or add --force" in (
        capsys.readouterr().err
    )
    assert target.read_text() == "mine"

    assert call("toy", "--out", str(target), "--force") == 0
    assert target.read_text() == first
    assert list(tmp_path.iterdir()) == [target]  # nothing left over beside it


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lsmv"], "There is no domain 'lsmv'"),
        (["no/such/market.toml"], "There is no market file 'no/such/market.toml'"),
        ([COURSES, "--seed", "1"], "nothing is drawn at random; leave out --seed"),
        ([COURSES, "--generic"], "leave out --generic and give identical goods a capacity"),
        (["toy", "--out", "no/such/folder/x.json"], "There is no folder 'no/such/folder'"),
        (["toy", "--out", str(EXAMPLES)], "is a folder; name a file in it"),
    ],
)
def test_mistakes_are_one_line_and_code_two(arguments, message, capsys):
    """Tests that a mistake is answered before any work, in one line."""
    assert call(*arguments) == 2
    shown = capsys.readouterr()

    assert message in shown.err
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_broken_market_file_has_no_traceback(tmp_path):
    """Tests the real command on a file with a mistake."""
    path = tmp_path / "market.toml"
    path.write_text('[[goods]]\nname = "A"\ncapacity = 0\n')
    done = run(str(path))

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"error: {path}, [[goods]] number 1 ('A'), key 'capacity': found the number 0; expected "
        "at least 1. Leave the good out if none can be given away.\n"
    )


def test_columns_of_numbers_line_up():
    """Tests that the decimals of a column follow its largest number."""
    assert numbers([1.0, 20.0]) == ["1", "20"]
    assert numbers([0.25, 3.0]) == ["0.2500", "3.0000"]
    assert numbers([0.0, 455.547]) == ["0.00", "455.55"]
    assert numbers([1234.56, 0.0]) == ["1,234.6", "0.0"]
    assert numbers([5931527758.2, 0.4]) == ["5,931,527,758", "0"]
    assert numbers([]) == []
