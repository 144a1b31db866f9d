"""Workbooks to read: sheets with bold headings, readable widths and texts that are no formulas."""

import io
from collections.abc import Sequence
from typing import Any

from boca.core.csv_text import harmless

WIDEST, NARROWEST = 60, 8


def new_book() -> Any:
    """A workbook without sheets."""
    from openpyxl import Workbook  # slow to load, and few people download

    book = Workbook()
    book.remove(book.active)
    book.properties.creator = "boca"
    return book


def add_sheet(
    book: Any,
    title: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    decimals: int = 0,
    freeze: str = "A2",
) -> None:
    """
    Adds a sheet.

    Parameters
    ----------
    book
        Where it goes.
    title, head, rows
        Its name, and its cells.
    decimals
        Digits after the mark of numbers that are not whole by kind.
    freeze
        The first cell that moves when somebody scrolls.
    """
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title_of(title))

    def written(cell: object) -> object:
        """What stands in a cell; control characters, which no workbook can hold, are replaced."""
        return (
            harmless(ILLEGAL_CHARACTERS_RE.sub("\ufffd", cell)) if isinstance(cell, str) else cell
        )

    for row in [head, *rows]:
        sheet.append([written(cell) for cell in row])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    wrap = Alignment(vertical="top", wrap_text=True)
    number_format = "#,##0" + ("." + "0" * decimals if decimals else "")
    for number in range(1, sheet.max_column + 1):
        cells = [sheet.cell(k, number) for k in range(1, sheet.max_row + 1)]
        width = max(len(str(cell.value or "")) for cell in cells) + 2
        width = max(min(width, WIDEST), NARROWEST)
        sheet.column_dimensions[get_column_letter(number)].width = width
        for cell in cells:
            cell.alignment = wrap
            if isinstance(cell.value, float):
                cell.number_format = number_format
    sheet.freeze_panes = freeze


def title_of(title: str) -> str:
    """A title that a sheet may have: short, without what spreadsheets reserve."""
    return "".join(c for c in title if c not in "[]:*?/\\")[:31]


def to_bytes(book: Any) -> bytes:
    """The workbook as a file."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
