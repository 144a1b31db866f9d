"""Two experiments, or two mechanisms of one, on the same instances."""

import math
from dataclasses import dataclass

from boca.core.errors import InputError
from boca.lab.reports.cell import Cell
from boca.lab.reports.page import open_section
from boca.lab.reports.results import Results
from boca.lab.reports.statistics import PairedDifference
from boca.lab.reports.text_table import NOTHING, TextTable

# What is compared, and its name in tables.
MEASURES = (("loss", "loss, points"), ("revenue", "revenue, points"), ("seconds", "time, s"))


@dataclass(frozen=True)
class Comparison:
    """
    One setting against another in one domain.

    Parameters
    ----------
    domain
        Name of the domain, as in tables.
    first
        Name of the first setting.
    second
        Name of the second setting.
    measure
        What is compared, with its unit.
    first_mean
        Mean of the first over the common instances.
    second_mean
        Mean of the second over the common instances.
    test
        Paired t-test of second minus first.
    """

    domain: str
    first: str
    second: str
    measure: str
    first_mean: float
    second_mean: float
    test: PairedDifference

    @property
    def verdict(self) -> str:
        """In words, whether the difference can be called."""
        test = self.test
        if test.difference.num < 2:
            return "too few common instances"
        if test.is_called:
            return "second is larger" if test.difference.mean > 0 else "second is smaller"
        if test.spread == 0:
            return "no difference"
        return "not called"


def open_side(text: str) -> tuple[str, list[Cell]]:
    """
    One side of a comparison: ``FOLDER``, or ``FOLDER@COLUMN`` for one of its mechanisms; a packed
    experiment may stand in the place of a folder.

    Returns the side's name and its cells.
    """
    folder, at, column = text.partition("@")
    results = open_section(folder).results
    if not results.cells:
        raise InputError(f"No run in '{folder}' is finished yet; nothing can be compared.")
    if not at:
        return text, list(results.cells)
    cells = _select(results, column)
    if not cells:
        raise InputError(
            f"'{folder}' has no column '{column}'; expected one of: {', '.join(results.columns)}."
        )
    return text, cells


def _select(results: Results, column: str) -> list[Cell]:
    return [
        cell for cell in results.cells if column in (results.column(cell), cell.setting.label())
    ]


def compare(first: tuple[str, list[Cell]], second: tuple[str, list[Cell]]) -> list[Comparison]:
    """
    Paired differences of everything that both sides have.

    Where both sides have one setting for a market, the two are compared; otherwise settings are
    compared with themselves.

    Parameters
    ----------
    first, second
        As :func:`open_side` gives them.
    """
    comparisons = []
    for one, other in _pairs(first[1], second[1]):
        seeds = one.common_seeds(other)
        if not seeds:
            continue
        for what, name in MEASURES:
            test = one.against(other, what)
            mean = sum(getattr(one.runs[seed], what) for seed in seeds) / len(seeds)
            comparisons.append(
                Comparison(
                    one.domain,
                    one.setting.label(),
                    other.setting.label(),
                    name,
                    mean,
                    mean + test.difference.mean,
                    test,
                )
            )
    if not comparisons:
        raise InputError(
            f"'{first[0]}' and '{second[0]}' have no setting and instance in common. Name what to "
            "compare, such as runs/table1@boca runs/table1@mvnn."
        )
    return comparisons


def _pairs(first: list[Cell], second: list[Cell]) -> list[tuple[Cell, Cell]]:
    pairs = []
    for market in dict.fromkeys(cell.market for cell in first):
        ones = [cell for cell in first if cell.market == market]
        others = [cell for cell in second if cell.market == market]
        if len(ones) == len(others) == 1:
            pairs.append((ones[0], others[0]))
        else:
            pairs += [(a, b) for a in ones for b in others if a.setting == b.setting]
    return pairs


def comparison_table(comparisons: list[Comparison]) -> TextTable:
    """The comparisons, one row each."""
    rows = []
    for item in comparisons:
        difference, needed = item.test.difference, item.test.num_needed
        names = item.first if item.first == item.second else f"{item.first} → {item.second}"
        rows.append(
            (
                item.domain,
                names,
                item.measure,
                f"{difference.num}",
                f"{item.first_mean:.2f}",
                f"{item.second_mean:.2f}",
                f"{difference.mean:+.2f} ± {difference.half_width:.2f}".replace(" ± nan", ""),
                NOTHING if math.isnan(item.test.p_differs) else f"{item.test.p_differs:.1g}",
                NOTHING if needed is None else f"{needed:,}",
                item.verdict,
            )
        )
    header = (
        "domain",
        "settings",
        "measure",
        "instances",
        "first",
        "second",
        "difference",
        "p",
        "needed",
        "verdict",
    )
    notes = (
        "Difference: second minus first on common instances, with its 95 % confidence interval.",
        "p: two-sided paired t-test that there is no difference.",
        "Verdict: called where the interval leaves out zero. Needed: instances at which a true "
        "difference of this size and spread would be called with probability 80 %.",
    )
    return TextTable("Paired comparison", header, tuple(rows), num_words=3, notes=notes)
