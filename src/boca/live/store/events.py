"""The table of records: append, read, find a command that was carried out before."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.auction.audience import Viewer, may_open
from boca.live.auction.events import Entry, RoundOpened, from_body
from boca.live.auction.state import LiveState
from boca.live.clock import from_text
from boca.live.ledger import Record, canonical
from boca.live.store.tables import event


@dataclass(frozen=True)
class Stored:
    """
    A record that is about to be written.

    Parameters
    ----------
    record
        With its body.
    actor, request
        Set on the first record of a command that somebody sent with a key.
    """

    record: Record
    actor: str | None = None
    request: str | None = None


def append(connection: Connection, rows: Sequence[Stored]) -> None:
    """Writes records; a number or key that is taken is an error of the database."""
    connection.execute(
        event.insert(),
        [
            {
                "auction": row.record.envelope["auction"],
                "seq": row.record.seq,
                "at": row.record.at,
                "kind": row.record.kind,
                "envelope": canonical(row.record.envelope),
                "body": canonical(row.record.body),
                "hash": row.record.hash,
                "actor": row.actor,
                "request": row.request,
            }
            for row in rows
        ],
    )


def read(connection: Connection, auction: str, after: int = -1) -> list[Record]:
    """The records of an auction, first to last."""
    rows = connection.execute(
        sa.select(event.c.envelope, event.c.hash, event.c.body)
        .where(event.c.auction == auction, event.c.seq > after)
        .order_by(event.c.seq)
    )
    return [Record(json.loads(envelope), hash_, json.loads(body)) for envelope, hash_, body in rows]


def read_one(connection: Connection, hash_: str) -> Record | None:
    """The record with a hash."""
    row = connection.execute(
        sa.select(event.c.envelope, event.c.hash, event.c.body).where(event.c.hash == hash_)
    ).first()
    return Record(json.loads(row[0]), row[1], json.loads(row[2])) if row else None


def is_there(connection: Connection, auction: str, digits: str) -> bool:
    """Whether an auction has a record whose hash begins with some digits."""
    found = connection.execute(
        sa.select(event.c.seq)
        .where(event.c.auction == auction, event.c.hash.startswith(digits, autoescape=True))
        .limit(1)
    )
    return found.first() is not None


def last_kinds(connection: Connection) -> dict[str, str]:
    """Every auction with the kind of its last record, in the order of creation."""
    last = (
        sa.select(event.c.auction, sa.func.max(event.c.seq).label("seq"))
        .group_by(event.c.auction)
        .subquery()
    )
    first = event.alias("first")
    rows = connection.execute(
        sa.select(event.c.auction, event.c.kind)
        .join(last, (last.c.auction == event.c.auction) & (last.c.seq == event.c.seq))
        .join(first, (first.c.auction == event.c.auction) & (first.c.seq == 0))
        .order_by(first.c.at, event.c.auction)
    )
    return {row.auction: row.kind for row in rows}


def created_by(connection: Connection, actor: str, request: str) -> Record | None:
    """The first record of an auction that somebody created with a key."""
    row = connection.execute(
        sa.select(event.c.envelope, event.c.hash, event.c.body).where(
            event.c.kind == "created", event.c.actor == actor, event.c.request == request
        )
    ).first()
    return Record(json.loads(row[0]), row[1], json.loads(row[2])) if row else None


def to_entry(record: Record) -> Entry:
    """A record as what happened."""
    body: dict[str, Any] = record.body or {}
    return Entry(
        from_body(record.kind, body),
        record.seq,
        from_text(record.at),
        record.hash,
        record.seal,
        body["actor"],
    )


def opener(records: Sequence[Record], viewer: Viewer, state: LiveState) -> Callable[[Record], bool]:
    """Whether a viewer may open a record's body."""
    entries = {record.hash: to_entry(record) for record in records}
    opened = max(
        (e.event.round for e in entries.values() if isinstance(e.event, RoundOpened)), default=-1
    )
    return lambda record: may_open(entries[record.hash].event, viewer, state, opened)
