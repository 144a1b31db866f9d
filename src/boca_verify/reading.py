"""A log as it was handed out: JSON lines, read so that one damaged line does not hide the rest."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boca_verify.canonical import canonical
from boca_verify.errors import Unreadable
from boca_verify.records import Record
from boca_verify.verdict import Finding


@dataclass(frozen=True)
class ReadLog:
    """
    What the lines of a log hold.

    Parameters
    ----------
    records
        First to last; None in the place of a line that is not a record.
    head
        The signed last line; None if it is missing.
    findings
        Lines that cannot be read, by the number that their record would have.
    """

    records: tuple[Record | None, ...]
    head: dict[str, Any] | None
    findings: tuple[Finding, ...]

    @property
    def whole(self) -> tuple[Record, ...]:
        """All records, for checks that run once every line has been read."""
        return tuple(record for record in self.records if record is not None)


def read_log(lines: Iterable[str | bytes]) -> ReadLog:
    """
    A log from its lines, with or without their ends; Unreadable if no line of it is a record.

    Parameters
    ----------
    lines
        As exported; bytes, where the text may be damaged.
    """
    texts = [_without_end(line) for line in lines]
    records: list[Record | None] = []
    findings: list[Finding] = []
    head: dict[str, Any] | None = None
    for number, text in enumerate(texts):
        is_last = number == len(texts) - 1
        try:
            value = _read_line(text)
            if is_last and "head" in value:
                head = value
            else:
                records.append(_to_record(value))
        except Unreadable as error:
            findings.append(Finding(f"line {number + 1} of the file {error}", number))
            records.append(None)
    if not any(records):
        raise Unreadable(
            "This is not the log of a live auction: none of its "
            f"{len(texts)} lines is a record. Expected JSON lines, as the server exports them."
        )
    return ReadLog(tuple(records), head, tuple(findings))


def _without_end(line: str | bytes) -> str | bytes:
    return line.removesuffix(b"\n") if isinstance(line, bytes) else line.removesuffix("\n")


def _read_line(text: str | bytes) -> dict[str, Any]:
    """The object of one line; an Unreadable says what is wrong with it."""
    try:
        plain = text.decode() if isinstance(text, bytes) else text
        value = json.loads(plain)
    except UnicodeDecodeError:
        raise Unreadable("is not text in UTF-8; it was damaged.") from None
    except (ValueError, RecursionError):
        raise Unreadable("is not JSON; it was damaged or cut off.") from None
    if not isinstance(value, dict):
        raise Unreadable("is not a record.")
    if _canonical(value) != plain:
        raise Unreadable("is not in canonical form; it was changed or rewritten.")
    return value


def _canonical(value: Any) -> str | None:
    try:
        return canonical(value)
    except (ValueError, RecursionError):
        return None


def _to_record(value: dict[str, Any]) -> Record:
    if "head" in value:
        raise Unreadable("is a signed head, which only the end of a log can be.")
    body = value.get("body")
    shapes = (
        isinstance(value.get("envelope"), dict),
        isinstance(value.get("hash"), str),
        "body" not in value or isinstance(body, dict),
        value.keys() <= {"envelope", "hash", "body"},
    )
    if not all(shapes):
        raise Unreadable("is not a record; expected an envelope, a hash and perhaps a body.")
    return Record(value["envelope"], value["hash"], body)
