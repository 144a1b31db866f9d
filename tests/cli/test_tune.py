"""The tune command: what it prints and writes, how it goes on, and how it refuses."""

import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from boca.cli.main import main
from boca.cli.tune.options import TuneOptions

RANGES = """
surrogate = "svr"
[ranges]
penalty = { low = 0.01, high = 100.0, log = true }
kernel = { choices = ["quadratic", "gaussian"] }
"""


def run(*arguments):
    """Runs the command and gives its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["tune", *map(str, arguments)])
    return ended.value.code


@pytest.fixture
def options(tmp_path):
    """A search that takes a second: support vector regression on a few bundles."""
    ranges = tmp_path / "ranges.toml"
    ranges.write_text(RANGES)
    return [
        "lsvm",
        *("--type", "national", "--ranges", ranges, "--criterion", "mae"),
        *("--train", "15", "--test", "20", "--workers", "1"),
    ]


def test_search_validation_winners_and_page(options, tmp_path, capsys):
    """Tests the whole command, and that it goes on where it was."""
    out = tmp_path / "out"
    arguments = [*options, "--instances", "1-5", "--out", out]
    assert run(*arguments, "--trials", 4, "--validate", "none") == 0
    shown = capsys.readouterr().out
    assert "best so far all" in shown
    assert "defaults" not in shown

    assert run(*arguments, "--trials", 10, "--validate", "101-103") == 0
    shown = capsys.readouterr().out
    assert "10 trials, 4 done already, 6 to do" in shown
    assert "defaults" in shown

    tuned = tomllib.loads((out / "tuned.toml").read_text())
    assert tuned["tuned"]["surrogate"] == "svr"
    assert 0.01 <= tuned["winners"]["all"]["national"]["penalty"] <= 100
    page = (out / "national.md").read_text()
    for part in ("history", "importance", "parallel"):
        assert f"(national-{part}.png)" in page
        assert (out / f"national-{part}.png").stat().st_size > 5000
    assert "on 101-103" in page

    assert run(*arguments, "--trials", 10, "--validate", "101-103", "--quiet") == 0  # all is there


def test_winners_are_compared_on_further_instances_unasked(options, tmp_path, capsys):
    """Tests the usual instances of the comparison, which the page names."""
    out = tmp_path / "out"
    assert run(*options, "--instances", "1-2", "--trials", "2", "--out", out) == 0
    assert "ratio" in capsys.readouterr().out
    assert "on 101-104" in (out / "national.md").read_text()


@pytest.mark.parametrize(
    ("text", "instances", "expected"),
    [
        (None, range(1, 21), range(101, 141)),
        (None, range(1, 4), range(101, 107)),
        (None, range(1, 1001), range(1001, 1041)),
        (None, [102], range(103, 105)),
        (None, [7, 500], range(101, 105)),
        ("none", range(1, 21), ()),
        ("200-202", range(1, 21), (200, 201, 202)),
    ],
)
def test_held_out_instances_are_never_those_of_the_search(text, instances, expected):
    """Tests the seeds that winners are compared on."""
    searched = ",".join(map(str, instances))
    options = TuneOptions("lsvm", instances=searched, validate=text)

    assert options.held_out == tuple(expected)


def test_study_of_something_else_is_refused(options, tmp_path, capsys):
    """Tests that a folder belongs to one search."""
    out = ["--out", tmp_path / "out", "--trials", "2"]
    assert run(*options, *out, "--instances", "1-2") == 0
    capsys.readouterr()
    assert run(*options, *out, "--instances", "1-3") == 2
    captured = capsys.readouterr()
    assert "differs in its instances ('1-2', not '1-3')" in captured.err
    assert captured.err.count("\n") == 1


def test_winners_of_another_market_are_not_overwritten(options, tmp_path, capsys):
    """Tests that a search into the folder of another one is refused before anything is trained."""
    out = ["--out", tmp_path / "out", "--trials", "1", "--instances", "1"]
    assert run(*options, *out) == 0
    before = (tmp_path / "out" / "tuned.toml").read_bytes()
    capsys.readouterr()
    assert run("gsvm", *options[1:], *out) == 2
    captured = capsys.readouterr()
    assert "market = 'lsvm', not 'gsvm'. Move it away, or choose another --out." in captured.err
    assert (tmp_path / "out" / "tuned.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--criterion", "mea"], "did you mean 'mae'"),
        (["--type", "natonal"], "did you mean 'national'"),
        (["--sampler", "tpee"], "did you mean 'tpe'"),
        (["--q", "high", "--criterion", "paper"], "expected numbers, such as"),
        (["--q", "1.5", "--criterion", "paper"], "between 0 and 1"),
        (["--trials", "0"], "at least 1"),
        (["--instances", "one"], "expected numbers and ranges"),
        (["--validate", "3-4"], "in --validate and in --instances"),
        (["--workers", "0"], "at least 1"),
        (["--workers", "1", "--scheduler", "tcp://x:1"], "Leave out --workers"),
        (["--reports", "state.json", "--validate", "200"], "with --reports"),
        (["--reports", "nowhere.json"], "nowhere.json"),
        (["--ranges", "nowhere.toml"], "no file of ranges"),
        (["--storage", "nothing://here"], "Check the URL"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(
    options, tmp_path, monkeypatch, capsys, arguments, words
):
    """Tests that nothing is trained and the message fits on a line."""
    monkeypatch.chdir(tmp_path)
    assert run(*options, *arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1


def test_unknown_surrogate_and_bad_ranges(tmp_path, monkeypatch, capsys):
    """Tests slips in names of networks and in a user's file."""
    monkeypatch.chdir(tmp_path)
    assert run("lsvm", "--surrogate", "mixd") == 2
    assert "did you mean 'mixed'" in capsys.readouterr().err

    (tmp_path / "bad.toml").write_text("[ranges]\nlearning_rat = { low = 0.1, high = 0.2 }\n")
    assert run("lsvm", "--ranges", "bad.toml") == 2
    assert "did you mean 'learning_rate'" in capsys.readouterr().err

    assert run("lsvm", "--surrogate", "joint", "--type", "national", "--criterion", "mae") == 2
    assert "share a layer" in capsys.readouterr().err


MARKET = Path(__file__).parents[2] / "examples" / "routes" / "market.toml"


def boca(*arguments):
    """Runs any command; its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return ended.value.code


def test_reports_of_an_auction_are_enough(options, tmp_path, capsys):
    """Tests cross-validation for a market whose values nobody knows, and a run with its winners."""
    auction = ["--mechanism", "random", "--initial", "20", "--budget", "20", "--quiet"]
    assert boca("run", MARKET, *auction, "--out", tmp_path / "first") == 0
    state = tmp_path / "first" / "state.json"
    ranges = options[options.index("--ranges") + 1]
    search = ["--ranges", ranges, "--criterion", "mae", "--trials", "2", "--folds", "3"]
    assert run(MARKET, "--reports", state, *search, "--out", tmp_path / "tuned") == 0
    winners = tomllib.loads((tmp_path / "tuned" / "tuned.toml").read_text())["winners"]["all"]
    assert winners.keys() == {"national", "regional"}

    again = ["--mechanism", "svr", "--initial", "6", "--budget", "7", "--per-round", "1", "--quiet"]
    file = tmp_path / "tuned" / "tuned.toml"
    assert boca("run", MARKET, *again, "--params", file, "--out", tmp_path / "second") == 0
    text = (tmp_path / "second" / "params.toml").read_text()
    used = tomllib.loads(text)["auction"]["phases"][1]["surrogate"]["params"]
    assert used["national"]["penalty"] == winners["national"]["penalty"]


def test_rules_of_a_live_auction_are_passed_over(options, tmp_path, capsys):
    """Tests that the market file of a server can be searched for, and compared with reports."""
    market = tmp_path / "shop.toml"
    market.write_text(
        '[auction]\nmechanism = "boca"\n[[goods]]\nname = "a"\ncapacity = 5\n[[goods]]\n'
        'name = "b"\ncapacity = 5\n[[bidders]]\nname = "x"\nvalues = { a = 2, b = 3 }\n'
    )
    auction = ["--mechanism", "random", "--initial", "20", "--budget", "20", "--quiet"]
    assert boca("run", market, *auction, "--out", tmp_path / "first") == 0
    ranges = options[options.index("--ranges") + 1]
    search = ["--ranges", ranges, "--criterion", "mae", "--trials", "1", "--folds", "2"]
    state = tmp_path / "first" / "state.json"
    assert run(market, "--reports", state, *search, "--out", tmp_path / "tuned") == 0


def test_reports_of_another_market(options, tmp_path, capsys):
    """Tests that a market file and a state must be about the same goods."""
    auction = ["--mechanism", "random", "--initial", "3", "--budget", "3", "--quiet"]
    assert boca("run", "toy", *auction, "--out", tmp_path / "toy") == 0
    assert run(MARKET, "--reports", tmp_path / "toy" / "state.json") == 2
    assert "other goods" in capsys.readouterr().err


# Programs that a shell starts in the background begin with interrupts ignored.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("boca", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_keeps_everything(options, tmp_path, capsys):
    """Tests an interrupt in the middle of a long search, and going on with a shorter one."""
    out = tmp_path / "out"
    arguments = [*map(str, options), "--instances", "1-5", "--sampler", "random", "--out", str(out)]
    command = [sys.executable, "-c", INTERRUPTIBLE, "tune", *arguments, "--trials", "5000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        while not process.stdout.readline().startswith("trial 3:"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 130
    assert "what was measured is kept" in rest

    assert run(*arguments, "--trials", "3") == 0  # all of them were done before
    assert "done already, 0 to do" in capsys.readouterr().out
