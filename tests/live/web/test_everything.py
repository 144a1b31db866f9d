"""What bidders take away: everything that they said, and no id on any of their pages."""

import csv
import io
import json
import re

import pytest
from live_server import market_text, new_sale
from openpyxl import load_workbook

ID = re.compile(r"\br\d+-b\d+-q\d+\b")
TAGS = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def said(server, clerk):
    """A bidder that answers, declines, corrects and bids by itself."""
    sale = new_sale(server, clerk, market_text(2))
    first, second, third = sale.queries("Club A")
    path = f"/auctions/{sale.auction}/submissions"
    client = sale.client("Club A")

    def send(body, key):
        checked = client.post(path.replace("submissions", "check"), body, key)
        confirmed = [warning["id"] for warning in checked["warnings"]]
        return client.post(path, {**body, "confirmed": confirmed}, key + "-sent")

    answers = [{"query": q["id"], "value": "50.00"} for q in (first, second)]
    send({"answers": answers, "declines": [third["id"]]}, "answers-1")
    send({"corrections": [{"bundle": first["bundle"], "value": "60.25"}]}, "correct-1")
    return sale, first


def test_everything_that_was_said_can_be_taken_away(said):
    """Tests that three files say the same, with what was replaced, in the order of sending."""
    sale, first = said
    club = sale["Club A"]
    told = json.loads(club.get(sale.path("answers/answers.json")).text)["said"]
    assert [row["kind"] for row in told] == ["answer", "answer", "decline", "correct"]
    assert [row["question"] for row in told] == ["R1 Q1", "R1 Q2", "R1 Q3", None]
    assert [row["counts"] for row in told] == [False, True, True, True]
    assert [row["value"] for row in told] == ["50.00", "50.00", None, "60.25"]
    assert told[3]["bundle"] == first["bundle"]

    text = club.get(sale.path("answers/answers.csv")).content.decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["least"] for line in lines] == ["50.00", "50.00", "", "60.25"]
    assert [line["before"] for line in lines] == ["", "", "", "50.00"]
    assert [int(line["hall"]) for line in lines] == [row["bundle"].get("hall", 0) for row in told]
    assert [line["receipt"] for line in lines] == [row["receipt"] for row in told]

    content = club.get(sale.path("answers/answers.xlsx")).content
    (sheet,) = load_workbook(io.BytesIO(content))
    head, *rows = list(sheet.values)
    assert [row[head.index("least")] for row in rows] == [50.0, 50.0, None, 60.25]
    assert club.get(sale.path("answers/answers.pdf")).status_code == 404
    # Club B has said nothing, and reads nothing of Club A.
    assert json.loads(sale["Club B"].get(sale.path("answers/answers.json")).text)["said"] == []


def test_no_page_of_a_bidder_shows_an_id(said):
    """Tests all that a bidder reads, with a mistake; names of fields are not read by people."""
    sale, _ = said
    club = sale["Club A"]
    receipt = club.get(sale.path("answers")).text
    hashes = set(re.findall(r"receipts/(\w+)", receipt))
    assert len(hashes) == 2
    pages = ["me", "sheet", "answers", "push", "rules", "check"]
    pages += [f"receipts/{record}" for record in hashes]
    texts = [club.get(sale.path(page)).text for page in pages]
    other = sale["Club B"]
    (query, *_) = sale.queries("Club B")
    wrong = other.post(sale.path("me"), {f"value.{query['id']}": "lots", "do": "check"})
    assert wrong.status_code == 422
    fields = {f"good-{j}": str(query["bundle"].get(good, 0))
              for j, good in enumerate(("hall", "kitchen", "chairs"))}  # fmt: skip
    asked = other.post(sale.path("push"), {**fields, "amount": "5.00"})
    assert "the bundle of question 1 of round 1" in asked.text
    for text in [*texts, wrong.text, asked.text]:
        assert not ID.search(TAGS.sub(" ", text))
    sheet = club.get(sale.path("sheet/questions-1.csv")).content.decode("utf-8-sig")
    assert not ID.search(sheet)


def test_what_can_be_paid_at_most_comes_from_own_answers(said):
    """Tests the sentence with the highest own bid, and its absence where nothing was said."""
    sale, _ = said
    assert "you pay at most 60.25 EUR" in sale["Club A"].get(sale.path("answers")).text
    assert "you pay at most" not in sale["Club B"].get(sale.path("answers")).text
