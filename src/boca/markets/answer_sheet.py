"""
Questions and answers as a table that people fill in: CSV with commas or semicolons, or XLSX.

    bidder,hall,kitchen,value
    Ada,1,0,
    Ben,1,1,12.5

One row per question: who is asked, copies of each good, and the value to fill in. An empty value
leaves the question open; ``decline`` says that the bidder will not value the bundle.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boca.core.csv_text import csv_text
from boca.core.errors import InputError
from boca.core.files import read_bytes
from boca.core.market import Market
from boca.core.query import Query
from boca.core.report import LARGEST_VALUE
from boca.core.wording import did_you_mean, shortened
from boca.markets.sheet_table import read_table

DECLINE = "decline"
MOST_MISTAKES = 20
# Questions to all bidders of a round, and goods; beyond them it is another file.
MOST_ROWS, MOST_COLUMNS = 100_000, 2_000


@dataclass(frozen=True, eq=False)
class Answer:
    """
    One filled-in row.

    Parameters
    ----------
    bidder
        Index of the bidder.
    bundle
        Copies of each good ``(num_goods,)``.
    value
        What the bundle is worth to the bidder, or the least and the most that it is; None to
        decline.
    """

    bidder: int
    bundle: np.ndarray
    value: float | tuple[float, float] | None


def question_sheet(market: Market, queries: Iterable[Query]) -> str:
    """The open questions as CSV, with an empty column for the answers."""
    head = ("bidder", *(good.name for good in market.goods), "value")
    rows = [(market.bidders[query.bidder].name, *query.bundle.tolist(), "") for query in queries]
    return csv_text(head, rows, end="\n")


def read_answers(path: Path | str, market: Market) -> list[Answer]:
    """
    The answers of a filled-in sheet; rows without a value are left out.

    All mistakes are named in one InputError, each with its row and column, so that people can mend
    them in one go.

    Parameters
    ----------
    path
        CSV or XLSX, whatever its name ends with.
    market
        Whose goods and bidders the sheet is about.
    """
    path = Path(path)
    rows = _rows(path)
    if not rows:
        raise InputError(f"{path} is empty; expected a line 'bidder,GOOD,...,value'.")
    sheet = _Sheet(market, str(path))
    sheet.read_header(rows[0])
    for number, cells in enumerate(rows[1:], start=2):
        if any(cell != "" for cell in cells):
            sheet.read_row(number, cells)
    sheet.raise_mistakes()
    return sheet.answers


class _Sheet:
    """Answers and mistakes of one file, row by row."""

    def __init__(self, market: Market, source: str):
        self.market = market
        self.source = source
        self.answers: list[Answer] = []
        self.columns: list[str] = []
        self._mistakes: list[str] = []
        self._seen: dict[tuple[int, bytes], int] = {}

    def read_header(self, cells: Sequence[str]) -> None:
        expected = ["bidder", *(good.name for good in self.market.goods), "value"]
        self.columns = [cell.strip() for cell in cells]
        for name in self.columns:
            if name not in expected:
                self._mistakes.append(
                    f"row 1: found the column '{shortened(name)}'; {did_you_mean(name, expected)}"
                )
        missing = [name for name in expected if self.columns.count(name) != 1]
        if missing and not self._mistakes:
            self._mistakes.append(f"row 1: expected the column '{missing[0]}' once")
        self.raise_mistakes()

    def read_row(self, number: int, cells: Sequence[str]) -> None:
        if len(cells) != len(self.columns):
            self._mistakes.append(
                f"row {number}: found {len(cells)} cells; expected {len(self.columns)}"
            )
            return
        row = dict(zip(self.columns, (cell.strip() for cell in cells), strict=True))
        before = len(self._mistakes)
        bidder = self._bidder(number, row["bidder"])
        bundle = [
            self._copies(number, good.name, good.capacity, row[good.name])
            for good in self.market.goods
        ]
        value = self._value(number, row["value"])
        if len(self._mistakes) > before or row["value"] == "":
            return
        answer = Answer(bidder, np.array(bundle, dtype=np.int64), value)
        key = bidder, answer.bundle.tobytes()
        if key in self._seen:
            self._mistakes.append(f"row {number}: the same bundle as in row {self._seen[key]}")
            return
        self._seen[key] = number
        self.answers.append(answer)

    def _bidder(self, number: int, name: str) -> int:
        names = [bidder.name for bidder in self.market.bidders]
        if name not in names:
            self._mistakes.append(
                f"row {number}, column 'bidder': found '{shortened(name)}'; "
                f"{did_you_mean(name, names)}"
            )
            return -1
        return names.index(name)

    def _copies(self, number: int, good: str, capacity: int, text: str) -> int:
        count = int(text) if text.isdecimal() and len(text) < 10 else -1
        if text == "":
            count = 0
        if not 0 <= count <= capacity:
            self._mistakes.append(
                f"row {number}, column '{good}': found '{shortened(text)}'; "
                f"expected 0 to {capacity}"
            )
        return count

    def _value(self, number: int, text: str) -> float | tuple[float, float] | None:
        if text == "" or text.lower() == DECLINE:
            return None
        least, dash, most = text.partition("-")
        ends = [_number(end) for end in ((least, most) if dash else (text,))]
        if not (all(0 <= end <= LARGEST_VALUE for end in ends) and ends == sorted(ends)):
            self._mistakes.append(
                f"row {number}, column 'value': found '{shortened(text)}'; expected a number "
                f"from 0 to {LARGEST_VALUE:g} such as 12.5, a range such as 12-14, '{DECLINE}', "
                "or nothing"
            )
        return ends[0] if len(ends) == 1 else (ends[0], ends[1])

    def raise_mistakes(self) -> None:
        if not self._mistakes:
            return
        more = len(self._mistakes) - MOST_MISTAKES
        shown = self._mistakes[:MOST_MISTAKES] + ([f"and {more} more"] if more > 0 else [])
        sentences = [_sentence(mistake) for mistake in shown]
        raise InputError(f"{self.source}: nothing was taken. {' '.join(sentences)}")


def _number(text: str) -> float:
    """What a text says; not a number where it says none."""
    try:
        return float(text) if len(text) < 40 else math.nan
    except ValueError:
        return math.nan


def _sentence(words: str) -> str:
    """Words with a capital letter and one full stop, unless they are a question."""
    end = "" if words.endswith((".", "?")) else "."
    return f"{words[0].upper()}{words[1:]}{end}"


def _rows(path: Path) -> list[list[str]]:
    """The texts of a sheet's cells, without empty rows."""
    content = read_bytes(path, "answer sheet")
    try:
        table = read_table(content, MOST_ROWS, MOST_COLUMNS)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    rows = [[cell.text for cell in row] for row in table.rows if row]
    if table.mark is None:  # a workbook does not store the empty cells at the end of a row
        rows = [row + [""] * (len(rows[0]) - len(row)) for row in rows]
    return rows
