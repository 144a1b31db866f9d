"""Exchanges from sheets, and every mistake at once."""

import pytest

from boca.core import InputError
from boca.markets.exchange_file import read_exchange

SHEET = """\
participant,value,Cod,Haddock
stock,,1,
Vessel A,holds,4,
Vessel A,40,4,
Vessel A,60.5,2,2
Vessel B,holds,,2
Vessel B,20,,2
Carl,7,1,
"""


def write(folder, text):
    path = folder / "fish.csv"
    path.write_text(text)
    return path


def test_a_sheet(tmp_path):
    """Tests holdings, stock, values, and somebody who holds nothing."""
    sheet = read_exchange(write(tmp_path, SHEET))

    assert sheet.market.capacities.tolist() == [5, 2]
    assert sheet.market.endowments.tolist() == [[4, 0], [0, 2], [0, 0]]
    assert sheet.reports[0].bundles.tolist() == [[4, 0], [2, 2]]
    assert sheet.reports[0].values.tolist() == [40, 60.5]
    assert sheet.market.name == "fish"


def test_all_mistakes_are_named_at_once(tmp_path):
    """Tests that a sheet is mended in one go."""
    text = SHEET + "Carl,8,1,\nCarl,,2,\n,5,1,\nCarl,x,2,\nVessel A,holds,1,\nCarl,5,-1,\n"
    with pytest.raises(InputError) as raised:
        read_exchange(write(tmp_path, text))
    assert [line.strip() for line in str(raised.value).splitlines()[1:]] == [
        "row 9: 'Carl' values the same holding in two rows",
        "row 10, column 'value': found nothing; expected a value, or 'holds'",
        "row 11, column 'participant': found nothing; whose row is it?",
        "row 12, column 'value': found the text 'x'; expected a number such as 1250 or 12.5",
        "row 13: 'Vessel A' holds something in two rows",
        "row 14, column 'Cod': found the number -1; expected at least 0",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("participant,value,a\n", "there is no participant"),
        ("participant,cost,a\nx,1,1\n", "is for buying"),
        ("participant,value\nx,1\n", "one column for every one of the goods"),
        ("participant,value,a,b\nx,holds,1,\nx,3,1,\n", "Nobody holds any 'b'"),
        ("participant,value,a\nx,holds,1\nx,3,2\n", "values more copies than there are"),
    ],
)
def test_sheets_that_cannot_be_used(text, message, tmp_path):
    """Tests that each has one message."""
    with pytest.raises(InputError, match=message):
        read_exchange(write(tmp_path, text))
