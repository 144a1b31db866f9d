"""Headings and texts that no spreadsheet takes for a formula."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core import Bidder, Good, Market
from boca.live.web.sheets.columns import columns_of, harmless, tidy


def market(*goods: str) -> Market:
    return Market(tuple(Good(name) for name in goods), (Bidder("Ann"),))


def test_goods_called_like_a_column_keep_their_own():
    """Tests that a good named value does not take the place of the amounts."""
    columns = columns_of(market("hall", "value", "Query", "=hall"))

    assert columns.goods == ("hall", "good 2: value", "good 3: Query", "good 4: hall")
    assert len(set(columns.names)) == len(columns.names)


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "  =1", "a;=1"])
def test_texts_that_begin_a_formula_get_a_quote(text):
    """Tests cells of comma-separated files also where somebody's list separator is a semicolon."""
    for separator in ",;\t":
        cells = next(csv.reader(io.StringIO(harmless(text)), delimiter=separator))
        assert all(not cell.lstrip().startswith(("=", "+", "-", "@")) for cell in cells)


@given(st.text(max_size=20))
def test_no_heading_begins_a_formula(name):
    """Tests any name of a good, and that a heading is recognised when it comes back."""
    heading = tidy(name)

    assert not heading.startswith(("=", "+", "-", "@"))
    assert tidy(heading) == heading
    assert not harmless(name).lstrip().startswith(("=", "+", "-", "@"))
