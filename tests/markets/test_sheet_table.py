"""Files that are uploaded: good ones, broken ones, and attacks."""

import bz2
import contextlib
import io
import zipfile

import pytest
from filled_sheets import bomb, csv_bytes, replace_part
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from boca.core.errors import InputError
from boca.markets.sheet_table import MOST_ROWS, read_table


def workbook(*rows: tuple, title: str = "answers") -> bytes:
    """A small XLSX file."""
    book = Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def texts(content: bytes) -> list[list[str]]:
    return [[cell.text for cell in row] for row in read_table(content).rows]


def test_separator_tells_the_decimal_mark():
    """Tests comma and semicolon files, with and without the mark of UTF-8."""
    comma = read_table(b"\xef\xbb\xbfquery,value\na,1.5\n")
    semicolon = read_table(b"query;value\r\na;1,5\r\n")

    assert [cell.text for cell in comma.rows[1]] == ["a", "1.5"]
    assert [cell.text for cell in semicolon.rows[1]] == ["a", "1,5"]
    assert (comma.mark, semicolon.mark) == (".", ",")


def test_workbook_cells_keep_numbers_and_show_formulas():
    """Tests each kind of cell."""
    rows = read_table(workbook(("a", 1, 2.5, None, True, "=1+1"))).rows

    assert [cell.text for cell in rows[0]] == ["a", "1", "2.5", "", "true", "=1+1"]
    assert [cell.number for cell in rows[0]] == [None, 1, 2.5, None, None, None]
    assert [cell.is_formula for cell in rows[0]] == [False] * 5 + [True]


def test_another_sheet_is_used_only_if_it_is_the_only_one():
    """Tests that answers are not looked for in the wrong place."""
    assert texts(workbook(("a",), title="Sheet1")) == [["a"]]
    book = Workbook()
    book.create_sheet("other")
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(InputError, match="expected the sheet 'answers'"):
        read_table(file.getvalue())


@pytest.mark.parametrize("declared", [None, 1000], ids=["honest", "lying"])
def test_zip_bomb_is_refused(declared):
    """Tests 30 MB in 30 kB, also where the archive lies about it."""
    with pytest.raises(InputError):
        read_table(bomb(declared))


def test_other_packings_are_refused():
    """Tests a method that Python unpacks without a bound."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 1000)
    assert bz2.compress(b"0")  # this Python knows the method, so it is we who refuse
    with pytest.raises(InputError, match="packed in a way"):
        read_table(file.getvalue())


LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<workbook>&b;</workbook>"""


@pytest.mark.parametrize(
    "text",
    [LAUGHS, LAUGHS.decode().encode("utf-16"), b'<?xml version="1.0" encoding="cp037"?><x/>'],
    ids=["utf-8", "utf-16", "ebcdic"],
)
def test_entities_are_refused_in_any_encoding(text):
    """Tests that a part which declares entities is never parsed."""
    content = replace_part(workbook(("a",)), "xl/workbook.xml", lambda _: text)
    with pytest.raises(InputError, match="plain XML"):
        read_table(content)


def test_too_many_rows_or_columns_are_refused():
    """Tests one more than the limit, in both formats."""
    long = csv_bytes([["a"]] * (MOST_ROWS + 1))
    wide = csv_bytes([["a"] * 301])
    for content in (long, wide, workbook(("a",) * 301)):
        with pytest.raises(InputError, match="more than"):
            read_table(content)


def test_a_sheet_that_claims_a_million_rows_is_read_quickly():
    """Tests a lone cell far down, before which every row is empty."""
    book = Workbook()
    book.active.title = "answers"
    book.active["A1"] = "a"
    book.active["XFD1048576"] = "z"
    file = io.BytesIO()
    book.save(file)
    assert texts(file.getvalue()) == [["a"]]


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00a", b"PK", b"PK\x03\x04 no zip", b'a,"b', "Grüße".encode("latin-1")],
)
def test_rubbish_is_one_sentence(content):
    """Tests what is neither CSV nor XLSX."""
    with pytest.raises(InputError, match=r"Save the sheet.*\.$"):
        read_table(content)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 4000), st.booleans())
def test_damaged_workbooks_are_never_a_bug(noise, place, cut):
    """Tests a good file with bytes overwritten or cut off: read, or refused in one sentence."""
    content = GOOD[:place] if cut else GOOD[:place] + noise + GOOD[place + len(noise) :]
    with contextlib.suppress(InputError):
        read_table(content)


GOOD = workbook(("query", "value"), ("r0-b0-q1", 12.5))
