"""``boca exchange`` as people call it."""

import json
from pathlib import Path

import pytest

from boca.cli.main import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "exchange" / "quota.csv"


def test_the_example(capsys):
    """Tests the table, the gain with its confirmation, and the reasons."""
    pytest.importorskip("pyscipopt")
    assert run(["exchange", str(EXAMPLE), "--explain", "--verify"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "proven optimal, confirmed by scip); left over 0" in text
    assert "telling the truth is not always the best answer" in text


def test_payments_balance_unless_vcg(capsys):
    """Tests that what is paid is received, and that VCG states its deficit."""
    surplus = {}
    for rule in ("threshold", "proportional", "small", "vcg"):
        assert run(["exchange", str(EXAMPLE), "--payments", rule, "--json"]) == 0
        surplus[rule] = json.loads(capsys.readouterr().out)["surplus"]
    assert surplus["vcg"] < 0
    assert {surplus[rule] for rule in ("threshold", "proportional", "small")} == {0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--payments", "core"), "expected one of vcg, threshold, proportional, small"),
        (("--max-seconds", "-1"), "expected a positive number"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_message(words, message, capsys):
    """Tests mistakes of the command line."""
    assert run(["exchange", str(EXAMPLE), *words]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_market_files_of_exchanges(tmp_path, capsys):
    """Tests additive values, bids of a file, and what the endowment is worth by them."""
    text = """
name = "plants"
[[goods]]
name = "a"
capacity = 2
[[goods]]
name = "b"
[[participants]]
name = "Ann"
endowment = { a = 2 }
values = { a = 1, b = 4 }
[[participants]]
name = "Ben"
endowment = { b = 1 }
bids = "bids.csv"
"""
    path = tmp_path / "plants.toml"
    path.write_text(text)
    (tmp_path / "bids.csv").write_text("bidder,value,a,b\nBen,5,1,\n")
    assert run(["exchange", str(path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    # Ann's other a is worth 1 to her, b is worth 4 to her and nothing to Ben: 5 + 5 - 2.
    assert made["gain"] == 8
    path.write_text(text.replace("endowment", "# endowment"))
    assert run(["exchange", str(path)]) == 2
    assert "nobody who holds anything" in capsys.readouterr().err
    path.write_text(text.replace("capacity = 2", "capacity = 9999"))
    assert run(["exchange", str(path)]) == 2
    assert "20,000 bundles that 'Ann' can hold" in " ".join(capsys.readouterr().err.split())


def test_an_endowment_without_a_value_is_named(tmp_path, capsys):
    """Tests that a gain is never computed from an invented value."""
    path = tmp_path / "x.csv"
    path.write_text("participant,value,a\nAnn,holds,1\nBen,5,1\n")
    assert run(["exchange", str(path)]) == 2
    assert "'Ann' has not said what it is worth to keep a" in capsys.readouterr().err
