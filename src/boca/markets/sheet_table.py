"""The cells of a file that somebody filled in, CSV or XLSX, before anybody asks what they mean."""

import csv
import io
import math
import warnings
from dataclasses import dataclass
from typing import Any

from boca.core.csv_text import unquoted
from boca.core.errors import InputError, MissingExtra
from boca.markets.sheet_archive import DAMAGE, MOST_UNPACKED, check_archive

# What an upload to a server may hold.
MOST_ROWS = 5_000
MOST_COLUMNS = 300
SHEET = "answers"
ZIP_START = b"PK"


@dataclass(frozen=True)
class SheetCell:
    """
    One cell.

    Parameters
    ----------
    text
        What a person sees, without spaces around it.
    number
        Its number, if it holds one; a CSV file holds texts only.
    is_formula
        Whether it is a formula that was never computed.
    """

    text: str = ""
    number: float | None = None
    is_formula: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.is_formula


@dataclass(frozen=True)
class SheetTable:
    """
    A file's cells.

    Parameters
    ----------
    rows
        First to last; the first has the headings.
    mark
        The decimal mark that goes with a CSV file's separator; None for XLSX.
    """

    rows: tuple[tuple[SheetCell, ...], ...]
    mark: str | None = None


def read_table(
    content: bytes,
    most_rows: int = MOST_ROWS,
    most_columns: int = MOST_COLUMNS,
    most_unpacked: int = MOST_UNPACKED,
) -> SheetTable:
    """
    The cells of a file, whatever its name says; an InputError if it is neither CSV nor XLSX.

    Parameters
    ----------
    content
        The file.
    most_rows, most_columns
        A larger sheet is refused.
    most_unpacked
        Bytes that an XLSX file may unpack to.
    """
    limits = most_rows, most_columns
    if content.startswith(ZIP_START):
        check_archive(content, most_unpacked)
        return _read_xlsx(content, limits)
    return _read_csv(content, limits)


def _read_csv(content: bytes, limits: tuple[int, int]) -> SheetTable:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(
            "The file is neither XLSX nor CSV in UTF-8. Save the sheet as XLSX, or as CSV with the "
            "character set UTF-8."
        )
    first = text.split("\n", 1)[0]
    separator = ";" if first.count(";") > first.count(",") else ","
    rows: list[tuple[SheetCell, ...]] = []
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
            rows.append(tuple(_csv_cell(cell) for cell in cells))
            _check_size(rows, limits)
    except csv.Error as error:
        raise InputError(
            f"The file is not a CSV file: {error}. Save the sheet as CSV again."
        ) from None
    return SheetTable(tuple(rows), "," if separator == ";" else ".")


def _csv_cell(text: str) -> SheetCell:
    tidy = text.strip()
    plain = unquoted(tidy)
    if plain != tidy:
        return SheetCell(plain)
    # What begins with "=" was meant as a formula; a CSV file has no values for them.
    return SheetCell(tidy, is_formula=tidy.startswith("="))


def _read_xlsx(content: bytes, limits: tuple[int, int]) -> SheetTable:
    try:
        from openpyxl import load_workbook  # slow to load, and few people need it
    except ImportError:
        raise MissingExtra("openpyxl", "sheets", "Reading an XLSX file") from None

    try:
        with warnings.catch_warnings():
            # What openpyxl does not know of a file (styles, extensions) does not matter here.
            warnings.simplefilter("ignore")
            formulas = _sheet_of(load_workbook(io.BytesIO(content), read_only=True))
            values = _sheet_of(load_workbook(io.BytesIO(content), read_only=True, data_only=True))
            merged = _merged(_cells_of(formulas, limits), _cells_of(values, limits), limits)
            return SheetTable(merged)
    except InputError:
        raise
    except (*DAMAGE, LookupError, TypeError, AttributeError, SyntaxError, ArithmeticError) as error:
        # A file that is not a workbook fails somewhere inside openpyxl, in any of these ways; bad
        # XML is a SyntaxError.
        raise InputError(
            f"The file cannot be read as XLSX ({type(error).__name__}). Save the sheet again as "
            "XLSX."
        ) from None


def _sheet_of(book: Any) -> Any:
    """The sheet with the answers, or the only one."""
    names = book.sheetnames
    if SHEET in names:
        return book[SHEET]
    if len(names) != 1:
        shown = ", ".join(f"'{name}'" for name in names[:5]) or "none"
        raise InputError(f"The file has the sheets {shown}; expected the sheet '{SHEET}'.")
    return book[names[0]]


def _cells_of(sheet: Any, limits: tuple[int, int]) -> list[list[Any]]:
    """Plain values of the cells; one row and column beyond the limits, to notice them."""
    last_row, last_column = limits[0] + 1, limits[1] + 1
    rows = sheet.iter_rows(
        max_row=last_row, max_col=last_column, min_row=1, min_col=1, values_only=True
    )
    cells = [_trimmed(row) for row in rows]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _trimmed(row: tuple[Any, ...]) -> list[Any]:
    """A row without the empty cells at its end."""
    values = list(row)
    while values and values[-1] is None:
        values.pop()
    return values


def _merged(
    formulas: list[list[Any]], values: list[list[Any]], limits: tuple[int, int]
) -> tuple[tuple[SheetCell, ...], ...]:
    """Cells with their computed values, where formulas have them."""
    rows: list[tuple[SheetCell, ...]] = []
    for number, row in enumerate(formulas):
        computed = values[number] if number < len(values) else []
        rows.append(
            tuple(
                _xlsx_cell(raw, computed[k] if k < len(computed) else None)
                for k, raw in enumerate(row)
            )
        )
        _check_size(rows, limits)
    return tuple(rows)


def _xlsx_cell(raw: Any, value: Any) -> SheetCell:
    """One cell from its raw content and its computed value."""
    if raw is not None and value is None:
        return SheetCell(str(raw)[:80], is_formula=True)
    if isinstance(value, bool) or value is None:
        return SheetCell("" if value is None else str(value).lower())
    if isinstance(value, int | float) and math.isfinite(value):
        return SheetCell(f"{value:.15g}", float(value))
    return SheetCell(str(value).strip())


def _check_size(rows: list[tuple[SheetCell, ...]], limits: tuple[int, int]) -> None:
    most_rows, most_columns = limits
    if len(rows) > most_rows or len(rows[-1]) > most_columns:
        raise InputError(
            f"The file has more than {most_rows} rows or {most_columns} columns. Fill in the sheet "
            "as you got it."
        )
