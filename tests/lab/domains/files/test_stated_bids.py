"""Tests of XOR bids beside a market file."""

import pytest
from stall import BIDS, MARKET, write_stall

from boca.core import InputError
from boca.lab.domains.files import load_market_file


def test_files_from_spreadsheets_are_read(tmp_path):
    """Tests a byte-order mark, Windows line ends, quotes, blank lines and another column order."""
    bids = '\ufeff"Cheese","bidder","Apple","value","Bread"\r\n\r\n,"Ann",1, 3.5 ,1\r\n,,,,\r\n'
    domain = load_market_file(write_stall(tmp_path, "\ufeff" + MARKET, bids))

    assert domain.values(0, [[1, 1, 0], [1, 0, 0]]).tolist() == [3.5, 0]


def test_semicolons_and_decimal_commas_are_read(tmp_path):
    """Tests a file as spreadsheets write it where commas separate decimals."""
    bids = "bidder;value;Apple;Bread;Cheese\nAnn;3,5;1;1;\n"
    domain = load_market_file(write_stall(tmp_path, MARKET, bids))

    assert domain.values(0, [[1, 1, 0]]).tolist() == [3.5]


BROKEN_BIDS = {
    "unknown good": (
        ("Cheese\n", "Chese\n"),
        "line 1: found the column 'Chese', which is no good of this market; did you mean 'Cheese'?",
    ),
    "missing good": (
        (BIDS, "bidder,value,Apple,Bread\nAnn,1,1,1\n"),
        "line 1: the column 'Cheese' is missing; expected 'bidder', 'value' and one column",
    ),
    "column twice": (("Bread,", "Apple,"), "line 1: found the column 'Apple' twice"),
    "unknown bidder": (
        ("Ann,9", "Anne,9"),
        "line 4: found the bidder 'Anne', for whom the market file expects no bids here; "
        "did you mean 'Ann'?",
    ),
    "bidder with values instead": (
        ("Ann,9", "Ben,9"),
        "line 4: found the bidder 'Ben', for whom the market file expects no bids here",
    ),
    "bidder without bids": (
        (BIDS, "bidder,value,Apple,Bread,Cheese\n"),
        "there is no bid of bidder 'Ann', whose bids the market file expects here",
    ),
    "too few columns": (
        ("Ann,3,1,,", "Ann,3,1,"),
        "line 2: found 4 columns; expected 5 as in the header.",
    ),
    "too many columns": (("Ann,3,1,,", "Ann,3,1,,,"), "line 2: found 6 columns; expected 5"),
    "value in words": (
        ("Ann,3,", "Ann,three,"),
        "line 2: found the text 'three' as the value; expected a number such as 1250 or 12.5",
    ),
    "thousands": (
        ("Ann,3,", 'Ann,"3,000",'),
        "line 2: found the text '3,000' as the value; expected",
    ),
    "underscore": (("Ann,3,", "Ann,3_0,"), "line 2: found the text '3_0' as the value; expected"),
    "no value": (("Ann,3,", "Ann,,"), "line 2: found the text '' as the value; expected a number"),
    "nan": (("Ann,3,", "Ann,nan,"), "line 2: found the text 'nan' as the value; expected"),
    "infinite": (
        ("Ann,3,", "Ann,1e999,"),
        "line 2: found an infinite number as the value; expected",
    ),
    "beyond reason": (
        ("Ann,9,", "Ann,9e20,"),
        "line 4: found the number 9e+20 as the value; expected at",
    ),
    "negative": (("Ann,3,", "Ann,-3,"), "line 2: found the number -3 as the value; expected at"),
    "half a copy": (
        ("Ann,3,1,,", "Ann,3,0.5,,"),
        "line 2: found the number 0.5 as the copies of 'Apple'; expected a whole number.",
    ),
    "more than there are": (
        ("Ann,3,1,,", "Ann,3,3,,"),
        "line 2: found 3 copies of 'Apple'; expected at most 2, its capacity.",
    ),
    "bid for nothing": (("Ann,3,1,,", "Ann,3,,,"), "line 2: found a bid for nothing"),
    "same bundle twice": (
        ("Ann,9,1,1,", "Ann,9,1,0,0"),
        "line 4: 'Ann' bids a second time on the bundle of line 2; keep one of them.",
    ),
    "value falls": (
        ("Ann,9,", "Ann,4,"),
        "line 4: bidder 'Ann' values Apple, Bread at 4, less than a part of it in line 3 "
        "(Bread at 4.5). More is never worth less here: raise this value or remove the line.",
    ),
    "open quote": (("Ann,9", '"Ann,9'), "this is not valid CSV"),
    "empty": ((BIDS, ""), "is empty"),
}


@pytest.mark.parametrize("case", BROKEN_BIDS)
def test_mistake_in_the_bids(case, tmp_path):
    """Tests that each mistake is named with its file and line, what was found and what to do."""
    (old, new), message = BROKEN_BIDS[case]
    assert old in BIDS
    path = write_stall(tmp_path, bids=BIDS.replace(old, new, 1))

    with pytest.raises(InputError) as caught:
        load_market_file(path)
    assert message in str(caught.value)
    assert str(tmp_path / "bids.csv") in str(caught.value)
