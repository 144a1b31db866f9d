"""The table of links, sessions, tokens and passkeys; only hashes of secrets are kept."""

import hashlib
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.clock import to_text
from boca.live.store.tables import access, meta

# Begins the names of notes about what was revoked on the command line, for the server to find.
UNNOTED = "revoked:"

Kind = Literal["invite", "session", "api", "passkey"]
Role = Literal["auctioneer", "bidder", "auditor"]


@dataclass(frozen=True)
class AccessRow:
    """
    One link, session or token, without its secret.

    Parameters
    ----------
    id
        Its name in lists and in the log.
    kind, role
        What it is, and what its owner may do.
    auction, bidder, person
        For which auction and bidder, and whom; None for a server-wide role.
    created_at, expires_at, used_at, last_seen_at, revoked_at
        Times as text.
    """

    id: str
    kind: Kind
    role: Role
    auction: str | None
    bidder: int | None
    person: str
    created_at: str
    expires_at: str
    used_at: str | None = None
    last_seen_at: str | None = None
    revoked_at: str | None = None


COLUMNS = [access.c[f.name] for f in fields(AccessRow)]


def token_hash(token: str) -> str:
    """What is stored of a secret; 256 random bits need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def add(connection: Connection, row: AccessRow, token: str) -> None:
    """Stores a new link, session or token."""
    values = {f.name: getattr(row, f.name) for f in fields(row)}
    connection.execute(access.insert().values(**values, token_hash=token_hash(token)))


def find(connection: Connection, token: str, kind: Kind) -> AccessRow | None:
    """The row of a secret, whether or not it is still valid."""
    row = connection.execute(
        sa.select(*COLUMNS).where(access.c.token_hash == token_hash(token), access.c.kind == kind)
    ).first()
    return AccessRow(*row) if row else None


def get(connection: Connection, id_: str) -> AccessRow | None:
    """The row of an id."""
    row = connection.execute(sa.select(*COLUMNS).where(access.c.id == id_)).first()
    return AccessRow(*row) if row else None


def of_person(
    connection: Connection, role: str, auction: str | None, bidder: int | None, person: str
) -> list[AccessRow]:
    """Everything that belongs to one person, latest first."""
    rows = connection.execute(
        sa.select(*COLUMNS)
        .where(
            access.c.role == role,
            access.c.auction.is_not_distinct_from(auction),
            access.c.bidder.is_not_distinct_from(bidder),
            access.c.person == person,
        )
        .order_by(access.c.created_at.desc(), access.c.id)
    )
    return [AccessRow(*row) for row in rows]


def of_auction(connection: Connection, auction: str) -> list[AccessRow]:
    """All links, sessions and tokens of an auction."""
    rows = connection.execute(
        sa.select(*COLUMNS)
        .where(access.c.auction == auction)
        .order_by(access.c.created_at, access.c.id)
    )
    return [AccessRow(*row) for row in rows]


def everything(connection: Connection) -> list[AccessRow]:
    """All links, sessions and tokens of the server."""
    rows = connection.execute(sa.select(*COLUMNS).order_by(access.c.created_at, access.c.id))
    return [AccessRow(*row) for row in rows]


def mark(connection: Connection, id_: str, column: str, at: datetime) -> None:
    """Notes when something was used, seen or revoked."""
    connection.execute(access.update().where(access.c.id == id_).values({column: to_text(at)}))


def leave_note(connection: Connection, id_: str) -> None:
    """Leaves a note for the server: what was revoked beside it is not in any log yet."""
    connection.execute(meta.insert().values(name=UNNOTED + id_, value=""))


def take_note(connection: Connection, id_: str) -> None:
    """Takes the note away, once the log has it."""
    connection.execute(meta.delete().where(meta.c.name == UNNOTED + id_))


def unnoted(connection: Connection) -> list[AccessRow]:
    """What was revoked beside the server and is not in any log yet."""
    rows = connection.execute(
        sa.select(*COLUMNS)
        .join(meta, meta.c.name == UNNOTED + access.c.id)
        .order_by(access.c.revoked_at, access.c.id)
    )
    return [AccessRow(*row) for row in rows]


def renew(connection: Connection, id_: str, token: str) -> bool:
    """Gives an unused link another secret; False if it is used up, revoked or not there."""
    changed = connection.execute(
        access.update()
        .where(
            access.c.id == id_,
            access.c.kind == "invite",
            access.c.used_at.is_(None),
            access.c.revoked_at.is_(None),
        )
        .values(token_hash=token_hash(token))
    )
    return bool(changed.rowcount)


def revoke_bidder(connection: Connection, auction: str, bidder: int | None, at: datetime) -> None:
    """Revokes every link, session and token of a bidder."""
    connection.execute(
        access.update()
        .where(
            access.c.auction == auction,
            access.c.bidder == bidder,
            access.c.revoked_at.is_(None),
        )
        .values(revoked_at=to_text(at))
    )


def is_valid(row: AccessRow, now: datetime, idle: timedelta | None) -> bool:
    """
    Whether a link, session or token works now.

    Parameters
    ----------
    row
        The row.
    now
        The server's time.
    idle
        How long it may go unused; None for any time.
    """
    if row.revoked_at is not None or row.expires_at < to_text(now):
        return False
    seen = row.last_seen_at or row.created_at
    return idle is None or seen >= to_text(now - idle)
