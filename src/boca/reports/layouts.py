"""The tables of an experiment in the paper's layouts, beside the published numbers."""

import math
from collections.abc import Sequence

from boca.reports.cell import Cell
from boca.reports.published import find_published, published_instances, published_p
from boca.reports.results import Results
from boca.reports.statistics import Mean, paired
from boca.reports.text_table import NOTHING, TextTable, pair_text


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
        beside = [_published_loss(cells.get(column)) for column in columns]
        if set(beside) != {NOTHING}:
            tests = [_published_p(cells.get(column)) for column in others]
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
            beside[0] = pair_text(found.loss)
            beside[1] = pair_text(found.revenue) if found.revenue else NOTHING
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


def _published_loss(cell: Cell | None) -> str:
    found = find_published(cell.domain, cell.setting) if cell else None
    return pair_text(found.loss) if found else NOTHING


def _published_p(cell: Cell | None) -> str:
    p = published_p(cell.domain, cell.setting) if cell else None
    return NOTHING if p is None else f"{p:.1g}"


def _loss_text(cell: Cell | None) -> str:
    if cell is None:
        return NOTHING
    count = f"{len(cell.runs)} of {cell.num_planned}" if cell.is_partial else f"{len(cell.runs)}"
    q = "" if cell.setting.q is None else f"q={cell.setting.q:g}, "
    return f"{_mean_text(cell.loss)} ({q}{count})"


def _mean_text(mean: Mean) -> str:
    return f"{mean.mean:.2f}" + ("" if math.isnan(mean.half_width) else f" ± {mean.half_width:.2f}")


def _titled(title: str, results: Results, cells: Sequence[Cell] | None = None) -> str:
    """A title that says itself if something is missing."""
    cells = results.cells if cells is None else cells
    done, planned = sum(len(c.runs) for c in cells), sum(c.num_planned for c in cells)
    if cells is results.cells or len(cells) == len(results.cells):
        done, planned = results.num_done, results.num_planned
    return f"{title} [partial: {done} of {planned} runs]" if done < planned else title
