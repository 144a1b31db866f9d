"""Links for whoever has the data folder, and a look at who may enter."""

import base64
import secrets
from pathlib import Path
from typing import cast

import typer

from boca.cli.admin.shared import DATA, DB, check_folder, check_text, show_table
from boca.core.errors import InputError
from boca.live.clock import SystemClock, to_text
from boca.live.ledger import Record
from boca.live.people import INVITATION
from boca.live.store.access import (
    AccessRow,
    Role,
    add,
    everything,
    get,
    is_valid,
    leave_note,
    mark,
)
from boca.live.store.database import Database
from boca.live.store.events import read

ROLES = ("auctioneer", "auditor", "bidder")


def link(
    data: Path = DATA,
    role: str = typer.Option("auctioneer", help="auctioneer, auditor or bidder."),
    auction: str | None = typer.Option(
        None, help="Of an auditor, a bidder's person, or an auctioneer of it alone."
    ),
    bidder: str = typer.Option("", help="Name of the bidder that a person acts for."),
    person: str = typer.Option("", help="Name of the person; the role unless given."),
    url: str = typer.Option("http://localhost:8080", help="Where people reach the server."),
    db: str | None = DB,
) -> None:
    """Print a new one-time link."""
    if role not in ROLES:
        raise InputError(f"The role is '{role}'; expected auctioneer, auditor or bidder.")
    if role != "auctioneer" and auction is None:
        raise InputError(
            "Auditors and bidders belong to one auction: give --auction with --role auditor or "
            "--role bidder. An auctioneer with --auction runs that one alone."
        )
    if (role == "bidder") != bool(bidder) or (role == "bidder" and not person.strip()):
        raise InputError(
            "A person acts for one bidder: give --bidder and --person with --role bidder, and "
            "--bidder only then."
        )
    check_text(bidder, "The bidder")
    check_text(person, "The person")
    check_text(auction or "", "The auction")
    check_folder(data, db)
    token = issue(data, db, cast(Role, role), auction, person, bidder)
    typer.echo(f"{url.rstrip('/')}/enter/{token}")


def issue(
    data: Path,
    db: str | None,
    role: Role,
    auction: str | None,
    person: str,
    bidder: str = "",
) -> str:
    """
    Stores a new link and returns its secret; the server may run at the same time.

    The server notes the link in the auction's log before it lets anybody in by it.
    """
    now = SystemClock().now()
    token = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    database = Database(data, db, exclusive=False)
    try:
        with database.begin() as connection:
            records = read(connection, auction) if auction is not None else []
            if auction is not None and not records:
                raise InputError(f"There is no auction '{auction}' in '{data}'. Check its id.")
            row = AccessRow(
                secrets.token_hex(8),
                "invite",
                role,
                auction,
                bidder_number(records, bidder) if bidder else None,
                person.strip() or role,
                to_text(now),
                to_text(now + INVITATION),
            )
            add(connection, row, token)
    finally:
        database.close()
    return token


def bidder_number(records: list[Record], name: str) -> int:
    """The row of a bidder, by its name in the auction's configuration."""
    bodies = [record.body or {} for record in records if record.kind == "configured"]
    market = bodies[-1]["market"]
    names = [bidder["name"] for bidder in market["bidders"]]
    if name not in names:
        raise InputError(
            f"There is no bidder '{name}' in this auction; expected one of {', '.join(names)}."
        )
    return names.index(name)


def sessions(
    data: Path = DATA,
    everyone: bool = typer.Option(False, "--all", help="Also what was used up, revoked or ended."),
    db: str | None = DB,
) -> None:
    """List links, sessions and tokens; secrets are not stored, so none are shown."""
    check_folder(data, db)
    now = SystemClock().now()
    database = Database(data, db, exclusive=False)
    try:
        with database.connect() as connection:
            rows = everything(connection)
    finally:
        database.close()
    lines = [("id", "kind", "role", "person", "auction", "since", "last used", "state")]
    for row in rows:
        state = state_of(row, is_valid(row, now, None))
        if everyone or state == "valid":
            lines.append(
                (
                    row.id,
                    "link" if row.kind == "invite" else row.kind,
                    row.role if row.bidder is None else f"bidder {row.bidder + 1}",
                    row.person,
                    row.auction or "-",
                    row.created_at[:19],
                    (row.last_seen_at or "-")[:19],
                    state,
                )
            )
    show_table(lines)


def state_of(row: AccessRow, is_usable: bool) -> str:
    """Whether something still opens a door, in a word."""
    if row.revoked_at is not None:
        return "revoked"
    if row.kind == "invite" and row.used_at is not None:
        return "used"
    return "valid" if is_usable else "ended"


def revoke(
    data: Path = DATA,
    id_: str = typer.Argument(..., metavar="ID", help="Of boca admin sessions."),
    db: str | None = DB,
) -> None:
    """
    Revoke a link, session or token; it opens nothing from the next request on.

    If it belongs to an auction, the server notes it in the auction's log, at its next start if it
    does not run.
    """
    check_text(id_, "The ID")
    check_folder(data, db)
    database = Database(data, db, exclusive=False)
    try:
        with database.begin() as connection:
            row = get(connection, id_)
            if row is None:
                raise InputError(
                    f"There is no link, session or token '{id_}'. List them with: boca admin "
                    f"sessions {data}"
                )
            if row.revoked_at is None:
                mark(connection, id_, "revoked_at", SystemClock().now())
                if row.auction is not None:
                    leave_note(connection, id_)
    finally:
        database.close()
    typer.echo(f"Revoked {row.kind} {row.id} of {row.person}.")
