"""Questions as a spreadsheet, from download to receipt, and every mistake on the way."""

import html
import random
import re
import shutil
import subprocess

import pytest
from filled_sheets import bomb, csv_bytes, csv_table, edit_xlsx, with_stored_value
from live_server import NAMES, Person, Sale, market_text, new_sale

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")


@pytest.fixture(scope="module")
def sale(server, clerk):
    """An open auction of this file's own, so that there are bidders enough."""
    return new_sale(server, clerk, market_text(16, max_value='"5000.00"'))


@pytest.fixture(scope="module")
def unused(sale):
    """Bidders that no test has used."""
    return iter(NAMES[:16])


def upload(sale: Sale, person: Person, content: bytes, name: str = "answers.xlsx"):
    """Sends a file as the page's form does."""
    return person.client.post(
        person.url + sale.path("sheet"),
        data={"csrf": person.form_token()},
        files={"file": (name, content)},
        headers=person.headers(),
    )


def download(sale: Sale, person: Person, suffix: str) -> bytes:
    """The sheet as the page offers it."""
    page = person.get(sale.path("sheet")).text
    link = re.search(rf'href="(sheet/[^"]+\.{suffix})"', page)[1]
    answer = person.get(sale.path(link))
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    return answer.content


def mistakes(answer) -> list[str]:
    """What the page says is wrong; a page with mistakes has taken nothing."""
    assert answer.status_code == 422, answer.text
    assert "Nothing in the file was taken" in answer.text
    section = re.search(r'id="problems".*?</section>', answer.text, re.DOTALL)[0]
    return [html.unescape(text) for text in re.findall(r"<li>([^<]*)", section)]


def amounts_to_send(sale: Sale, person: Person) -> list[str]:
    """What the check page is about to send."""
    page = person.get(sale.path("check")).text
    return re.findall(r'class="amount big"[^>]*>([^<]*)<', page)


def confirm(sale: Sale, person: Person) -> str:
    """Confirms the check page after a sheet; the receipt's page."""
    page = person.get(sale.path("check?from=sheet")).text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    fields = {name: html.unescape(value) for name, value in fields.items()}
    ticks = re.findall(r'name="tick" value="([^"]+)"', page)
    answer = person.post(sale.path("check?from=sheet"), {**fields, "tick": ticks, "do": "confirm"})
    assert answer.status_code == 303, answer.text
    return person.get(answer.headers["location"]).text


def test_xlsx_round_trip_ends_in_a_receipt(sale, bidder):
    """Tests download, amounts typed in another order of rows, upload, check and receipt."""
    club = sale[bidder]

    def fill(sheet, column):
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
        random.Random(5).shuffle(rows)
        for k, row in enumerate(rows):
            for j, value in enumerate(row, 1):
                sheet.cell(k + 2, j).value = value
            sheet.cell(k + 2, column["value"]).value = 11.25 + k
        sheet.cell(len(rows) + 1, column["value"]).value = None
        sheet.cell(len(rows) + 1, column["decline"]).value = "x"

    answer = upload(sale, club, edit_xlsx(download(sale, club, "xlsx"), fill))
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"].endswith("check?from=sheet")
    assert sorted(amounts_to_send(sale, club)) == ["11.25 EUR", "12.25 EUR", "declined"]
    # What is a draft now is filled in when the sheet is taken away again.
    again = csv_table(download(sale, club, "csv"))
    assert sorted(row[-2] for row in again[1:]) == ["", "11.25", "12.25"]
    assert sorted(row[-1] for row in again[1:]) == ["", "", "x"]
    receipt = confirm(sale, club)
    assert "spreadsheet" in receipt
    assert "12.25 EUR" in receipt


@pytest.mark.parametrize(("separator", "amount"), [(",", "12.50"), (";", "12,50")])
def test_csv_round_trip_takes_both_separators(sale, bidder, separator, amount):
    """Tests a file of an English and of a German spreadsheet in an English auction."""
    club = sale[bidder]
    heading, *rows = csv_table(download(sale, club, "csv"))
    value = heading.index("value")
    filled = [[*row[:value], amount, ""] for row in reversed(rows)]
    answer = upload(sale, club, csv_bytes([heading, *filled], separator), "answers.csv")
    assert answer.status_code == 303, answer.text
    assert amounts_to_send(sale, club) == ["12.50 EUR"] * 3


def test_formulas_count_with_their_stored_value(sale, bidder):
    """Tests a formula that a spreadsheet computed, one that nobody did, and an injection."""
    club = sale[bidder]

    def fill(sheet, column):
        sheet.cell(2, column["value"]).value = "=6.25*2"
        sheet.cell(3, column["value"]).value = "=1+1"
        sheet.cell(4, column["value"]).value = "=cmd|' /C calc'!A0"

    content = edit_xlsx(download(sale, club, "xlsx"), fill)
    content = with_stored_value(content, "6.25*2", "12.5")
    found = mistakes(upload(sale, club, content))
    assert [text.split(":")[0] for text in found] == ["Row 3, column value", "Row 4, column value"]
    assert all("save it once" in text for text in found)
    assert amounts_to_send(sale, club) == []

    def mend(sheet, column):
        fill(sheet, column)
        sheet.cell(3, column["value"]).value = sheet.cell(4, column["value"]).value = None

    content = edit_xlsx(download(sale, club, "xlsx"), mend)
    assert (
        upload(sale, club, with_stored_value(content, "6.25*2", "12.5")).headers["location"]
        == f"/a/{sale.auction}/check?from=sheet"
    )
    assert amounts_to_send(sale, club) == ["12.50 EUR"]


def test_every_mistake_has_its_row_and_column(sale, bidder):
    """Tests one file with all of them; what is good in it is not taken either."""
    club = sale[bidder]
    heading, first, second, third = csv_table(download(sale, club, "csv"))
    value, decline, hall = (heading.index(name) for name in ("value", "decline", "hall"))
    first[value] = "12.50"
    twice = [*second]
    second[value] = "a lot"
    second[hall] = str(1 - int(second[hall]))
    third[value], third[decline] = "1.00", "x"
    unknown = ["r9-b9-q9", *third[1:]]
    injected = ["=HYPERLINK(1)", *third[1:]]
    table = [heading, first, second, third, twice, unknown, injected]
    found = mistakes(upload(sale, club, csv_bytes(table), "answers.csv"))
    assert [text.split(":")[0] for text in found] == [
        "Row 3, column hall",
        "Row 3, column value",
        "Row 4, column decline",
        "Row 5, column question",
        "Row 6, column question",
        "Row 7, column question",
    ]
    assert amounts_to_send(sale, club) == []

    first[value] = "5000.01"  # more than the rules allow
    second[value], second[hall] = "", str(1 - int(second[hall]))
    third[value], third[decline] = "", "perhaps"
    found = mistakes(upload(sale, club, csv_bytes([heading, first, second, third]), "a.csv"))
    assert found == ["Row 4, column decline: found 'perhaps'; expected x, or nothing."]
    third[decline] = ""
    found = mistakes(upload(sale, club, csv_bytes([heading, first, second, third]), "a.csv"))
    assert len(found) == 1
    assert found[0].startswith("Row 2, column value: Found 5,000.01 EUR")

    del heading[value], first[value]
    found = mistakes(upload(sale, club, csv_bytes([heading, first]), "a.csv"))
    assert found == [
        "Row 1, column value: found no such column; expected the column 'value' once, as it was "
        "downloaded."
    ]
    assert amounts_to_send(sale, club) == []


def test_bombs_and_large_files_are_refused(sale, bidder):
    """Tests that attacks end in one sentence, before anything is unpacked or stored."""
    club = sale[bidder]
    assert "unpacks to" in mistakes(upload(sale, club, bomb()))[0]
    assert "not an XLSX file" in mistakes(upload(sale, club, bomb(1000)))[0]
    answer = upload(sale, club, b"0" * 2 * 1024 * 1024)
    assert answer.status_code == 413
    assert "1024 kB" in answer.text
    # Other pages take no more than before.
    large = club.post(sale.path("me"), {"x": "0" * 300_000})
    assert large.status_code == 413
    assert "256 kB" in large.text
    assert "No file was chosen" in mistakes(upload(sale, club, b""))[0]


def test_upload_from_another_site_does_nothing(sale, bidder):
    """Tests the lock of forms on the one form that carries a file."""
    club = sale[bidder]
    content = download(sale, club, "csv")
    wrong = club.client.post(
        club.url + sale.path("sheet"),
        data={"csrf": "0" * 64},
        files={"file": ("a.csv", content)},
        headers=club.headers(),
    )
    assert wrong.status_code == 403


def test_closed_question_is_named(sale, bidder):
    """Tests a sheet that comes back after its questions were answered elsewhere."""
    club = sale[bidder]
    heading, *rows = csv_table(download(sale, club, "csv"))
    sale.answer(bidder)
    value = heading.index("value")
    filled = [[*row[:value], "5.00", ""] for row in rows]
    found = mistakes(upload(sale, club, csv_bytes([heading, *filled]), "a.csv"))
    assert len(found) == 3
    assert all("which is not open any more" in text for text in found)


def test_names_of_goods_never_become_formulas(server, clerk):
    """Tests a market whose goods are called like formulas and like columns."""
    text = market_text(2).replace('name = "hall"', 'name = "=1+1"')
    text = text.replace('name = "kitchen"', 'name = "decline"')
    text = text.replace("{ hall =", '{ "=1+1" =').replace("kitchen =", "decline =")
    sale = new_sale(server, clerk, text)
    club = sale["Club A"]
    heading, *rows = csv_table(download(sale, club, "csv"))
    cells = [cell for row in (heading, *rows) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert heading[4:7] == ["1+1", "good 2: decline", "chairs"]

    def fill(sheet, column):
        assert not [c for row in sheet.iter_rows() for c in row if c.data_type == "f"]
        for k in range(2, 5):
            sheet.cell(k, column["value"]).value = 7

    answer = upload(sale, club, edit_xlsx(download(sale, club, "xlsx"), fill))
    assert answer.status_code == 303, answer.text
    assert amounts_to_send(sale, club) == ["7.00 EUR"] * 3


NEEDS_LIBREOFFICE = pytest.mark.skipif(
    SOFFICE is None,
    reason="needs the program itself: apt-get install --no-install-recommends libreoffice-calc",
)
# How LibreOffice writes CSV: separator, quote, character set (76 is UTF-8) and first row.
UTF8 = "csv:Text - txt - csv (StarCalc):44,34,76,1"
UTF8_SEMICOLON = "csv:Text - txt - csv (StarCalc):59,34,76,1"
FORMULAS = ("=2*617.25", "=6+0.5", "=8")
COMPUTED = ["1,234.50 EUR", "6.50 EUR", "8.00 EUR"]


@pytest.fixture(scope="module")
def libreoffice(tmp_path_factory):
    """
    A function that has LibreOffice open, compute and save a file: content, name, form.

    Its profile is its own, since a LibreOffice that is open elsewhere would take the file over;
    all tests share it, because the first start of a profile is slow.
    """
    folder = tmp_path_factory.mktemp("libreoffice")

    def save(content: bytes, name: str, form: str) -> bytes:
        (folder / name).write_bytes(content)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [SOFFICE, profile, "--headless", "--convert-to", form, "--outdir", "out", name]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
        return (folder / "out" / name).with_suffix("." + form.partition(":")[0]).read_bytes()

    return save


def fill_formulas(sheet, column):
    """Formulas without stored values, as a program leaves them that does not compute."""
    for k, formula in enumerate(FORMULAS, 2):
        sheet.cell(k, column["value"]).value = formula


@NEEDS_LIBREOFFICE
@pytest.mark.parametrize("form", ["xlsx", UTF8, UTF8_SEMICOLON])
def test_libreoffice_saves_what_we_read(sale, bidder, libreoffice, form):
    """Tests a downloaded XLSX file that LibreOffice computed and saved, whatever it saved as."""
    club = sale[bidder]
    filled = edit_xlsx(download(sale, club, "xlsx"), fill_formulas)
    content = libreoffice(filled, "in.xlsx", form)
    answer = upload(sale, club, content)
    assert answer.status_code == 303, answer.text
    assert amounts_to_send(sale, club) == COMPUTED
    assert "1,234.50 EUR" in confirm(sale, club)


@NEEDS_LIBREOFFICE
def test_libreoffice_turns_our_csv_into_xlsx(sale, bidder, libreoffice):
    """Tests a downloaded CSV file that was filled in and then saved as XLSX by LibreOffice."""
    club = sale[bidder]
    heading, *rows = csv_table(download(sale, club, "csv"))
    value = heading.index("value")
    filled = [[*row[:value], "12.50", ""] for row in rows[:2]] + [[*rows[2][:value], "", "x"]]
    content = libreoffice(csv_bytes([heading, *filled]), "in.csv", "xlsx")
    answer = upload(sale, club, content)
    assert answer.status_code == 303, answer.text
    assert amounts_to_send(sale, club) == ["12.50 EUR", "12.50 EUR", "declined"]


@NEEDS_LIBREOFFICE
def test_other_character_set_is_refused_in_one_sentence(sale, bidder, libreoffice):
    """
    Tests the CSV that LibreOffice writes without being told how, in Windows' character set: names
    of goods would have to be guessed.
    """
    club = sale[bidder]
    filled = edit_xlsx(download(sale, club, "xlsx"), fill_formulas)
    content = libreoffice(filled, "in.xlsx", "csv")
    (sentence,) = mistakes(upload(sale, club, content))
    assert "CSV with the character set UTF-8" in sentence


def test_sheets_from_before_are_still_read(sale, bidder):
    """Tests a sheet whose first column is called query and holds ids."""
    club = sale[bidder]
    heading, *rows = csv_table(download(sale, club, "csv"))
    assert heading[0] == "question"
    assert [row[0] for row in rows] == ["R1 Q1", "R1 Q2", "R1 Q3"]
    heading[0] = "query"
    for row, query in zip(rows, sale.queries(bidder), strict=True):
        row[0] = query["id"]
    rows[1][heading.index("value")] = "12.50"
    answer = upload(sale, club, csv_bytes([heading, *rows]), "answers.csv")
    assert answer.status_code == 303, answer.text
    assert amounts_to_send(sale, club) == ["12.50 EUR"]
