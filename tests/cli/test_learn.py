"""The learn command: what it prints and writes, and how it refuses."""

import json

import numpy as np
import pytest

from boca.cli.main import main
from boca.lab.studies.learning import study as learning
from boca.surrogates import Fitted


class Count:
    """A value function that counts goods."""

    def __init__(self, num_goods):
        self.capacities = np.ones(num_goods, dtype=np.int64)

    def __call__(self, bundles):
        return bundles.sum(axis=1).astype(float)


def run(*arguments):
    """Runs the command and gives its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["learn", *arguments])
    return ended.value.code


@pytest.fixture
def used(monkeypatch):
    """A scripted learner in place of the training; remembers the parameters it was given."""
    used = []

    def fit(reports, market, params, seed):
        used.append(params[market.bidders[0].type])
        count = Count(market.num_goods)
        return {i: Fitted(count, count) for i in reports}

    monkeypatch.setattr(learning, "fit", fit)
    return used


def test_table_has_a_row_for_each_type(used, capsys):
    """Tests what a user sees first."""
    assert run("lsvm", "--instances", "1-2") == 0
    out = capsys.readouterr().out
    assert "national" in out
    assert "regional" in out
    assert "NOT met" in out  # counting goods is not learning
    assert "Means over 2 instances" in out


def test_finished_rows_are_in_the_file_when_a_later_one_breaks(used, monkeypatch, tmp_path):
    """Tests that an interruption loses the row that is being learned and no other."""
    learned = learning.fit

    def interrupted(reports, market, params, seed):
        if len(used) == 1:
            raise KeyboardInterrupt
        return learned(reports, market, params, seed)

    monkeypatch.setattr(learning, "fit", interrupted)
    file = tmp_path / "table.json"
    assert run("lsvm", "--instances", "1", "--out", str(file)) != 0
    assert [row["bidder_type"] for row in json.loads(file.read_text())] == ["national"]


def test_json_is_complete(used, capsys):
    """Tests that a program gets measured, published and verdict of every metric."""
    assert run("lsvm", "--q", "0.9", "--q", "0.75", "--instances", "3", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["bidder_type"], row["q"]) for row in rows] == [
        ("national", 0.9),
        ("regional", 0.9),
        ("national", 0.75),
        ("regional", 0.75),
    ]
    assert rows[0]["published"]["test_r2"] == 0.569779
    assert rows[0]["holds"].keys() == rows[0]["measured"].keys()
    assert rows[0]["instances"] == [3]


def test_markdown_goes_to_the_screen_and_into_a_file(used, capsys, tmp_path):
    """Tests that the table of the documentation is printed, not typed."""
    file = tmp_path / "table.md"
    arguments = ["lsvm", "--instances", "1", "--types", "national", "--markdown", "--out"]
    assert run(*arguments, str(file)) == 0
    assert file.read_text() == capsys.readouterr().out
    assert file.read_text().count("| lsvm | national |") == 1
    assert run(*arguments, str(file)) == 2  # an existing file stays
    assert run(*arguments, str(file), "--force") == 0


def test_hyperparameters_can_be_changed(used, tmp_path):
    """Tests that file and option reach the training, and that defaults replace the winners."""
    file = tmp_path / "mine.toml"
    file.write_text("[national]\nepochs = 77\n")
    arguments = ["lsvm", "--instances", "1", "--types", "national", "--params", str(file)]
    assert run(*arguments, "--steps-fraction", "0.5") == 0
    assert (used[-1].epochs, used[-1].steps_fraction) == (77, 0.5)
    assert not used[-1].linear_skip  # the published winner has none

    assert run("lsvm", "--instances", "1", "--types", "national", "--untuned") == 0
    assert used[-1].linear_skip


def test_counted_goods_have_no_published_figures(used, capsys):
    """Tests that a generic view is measured with defaults instead of being compared wrongly."""
    assert run("srvm", "--instances", "1", "--types", "primary", "--generic", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["published"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lsvm", "--instances", "one"], "expected numbers and ranges"),
        (["lsvm", "--q", "0.8"], "0.6, 0.75, 0.9, 0.95"),
        (["lsvm", "--q", "9"], "expected a quantile"),
        (
            ["lsvm", "--types", "local"],
            "expected one of national, regional",
        ),
        (["nowhere"], "nowhere"),
        (["lsvm", "--json", "--markdown"], "choose one"),
        (["lsvm", "--out", "table.txt"], ".json or .md"),
        (["lsvm", "--steps-fraction", "2"], "a share in"),
        (["lsvm", "--params", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(used, capsys, arguments, words):
    """Tests that nothing is trained and the message fits on a line."""
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert not used


def test_order_is_a_table_of_its_own(used, capsys):
    """Tests that the shares of the documentation are printed by the same command."""
    assert run("lsvm", "--instances", "1", "--types", "national", "--order", "--markdown") == 0
    out = capsys.readouterr().out
    assert "| lsvm | national | 0.9 | cube | 0.0 % | 0.0 % | 0.0 % |" in out
    assert run("lsvm", "--instances", "1", "--order", "--artificial", "bundles", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["artificial"] for row in rows] == ["bundles", "bundles"]


def test_demand_refuses_options_of_other_networks(capsys):
    """Tests that nothing is silently ignored: these options are about learning from values."""
    assert run("lsvm", "--demand", "--order") == 2
    assert "--demand" in capsys.readouterr().err
