"""Tests of words in messages."""

import pytest

from boca.core.wording import (
    amount,
    counted,
    did_you_mean,
    found,
    money,
    nearest,
    printable,
    shortened,
)


def test_slips_find_what_was_meant():
    """Tests a transposed letter and capitals."""
    assert nearest("LVSM", ["gsvm", "lsvm", "toy"]) == "lsvm"
    assert did_you_mean("pationce", ["patience", "seed"]) == "did you mean 'patience'?"


def test_words_with_some_letters_in_common_are_no_slips():
    """Tests that 'ridge' is not said to mean 'hybrid', with which it shares three letters."""
    names = ["boca", "svr", "hybrid", "random"]

    assert did_you_mean("ridge", names) == "expected one of boca, svr, hybrid, random."
    assert did_you_mean("hibrid", names) == "did you mean 'hybrid'?"


def test_other_words_are_answered_with_the_list():
    """Tests that a word near nothing gets all choices."""
    assert did_you_mean("zzz", ["patience", "seed"]) == "expected one of patience, seed."


def test_long_lists_and_long_words_stay_short():
    """Tests that a message about 10,000 choices or 10,000 letters is one line, and quick."""
    choices = [f"good {j}" for j in range(10_000)]

    assert did_you_mean("zzz", choices).endswith("good 14, ...")
    assert nearest("good" * 5_000, choices) is None
    assert shortened("a" * 100_000) == "a" * 60 + "... (100,000 letters)"
    assert shortened("a" * 60) == "a" * 60


def test_terminal_codes_are_written_out():
    """Tests that what is echoed cannot clear the screen or begin a new line."""
    assert printable("Zoë 東京 [1]") == "Zoë 東京 [1]"
    assert printable("a\x1b[2J\nb\u202ec\ud800") == r"a\x1b[2J\nb\u202ec\ud800"


def test_amounts_keep_every_unit():
    """Tests that two large bids never look alike, and small ones keep their digits."""
    assert amount(10**12 + 1) == "1,000,000,000,001"
    assert amount(0) == "0"
    assert amount(563.577) == "563.577"
    assert amount(1234567.891) == "1,234,567.89"
    assert amount(0.001234567) == "0.00123457"
    assert amount(-2.5) == "-2.50000"


def test_counts_follow_grammar():
    """Tests none, one and many, with the verb that belongs to each."""
    assert counted(1, "question", "is") + " open" == "1 question is open"
    assert counted(2, "question", "is") + " open" == "2 questions are open"
    assert counted(0, "question") == "no questions"
    assert counted(1200, "record", "has") == "1,200 records have"
    assert (counted(1, "line", "holds"), counted(3, "line", "holds")) == (
        "1 line holds",
        "3 lines hold",
    )
    assert counted(2, "person", "was", plural="people") == "2 people were"


def test_a_guess_follows_a_semicolon_and_ends_once():
    """Tests what was found with what may have been meant, and with what there is."""
    assert found("hal", ["hall", "kitchen"]) == "found 'hal'; did you mean 'hall'?"
    assert found("zzz", ["hall", "kitchen"]) == "found 'zzz'; expected one of hall, kitchen."


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (300_000.25, 2, "300,000.25"),
        (270_000.0, 2, "270,000.00"),
        (10.0, 0, "10"),
        (2.5, 0, "2.5"),
        (10 / 3, 0, "3.333"),
        (10 / 3, 2, "3.33333"),
        (0.1 + 0.2, 1, "0.3"),
        (-0.0, 1, "0.0"),
        (1e12 + 0.01, 2, "1,000,000,000,000.01"),
    ],
)
def test_money_keeps_its_decimals(value, decimals, text):
    """Tests amounts among others: theirs, and up to three more for shares."""
    assert money(value, decimals) == text
