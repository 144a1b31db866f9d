"""What all sub-commands share when they show or write a result."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.lab.reports.text_table import TextTable

# Without a terminal rich would cut lines at 80 characters, which spoils logs and pipes.
PIPE_WIDTH = 120
# Columns of numbers with their intervals that a screen has room for.
MOST_COLUMNS = 10


def console() -> Console:
    """Where results go: coloured in a terminal, plain text of a fixed width elsewhere."""
    out = Console(highlight=False, markup=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = PIPE_WIDTH
    return out


def table(title: str, columns: Sequence[str], right: Sequence[str] = ()) -> Table:
    """
    An empty table in the look of the project.

    Parameters
    ----------
    title
        Printed above it.
    columns
        Headers, in order.
    right
        Those of them that hold numbers.
    """
    empty = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    empty.show_edge = False
    for name in columns:
        is_number = name in right
        empty.add_column(
            name,
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
        )
    return empty


def print_text_table(screen: Console, text_table: TextTable) -> None:
    """
    Shows a table of cells with its notes.

    Parameters
    ----------
    screen
        Where it goes.
    text_table
        The table; on its side if it has more columns than a screen has room for.
    """
    if len(text_table.header) > MOST_COLUMNS > len(text_table.rows):
        text_table = text_table.transposed()
    # A header may occur twice, as "published" does, so columns are added by place.
    view = table(text_table.title, ())
    for place, name in enumerate(text_table.header):
        right = place >= text_table.num_words
        view.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in text_table.rows:
        view.add_row(*row)
    screen.print(view)
    for line in text_table.notes:
        screen.print(f"- {line}")


def numbers(values: Sequence[float]) -> list[str]:
    """The numbers of one column as text, all with the same decimals, at least four digits each."""
    largest = max((abs(value) for value in values), default=0.0)
    decimals = 0 if largest >= 10_000 else 1 if largest >= 1_000 else 2 if largest >= 10 else 4
    if all(float(value).is_integer() for value in values):
        decimals = 0
    return [f"{value:,.{decimals}f}" for value in values]


def as_json(data: Any) -> str:
    """JSON for people and programs; floats keep all their digits."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


def check_writable(path: Path, force: bool) -> None:
    """Raises before any work is done if a result could not be written in the end."""
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; name a file in it.")
    if path.exists() and not force:
        raise InputError(
            f"The file '{path}' exists already; choose another name or add --force to replace it."
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder '{path.parent}'; create it first.")
    check_folder(path.parent)


def check_folder(path: Path) -> None:
    """Raises if nothing could be written into a folder that exists or can be made."""
    there = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise InputError(
            f"Cannot write to the folder '{path}': {error.strerror}. Choose another."
        ) from None


def write_text(path: Path, text: str, force: bool) -> None:
    """Writes a file, the whole of it or nothing; an existing one only with ``force``."""
    check_writable(path, force)
    write_atomically(path, text)
