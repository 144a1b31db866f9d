"""``boca admin``: what the owner of a data folder can do, also while the server runs."""

import base64
import secrets
from pathlib import Path
from typing import Literal

import typer

from boca.core.errors import InputError, MissingExtra

ROLES = ("auctioneer", "auditor")


def register(app: typer.Typer) -> None:
    """Adds the commands to the command line."""
    commands = typer.Typer(no_args_is_help=True, help="Links for the people who run auctions.")
    # With one command only, typer would otherwise leave out its name.
    commands.callback()(lambda: None)
    commands.command("link")(link)
    app.add_typer(commands, name="admin")


def link(
    data: Path = typer.Argument(..., help="Folder of the auctions."),
    role: str = typer.Option("auctioneer", help="auctioneer or auditor."),
    auction: str | None = typer.Option(None, help="Which auction an auditor may see."),
    person: str = typer.Option("", help="Name of the person; the role unless given."),
    url: str = typer.Option("http://localhost:8080", help="Where people reach the server."),
    db: str | None = typer.Option(None, help="PostgreSQL instead of SQLite, as for boca serve."),
) -> None:
    """Print a new one-time link."""
    if role not in ROLES:
        raise InputError(f"The role is '{role}'; expected auctioneer or auditor.")
    if (role == "auditor") != (auction is not None):
        raise InputError(
            "An auditor belongs to one auction: give --auction with --role auditor, and only then."
        )
    if db is None and not (data / "auctions.db").exists():
        raise InputError(f"There are no auctions in '{data}'. Check the folder.")
    token = issue(data, db, "auditor" if role == "auditor" else "auctioneer", auction, person)
    typer.echo(f"{url.rstrip('/')}/enter/{token}")


def issue(
    data: Path,
    db: str | None,
    role: Literal["auctioneer", "auditor"],
    auction: str | None,
    person: str,
) -> str:
    """Stores a new link and returns its secret; the server may run at the same time."""
    try:
        from boca.server.clock import SystemClock, to_text
        from boca.server.people import INVITATION
        from boca.server.store.access import AccessRow, add
        from boca.server.store.database import Database
        from boca.server.store.events import read
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "sqlalchemy", "server", "The server") from None

    now = SystemClock().now()
    token = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    row = AccessRow(
        secrets.token_hex(8),
        "invite",
        role,
        auction,
        None,
        person or role,
        to_text(now),
        to_text(now + INVITATION),
    )
    database = Database(data, db, exclusive=False)
    try:
        with database.begin() as connection:
            if auction is not None and not read(connection, auction):
                raise InputError(f"There is no auction '{auction}' in '{data}'. Check its id.")
            add(connection, row, token)
    finally:
        database.close()
    return token
