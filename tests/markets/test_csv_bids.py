"""Tests of bids in CSV."""

import pytest

from boca.core import InputError
from boca.markets.csv_bids import parse_csv, parse_csv_of_market

CSV = """# comment
bidder,value,Paris,Rome
capacity,,1,2
reserve,,3,
Ann,10,1,
Ann,14,1,1
"Bo, Ltd",5,,2
"""


def test_lines_are_bids():
    """Tests bids, copies, reserve prices, a quoted name and a comment with a quote in it."""
    sheet = parse_csv(CSV.replace("# comment", '# a comment, "open'), "a.csv")

    assert sheet.goods == ("Paris", "Rome")
    assert sheet.capacities == (1, 2)
    assert sheet.reserve == (3, 0)
    assert [(bid.bidder, bid.value, bid.bundle, bid.where) for bid in sheet.bids] == [
        ("Ann", 10, (1, 0), "line 5"),
        ("Ann", 14, (1, 1), "line 6"),
        ("Bo, Ltd", 5, (0, 2), "line 7"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        CSV.replace("bidder,value,", "Bidder,VALUE,"),
        CSV.replace("\n", "\r\n"),
        CSV.replace("\n", "\n\n"),
        CSV.replace("capacity", " Capacity ").replace("reserve", "RESERVE"),
        CSV.replace("Ann,10,1,", " Ann , 10.0 ,1.0,0"),
        "Paris,bidder,Rome,value\n1,capacity,2,\n3,reserve,,\n"
        '1,Ann,,10\n1,Ann,1,14\n,"Bo, Ltd",2,5\n',
    ],
)
def test_spreadsheets_write_it_differently(text):
    """Tests capitals, line ends, blank lines, spaces, decimals and the order of columns."""
    sheet, usual = parse_csv(text, "a.csv"), parse_csv(CSV, "a.csv")

    assert (sheet.capacities, sheet.reserve) == (usual.capacities, usual.reserve)
    assert [(b.bidder, b.value, b.bundle) for b in sheet.bids] == [
        (b.bidder, b.value, b.bundle) for b in usual.bids
    ]


def test_semicolons_go_with_decimal_commas():
    """Tests what spreadsheets of many countries write, in values, reserve prices and copies."""
    text = (
        "# Preise, ohne Steuer\nbidder;value;Paris;Rome, Italy\ncapacity;;1;2,0\n"
        'reserve;;2,25;\nAnn;10,5;1;\n"Bo; Ltd";1234,75;;2\n'
    )
    sheet = parse_csv(text, "a.csv")

    assert sheet.goods == ("Paris", "Rome, Italy")
    assert sheet.capacities == (1, 2)
    assert sheet.reserve == (2.25, 0)
    assert [(b.bidder, b.value, b.bundle) for b in sheet.bids] == [
        ("Ann", 10.5, (1, 0)),
        ("Bo; Ltd", 1234.75, (0, 2)),
    ]
    beside = parse_csv_of_market("value;Paris;bidder\n7,5;1;Ann\n", "b.csv", ["Paris"], ["Ann"])
    assert [(b.bidder, b.value) for b in beside.bids] == [("Ann", 7.5)]


@pytest.mark.parametrize("cell", ["1.250,50", "1,2,3", "zwei"])
def test_what_is_no_number_with_a_decimal_comma_is_shown_as_written(cell):
    """Tests that the message has the cell, not what became of it on the way."""
    with pytest.raises(InputError, match=f"a.csv, line 2: found the text '{cell}' as the value"):
        parse_csv(f"bidder;value;Paris\nAnn;{cell};1\n", "a.csv")


@pytest.mark.parametrize("name", ["Reserve", "reserve", "Capacity", "CAPACITY"])
def test_bidders_may_be_called_reserve_or_capacity(name):
    """Tests that such a bidder keeps its bid, with and without lines of that name."""
    alone = parse_csv(f"bidder,value,Paris\n{name},7,1\n", "a.csv")
    both = parse_csv(f"{CSV}{name},7,1,2\n", "a.csv")

    assert [(bid.bidder, bid.value, bid.bundle) for bid in alone.bids] == [(name, 7, (1,))]
    assert alone.reserve == (0,)
    assert alone.capacities == (1,)
    assert (both.bids[-1].bidder, both.bids[-1].value) == (name, 7)
    assert both.reserve == (3, 0)
    assert both.capacities == (1, 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bidder,value,Paris,Rome", "who,value,Paris,Rome", "line 2: found the columns 'who,"),
        ("bidder,value,Paris,Rome", "bidder,value", "line 2: found the columns 'bidder,value'"),
        ("bidder,value,Paris,Rome", "bidder,value,Rome,Rome", "line 2: found the good 'Rome' twi"),
        ("bidder,value,Paris,Rome", "bidder,value,,Rome", "line 2: found the text '' as a good"),
        ("bidder,value,Paris,Rome", "bidder;worth;Paris", "line 2: found the columns 'bidder,wor"),
        ("Ann,10,1,", "Ann,10,1", "line 5: found 3 columns; expected 4"),
        ("Ann,10,1,", "Ann,ten,1,", "line 5: found the text 'ten' as the value; expected a numb"),
        ("Ann,10,1,", "Ann,1_0,1,", "line 5: found the text '1_0' as the value"),
        ("Ann,10,1,", "Ann,,1,", "line 5: found the text '' as the value"),
        ("Ann,10,1,", "Ann,-1,1,", "line 5: found the number -1 as the value; expected at least 0"),
        ("Ann,10,1,", "Ann,1e308,1,", "line 5: found the number 1e+308 as the value; expected at "),
        ("Ann,10,1,", "Ann,10,0.5,", "line 5: found the number 0.5 as the copies of 'Paris'"),
        ("Ann,10,1,", "Ann,10,-1,", "line 5: found the number -1 as the copies of 'Paris'"),
        ("Ann,10,1,", "Ann,10,,", "line 5: found a bid for nothing"),
        ("Ann,10,1,", ",10,1,", "line 5: found the text '' as the bidder"),
        ("Ann,10,1,", '"Ann,10,1,', "line 5: this is not valid CSV"),
        ("Ann,10,1,", "A\x1b[2Jnn,10,1,", r"line 5: found the text 'A\x1b[2Jnn' as the bidder"),
        ("capacity,,1,2", "capacity,,1,0", "line 3: found the number 0 as the copies of 'Rome'"),
        ("capacity,,1,2", "capacity,,1,1" + "0" * 18, "line 3: found a number of about 18 digits"),
        ("reserve,,3,", "reserve,,-3,", "line 4: found the number -3 as the reserve price"),
        ("reserve,,3,", "reserve,0,3,", "line 4: found the line 'reserve' with the value 0; leave"),
        ("reserve,,3,", "capacity,,3,", "line 4: found a second line 'capacity', after line 3"),
    ],
)
def test_broken_line_is_named(old, new, message):
    """Tests that every mistake names file, line and what was found."""
    with pytest.raises(InputError) as refused:
        parse_csv(CSV.replace(old, new, 1), "a.csv")

    assert message in str(refused.value)
    assert str(refused.value).startswith("a.csv, line ")


def test_file_without_a_header():
    """Tests that nothing but comments is not a file of bids."""
    with pytest.raises(InputError, match=r"a\.csv: the file is empty"):
        parse_csv("\n# nothing\n", "a.csv")


def test_market_says_which_names_are_expected():
    """Tests that goods and bidders of a market file win over what is special elsewhere."""
    text = "# a comment\nvalue,Value,bidder,#1\n3,1,Reserve,\n4,,#2 Ltd,1\n#2 Ltd is no line\n"
    text = text.replace("#2 Ltd is", "# Ltd is")
    sheet = parse_csv_of_market(text, "b.csv", ["#1", "Value"], ["Reserve", "#2 Ltd"])

    assert [(bid.bidder, bid.value, bid.bundle) for bid in sheet.bids] == [
        ("Reserve", 3, (0, 1)),
        ("#2 Ltd", 4, (1, 0)),
    ]


def test_line_may_begin_with_a_name_that_looks_like_a_comment():
    """Tests that a bidder called '#1' does not lose its bids to the rule about comments."""
    text = "bidder,value,A\n#1,3,1\n# a comment\n"

    (bid,) = parse_csv_of_market(text, "b.csv", ["A"], ["#1"]).bids
    assert (bid.bidder, bid.value) == ("#1", 3)
