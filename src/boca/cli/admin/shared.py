"""What all commands of ``boca admin`` have in common."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from boca.core.errors import InputError

DATA: Any = typer.Argument(..., help="Folder of the auctions.")
DB: Any = typer.Option(None, "--db", help="PostgreSQL instead of SQLite, as for boca serve.")


def check_text(text: str, what: str) -> str:
    """The text itself; an InputError if it has bytes that are no letters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} is {text!a}; expected text in UTF-8.") from None
    return text


def check_folder(data: Path, db: str | None) -> None:
    """Raises an InputError unless a server has used the folder; admin never makes one."""
    from boca.live.store.database import kept_elsewhere

    if db is None and (elsewhere := kept_elsewhere(data)):
        raise InputError(elsewhere)
    name = "auctions.db" if db is None else "receipts.key"
    if not (data / name).exists():
        raise InputError(f"There are no auctions in '{data}'. Check the folder.")


def show_table(lines: Sequence[tuple[str, ...]]) -> None:
    """Prints lines of cells, the first one the headings, in columns."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())
