"""The queue of mails, and what became of each."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.clock import to_text
from boca.live.store.tables import mail

MailState = Literal[
    "waiting",
    "sending",  # the text is on its way; what becomes of it is about to be known
    "sent",
    "failed",
    "unsure",  # the connection broke after the text: perhaps it arrived, so it is not repeated
    "late",  # nobody needs it any more
]


@dataclass(frozen=True)
class MailRow:
    """
    One mail, without its text.

    Parameters
    ----------
    auction, event, who
        Together they are unique: nobody is told the same thing twice.
    kind
        Which text it has.
    address, language
        Where it goes, and in which language.
    gaps
        What stands in the text's gaps; never a value or a secret.
    made_at, due_at, until
        When it was made, when it is tried next, and after which time nobody needs it.
    attempts, state, ended_at, problem
        What became of it so far; the problem is a word of ``mail.trouble``, or the mail server's
        own words.
    """

    auction: str
    event: str
    who: str
    kind: str
    address: str
    language: str
    gaps: dict[str, str] = field(default_factory=dict)
    made_at: str = ""
    due_at: str = ""
    until: str = ""
    attempts: int = 0
    state: MailState = "waiting"
    ended_at: str | None = None
    problem: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.auction, self.event, self.who


def _row(found: Any) -> MailRow:
    values = {f.name: getattr(found, f.name) for f in fields(MailRow)}
    return MailRow(**{**values, "gaps": json.loads(found.gaps)})


def add(connection: Connection, rows: Iterable[MailRow]) -> None:
    """Puts mails into the queue, except those that are there."""
    for row in rows:
        if connection.execute(sa.select(mail.c.kind).where(*_is(row.key))).first():
            continue
        values = {f.name: getattr(row, f.name) for f in fields(row)}
        connection.execute(mail.insert().values({**values, "gaps": json.dumps(row.gaps)}))


def keys(connection: Connection) -> set[tuple[str, str, str]]:
    """Everything that was ever put into the queue."""
    found = connection.execute(sa.select(mail.c.auction, mail.c.event, mail.c.who))
    return {(row.auction, row.event, row.who) for row in found}


def due(connection: Connection, now: datetime, most: int) -> list[MailRow]:
    """The oldest mails that wait and whose time has come."""
    found = connection.execute(
        sa.select(mail)
        .where(mail.c.state == "waiting", mail.c.due_at <= to_text(now))
        .order_by(mail.c.due_at, mail.c.made_at)
        .limit(most)
    )
    return [_row(row) for row in found]


def read(connection: Connection, auction: str | None = None, most: int = 1000) -> list[MailRow]:
    """The latest mails first, of one auction or of all."""
    query = sa.select(mail).order_by(mail.c.made_at.desc(), mail.c.who, mail.c.event).limit(most)
    if auction is not None:
        query = query.where(mail.c.auction == auction)
    return [_row(row) for row in connection.execute(query)]


def mark(connection: Connection, key: tuple[str, str, str], **values: object) -> None:
    """Notes what became of a mail."""
    connection.execute(mail.update().where(*_is(key)).values(values))


def settle(connection: Connection, now: datetime) -> int:
    """
    At the start: whatever was on its way when the server ended stays as it is, for good.

    Returns how many there are.
    """
    changed = connection.execute(
        mail.update()
        .where(mail.c.state == "sending")
        .values(state="unsure", ended_at=to_text(now), problem="ended")
    )
    return changed.rowcount


def _is(key: tuple[str, str, str]) -> tuple[Any, ...]:
    auction, event, who = key
    return mail.c.auction == auction, mail.c.event == event, mail.c.who == who
