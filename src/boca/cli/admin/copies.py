"""Backups, exports, and copies on other machines."""

import shlex
from pathlib import Path
from typing import Literal

import typer

from boca.cli.admin.shared import DATA, DB, check_folder, check_text
from boca.core.errors import InputError
from boca.core.files import read_text
from boca.live.ledger import SigningKey
from boca.live.upkeep.backup import KEY, write_backup
from boca.live.upkeep.copies import CopiedAuction
from boca.live.upkeep.export import export as write_export
from boca.live.upkeep.pull import OffMachineCopy, Source
from boca.live.upkeep.pull import pull as follow
from boca.live.upkeep.restore import restore as make_folder


def backup(
    data: Path = DATA,
    file: Path = typer.Argument(..., help="The new file; it holds secrets, keep it so."),
    db: str | None = DB,
) -> None:
    """Write database and key into one file while the server runs, and check every log in it."""
    check_folder(data, db)
    copy = write_backup(data, db, file)
    show(copy.auctions)
    typer.echo(f"Backup of {copy.made_at} in {file}. It holds the private key; guard it.")


def restore(
    file: Path = typer.Argument(..., help="A backup, or the full log of one auction."),
    data: Path = typer.Argument(..., help="The new folder; must be missing or empty."),
    key: Path | None = typer.Option(
        None, help="File receipts.key, needed with a log; a backup has its own."
    ),
    db: str | None = DB,
) -> None:
    """Make a new data folder; open rounds come up paused. Stop the old server first."""
    show(make_folder(file, data, db, key))
    command = ["boca", "serve", str(data), *(["--db", db] if db else [])]
    typer.echo(f"Restored to {data}. Start the server with: {shlex.join(command)}")


def export(
    data: Path = DATA,
    auction: str = typer.Argument(..., help="Id of the auction."),
    file: Path = typer.Argument(..., help="The file; JSON lines."),
    cut: str = typer.Option("full", help="full, or public: what the rules open to everybody."),
    db: str | None = DB,
) -> None:
    """Write the log of one auction, to be checked with boca verify."""
    cuts: dict[str, Literal["full", "public"]] = {"full": "full", "public": "public"}
    if cut not in cuts:
        raise InputError(f"The cut is '{cut}'; expected full or public.")
    check_text(auction, "The auction")
    check_folder(data, db)
    show((write_export(data, db, auction, file, cuts[cut]),))


def pull(
    url: str = typer.Argument(..., help="Of the server."),
    file: Path = typer.Argument(..., help="The copy; goes on where it was cut off."),
    auction: str = typer.Option(..., help="Id of the auction."),
    token_file: Path = typer.Option(..., help="File with an auditor's token."),
    key: str = typer.Option("", help="Public key of the receipts, if you were told it."),
    every: float = typer.Option(5.0, help="Seconds between looks.", min=0.1),
    once: bool = typer.Option(False, "--once", help="Do not wait for what is still to come."),
) -> None:
    """Follow the full log of an auction from another machine, and check it line by line."""
    token = read_text(token_file, "token").strip()
    copy = OffMachineCopy(file, key.strip().lower())
    source = Source(url.rstrip("/"), auction, token)
    follow(source, copy, None if once else every, typer.echo)
    typer.echo(f"{copy.num_records} records, head {copy.head}, in {file}.")


def key(data: Path = DATA) -> None:
    """Print the public key of the receipts; bidders and auditors may note it."""
    typer.echo(SigningKey.read(data / KEY).public)


def show(auctions: tuple[CopiedAuction, ...]) -> None:
    """One line per auction, to be compared with another copy's."""
    for copy in auctions:
        typer.echo(f"{copy.auction}  {copy.num_records} records hold, head {copy.head}")
