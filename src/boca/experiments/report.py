"""The tables of an experiment in the paper's layouts, beside the published numbers."""

import math
from collections.abc import Sequence
from typing import Any

from boca.experiments.metrics import Cell, Results
from boca.experiments.published import (
    find_published,
    noise,
    published_instances,
    published_p,
    sources,
    state_of_the_art,
)
from boca.experiments.statistics import Mean, paired
from boca.experiments.tables import NOTHING, TextTable, flat

# Of a result file, what is too long for a row of a table.
LONG = ("path", "allocation", "payments", "true_values")


def all_tables(results: Results) -> list[TextTable]:
    """Every table of a report."""
    return [loss_table(results), detail_table(results), *instance_tables(results)]


def loss_table(results: Results) -> TextTable:
    """
    The layout of the paper's Table 1: mean loss with 95 % confidence interval, one column a
    mechanism, and one-sided paired t-tests against BOCA.
    """
    columns = results.columns
    others = _tested(results)
    rows = []
    for domain in results.domains:
        cells = {results.column(cell): cell for cell in results.of_domain(domain)}
        base = next((c for c in cells.values() if c.setting.mechanism == "boca"), None)
        ours = [_loss_text(cells.get(column)) for column in columns]
        tests = [_p_text(base, cells.get(column)) for column in others]
        rows.append((domain, "ours", *ours, *tests))
        known = {column: find_published(domain, cells[column].setting) for column in cells}
        if any(known.values()):
            beside = [_pair(known[c].loss) if known.get(c) else NOTHING for c in columns]  # type: ignore[union-attr]
            p_values = [
                published_p(domain, cells[c].setting) if c in cells else None for c in others
            ]
            tests = [NOTHING if p is None else f"{p:.1g}" for p in p_values]
            rows.append((domain, "published", *beside, *tests))
    header = ("domain", "", *columns, *(f"p ({column} ≤ boca)" for column in others))
    return TextTable(
        _titled("Efficiency loss in %, mean ± 95 % CI (instances)", results),
        header,
        tuple(rows),
        num_words=2,
        notes=tuple(_test_notes(results)),
    )


def detail_table(results: Results) -> TextTable:
    """The layout of the paper's Tables 3 to 6: loss, revenue and hours of every setting."""
    rows = []
    for cell in results.cells:
        found = find_published(cell.domain, cell.setting)
        beside = [NOTHING] * 3
        if found:
            beside[0] = _pair(found.loss)
            beside[1] = _pair(found.revenue) if found.revenue else NOTHING
            beside[2] = f"{found.hours:.2f}" if found.hours else NOTHING
        rows.append(
            (
                cell.domain,
                results.column(cell),
                NOTHING if cell.setting.q is None else f"{cell.setting.q:g}",
                f"{len(cell.runs)} of {cell.num_planned}",
                _mean_text(cell.loss),
                _mean_text(cell.revenue),
                f"{cell.hours:.3g}",
                *beside,
            )
        )
    header = (
        *("domain", "mechanism", "q", "instances", "loss %", "revenue %", "hours"),
        *("published loss", "revenue", "hours"),
    )
    title = "Loss, revenue and time of an auction, beside the published figures"
    return TextTable(_titled(title, results), header, tuple(rows), num_words=3)


def instance_tables(results: Results) -> list[TextTable]:
    """For every domain, the loss of every instance, with the published one where there is one."""
    return [_instance_table(results, domain) for domain in results.domains]


def _instance_table(results: Results, domain: str) -> TextTable:
    cells = results.of_domain(domain)
    known = [published_instances(domain, cell.setting) for cell in cells]
    header, notes = ["seed"], []
    for cell, values in zip(cells, known, strict=True):
        header += [results.column(cell), *["published"] * bool(values)]
        seeds = sorted(values.keys() & cell.runs.keys())
        if len(seeds) > 1:
            test = paired([values[s] for s in seeds], [cell.runs[s].loss for s in seeds])
            notes.append(
                f"{results.column(cell)}: ours minus published on these {len(seeds)} instances "
                f"{test.difference.mean:+.2f} ± {test.difference.half_width:.2f} points."
            )
    rows = []
    for seed in sorted({seed for cell in cells for seed in cell.runs}):
        row = [str(seed)]
        for cell, values in zip(cells, known, strict=True):
            row.append(f"{cell.runs[seed].loss:.2f}" if seed in cell.runs else NOTHING)
            if values:
                row.append(f"{values[seed]:.2f}" if seed in values else NOTHING)
        rows.append(tuple(row))
    title = _titled(f"{domain}: efficiency loss in % by instance", results, cells)
    return TextTable(title, tuple(header), tuple(rows), num_words=1, notes=tuple(notes))


def notes(results: Results) -> list[str]:
    """What a reader must know to compare our numbers with the published ones."""
    lines = []
    if results.is_partial:
        lines.append(
            f"Partial: {results.num_done} of {results.num_planned} planned runs are finished. "
            "Means are over the instances that are, so columns with different instances compare "
            "poorly; the p-values use common instances only."
        )
    if results.num_replaced:
        lines.append(
            f"{results.num_replaced} stored runs were left out because newer ones of the same "
            "setting and instance exist."
        )
    if len(results.sources) > 1:
        lines.append(
            f"The runs came from {len(results.sources)} states of the source: "
            + ", ".join(f"{name} ({num})" for name, num in results.sources.items())
            + "."
        )
    lines += _beside_notes(results)
    for domain in results.domains:
        if found := noise(domain):
            lines.append(f"Noise yardstick, {domain}: one setting, published twice, gave {found}.")
        if best := state_of_the_art(domain):
            lines.append(f"State of the art, {domain}: {_pair(best)} ({sources()['mlhca']}).")
    return lines


def _beside_notes(results: Results) -> list[str]:
    lines = []
    for cell in results.cells:
        found = find_published(cell.domain, cell.setting)
        if found:
            lines.append(
                f"{cell.domain}: our {results.column(cell)} stands beside the published "
                f"{found.source}."
            )
    if not lines:
        return ["No published figure has the same budget of queries; nothing stands beside ours."]
    lines.append(
        f"Published: {sources()['boca']}; 50 instances; ± is half a 95 % confidence interval; "
        f"hours on {sources()['hardware']}."
    )
    if any(cell.setting.mechanism == "boca" for cell in results.cells):
        lines.append(
            "The published BOCA column of Table 1 is the best of four q, chosen on these instances."
        )
    if any(cell.setting.mechanism == "mvnn" for cell in results.cells):
        lines.append(
            "Our mvnn is the paper's OUR-MVNN-MLCA (the mean network as acquisition); MVNN-MLCA of "
            "Table 1 has other networks and hyperparameters."
        )
    stops = {cell.setting.stop_when_efficient for cell in results.cells}
    lines.append(
        "Published runs stop at 0 % loss, which an observer sees; "
        + {
            frozenset({True}): "so do ours. Revenue is understated by it.",
            frozenset({False}): "ours do not, so our revenue and time are higher.",
        }.get(frozenset(stops), "some of ours do, others do not.")
    )
    return lines


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


def _tested(results: Results) -> list[str]:
    """Columns that are tested against BOCA's."""
    if not any(cell.setting.mechanism == "boca" for cell in results.cells):
        return []
    mechanisms = {results.column(cell): cell.setting.mechanism for cell in results.cells}
    first = next(column for column in results.columns if mechanisms[column] == "boca")
    return [column for column in results.columns if column != first]


def _test_notes(results: Results) -> list[str]:
    if not _tested(results):
        return []
    return [
        "p: one-sided paired t-test on common instances, in brackets; a small p says that the "
        "mechanism's mean loss is above BOCA's."
    ]


def _p_text(base: Cell | None, other: Cell | None) -> str:
    if base is None or other is None or base is other:
        return NOTHING
    test = base.against(other)
    if math.isnan(test.p_larger):
        return NOTHING
    return f"{test.p_larger:.1g} ({test.difference.num})"


def _loss_text(cell: Cell | None) -> str:
    if cell is None:
        return NOTHING
    count = f"{len(cell.runs)} of {cell.num_planned}" if cell.is_partial else f"{len(cell.runs)}"
    q = "" if cell.setting.q is None else f"q={cell.setting.q:g}, "
    return f"{_mean_text(cell.loss)} ({q}{count})"


def _mean_text(mean: Mean) -> str:
    return f"{mean.mean:.2f}" + ("" if math.isnan(mean.half_width) else f" ± {mean.half_width:.2f}")


def _pair(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.2f} ± {pair[1]:.2f}"


def _titled(title: str, results: Results, cells: Sequence[Cell] | None = None) -> str:
    """A title that says itself if something is missing."""
    cells = results.cells if cells is None else cells
    done, planned = sum(len(c.runs) for c in cells), sum(c.num_planned for c in cells)
    if cells is results.cells or len(cells) == len(results.cells):
        done, planned = results.num_done, results.num_planned
    return f"{title} [partial: {done} of {planned} runs]" if done < planned else title
