"""Amounts as spreadsheets of several languages write them."""

import pytest

from boca.core.errors import InputError
from boca.live.auction.money import Money
from boca.live.web.sheets.amounts import units_of_number, units_of_text

CENTS = Money("EUR", "0.01")
GERMAN = Money("EUR", "0.01", "de")


@pytest.mark.parametrize(
    ("number", "units"), [(12.5, 1250), (0.1 + 0.2, 30), (1e6, 10**8), (7, 700), (0, 0)]
)
def test_numbers_count_to_fifteen_digits(number, units):
    """Tests that a formula's 0.30000000000000004 is what the spreadsheet shows, 0.3."""
    assert units_of_number(number, CENTS) == units


@pytest.mark.parametrize("number", [-1.0, 0.125, 1e40])
def test_numbers_that_are_no_amounts_are_refused(number):
    """Tests that nothing is rounded away."""
    with pytest.raises(InputError):
        units_of_number(number, CENTS)


@pytest.mark.parametrize(
    ("text", "money", "mark", "units"),
    [
        ("12.50", CENTS, ".", 1250),
        ("12,50", CENTS, ",", 1250),  # a semicolon file of a German spreadsheet
        ("12,50", CENTS, None, 1250),  # the only way to read it
        ("1.234,50", CENTS, ",", 123450),
        ("1,234", CENTS, None, 123400),  # typed into an English auction's XLSX: a group
        ("12,345,678", CENTS, ",", 1234567800),
        ("12.50", GERMAN, ".", 1250),
        ("12,50", GERMAN, ",", 1250),
        ("1.234", GERMAN, ",", 123400),
    ],
)
def test_the_other_mark_is_read_where_nothing_else_makes_sense(text, money, mark, units):
    """Tests what is taken."""
    assert units_of_text(text, money, mark) == units


@pytest.mark.parametrize(
    ("text", "money", "mark"),
    [
        ("1,234", CENTS, ","),
        ("1.234", GERMAN, "."),
        ("1.234", CENTS, None),
        ("12,345", CENTS, ","),
        ("1,2,3", CENTS, None),
        ("1e3", CENTS, None),
        ("-5", CENTS, None),
        ("five", CENTS, None),
    ],
)
def test_amounts_with_two_readings_or_none_are_refused(text, money, mark):
    """Tests that a thousand never becomes a one."""
    with pytest.raises(InputError):
        units_of_text(text, money, mark)
