"""A table whose rows are values of one class, for the screen and for documents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True)
class RowTable(Generic[Row]):
    """
    How rows of a class are shown.

    Parameters
    ----------
    title
        What the table is, in a few words.
    columns
        Headings.
    cells
        One row as text, an entry per column.
    caption
        How to read a table of some rows.
    """

    title: str
    columns: tuple[str, ...]
    cells: Callable[[Row], list[str]]
    caption: Callable[[Sequence[Row]], str]

    def markdown(self, rows: Sequence[Row]) -> str:
        """The table for a document."""
        rule = "|---" * len(self.columns) + "|"
        lines = [self.caption(rows), "", "| " + " | ".join(self.columns) + " |", rule]
        lines += ["| " + " | ".join(self.cells(row)) + " |" for row in rows]
        return "\n".join(lines) + "\n"
