"""What the reader holds in hand: the log, receipts, a key, noted heads, checked for their shape."""

import json
import re
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import read_text

HASH = re.compile(r"[0-9a-f]{64}")
# More than any auction within the server's limits writes.
MOST_BYTES = 500_000_000


def read_log_file(path: Path) -> bytes:
    """The bytes of a log; damage inside is the verifier's business."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"There is no log '{path}'. Check the name.") from None
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder; name the log inside it.") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"'{path}' is longer than {MOST_BYTES:,} bytes; it is not a log.")
    return data


def read_receipt(path: Path) -> dict[str, Any]:
    """A receipt as its bidder saved it."""
    try:
        content = json.loads(read_text(path, "receipt"))
    except (ValueError, RecursionError):
        raise InputError(f"'{path}' is not JSON; expected a receipt as it was saved.") from None
    if not isinstance(content, dict) or not isinstance(content.get("hash"), str):
        raise InputError(f"'{path}' is not a receipt; expected an object with hash and signature.")
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
        raise InputError(f"The {what} is '{text[:80]}'; expected 64 hexadecimal digits.")
    return plain
