"""Tables that leave the house: no text in them is a formula, and each comes back as it was."""

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import boca
from boca.core.csv_text import csv_text, harmless, unquoted

HOSTILE = [
    " =1+1",
    "=1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\n=1",
    "a;=1",
    "a, =1",
    "a\t@x",
    "'=1",
]
HOUSE = Path(boca.__file__).parent
# What writes tables of its own: the one function, and the two modules that make workbooks of
# harmless texts.
WRITERS = {"core/csv_text.py", "live/web/sheets/writing.py", "live/web/sheets/workbook.py"}


def cells_of(text, separator=","):
    return [cell for row in csv.reader(io.StringIO(text), delimiter=separator) for cell in row]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("separator", [",", ";"])
def test_no_cell_is_a_formula_whatever_the_separator_of_the_reader(text, separator):
    """Tests names that people choose, also where a spreadsheet cuts cells at another mark."""
    table = csv_text(("name", text), [(text, 1)], separator)
    for other in ",;\t":
        for cell in cells_of(table, other):
            assert not cell.strip().strip('"').lstrip().startswith(("=", "+", "-", "@")), table


@pytest.mark.parametrize("number", ["-1", "+1", "-1.50", "-1,50", "-1e-05", -1, -1.5])
def test_numbers_stay_numbers(number):
    """Tests amounts below 0, however they come."""
    assert cells_of(csv_text(("x",), [(number,)])) == ["x", str(number)]


@given(st.text(st.sampled_from("=+-@';, \ta1"), max_size=8))
def test_a_text_comes_back_as_it_was(text):
    """Tests tables that we read again; a quote that was there already is the exception."""
    if unquoted(text) == text:
        assert unquoted(harmless(text)) == text


def test_all_tables_are_written_by_one_function():
    """Tests that no other module makes a table of its own, which would need its own guard."""
    own = re.compile(r"csv\.(writer|DictWriter)\(|\bWorkbook\(\)")
    found = {
        str(path.relative_to(HOUSE))
        for path in HOUSE.rglob("*.py")
        if own.search(path.read_text(encoding="utf-8"))
    }
    assert found == WRITERS
