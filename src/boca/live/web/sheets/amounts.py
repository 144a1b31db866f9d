"""Amounts in cells: numbers, and texts with the decimal mark of whoever saved the file."""

import re
from dataclasses import replace
from decimal import Decimal

from boca.core.errors import InputError
from boca.live.auction.money import MARKS, Money

# Digits that spreadsheets keep of a number; what lies beyond is noise of binary fractions.
DIGITS = 15
# A language for each decimal mark.
LANGUAGE_OF = {".": "en", ",": "de"}


def units_of_number(number: float, money: Money) -> int:
    """Units from a cell that holds a number."""
    text = f"{Decimal(f'{number:.{DIGITS}g}'):f}"
    if number < 0:
        raise InputError(f"The amount {text} is negative; expected 0 or more.")
    return money.parse_decimal(text)


def units_of_text(text: str, money: Money, file_mark: str | None) -> int:
    """
    Units from a text; nothing is guessed.

    Spreadsheets write decimals with the mark of their own language, whatever the auction's is. A
    text that only makes sense with the other mark is read with it; one that makes sense with both
    is refused.

    Parameters
    ----------
    text
        What the cell holds.
    money
        How amounts of the auction are written.
    file_mark
        The decimal mark that goes with the file's separator; None where there is none.
    """
    own = MARKS[money.language][0]
    other = "," if own == "." else "."
    before, mark, after = text.strip().rpartition(other)
    if file_mark == other and re.fullmatch(rf"[0-9]{{1,3}}{re.escape(other)}[0-9]{{3}}", text):
        raise InputError(
            f"The amount '{text}' can be read in two ways: {before}{own}{after} or "
            f"{before}{after}. Write it without marks, or with {money.decimals} decimals."
        )
    try:
        return money.parse(text)
    except InputError:
        if not mark or len(after) == 3:
            raise
        try:
            return replace(money, language=LANGUAGE_OF[other]).parse(text)
        except InputError:
            pass
        raise
