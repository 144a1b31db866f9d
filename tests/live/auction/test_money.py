"""Amounts from text without floats, and payments in integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core.errors import InputError
from boca.live.auction.money import MARKS, Money, Terms, vcg_terms

EURO = Money("EUR", "0.01")


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("0", 0),
        ("12", 1200),
        ("12.5", 1250),
        ("12.50", 1250),
        (" 12.50 EUR ", 1250),
        ("1,234", 123400),
        ("1,234.56", 123456),
        ("1'234'567.89", 123456789),
        ("1 234.00", 123400),
        ("1\u202f234", 123400),
        ("007", 700),
    ],
)
def test_plain_amounts_are_read(text, units):
    """Tests the ways in which people write amounts in English."""
    assert EURO.parse(text) == units


@pytest.mark.parametrize(
    "text",
    ["", " ", "-5", "+5", "1e3", "1.2.3", "12,34", "1,2345", "1,234'567", "1.234", "0.001", "five",
     "½", "١٢", "12.", ".5", "1_000", "0x10", "5 EUR EUR", "1,,234", "9" * 400],
)  # fmt: skip
def test_whatever_is_not_plain_is_refused(text):
    """Tests that signs, exponents, odd groups and finer amounts are never guessed at."""
    with pytest.raises(InputError):
        EURO.parse(text)


def test_two_readings_are_both_named():
    """Tests the mark that is a decimal mark here and a thousands mark elsewhere."""
    with pytest.raises(InputError, match=r"1,234 or 1234"):
        Money("EUR", "0.01", "de").parse("1,234")
    with pytest.raises(InputError, match=r"1\.234 or 1234"):
        EURO.parse("1.234")


@pytest.mark.parametrize(
    ("unit", "text", "units"), [("1000", "5000", 5), ("0.05", "0.15", 3), ("1", "7", 7)]
)
def test_units_of_any_size(unit, text, units):
    """Tests that an amount counts whole units, whatever their size."""
    assert Money("EUR", unit).parse(text) == units
    with pytest.raises(InputError, match="finer"):
        Money("EUR", "1000").parse("5500")


@pytest.mark.parametrize("unit", ["0", "0.00", "-1", "1e2", "abc", "", ".5"])
def test_unit_must_be_a_positive_decimal(unit):
    """Tests units that no amount could be a multiple of."""
    with pytest.raises(InputError):
        Money("EUR", unit)


@given(
    st.integers(0, 10**12),
    st.sampled_from(["0.01", "0.05", "1", "1000", "0.001"]),
    st.sampled_from(list(MARKS)),
)
def test_what_is_shown_reads_back(units, unit, language):
    """Tests that nobody is refused for copying an amount from the page."""
    money = Money("EUR", unit, language)
    assert money.parse(money.show(units)) == units
    assert money.parse(money.figures(units)) == units
    assert money.parse_decimal(money.decimal(units)) == units


@pytest.mark.parametrize("text", ["1,234", "1 234", "01", "1.", "", 5, None, "1.005"])
def test_programs_send_decimal_strings_only(text):
    """Tests that the API reads one notation, whatever the language."""
    with pytest.raises(InputError):
        EURO.parse_decimal(text)


def test_vcg_payment_is_an_exact_integer():
    """Tests the textbook case: the winner pays what the others lose, with reserve prices on top."""
    units = [[((1, 1), 30)], [((1, 0), 10), ((1, 1), 18)], [((0, 1), 11)]]
    allocation = [(1, 1), (0, 0), (0, 0)]
    without = {0: [(0, 0), (1, 0), (0, 1)]}
    assert vcg_terms(units, allocation, without, [0, 0]) == {0: Terms(21, 0, 0)}
    terms = vcg_terms(units, allocation, without, [2, 3])[0]
    assert terms == Terms(16, 0, 5)  # surplus of the others: 8 and 8
    assert terms.payment == 21
