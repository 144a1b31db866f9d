"""Runs the examples as a reader would."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(script: str, folder: Path) -> str:
    finished = subprocess.run(
        [sys.executable, str(EXAMPLES / script)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_the_mini_auction_is_efficient_and_short(tmp_path):
    """Tests the whole idea on the toy market, in under 80 lines."""
    printed = run("mini_auction.py", tmp_path)
    assert "efficiency 100.0% of the best possible 12" in printed
    assert len((EXAMPLES / "mini_auction.py").read_text().splitlines()) < 80


def test_a_mechanism_of_ones_own_is_a_short_list_of_phases(tmp_path):
    """Tests a hybrid of clock rounds and value queries in under 30 lines of code."""
    printed = run("own_mechanism.py", tmp_path)
    assert printed.count(" clock ") == 5
    assert " boca " in printed
    assert "loss 0.00 %" in printed
    code = (EXAMPLES / "own_mechanism.py").read_text().split('"""')[2].split("# %%")[0]
    assert len(code.strip().splitlines()) < 30


def test_a_planner_of_ones_own_finds_the_optimum_and_can_be_saved(tmp_path):
    """Tests the recipe for planners: a frozen dataclass, a name, questions until none are left."""
    printed = run("own_planner.py", tmp_path)
    assert "everything nearby has been asked about; loss 0.00 %" in printed
    assert "in files: {'name': 'one-copy', 'num_per_round': 1}" in printed


def test_rules_of_a_purchase_cost_what_the_page_says(tmp_path):
    """Tests the scenarios that docs/procurement.md shows, and that a conflict is named."""
    printed = run("buy_freight.py", tmp_path)
    assert "cheapest: 7,650" in printed
    assert "keep the incumbent: 7,840" in printed
    assert "half of it small: impossible, because of at most 1 supplier and" in printed


def test_payments_of_an_exchange_balance_except_vcg(tmp_path):
    """Tests what the example says about its four payment rules."""
    printed = run("trade_quota.py", tmp_path)
    sums = dict(re.findall(r"^(\w+) +gain 4400, payments add up to (\S+)$", printed, re.MULTILINE))
    assert sums == {"threshold": "0", "proportional": "0", "small": "0", "vcg": "-200"}


@pytest.mark.parametrize("name", ["routes", "points"])
def test_a_market_file_runs_without_tuning(name, tmp_path):
    """Tests that both example markets end with their efficient allocation."""
    command = [sys.executable, "-m", "boca", "run", str(EXAMPLES / name / "market.toml")]
    finished = subprocess.run(
        [
            *command,
            "--seed",
            "1",
            "--stop-when-efficient",
            "--json",
            "--out",
            str(tmp_path / "run"),
        ],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["efficiency_loss"] == pytest.approx(0, abs=1e-9)


def test_the_readme_program_runs(tmp_path):
    """Tests the README's Python, on the toy market and with a small budget."""
    text = (EXAMPLES.parent / "README.md").read_text()
    program = text.split("```python\n")[1].split("```")[0]
    small = "num_initial=4, num_per_round=2, num_total=6"
    for old, new in (
        ('"lsvm", seed=10001', '"toy"'),
        ('tuned="lsvm"', small),
    ):
        assert old in program
        program = program.replace(old, new)
    (tmp_path / "readme.py").write_text(program)
    printed = run(str(tmp_path / "readme.py"), tmp_path)
    assert printed.startswith("welfare")
