"""A chain as JSON lines, whole or with some bodies left out, ended by a signed head."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.live.ledger.canonical import canonical
from boca.live.ledger.chain import Record
from boca.live.ledger.receipts import SigningKey


@dataclass(frozen=True)
class Log:
    """
    What a file of JSON lines holds.

    Parameters
    ----------
    records
        First to last.
    head
        The signed last line; None if it is missing.
    """

    records: tuple[Record, ...]
    head: dict[str, Any] | None


def write_lines(
    records: Iterable[Record],
    at: str,
    key: SigningKey,
    opens: Callable[[Record], bool] = lambda record: True,
) -> Iterator[str]:
    """
    The lines of an export, each with its end of line.

    Parameters
    ----------
    records
        The whole chain.
    at
        The time of the export, for the signed head.
    key
        Signs the head, so that nobody can cut off the end.
    opens
        Whether a record's body goes along.
    """
    head = ""
    for record in records:
        head = record.hash
        yield record_line(record if opens(record) else record.sealed())
    yield canonical(key.sign({"at": at, "head": head})) + "\n"


def record_line(record: Record) -> str:
    """One record as a line."""
    line: dict[str, Any] = {"envelope": record.envelope, "hash": record.hash}
    if record.body is not None:
        line["body"] = record.body
    return canonical(line) + "\n"


def read_lines(lines: Iterable[str]) -> Log:
    """The inverse of :func:`write_lines`; an InputError names the line that cannot be read."""
    records: list[Record] = []
    head: dict[str, Any] | None = None
    for number, text in enumerate(lines, 1):
        if head is not None:
            raise InputError(f"Line {number} comes after the signed head, which ends a log.")
        value = _read_line(text, number)
        if "head" in value:
            head = value
        else:
            records.append(_read_record(value, number))
    return Log(tuple(records), head)


def _read_line(text: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"Line {number} is not JSON; it may have been cut off.") from None
    if not isinstance(value, dict):
        raise InputError(f"Line {number} is not an object; expected a record.")
    if canonical(value) != text.rstrip("\n"):
        raise InputError(f"Line {number} is not in canonical form; it was changed or rewritten.")
    return value


def _read_record(value: dict[str, Any], number: int) -> Record:
    body = value.get("body")
    shapes = (
        isinstance(value.get("envelope"), dict),
        isinstance(value.get("hash"), str),
        body is None or isinstance(body, dict),
        value.keys() <= {"envelope", "hash", "body"},
    )
    if not all(shapes):
        raise InputError(f"Line {number} is not a record; expected an envelope and a hash.")
    return Record(value["envelope"], value["hash"], body)
