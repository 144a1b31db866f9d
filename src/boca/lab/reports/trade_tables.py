"""What buyers and traders count: costs, savings and gains from trade, over all instances."""

from boca.lab.reports.cell import Cell
from boca.lab.reports.results import Results
from boca.lab.reports.statistics import mean_with_ci
from boca.lab.reports.text_table import NOTHING, TextTable, mean_text


def purchase_table(results: Results) -> TextTable:
    """Cost above the optimum, savings and what suppliers are paid; no rows without purchases."""
    cells = _with(results, "least_cost")
    rows = [
        (
            cell.domain,
            results.column(cell),
            _instances(cell),
            mean_text(cell.loss),
            _mean(cell, "savings"),
            mean_text(cell.revenue),
        )
        for cell in cells
    ]
    return TextTable(
        "Purchases",
        ("domain", "mechanism", "instances", "cost above optimum %", "savings %", "paid %"),
        tuple(rows),
        num_words=2,
        notes=(
            "Cost above optimum: what the award truly costs, outside purchases included, above the "
            "least possible cost.",
            "Savings: that cost below the at-most prices of everything. Paid: what the buyer pays "
            "in all, in per cent of the least possible cost.",
        ),
    )


def exchange_table(results: Results) -> TextTable:
    """Gains from trade that are lost, and that there are; no rows without exchanges."""
    cells = _with(results, "largest_gain")
    rows = [
        (
            cell.domain,
            results.column(cell),
            _instances(cell),
            mean_text(cell.loss),
            _questions(cell),
        )
        for cell in cells
    ]
    return TextTable(
        "Exchanges",
        ("domain", "mechanism", "instances", "gains lost %", "questions"),
        tuple(rows),
        num_words=2,
        notes=(
            "Gains lost: share of the largest possible gains from trade that is missed. "
            "Questions: most that any participant was asked; where an observer ends a run, until "
            "nothing was lost.",
        ),
    )


def _with(results: Results, figure: str) -> list[Cell]:
    """The cells whose runs have a figure."""
    return [c for c in results.cells if all(figure in run.stored for run in c.runs.values())]


def _instances(cell: Cell) -> str:
    return f"{len(cell.runs)} of {cell.num_planned}"


def _mean(cell: Cell, figure: str) -> str:
    """The mean of a share in per cent, over the runs that have it; nothing if none has."""
    shares = [100 * run.stored[figure] for run in cell.runs.values() if figure in run.stored]
    return mean_text(mean_with_ci(shares)) if shares else NOTHING


def _questions(cell: Cell) -> str:
    return mean_text(mean_with_ci([float(run.queries[-1]) for run in cell.runs.values()]))
