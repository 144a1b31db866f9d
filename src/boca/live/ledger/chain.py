"""
A chain of sealed records: each holds the hash of the one before and of its own body.

A body is opened by handing it out beside its record; whoever has only the records can check the
chain, and whoever gets a body later can check that it is the one that was sealed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boca.core.errors import BocaError
from boca.live.ledger.canonical import canonical, sha256

VERSION = 1
# What the first record has in place of the hash before.
FIRST = "0" * 64
KEYS = {"at", "auction", "kind", "prev", "seal", "seq", "v"}


class Broken(BocaError):
    """A chain that does not hold; the message names the record."""


@dataclass(frozen=True)
class Record:
    """
    One link of a chain.

    Parameters
    ----------
    envelope
        Number, time, kind, hash before, and the seal of the body.
    hash
        SHA-256 of the envelope's canonical JSON.
    body
        What was sealed; None where it is not opened.
    """

    envelope: dict[str, Any]
    hash: str
    body: dict[str, Any] | None = None

    @property
    def seq(self) -> int:
        seq: int = self.envelope["seq"]
        return seq

    @property
    def kind(self) -> str:
        kind: str = self.envelope["kind"]
        return kind

    @property
    def at(self) -> str:
        at: str = self.envelope["at"]
        return at

    @property
    def seal(self) -> str:
        seal: str = self.envelope["seal"]
        return seal

    def sealed(self) -> "Record":
        """The record without its body."""
        return Record(self.envelope, self.hash)


def next_record(
    before: Record | None, name: str, kind: str, at: str, body: dict[str, Any]
) -> Record:
    """
    The record that follows another one.

    Parameters
    ----------
    before
        The last record; None for the first.
    name
        Of the chain.
    kind
        What the record is about, readable without the body.
    at
        Its time; an earlier one than the record's before is raised to that.
    body
        What it says, with a salt, so that nobody can guess it from the seal.
    """
    return link(
        before.hash if before else FIRST,
        before.seq + 1 if before else 0,
        max(at, before.at) if before else at,
        name,
        kind,
        body,
    )


def link(prev: str, seq: int, at: str, name: str, kind: str, body: dict[str, Any]) -> Record:
    """A record from its parts."""
    envelope = {
        "at": at,
        "auction": name,
        "kind": kind,
        "prev": prev,
        "seal": sha256(canonical(body)),
        "seq": seq,
        "v": VERSION,
    }
    return Record(envelope, sha256(canonical(envelope)), body)


def check_chain(records: Iterable[Record]) -> str:
    """
    The hash of the last record; Broken at the first record that does not hold.

    Checked are the numbers 0, 1, 2, ..., the hash before, the record's own hash, times that never
    go back, one name throughout, and that each open body matches its seal.
    """
    prev, at, name = FIRST, "", None
    for number, record in enumerate(records):
        problem = _problem(record, number, prev, at, name)
        if problem:
            raise Broken(f"Record {number} {problem}.")
        prev, at, name = record.hash, record.at, record.envelope["auction"]
    return prev


def check_next(record: Record, before: Record | None) -> None:
    """
    Raises Broken unless a record follows another one.

    Parameters
    ----------
    record
        Just received.
    before
        The last record that was checked; None if this must be the first.
    """
    if before is None:
        problem = _problem(record, 0, FIRST, "", None)
        number = 0
    else:
        number = before.seq + 1
        name = before.envelope["auction"]
        problem = _problem(record, number, before.hash, before.at, name)
    if problem:
        raise Broken(f"Record {number} {problem}.")


def _problem(record: Record, number: int, prev: str, at: str, name: str | None) -> str:
    """What is wrong with a record; empty if nothing is."""
    envelope = record.envelope
    if not isinstance(envelope, dict) or set(envelope) != KEYS:
        return "does not have the fields of a record"
    if envelope["v"] != VERSION:
        return f"has version {envelope['v']!r}; expected {VERSION}"
    if type(envelope["seq"]) is not int or envelope["seq"] != number:
        return f"has number {envelope['seq']!r}; one was left out, added or moved"
    if envelope["prev"] != prev:
        return "does not follow the one before"
    if sha256(canonical(envelope)) != record.hash:
        return "has a hash that does not belong to it"
    if not isinstance(envelope["at"], str) or envelope["at"] < at:
        return "is earlier than the one before"
    if name is not None and envelope["auction"] != name:
        return "belongs to another chain"
    if record.body is not None and sha256(canonical(record.body)) != envelope["seal"]:
        return "has a body that was changed after it was sealed"
    return ""
