"""Runs and cells as rows of CSV files, with all digits."""

from typing import Any

from boca.reports.published import find_published
from boca.reports.results import Results
from boca.reports.text_table import flat

# Of a result file, what is too long for a cell.
LONG = ("path", "allocation", "payments", "true_values")


def summary_rows(results: Results) -> list[dict[str, Any]]:
    """One row a cell, with all digits, for CSV."""
    rows = []
    for cell in results.cells:
        found = find_published(cell.domain, cell.setting)
        base = next(
            (c for c in results.of_domain(cell.domain) if c.setting.mechanism == "boca"), None
        )
        test = base.against(cell) if base is not None and base is not cell else None
        rows.append(
            {
                "domain": cell.domain,
                "mechanism": cell.setting.mechanism,
                "q": cell.setting.q,
                "generic": cell.setting.generic,
                "published_start": cell.setting.published_start,
                "stop_when_efficient": cell.setting.stop_when_efficient,
                "changes": " ".join(f"{name}={value}" for name, value in cell.setting.changes),
                "instances": len(cell.runs),
                "planned": cell.num_planned,
                "loss": cell.loss.mean,
                "loss_ci": cell.loss.half_width,
                "revenue": cell.revenue.mean,
                "revenue_ci": cell.revenue.half_width,
                "hours": cell.hours,
                "p_not_above_boca": None if test is None else test.p_larger,
                "paired_instances": None if test is None else test.difference.num,
                "published": found.source if found else None,
                "published_loss": found.loss[0] if found else None,
                "published_loss_ci": found.loss[1] if found else None,
                "published_revenue": found.revenue[0] if found and found.revenue else None,
                "published_revenue_ci": found.revenue[1] if found and found.revenue else None,
                "published_hours": found.hours if found else None,
            }
        )
    return rows


def run_rows(results: Results) -> list[dict[str, Any]]:
    """One row a run, with every parameter, the versions and the machine, for CSV."""
    rows = []
    for run in results.runs:
        stored = {key: value for key, value in run.stored.items() if key not in LONG}
        spec = stored.pop("spec")
        changes = spec.pop("changes")
        text = " ".join(f"{name}={value}" for name, value in changes.items())
        rows.append({**spec, "changes": text, **flat(stored)})
    return rows
