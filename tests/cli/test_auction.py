"""An auction by hand, from the first question to the prices."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from boca.core.errors import InputError
from boca.markets import load_market
from boca.markets.answer_sheet import read_answers
from boca.mechanism import Auction, auction_params

MARKET = """
name = "rooms"
[[goods]]
name = "hall"
[[goods]]
name = "kitchen"
[[goods]]
name = "garden"
capacity = 2
[[bidders]]
name = "Ada"
[[bidders]]
name = "Ben"
"""
WORTH = {"Ada": (9, 2, 4), "Ben": (3, 8, 5)}


def boca(*arguments, code=0):
    """Runs the command in a process of its own; returns what it printed."""
    finished = subprocess.run(
        [sys.executable, "-m", "boca", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert finished.returncode == code, finished.stderr
    assert "Traceback" not in finished.stderr
    return finished.stdout + finished.stderr


@pytest.fixture
def market(tmp_path):
    path = tmp_path / "rooms.toml"
    path.write_text(MARKET)
    return path


def filled(folder: Path, delimiter=",") -> Path:
    """The open questions, answered by a rule."""
    rows = list(csv.reader((folder / "questions.csv").open(newline="")))
    for row in rows[1:]:
        row[-1] = str(
            sum(int(n) * worth for n, worth in zip(row[1:-1], WORTH[row[0]], strict=True))
        )
    sheet = folder / "answers.csv"
    with sheet.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return sheet


def start(market: Path, folder: Path) -> None:
    options = ("--mechanism", "svr", "--initial", 4, "--per-round", 2, "--budget", 6)
    boca("auction", "start", market, folder, *options)


def test_a_whole_auction_by_hand(market, tmp_path):
    """Tests start, answer (both delimiters), ask, status and close, with nothing in memory."""
    folder = tmp_path / "auction"
    start(market, folder)
    assert "8 answers taken; no questions are open" in boca(
        "auction", "answer", folder, filled(folder)
    )
    boca("auction", "ask", folder)
    assert "4 answers taken" in boca("auction", "answer", folder, filled(folder, ";"))
    assert "Nothing more is asked" in boca("auction", "ask", folder)
    assert "Ada" in boca("auction", "status", folder)
    printed = boca("auction", "close", folder)
    assert "reported welfare" in printed
    assert json.loads((folder / "state.json").read_text())["closed"]


def test_rules_of_a_live_auction_are_passed_over(market, tmp_path):
    """Tests that the market file of a server serves an auction by hand too."""
    market.write_text(market.read_text() + '\n[auction]\nmechanism = "hybrid"\n')
    start(market, tmp_path / "auction")
    state = json.loads((tmp_path / "auction" / "state.json").read_text())
    assert state["params"]["mechanism"] == "svr"


def test_an_auction_under_way_is_not_overwritten(market, tmp_path):
    """Tests that a second start loses nothing."""
    folder = tmp_path / "auction"
    start(market, folder)
    before = (folder / "state.json").read_text()
    assert "already" in boca("auction", "start", market, folder, code=2)
    assert (folder / "state.json").read_text() == before


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Ada,1,0,0,lots", "Row 2, column 'value': found 'lots'"),
        ("Adda,1,0,0,3", "Row 2, column 'bidder': found 'Adda'; did you mean 'Ada'?"),
        ("Ada,2,0,0,3", "Row 2, column 'hall': found '2'; expected 0 to 1"),
        ("Ada,1,0,3", "Row 2: found 4 cells; expected 5"),
        ("Ada,1,0,0,-3", "column 'value': found '-3'"),
        ("Ada,1,0,0,1e308", "column 'value'"),
        ("Ada,1,0,0,3\nAda,1,0,0,4", "Row 3: the same bundle as in row 2"),
        ("Ada,1,0,0,x\nBen,1,9,0,y", "Row 3, column 'kitchen'"),
    ],
)
def test_every_mistake_is_named_and_nothing_is_taken(market, tmp_path, row, message):
    """Tests that one wrong cell keeps the whole sheet out, and says where it is."""
    folder = tmp_path / "auction"
    start(market, folder)
    before = (folder / "state.json").read_text()
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("bidder,hall,kitchen,garden,value\n" + row + "\n")
    assert message in " ".join(boca("auction", "answer", folder, sheet, code=2).split())
    assert (folder / "state.json").read_text() == before


def test_bundles_nobody_asked_about_need_a_word(market, tmp_path):
    """Tests that a slip in a bundle is not taken for a push bid."""
    folder = tmp_path / "auction"
    start(market, folder)
    rows = list(csv.reader((folder / "questions.csv").open(newline="")))[1:]
    asked = {tuple(row[1:-1]) for row in rows if row[0] == "Ada"}
    other = next(
        (h, k, g)
        for h in "01"
        for k in "01"
        for g in "012"
        if (h, k, g) not in asked and (h, k, g) != ("0", "0", "0")
    )
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("bidder,hall,kitchen,garden,value\nAda," + ",".join(other) + ",5\n")
    assert "Nobody asked Ada" in boca("auction", "answer", folder, sheet, code=2)
    assert "1 answer taken" in boca("auction", "answer", folder, sheet, "--push")


def test_closing_early_needs_a_word(market, tmp_path):
    """Tests that an auction with open questions is not closed by accident."""
    folder = tmp_path / "auction"
    start(market, folder)
    assert "8 questions are open" in boca("auction", "close", folder, code=2)
    boca("auction", "ask", folder, "--give-up")
    assert "revenue 0" in boca("auction", "close", folder, "--early")


def test_mistakes_in_a_sheet_are_sentences(market, tmp_path):
    """Tests one mark at the end of each: a market file in place of the sheet, and two rows."""
    goods = load_market(market).market
    with pytest.raises(InputError) as caught:
        read_answers(market, goods)
    assert str(caught.value) == (
        f"{market}: nothing was taken. Row 1: found the column 'name = \"rooms\"'; expected one of "
        "bidder, hall, kitchen, garden, value."
    )
    sheet = tmp_path / "answers.csv"
    sheet.write_text("bidder,hall,kitchen,garden,value\nAdda,1,0,0,3\nBen,2,0,0,3\n")
    with pytest.raises(InputError) as caught:
        read_answers(sheet, goods)
    assert str(caught.value) == (
        f"{sheet}: nothing was taken. Row 2, column 'bidder': found 'Adda'; did you mean 'Ada'? "
        "Row 3, column 'hall': found '2'; expected 0 to 1."
    )


def test_a_workbook_is_read_like_a_csv_file(market, tmp_path):
    """Tests numbers, an empty value at the end of a row, and a formula that was never computed."""
    openpyxl = pytest.importorskip("openpyxl")
    goods = load_market(market).market
    book = openpyxl.Workbook()
    book.active.append(["bidder", "hall", "kitchen", "garden", "value"])
    book.active.append(["Ada", 1, 0, 2, 12.5])
    book.active.append(["Ada", 1, 1, None, None])
    book.active.append(["Ben", 0, 1, 0, "decline"])
    sheet = tmp_path / "answers.xlsx"
    book.save(sheet)
    answers = [(a.bidder, a.bundle.tolist(), a.value) for a in read_answers(sheet, goods)]
    assert answers == [(0, [1, 0, 2], 12.5), (1, [0, 1, 0], None)]

    book.active["E3"] = "=E2+1"
    book.save(sheet)
    with pytest.raises(InputError, match=r"Row 3, column 'value': found '=E2\+1'"):
        read_answers(sheet, goods)
    sheet.write_bytes(sheet.read_bytes()[:400])
    with pytest.raises(InputError, match="is not an XLSX file that can be opened"):
        read_answers(sheet, goods)


@pytest.mark.parametrize("mechanism", ["cca", "hybrid", "ml-cca", "mlhca"])
def test_demand_queries_need_more_than_a_sheet(market, tmp_path, mechanism):
    """Tests that a mechanism whose questions do not fit is refused before anything is written."""
    printed = boca("auction", "start", market, tmp_path / "a", "--mechanism", mechanism, code=2)
    assert f"the mechanism {mechanism}, which asks what bidders want at prices" in printed
    # The garden has two copies, which Fourier functions cannot serve.
    assert "Choose one of boca, mvnn, nn, svr, random, local." in printed
    assert not (tmp_path / "a").exists()


def test_options_without_use_are_refused(market, tmp_path):
    """Tests that a number of first questions is not silently ignored."""
    options = ("--mechanism", "local", "--initial", 5)
    printed = boca("auction", "start", market, tmp_path / "a", *options, code=2)
    assert "Received --initial for local, which has no use for it; leave it out." in printed
    assert not (tmp_path / "a").exists()


def test_a_folder_with_demand_queries_is_told_so(market, tmp_path):
    """Tests a folder of an earlier version, whose questions no sheet can answer."""
    goods = load_market(market).market
    auction = Auction.start(goods, auction_params("hybrid", goods))
    for question in auction.ask():  # the first phase asks for values; prices come next
        auction.tell(question.bidder, question.bundle, 10.0)
    auction.ask()
    auction.save(tmp_path / "state.json")
    before = (tmp_path / "state.json").read_bytes()
    (tmp_path / "answers.csv").write_text("bidder,hall,kitchen,garden,value\nAda,1,0,0,9\n")
    for words in (("ask", tmp_path), ("answer", tmp_path, tmp_path / "answers.csv", "--push")):
        printed = boca("auction", *words, code=2)
        assert "asks what bidders want at prices" in printed
        assert len(printed.strip().splitlines()) == 1
    assert (tmp_path / "state.json").read_bytes() == before
    assert not (tmp_path / "questions.csv").exists()
    boca("auction", "close", tmp_path, "--early")


def test_without_an_auction_the_message_says_how_to_begin(tmp_path):
    """Tests a wrong folder."""
    assert "auction start" in boca("auction", "ask", tmp_path, code=2)


def test_status_names_answers_that_contradict_each_other(market, tmp_path):
    """Tests a part that is reported to be worth more than the whole."""
    folder = tmp_path / "auction"
    start(market, folder)
    auction = Auction.load(folder / "state.json")
    auction.tell(0, [1, 1, 0], 5)
    auction.tell(0, [1, 0, 0], 6)
    auction.save(folder / "state.json")

    text = boca("auction", "status", folder)
    assert (
        "Answers of Ada contradict each other: hall, kitchen worth 5; hall worth 6. All its "
        "answers fit together if each is off by up to 0.5. What can be missing is claimed only "
        "if no answer is off by more." in text
    )


def test_close_writes_the_outcome(market, tmp_path):
    """Tests the file, JSON on the screen, and that status tells the same welfare afterwards."""
    folder = tmp_path / "auction"
    start(market, folder)
    boca("auction", "answer", folder, filled(folder))

    printed = json.loads(boca("auction", "close", folder, "--early", "--json"))
    assert printed == json.loads((folder / "outcome.json").read_text())
    assert printed["rule"] == "VCG"
    assert {row["bidder"] for row in printed["bidders"]} == {"Ada", "Ben"}
    welfare = f"{printed['welfare']:,.0f}"
    assert f"outcome: reported welfare {welfare}, revenue" in boca("auction", "status", folder)

    other = tmp_path / "elsewhere.json"
    text = boca("auction", "close", folder, "--out", other)
    assert json.loads(other.read_text()) == printed | {
        key: json.loads(other.read_text())[key] for key in ("seconds",)
    }
    assert f"reported welfare {welfare}, revenue" in text
    assert str(other) in text
    boca("auction", "close", folder, "--out", tmp_path / "nowhere" / "o.json", code=2)


def test_an_auction_can_do_without_payments(market, tmp_path):
    """Tests the rule none: winners and nothing to pay."""
    folder = tmp_path / "auction"
    options = ("--mechanism", "svr", "--initial", 4, "--per-round", 2, "--budget", 6)
    boca("auction", "start", market, folder, *options, "--payments", "none")
    boca("auction", "answer", folder, filled(folder))
    data = json.loads(boca("auction", "close", folder, "--early", "--json"))

    assert data["rule"] == "none"
    assert data["revenue"] == 0
    assert data["welfare"] == sum(row["value"] for row in data["bidders"]) > 0
    assert "about payments" in boca("auction", "close", folder, "--verify", code=2)


def test_ranges_in_a_sheet_are_narrowed_in_the_end(market, tmp_path):
    """Tests ranges from first questions to the outcome, which counts what was said last."""
    folder = tmp_path / "ranges"
    options = ("--mechanism", "random", "--initial", 2, "--per-round", 1, "--budget", 4)
    boca("auction", "start", market, folder, *options, "--ranges")
    printed = ""
    for _ in range(8):
        if not (folder / "questions.csv").exists() or "Nothing more" in printed:
            break
        is_narrowing = "ranges, and may decide" in printed
        sheet = filled(folder)
        if not is_narrowing:
            rows = list(csv.reader(sheet.open(newline="")))
            for row in rows[1:]:
                row[-1] = f"{int(row[-1]) - 1}-{int(row[-1]) + 1}"
            with sheet.open("w", newline="") as file:
                csv.writer(file).writerows(rows)
        boca("auction", "answer", folder, sheet)
        printed = boca("auction", "ask", folder)
    state = Auction.load(folder / "state.json").state
    assert any(reports.has_ranges for reports in state.reports)
    assert [record.phase for record in state.history][-1] == "narrow"
    boca("auction", "close", folder)


@pytest.mark.parametrize("text", ["14-12", "-3", "3-", "1-2-3", "a-b"])
def test_what_is_no_range_is_refused(market, tmp_path, text):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f"bidder,hall,kitchen,garden,value\nAda,1,0,0,{text}\n")
    with pytest.raises(InputError, match="a range such as 12-14"):
        read_answers(sheet, load_market(market).market)
