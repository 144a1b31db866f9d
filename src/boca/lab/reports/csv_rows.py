"""Runs and cells as rows of CSV files, with all digits."""

from typing import Any

from boca.lab.reports.against_published import compare_with_published
from boca.lab.reports.cell import Cell
from boca.lab.reports.published import find_published
from boca.lab.reports.results import Results
from boca.lab.reports.text_table import flat
from boca.lab.reports.winners import winners

# Entries of a result file that are too long for a cell.
LONG = ("path", "allocation", "payments", "true_values")


def summary_rows(results: Results) -> list[dict[str, Any]]:
    """One row per cell, with all digits."""
    best = {
        id(cell)
        for domain in results.domains
        for cell in winners(list(results.shown(domain).values()))
    }
    return [
        {
            "domain": cell.domain,
            "mechanism": cell.setting.mechanism,
            "q": cell.setting.q,
            "generic": cell.setting.generic,
            "published_start": cell.setting.published_start,
            "stop_when_efficient": cell.setting.stop_when_efficient,
            "changes": _changes(dict(cell.setting.changes)),
            "instances": len(cell.runs),
            "planned": cell.num_planned,
            "loss": cell.loss.mean,
            "loss_ci": cell.loss.half_width,
            "is_winner": id(cell) in best,
            "revenue": cell.revenue.mean,
            "revenue_ci": cell.revenue.half_width,
            "hours": cell.hours,
            **_tests(cell, results.base_of(cell)),
            **_published(cell),
        }
        for cell in results.cells
    ]


def run_rows(results: Results) -> list[dict[str, Any]]:
    """One row per run, with every parameter, the versions and the machine."""
    rows = []
    for run in results.runs:
        stored = {key: value for key, value in run.stored.items() if key not in LONG}
        spec = dict(stored.pop("spec"))
        changes = spec.pop("changes")
        rows.append({**spec, "changes": _changes(changes), **flat(stored)})
    return rows


def _tests(cell: Cell, base: Cell | None) -> dict[str, Any]:
    """The t-tests against the column that tables test against."""
    loss = base.against(cell) if base else None
    revenue = base.against(cell, "revenue") if base else None
    return {
        "base": base.setting.mechanism if base else None,
        "base_q": base.setting.q if base else None,
        "p_not_above_base": loss.p_larger if loss else None,
        "p_revenue_equals_base": revenue.p_differs if revenue else None,
        "paired_instances": loss.difference.num if loss else None,
    }


def _published(cell: Cell) -> dict[str, Any]:
    published = find_published(cell.domain, cell.setting)
    if published is None:
        names = ("", "_loss", "_loss_ci", "_revenue", "_revenue_ci", "_hours", "_verdict", "_p")
        return {f"published{name}": None for name in names}
    revenue = published.revenue or (None, None)
    comparison = compare_with_published(cell, published)
    return {
        "published": published.source,
        "published_loss": published.loss[0],
        "published_loss_ci": published.loss[1],
        "published_revenue": revenue[0],
        "published_revenue_ci": revenue[1],
        "published_hours": published.hours,
        "published_verdict": comparison.verdict,
        "published_p": comparison.p,
    }


def _changes(changes: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in changes.items())
