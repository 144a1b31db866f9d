"""One text for one JSON value (RFC 8785), and its SHA-256."""

import hashlib
import json
from typing import Any

import rfc8785

from boca.core.errors import InputError


def canonical(value: Any) -> str:
    """
    The canonical JSON text of plain values.

    Integers from 2^53 on, NaN and infinity are refused: other programs would read them differently.
    """
    try:
        return rfc8785.dumps(value).decode()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InputError(f"This cannot be written as canonical JSON: {error}.") from None


def sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_canonical(text: str, what: str) -> Any:
    """
    The value of a JSON text that must be canonical.

    Parameters
    ----------
    text
        The text.
    what
        What it is, for messages.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The {what} is not JSON: {error}.") from None
    if canonical(value) != text:
        raise InputError(f"The {what} is not in canonical form; it was written by another program.")
    return value
