"""Tables as CSV that people open in spreadsheets, which must not take a text for a formula."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

# What keeps a text from being a formula.
QUOTE = "'"
# Where spreadsheets see the beginning of a formula: at the start of a cell, and after anything that
# somebody's spreadsheet may take for the end of one.
START = r"(^|[,;\t\r\n])(\s*)"
FORMULA = re.compile(rf"{START}(?=[=+\-@])")
QUOTED = re.compile(rf"{START}{QUOTE}(?=[=+\-@])")
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula: a quote goes before what might begin one."""
    return FORMULA.sub(rf"\1\2{QUOTE}", text)


def unquoted(text: str) -> str:
    """The text that :func:`harmless` made a cell of."""
    return QUOTED.sub(r"\1\2", text)


def csv_text(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    separator: str = ",",
    end: str = "\r\n",
) -> str:
    """
    A table whose texts are harmless; numbers stay numbers, also where they are written already.

    Parameters
    ----------
    header, rows
        Its cells.
    separator, end
        What stands between two cells, and after each row.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=end)
    for row in [header, *rows]:
        writer.writerow([_cell(cell) for cell in row])
    return text.getvalue()


def _cell(cell: object) -> object:
    is_text = isinstance(cell, str) and not NUMBER.fullmatch(cell)
    return harmless(str(cell)) if is_text else cell
