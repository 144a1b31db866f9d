"""Rows of a sheet with two named columns and one column per good, and all mistakes at once."""

from collections.abc import Iterator, Sequence
from typing import Any

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened
from boca.markets.found import as_count, as_value, number_in
from boca.markets.sheet_table import SheetCell, SheetTable

MOST_MISTAKES = 20


def is_row(cells: Sequence[SheetCell]) -> bool:
    """Whether a row is neither blank nor a comment."""
    first = cells[0].text if cells else ""
    return not first.startswith("#") and not all(cell.is_empty for cell in cells)


class SheetRows:
    """
    The rows of a table, read one after another; mistakes are noted and raised together.

    Parameters
    ----------
    table
        The cells.
    source
        Name of the file, for messages.
    who, what
        Headings of the columns that say who and at which amount, such as supplier and cost.
    """

    def __init__(self, table: SheetTable, source: str, who: str, what: str):
        self.source, self.who, self.what = source, who, what
        self.mark = table.mark
        self.rows = [(n, row) for n, row in enumerate(table.rows, start=1) if is_row(row)]
        self.columns: list[int] = []
        self.who_column = self.what_column = 0
        self._mistakes: list[str] = []
        if not self.rows:
            raise InputError(
                f"{source} is empty; expected a row '{who}, {what}, ...' and rows below it."
            )

    def read_header(self, kind: str, known: Sequence[str] | None = None) -> list[str]:
        """
        The names of the other columns.

        Parameters
        ----------
        kind
            What these columns are, in the plural.
        known
            Names that they must have; None for any.
        """
        number, cells = self.rows[0]
        names = [cell.text for cell in cells]
        lower = [name.lower() for name in names]
        for word in (self.who, self.what):
            if lower.count(word) != 1:
                other = {"cost": "value", "value": "cost"}.get(word, "")
                hint = ""
                if other in lower:
                    verb = "selling: boca wdp reads that" if other == "value" else "buying"
                    hint = f" A column '{other}' is for {verb}."
                raise InputError(
                    f"{self.source}, row {number}: found the columns "
                    f"'{shortened(', '.join(names))}'; expected '{self.who}', '{self.what}' and "
                    f"one column for every one of the {kind}.{hint}"
                )
        self.who_column, self.what_column = lower.index(self.who), lower.index(self.what)
        both = (self.who_column, self.what_column)
        self.columns = [k for k in range(len(names)) if k not in both]
        others = [names[k] for k in self.columns]
        for name in others:
            if not name or others.count(name) > 1:
                self.note(
                    f"row {number}: expected the name of each of the {kind} once, got '{name}'"
                )
            elif known is not None and name not in known:
                self.note(
                    f"row {number}: found the column '{shortened(name)}'; "
                    f"{did_you_mean(name, known)}"
                )
        if not others:
            self.note(f"row {number}: expected one column for every one of the {kind}")
        self.raise_mistakes()
        return others

    def body(self) -> Iterator[tuple[int, str, SheetCell, list[SheetCell]]]:
        """Number, who, amount and other cells of every row below the header."""
        width = 2 + len(self.columns)
        for number, cells in self.rows[1:]:
            if len(cells) > width:
                self.note(
                    f"row {number}: found {len(cells)} cells; expected {width}, as in the header"
                )
                continue
            row = [*cells, *[SheetCell()] * (width - len(cells))]
            others = [row[k] for k in self.columns]
            yield number, row[self.who_column].text, row[self.what_column], others

    def count(self, number: int, column: str, cell: SheetCell, least: int = 0) -> int:
        """A whole number, 0 where the cell is empty."""
        return int(self._number(number, column, cell, True, least))

    def amount(self, number: int, column: str, cell: SheetCell) -> float:
        """An amount of money, 0 where the cell is empty."""
        return self._number(number, column, cell, False, 0)

    def _number(
        self, number: int, column: str, cell: SheetCell, is_whole: bool, least: int
    ) -> float:
        if cell.is_empty:
            return 0.0
        place = f"row {number}, column '{shortened(column)}'"
        if cell.is_formula:
            self.note(f"{place}: found a formula without a value; type the number")
            return 0.0
        found: Any = cell.number
        if found is None:
            text = cell.text.replace(" ", "")
            found = number_in(text.replace(",", ".") if self.mark == "," else text)
            if isinstance(found, str):
                found = cell.text  # as it was typed, for the message
        try:
            return float(as_count(found, "", "", least)) if is_whole else as_value(found, "", "")
        except InputError as error:
            self.note(f"{place}{str(error).rstrip('.')}")
            return 0.0

    @property
    def num_mistakes(self) -> int:
        """How many mistakes were noted so far."""
        return len(self._mistakes)

    def note(self, mistake: str) -> None:
        """Keeps a mistake, with its place, for later."""
        self._mistakes.append(mistake)

    def raise_mistakes(self) -> None:
        """Raises all mistakes in one InputError, if there are any."""
        if not self._mistakes:
            return
        some = self._mistakes[:MOST_MISTAKES]
        more = len(self._mistakes) - len(some)
        lines = [f"  {text}" for text in some] + ([f"  and {more} more"] if more else [])
        raise InputError(f"{self.source} cannot be used:\n" + "\n".join(lines))
