"""Tests of what is made of things found in files."""

import datetime

import pytest

from boca.core import InputError
from boca.markets.found import as_count, as_name, as_value, number_in, shown


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("-3", -3),
        ("+7", 7),
        ("1.50", 1.5),
        (".5", 0.5),
        ("2.", 2.0),
        ("1e3", 1000.0),
        ("1" + "0" * 399, 10**399),
    ],
)
def test_texts_that_are_numbers(text, number):
    """Tests the ways in which people and spreadsheets write numbers."""
    assert number_in(text) == number
    assert type(number_in(text)) is type(number)


@pytest.mark.parametrize(
    "text", ["", "ten", "1_000", "1,5", "٣", "nan", "inf", "0x10", "1 000", "--1", "9" * 401]
)
def test_texts_that_are_none(text):
    """Tests that nothing is guessed: what Python's float would take may be a slip."""
    assert number_in(text) == text


def test_whole_numbers_are_exact():
    """Tests that a count written as 2.0 is two, and that values keep every unit up to 10^12."""
    assert as_count(2.0, "", "a.csv") == 2
    assert as_value(10**12 + 1, "", "a.csv") - as_value(10**12, "", "a.csv") == 1


def test_minus_zero_is_zero():
    """Tests that no table shows -0."""
    assert str(as_value(-0.0, "a value", "a.csv")) == "0.0"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (1e15 + 1, "expected at most 1e+15. Use a larger unit."),
        (1e-13, "expected 0 or at least 1e-12. Use a smaller unit."),
        (float("nan"), "expected a finite number."),
        (10**4000, "found a number of about 4000 digits as a value; expected at most 1e+15."),
        (-2, "found the number -2 as a value; expected at least 0. Think again."),
        ("12", "found the text '12' as a value; expected a number such as 1250 or 12.5 without"),
        (True, "found true as a value; expected a number"),
        ([], "found an empty list as a value"),
    ],
)
def test_values_that_are_none(found, message):
    """Tests that the message says what was found, what was expected and what to do."""
    with pytest.raises(InputError) as refused:
        as_value(found, "a value", "a.csv", advice="Think again.")

    assert message in str(refused.value)


def test_names_are_one_line():
    """Tests what cannot name a thing, with a message that is safe to print."""
    assert as_name("Zoë & 東京 [1]", "a good", "a.csv") == "Zoë & 東京 [1]"
    for found in ("", " a", "a\tb", "a\x1b[0m", "a" * 201, 3, None):
        with pytest.raises(InputError, match="as a good; expected") as refused:
            as_name(found, "a good", "a.csv")
        assert str(refused.value).isprintable()


def test_kinds_are_shown_in_words():
    """Tests the words for everything that TOML and JSON can hold."""
    assert shown(None) == "null"
    assert shown({"a": 1}) == "a table with the keys a"
    assert shown([1, 2]) == "a list of 2"
    assert shown(datetime.date(2024, 1, 1)) == "the date or time 2024-01-01"
    assert shown("x" * 100).startswith("the text 'xxx")
