"""``boca award`` as a buyer calls it."""

import csv
import json
from pathlib import Path

import pytest

from boca.cli.main import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "procurement" / "award.toml"
SHEET = "supplier,cost,a,b\nat most,,9,9\nA,4,1,1\nA,3,1,\nB,4,,1\nC,2.5,1,\n"


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "offers.csv"
    path.write_text(SHEET)
    return path


def test_scenarios_of_the_example(capsys, tmp_path):
    """Tests the table, the prices of rules, the conflict, and the files."""
    assert run(["award", str(EXAMPLE), "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    assert "keep the incumbent" in text
    assert "+190" in text
    assert "with 'at most 30 %' instead" in text
    assert "No award: the rules 'at most 1 supplier' and" in text

    rows = list(csv.DictReader((tmp_path / "out" / "scenarios.csv").open()))
    assert [row["scenario"] for row in rows][:2] == ["cheapest", "three carriers"]
    assert rows[0]["cost"] == "7650.0"
    assert rows[-1]["status"] == "no award"
    data = json.loads((tmp_path / "out" / "award.json").read_text())
    assert data[0]["award"]["awards"][0]["supplier"] == "West"
    page = (tmp_path / "out" / "page.html").read_text()
    assert "<svg" in page
    assert "What other bounds would cost" in page
    assert run(["award", str(EXAMPLE), "--out", str(tmp_path / "out")]) == 2
    assert "--force" in capsys.readouterr().err


def test_payments_and_reasons(sheet, capsys):
    """Tests VCG and core payments of a sheet, as JSON and in words."""
    assert run(["award", str(sheet), "--payments", "vcg", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)[0]["award"]
    assert made["cost"] == 4
    assert made["awards"] == [
        {"supplier": "A", "supplies": {"a": 1, "b": 1}, "cost": 4, "paid": 6.5}
    ]
    assert made["spend"] == 6.5
    assert run(["award", str(sheet), "--payments", "core", "--explain"]) == 0
    assert (
        "A offered 4. Without it the cheapest award would cost 2.5 more" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("scenario", "cost"),
    [
        ("cheapest", 4),
        ("at most 1 supplier", 4),
        ("at least 2 suppliers", 6.5),
        ("at most 50 % each", 6.5),
        ("at most 0 suppliers", 18),
    ],
)
def test_scenarios_by_sentence(sheet, scenario, cost, capsys):
    """Tests what buyers say most often, without a file of rules."""
    assert run(["award", str(sheet), "--scenario", scenario, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["award"]["cost"] == cost


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--scenario", "cheapst"), "did you mean 'cheapest'?"),
        (("--scenario", "at most 140 % each"), "at most 100 %"),
        (("--scenario", "incumbents at least 20 %"), "no supplier is an incumbent"),
        (("--payments", "threshold"), "expected one of none, offered, vcg, core"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_message(sheet, words, message, capsys):
    """Tests mistakes of the command line."""
    assert run(["award", str(sheet), *words]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_scenario_that_cannot_be_paid_stands_beside_the_others(sheet, tmp_path, capsys):
    """Tests that an indispensable supplier stops its own scenario's payments and nothing else."""
    sheet.write_text(SHEET.replace("C,2.5,1,\n", ""))
    words = ["--scenario", "at least 2 suppliers", "--payments", "vcg"]
    out = tmp_path / "out"
    both = ["award", str(sheet), "--scenario", "cheapest", *words]
    assert run([*both, "--out", str(out)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "cheapest 4 - 1 0 13" in text
    assert "at least 2 suppliers 7 +3 2 0 no payments" in text
    assert "No payments. A is indispensable" in text
    first, second = csv.DictReader((out / "scenarios.csv").open())
    assert (first["spend"], first["no_payments"]) == ("13.0", "")
    assert second["spend"] == ""
    assert second["no_payments"].startswith("A is indispensable")
    page = (out / "page.html").read_text()
    assert page.count("no payments</td>") == 1
    assert "No payments. A is indispensable" in page
    assert run([*both, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [row["no_payments"] is None for row in made] == [True, False]
    assert [row["award"]["payment_rule"] for row in made] == ["vcg", "none"]
    # Nothing of what was asked for: a script notices.
    assert run(["award", str(sheet), *words]) == 1


def test_no_award_at_all_ends_with_a_code(sheet, capsys):
    """Tests that a script notices."""
    assert run(["award", str(sheet), "--scenario", "at least 4 suppliers"]) == 1
    assert "cannot satisfy the rule 'at least 4 suppliers'" in capsys.readouterr().out


def test_boca_wdp_buys_where_a_sheet_says_cost(sheet, capsys):
    """Tests that the dearest suppliers never win, whichever command reads their offers."""
    assert run(["wdp", str(sheet), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)[0]["award"]
    assert made["cost"] == 4
    assert made["payment_rule"] == "vcg"
    assert run(["wdp", str(sheet), "--reserve", "3"]) == 2
    assert "has a column 'cost', so it buys" in " ".join(capsys.readouterr().err.split())


def test_a_second_solver_finds_the_same(sheet, capsys):
    """Tests --verify in every scenario: who found it is said, and stands in the JSON."""
    pytest.importorskip("pyscipopt")
    names = ["--scenario", "cheapest", "--scenario", "at least 2 suppliers"]
    assert run(["award", str(sheet), *names, "--verify"]) == 0
    assert capsys.readouterr().out.count("verified: scip found the same cost") == 2
    assert run(["award", str(sheet), *names, "--verify", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [entry["award"]["verified_by"] for entry in data] == ["scip", "scip"]
    assert run(["wdp", str(sheet), "--verify", "--max-seconds", "9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["award"]["verified_by"] == "scip"
    assert run(["award", str(sheet), *names]) == 0
    assert "verified" not in capsys.readouterr().out


def test_why_offers_do_not_cover_all_lots(tmp_path, capsys):
    """Tests a supplier whose offers exclude each other, and a lot that nobody offers."""
    sheet = tmp_path / "offers.csv"
    sheet.write_text("supplier,cost,a,b\nNord,3,1,\nNord,4,,1\n")
    assert run(["award", str(sheet)]) == 1
    assert "a supplier gets at most one of its offers" in " ".join(capsys.readouterr().out.split())
    sheet.write_text("supplier,cost,a,b\nNord,3,1,\nSued,4,1,\n")
    assert run(["award", str(sheet)]) == 1
    assert "all offers together do not cover 'b'" in capsys.readouterr().out
