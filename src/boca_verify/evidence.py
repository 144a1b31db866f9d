"""What the reader holds in hand: the log, receipts, a key, noted heads, checked for their shape."""

import json
import re
from pathlib import Path
from typing import Any

from boca_verify.errors import Unreadable

HASH = re.compile(r"[0-9a-f]{64}")
# More than any auction within the server's limits writes.
MOST_BYTES = 500_000_000


def read_lines(path: Path) -> list[bytes]:
    """The lines of a log; damage inside them is for the checks to find."""
    return split_lines(_read(path, "log"))


def split_lines(data: bytes) -> list[bytes]:
    """The lines of a file; only the line feed ends one."""
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def read_receipt(path: Path) -> dict[str, Any]:
    """A receipt as its bidder saved it."""
    try:
        content = json.loads(_read(path, "receipt").decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable(f"'{path}' is not text in UTF-8; expected a receipt.") from None
    except (ValueError, RecursionError):
        raise Unreadable(f"'{path}' is not JSON; expected a receipt as it was saved.") from None
    if not isinstance(content, dict) or not isinstance(content.get("hash"), str):
        raise Unreadable(f"'{path}' is not a receipt; expected an object with hash and signature.")
    return content


def read_hash(text: str, what: str) -> str:
    """
    A hash or key as people copy it, with or without spaces.

    Parameters
    ----------
    text
        What was typed.
    what
        What it is, for messages.
    """
    plain = "".join(text.split()).lower()
    if not HASH.fullmatch(plain):
        raise Unreadable(f"The {what} is '{text[:80]}'; expected 64 hexadecimal digits.")
    return plain


def _read(path: Path, what: str) -> bytes:
    """The bytes of a file, as many as there can sensibly be."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise Unreadable(f"There is no {what} '{path}'. Check the name.") from None
    except IsADirectoryError:
        raise Unreadable(f"'{path}' is a folder; name the {what} inside it.") from None
    except OSError as error:
        raise Unreadable(f"The {what} '{path}' cannot be read: {error.strerror}.") from None
    if len(data) > MOST_BYTES:
        raise Unreadable(f"'{path}' is longer than {MOST_BYTES:,} bytes; it is not a {what}.")
    return data
