"""
The one text of a JSON value (RFC 8785), and its SHA-256; written from the standard.

Keys are sorted by their UTF-16, texts escape what they must, and numbers are as JavaScript writes
them: the shortest digits that give the same double.
"""

import hashlib
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

# Whole numbers beyond are other ones for other readers.
LARGEST = 2**53 - 1
# Powers of ten between which numbers are written without an exponent.
MOST_DIGITS, MOST_ZEROS = 21, 6


def canonical(value: Any) -> str:
    """The canonical text of plain values; ValueError for what has none."""
    text = _text(value)
    text.encode()  # half of a letter has no UTF-8
    return text


def sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _text(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is int:
        if not -LARGEST <= value <= LARGEST:
            raise ValueError("a whole number is beyond what every reader of JSON can tell apart")
        return str(value)
    if kind is dict:
        keys = sorted(value) if all(map(str.isascii, value)) else sorted(value, key=_utf16)
        return "{" + ",".join([f"{encode_basestring(k)}:{_text(value[k])}" for k in keys]) + "}"
    if kind is list:
        return "[" + ",".join(map(_text, value)) + "]"
    if kind is float:
        return _number(value)
    if value is None or kind is bool:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):  # of a class of its own
        return encode_basestring(str(value))
    raise ValueError(f"a {kind.__name__} is nothing that JSON has")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _number(value: float) -> str:
    """A double as JavaScript writes it."""
    if not isfinite(value):
        raise ValueError("a number is infinite or none")
    if value == 0:
        return "0"
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # Of the digits, so many stand before the point.
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= MOST_DIGITS:
        return sign + digits.ljust(point, "0")
    if 0 < point <= MOST_DIGITS:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -MOST_ZEROS < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"
