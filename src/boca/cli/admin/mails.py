"""What was sent to whom and how it ended, for whoever has the data folder."""

from pathlib import Path

import typer

from boca.cli.admin.shared import DATA, DB, check_folder, check_text, show_table
from boca.live.store import mails as mail_table
from boca.live.store.database import Database


def mails(
    data: Path = DATA,
    auction: str | None = typer.Option(None, help="Only those of one auction."),
    most: int = typer.Option(100, help="How many, the latest first.", min=1),
    db: str | None = DB,
) -> None:
    """List mails that were sent or wait; texts are not kept, so none are shown."""
    check_text(auction or "", "The auction")
    check_folder(data, db)
    database = Database(data, db, exclusive=False)
    try:
        with database.connect() as connection:
            rows = mail_table.read(connection, auction, most)
    finally:
        database.close()
    lines = [("when", "auction", "what", "person", "address", "state", "attempts", "problem")]
    for row in rows:
        lines.append(
            (
                (row.ended_at or row.made_at)[:19],
                row.auction,
                row.kind,
                row.who.partition("/")[2],
                row.address or "-",
                row.state,
                str(row.attempts),
                row.problem or "-",
            )
        )
    show_table(lines)
