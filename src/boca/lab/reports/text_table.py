"""A table as text cells, and the ways to write it down."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.csv_text import csv_text
from boca.lab.reports.statistics import Mean

# In a cell that has no number.
NOTHING = "-"
# After a number that counts as the best of its row.
WINNER = "★"
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "★": r"$\star$",
}


@dataclass(frozen=True)
class TextTable:
    """
    A table for people.

    Parameters
    ----------
    title
        What the table shows.
    header
        Names of the columns.
    rows
        Cells, one tuple per row.
    num_words
        Number of columns, from the left, that hold words; the others hold numbers.
    notes
        Lines below the table.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    num_words: int = 1
    notes: tuple[str, ...] = ()

    def transposed(self) -> "TextTable":
        """Columns as rows: for tables with more columns than a screen has room for."""
        labels = tuple(" ".join(row[: self.num_words]) for row in self.rows)
        columns = zip(*(row[self.num_words :] for row in self.rows), strict=True)
        rows = tuple(
            (name, *cells)
            for name, cells in zip(self.header[self.num_words :], columns, strict=True)
        )
        return TextTable(self.title, ("", *labels), rows, notes=self.notes)

    def to_markdown(self) -> str:
        """The table as Markdown."""
        marks = ["---"] * self.num_words + ["--:"] * (len(self.header) - self.num_words)
        lines = [self.header, marks, *self.rows]
        texts = [[cell.replace("|", "/") for cell in row] for row in lines]
        body = "\n".join(f"| {' | '.join(row)} |" for row in texts)
        notes = "".join(f"\n- {note}" for note in self.notes)
        return f"**{self.title}**\n\n{body}\n" + (f"{notes}\n" if notes else "")

    def to_latex(self) -> str:
        """The table as LaTeX, for the package booktabs."""
        columns = "l" * self.num_words + "r" * (len(self.header) - self.num_words)
        rows = [" & ".join(map(latex_text, row)) + r" \\" for row in (self.header, *self.rows)]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_text(self.title)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            *(f"% {note}" for note in self.notes),
        ]
        return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """Text in which LaTeX's special characters mean themselves."""
    return "".join(LATEX.get(letter, letter) for letter in text)


def pair_text(pair: tuple[float, float]) -> str:
    """A mean and half the width of its confidence interval."""
    return f"{pair[0]:.2f} ± {pair[1]:.2f}"


def mean_text(mean: Mean) -> str:
    """A mean and half the width of its confidence interval, if it has one."""
    return f"{mean.mean:.2f}" + ("" if math.isnan(mean.half_width) else f" ± {mean.half_width:.2f}")


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; the columns are all keys, in the order in which they first appear."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text(names, [[row.get(name, "") for name in names] for row in rows], end="\n")


def flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested mapping with dotted names; lists of named mappings are mappings too."""
    values: dict[str, Any] = {}
    for key, value in data.items():
        if _is_named_list(value):
            values |= flat({part["name"]: part for part in value}, f"{prefix}{key}.")
        elif isinstance(value, Mapping):
            values |= flat(value, f"{prefix}{key}.")
        else:
            values[f"{prefix}{key}"] = value
    return values


def _is_named_list(value: Any) -> bool:
    """Whether a value is a list of mappings that tell themselves apart by a name."""
    if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
        return False
    names = {part.get("name") for part in value}
    return bool(value) and None not in names and len(names) == len(value)
