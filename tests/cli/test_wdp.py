"""Tests of ``boca wdp``."""

import json
from pathlib import Path

import pytest

from boca.cli.main import main
from boca.cli.wdp import progress_line
from boca.payments import Progress

EXAMPLES = Path(__file__).parents[2] / "examples"
CATS = str(EXAMPLES / "auction.cats")
CSV = str(EXAMPLES / "bids.csv")


@pytest.fixture(autouse=True)
def fixed_width(monkeypatch):
    """Keeps the width of tables fixed."""
    monkeypatch.setenv("COLUMNS", "120")


def call(*arguments: str) -> int:
    """Runs the command in this process and returns its exit code."""
    with pytest.raises(SystemExit) as stopped:
        main(["wdp", *arguments])
    return int(stopped.value.code or 0)


def shown(capsys, path: Path, *arguments: str) -> str:
    """What the command prints about a file of bids."""
    assert call(str(path), *arguments) == 0
    return capsys.readouterr().out


def test_core_payments_as_a_table(capsys):
    """Tests the documented example: 46 is what the bidder for all four licences offers."""
    assert call(CATS, "--payments", "core", "--explain") == 0
    shown = capsys.readouterr().out

    rows = [line.split() for line in shown.splitlines()]
    assert ["bidder", "4", "0", "18", "12", "6", "8"] in rows
    assert ["bidder", "5", "2,", "3", "26", "22", "4", "18"] in rows
    assert ["together", "56", "46", "10", "36"] in rows
    assert "Welfare 56, upper bound 56 (proven optimal)" in shown
    assert "must pay at least 46 together" in shown


def test_vcg_payments_as_json(capsys):
    """Tests reserve prices of the file: Ann pays 16 for Cy's loss and 7 of reserve prices."""
    pytest.importorskip("pyscipopt")
    assert call(CSV, "--json", "--verify") == 0
    data = json.loads(capsys.readouterr().out)

    assert data["rule"] == "VCG"
    assert data["verified_by"] in ("scip", "gurobi")
    assert data["bidders"][0]["bundle"] == {"morning slot": 1, "crew": 1}
    assert data["bidders"][0]["payment"] == 23


def test_allocation_alone(capsys):
    """Tests that payments can be left out, in both forms of output."""
    assert call(CATS, "--payments", "none") == 0
    shown = capsys.readouterr().out
    assert "Winners" in shown
    assert "pays" not in shown
    assert call(CATS, "--payments", "none", "--json") == 0
    assert json.loads(capsys.readouterr().out)["welfare"] == 56


def test_reserve_prices_on_the_command_line(capsys):
    """Tests that a reserve price above every bid leaves a good unsold."""
    assert call(CATS, "--reserve", "0=100", "--json") == 0
    data = json.loads(capsys.readouterr().out)

    assert all("0" not in bidder["bundle"] for bidder in data["bidders"])
    assert call(CATS, "--reserve", "1000") == 0
    assert "Not sold: 0, 1, 2, 3" in capsys.readouterr().out


@pytest.mark.parametrize("reserve", ["x=1", "0=cheap", "0=-1", "nan"])
def test_wrong_reserve_price_is_refused(reserve, capsys):
    """Tests that an unknown good or price ends with a message and code 2."""
    assert call(CATS, "--reserve", reserve) == 2
    assert f"--reserve {reserve}" in capsys.readouterr().err


def test_broken_file_names_the_line(tmp_path, capsys):
    """Tests that a mistake in a file ends with file, line, what was found, and code 2."""
    path = tmp_path / "broken.cats"
    path.write_text("goods 1\nbids 1\n0\tlots\t0\t#\n")

    assert call(str(path)) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ")
    assert "broken.cats, line 3: found the text 'lots' as the price; expected" in message
    assert call(str(tmp_path / "none.cats")) == 2


@pytest.fixture
def ring(tmp_path) -> str:
    """Five bidders who each want two neighbours of a ring: two win, half of each is worth 25."""
    path = tmp_path / "ring.cats"
    bids = [f"{k}\t10\t{k}\t{(k + 1) % 5}\t#" for k in range(5)]
    path.write_text("\n".join(["goods 5", "bids 5", *bids]) + "\n")
    return str(path)


def test_time_that_runs_out_is_said(ring, capsys):
    """Tests that the best so far comes with its gap, and payments with a warning."""
    assert call(ring, "--max-seconds", "1e-9") == 0
    text = capsys.readouterr().out
    assert "Welfare 20, upper bound 25 (NOT proven; at most 25.00% better)" in text
    assert "NOT PROVEN: the work was stopped early" in text

    assert call(ring, "--max-seconds", "1e-9", "--json", "--payments", "none") == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["status"], data["bound"], data["gap"]) == ("not proven", 25, 0.25)

    assert call(ring) == 0
    text = capsys.readouterr().out
    assert "Welfare 20, upper bound 20 (proven optimal)" in text
    assert "NOT PROVEN" not in text


def test_verification_without_time_is_said(ring, capsys):
    """Tests that nothing reads as verified where the second solver had no time for its proof."""
    pytest.importorskip("pyscipopt")
    assert call(ring, "--verify", "--max-seconds", "1e-9") == 0
    text = capsys.readouterr().out
    assert "NOT VERIFIED: the second solver could not confirm every economy" in text
    assert "verified with" not in text

    assert call(ring, "--verify", "--max-seconds", "1e-9", "--json") == 0
    assert json.loads(capsys.readouterr().out)["verified_by"] is None

    assert call(ring, "--verify") == 0
    text = capsys.readouterr().out
    assert "NOT VERIFIED" not in text
    assert "verified with" in text


def test_core_payments_without_time_are_marked(ring, capsys):
    """Tests that core payments that rest on unproven allocations say so, too."""
    assert call(ring, "--payments", "core", "--max-seconds", "1e-9", "--json") == 0
    assert json.loads(capsys.readouterr().out)["status"] == "not proven"
    assert call(ring, "--payments", "core", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "optimal"
    assert data["revenue"] == pytest.approx(20)  # losers offer 10 for either winner's share


@pytest.mark.parametrize("option", ["--gap=-1", "--max-seconds=0"])
def test_limits_that_make_no_sense_are_refused(option, capsys):
    """Tests that a limit nobody can keep ends with one sentence and code 2."""
    assert call(CATS, option) == 2
    assert capsys.readouterr().err.startswith("error: Received the ")


def test_people_who_wait_see_the_best_and_its_bound():
    """Tests the line that is shown meanwhile."""
    assert progress_line(Progress("without Ann", 1234.5, 1300.0, 7.4)) == (
        "without Ann: 1,234.50, at most 1,300, 7 s"
    )
    assert "no bound yet" in progress_line(Progress("main economy", 0.0, float("inf"), 0.0))


def test_verification_without_payments_is_refused():
    """Tests that an option without effect is not taken in silence."""
    assert call(CATS, "--payments", "none", "--verify") == 2


def test_dummy_goods_shared_by_bidders_decide_but_are_not_sold(tmp_path, capsys):
    """
    Tests a bid with two dummy goods: bid 0 (10) excludes bids 1 (6) and 2 (7), which exclude
    nobody else, so that 6 + 7 wins; the dummy goods are not among the goods sold or left.
    """
    path = tmp_path / "paths.cats"
    path.write_text("goods 3\nbids 3\ndummy 2\n0 10 0 3 4 #\n1 6 1 3 #\n2 7 2 4 #\n")

    assert call(str(path), "--payments", "none", "--json") == 0
    assert json.loads(capsys.readouterr().out)["welfare"] == 13
    assert call(str(path)) == 0
    shown = capsys.readouterr().out
    assert "on 3 goods" in shown
    assert "Not sold: 0\n" in shown
    assert "dummy 4" not in shown


@pytest.mark.parametrize("name", ["Reserve", "capacity"])
def test_bidder_called_like_a_special_line_keeps_its_bid(tmp_path, capsys, name):
    """Tests that whoever is called 'Reserve' or 'capacity' can win."""
    path = tmp_path / "bids.csv"
    path.write_text(f"bidder,value,A\nAnn,3,1\n{name},7,1\n")

    assert call(str(path), "--json") == 0
    winner = json.loads(capsys.readouterr().out)["bidders"][1]
    assert (winner["bidder"], winner["bundle"], winner["payment"]) == (name, {"A": 1}, 3)


def test_amounts_keep_their_decimals(tmp_path, capsys):
    """Tests cents beside hundreds of thousands, in the table and in JSON: nothing is rounded."""
    path = tmp_path / "bids.csv"
    path.write_text("bidder,value,A,B\none,300000.25,1,0\ntwo,269999.9,1,0\nthree,2755.5,0,1\n")

    text = shown(capsys, path, "--explain")
    assert "300,000.25   269,999.90   30,000.35" in text
    assert "302,755.75   269,999.90   32,755.85" in text
    assert "Welfare 302,755.75, upper bound 302,755.75" in text
    assert "one pays the difference of 269,999.90." in text
    assert "300,000.25" in shown(capsys, path, "--payments", "none")


def test_json_has_no_rounding_errors(tmp_path, capsys):
    """Tests sums of decimals: 0.1 and 0.2 are 0.3, whatever a float makes of them."""
    path = tmp_path / "bids.csv"
    path.write_text("bidder,value,A,B\none,0.1,1,0\ntwo,0.2,0,1\nthree,0.15,1,1\nfour,0.07,1,0\n")
    data = json.loads(shown(capsys, path, "--json", "--reserve", "B=0.01"))

    assert (data["welfare"], data["surplus"], data["revenue"]) == (0.3, 0.29, 0.12)
    assert [row["payment"] for row in data["bidders"]] == [0.07, 0.05, 0.0, 0.0]
    assert data["bidders"][0]["others_without"] == 0.26
    core = json.loads(shown(capsys, path, "--json", "--payments", "core"))
    assert core["revenue"] == 0.15
    assert [row["payment"] for row in core["bidders"]] == [0.085, 0.065, 0.0, 0.0]


def test_shares_of_a_cent_are_shown(tmp_path, capsys):
    """Tests core payments that have more decimals than bids have: half a unit each."""
    path = tmp_path / "bids.csv"
    path.write_text("bidder,value,A,B\none,10,1,0\ntwo,10,0,1\nthree,11,1,1\n")

    text = shown(capsys, path, "--payments", "core", "--explain")
    assert ["one", "A", "10", "5.5", "4.5", "1"] in [line.split() for line in text.splitlines()]
    assert "must pay at least 11 together" in text


def test_costs_get_a_line(tmp_path, capsys):
    """Tests that somebody who buys is told, beside JSON too, that the dearest offers win here."""
    path = tmp_path / "bids.csv"
    path.write_text("bidder,value,A\nsupplier 1,10,1\nsupplier 2,20,1\n")
    assert call(str(path), "--json") == 0
    captured = capsys.readouterr()

    assert captured.err.count("\n") == 1
    assert captured.err.startswith("Note: the file says 'supplier'. Values are what bidders would")
    assert json.loads(captured.out)["welfare"] == 20


def test_a_spreadsheet_is_read_as_csv_is(tmp_path, capsys):
    """Tests the cells of an example as XLSX, a formula without a value, and no workbook."""
    openpyxl = pytest.importorskip("openpyxl")
    rows = [line.split(",") for line in Path(CSV).read_text().splitlines()]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([float(c) if c.replace(".", "").isdigit() else c or None for c in row])
    book.save(tmp_path / "bids.xlsx")
    assert call(CSV, "--json") == 0
    by_csv = json.loads(capsys.readouterr().out)
    assert call(str(tmp_path / "bids.xlsx"), "--json") == 0
    by_sheet = json.loads(capsys.readouterr().out)
    assert by_sheet | {"seconds": 0} == by_csv | {"seconds": 0}

    book.active["B5"] = "=1+1"
    book.save(tmp_path / "bids.xlsx")
    assert call(str(tmp_path / "bids.xlsx")) == 2
    assert "line 5: found a formula without a value" in capsys.readouterr().err
    (tmp_path / "bids.xlsx").write_bytes(b"PK no workbook")
    assert call(str(tmp_path / "bids.xlsx")) == 2
    assert "UTF-8" not in capsys.readouterr().err
