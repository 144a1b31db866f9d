"""Sheets as people fill them in, and as nobody should."""

import csv
import io
import zipfile
from collections.abc import Callable

from openpyxl import load_workbook


def csv_table(content: bytes, delimiter: str = ",") -> list[list[str]]:
    """The cells of a downloaded CSV file."""
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=delimiter))


def csv_bytes(rows: list[list[str]], delimiter: str = ",") -> bytes:
    """A CSV file of some cells."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode()


def edit_xlsx(content: bytes, change: Callable[[object, dict[str, int]], None]) -> bytes:
    """
    A downloaded XLSX file after somebody worked on it.

    Parameters
    ----------
    content
        The file.
    change
        Called with the sheet of answers and the number of each column by its heading.
    """
    book = load_workbook(io.BytesIO(content))
    sheet = book["answers"]
    change(sheet, {cell.value: cell.column for cell in sheet[1]})
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def replace_part(content: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The archive with one part changed."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.infolist():
            text = old.read(part)
            new.writestr(part.filename, change(text) if part.filename == name else text)
    return file.getvalue()


def with_stored_value(content: bytes, formula: str, value: str) -> bytes:
    """The archive with a computed value beside a formula, as spreadsheets save it."""
    before = f"<f>{formula}</f><v></v>".encode()
    short = f"<f>{formula}</f><v />".encode()
    after = f"<f>{formula}</f><v>{value}</v>".encode()

    def change(text: bytes) -> bytes:
        changed = text.replace(before, after).replace(short, after)
        assert changed != text, text
        return changed

    return replace_part(content, "xl/worksheets/sheet1.xml", change)


def bomb(declared: int | None = None) -> bytes:
    """
    An archive of 30 kB that unpacks to 30 MB.

    Parameters
    ----------
    declared
        The size that the archive claims for its part; the true one unless given.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 30_000_000)
    content = file.getvalue()
    if declared is not None:
        true, lie = ((n).to_bytes(4, "little") for n in (30_000_000, declared))
        content = content.replace(true, lie)
    return content
