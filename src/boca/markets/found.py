"""What was found in a file: shown in messages, and checked as a name, a count or a value."""

import math
import re
from typing import Any, NoReturn

from boca.core.errors import InputError
from boca.core.wording import shortened
from boca.markets.limits_of_size import (
    LARGEST_VALUE,
    MOST_COPIES,
    MOST_DIGITS,
    MOST_LETTERS_OF_NAME,
    SMALLEST_VALUE,
)

WHOLE = re.compile(r"[+-]?[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def shown(value: Any) -> str:
    """What was found, with its kind in words."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f"the text '{shortened(value)}'"
        case int() if abs(value) >= 10**18:
            # Not len(str(value)): Python refuses to write out very long numbers.
            return f"a number of about {round(value.bit_length() * math.log10(2))} digits"
        case float() if math.isinf(value):
            return "an infinite number"
        case int() | float():
            return f"the number {value}"
        case list():
            return "an empty list" if not value else f"a list of {len(value)}"
        case dict():
            keys = ", ".join(shortened(str(key), 20) for key in list(value)[:8])
            return f"a table with the keys {keys or '(none)'}"
        case _:
            return f"the date or time {value}"


def number_in(text: str) -> int | float | str:
    """The number that a text stands for; the text itself if it stands for none."""
    if len(text) > MOST_DIGITS:
        return text
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if DECIMAL.fullmatch(text) else text


def as_name(found: Any, what: str, where: str) -> str:
    """
    A name: one line of text that can be printed anywhere.

    Parameters
    ----------
    found
        What stands in the file.
    what
        What it should name, such as ``a bidder``; empty if the place says so.
    where
        The file, and the place in it.
    """
    if not isinstance(found, str):
        raise InputError.at(where, f"found {shown(found)}{_as(what)}; expected a name in quotes.")
    if not found.strip() or found != found.strip() or not found.isprintable():
        raise InputError.at(
            where,
            f"found {shown(found)}{_as(what)}; expected one line of text without spaces around it.",
        )
    if len(found) > MOST_LETTERS_OF_NAME:
        raise InputError.at(
            where,
            f"found {shown(found)}{_as(what)}; expected a name of at most "
            f"{MOST_LETTERS_OF_NAME} letters.",
        )
    return found


def as_value(found: Any, what: str, where: str, negative: bool = False, advice: str = "") -> float:
    """
    A value or a price: 0, or a number between 10^-12 and 10^15.

    Parameters
    ----------
    found
        What stands in the file.
    what
        What it should be, such as ``a value``; empty if the place says so.
    where
        The file, and the place in it.
    negative
        Whether it may be below 0.
    advice
        What to do about a number below 0.
    """
    if isinstance(found, bool) or not isinstance(found, int | float):
        _refuse_kind(found, what, where, "a number such as 1250 or 12.5")
    try:
        number = float(found)
    except OverflowError:
        number = math.inf
    seen = f"found {shown(found)}{_as(what)}"
    if math.isnan(number):
        raise InputError.at(where, f"{seen}; expected a finite number.")
    if abs(number) > LARGEST_VALUE:
        raise InputError.at(
            where, f"{seen}; expected at most {LARGEST_VALUE:g}. Use a larger unit."
        )
    if 0 < abs(number) < SMALLEST_VALUE:
        raise InputError.at(
            where, f"{seen}; expected 0 or at least {SMALLEST_VALUE:g}. Use a smaller unit."
        )
    if number < 0 and not negative:
        raise InputError.at(where, f"{seen}; expected at least 0.{advice and ' ' + advice}")
    return number + 0.0  # not -0.0


def as_count(
    found: Any,
    what: str,
    where: str,
    least: int = 0,
    most: int = MOST_COPIES,
    advice: str = "",
) -> int:
    """
    A whole number.

    Parameters
    ----------
    found
        What stands in the file; 2.0 counts as 2.
    what
        What it should be, such as ``a number of copies``; empty if the place says so.
    where
        The file, and the place in it.
    least, most
        The range it must lie in.
    advice
        What to do about a number below.
    """
    whole = isinstance(found, int) or (isinstance(found, float) and found.is_integer())
    if isinstance(found, bool) or not whole:
        _refuse_kind(found, what, where, "a whole number")
    if not least <= found <= most:
        seen = f"found {shown(found)}{_as(what)}"
        if found > most:
            raise InputError.at(where, f"{seen}; expected at most {most:,}.")
        raise InputError.at(where, f"{seen}; expected at least {least}.{advice and ' ' + advice}")
    return int(found)


def _as(what: str) -> str:
    return f" as {what}" if what else ""


def _refuse_kind(found: Any, what: str, where: str, expected: str) -> NoReturn:
    """Raises for something that is no number; quotes around one are the usual reason."""
    quoted = isinstance(found, str) and not isinstance(number_in(found), str)
    raise InputError.at(
        where,
        f"found {shown(found)}{_as(what)}; expected {expected}"
        f"{' without quotes' if quoted else ''}.",
    )
