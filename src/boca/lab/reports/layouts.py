"""The tables of an experiment in the paper's layouts, with the published numbers below ours."""

import math
from collections.abc import Sequence

from boca.lab.reports.against_published import AgainstPublished, compare_with_published
from boca.lab.reports.cell import Cell
from boca.lab.reports.published import (
    Published,
    find_published,
    is_table1_winner,
    published_again,
    published_instances,
    published_p,
)
from boca.lab.reports.question_table import question_table
from boca.lab.reports.results import Results
from boca.lab.reports.statistics import (
    FEWEST_INSTANCES,
    PairedDifference,
    mean_with_ci,
    paired,
)
from boca.lab.reports.text_table import NOTHING, WINNER, TextTable, mean_text, pair_text
from boca.lab.reports.trade_tables import exchange_table, purchase_table
from boca.lab.reports.winners import SIGNIFICANCE, winners


def all_tables(results: Results) -> list[TextTable]:
    """Every table of a report."""
    return [*summary_tables(results), *instance_tables(results)]


def summary_tables(results: Results) -> list[TextTable]:
    """The tables whose rows are means over instances."""
    optional = [
        purchase_table(results),
        exchange_table(results),
        published_table(results),
        certificate_table(results),
    ]
    always = [loss_table(results), detail_table(results), question_table(results)]
    return [*always, *(t for t in optional if t.rows)]


def loss_table(results: Results) -> TextTable:
    """
    The layout of the paper's Table 1: mean loss with 95 % confidence interval, one column per
    mechanism, and one-sided paired t-tests against the base.
    """
    columns, base = results.families, results.base
    tested = [column for column in columns if column != base] if base else []
    rows = []
    for domain in results.domains:
        cells = results.shown(domain)
        best = winners(list(cells.values()))
        losses = [_loss_text(cells.get(column), best) for column in columns]
        tests = [_p_text(cells, base, column) for column in tested]
        rows.append((domain, "ours", *losses, *tests))
        published = [_published_loss(cells.get(column)) for column in columns]
        if set(published) != {NOTHING}:
            # The paper tests against BOCA only.
            tests = [
                _published_p(cells.get(column) if base == "boca" else None) for column in tested
            ]
            rows.append((domain, "published", *published, *tests))
    header = ("domain", "", *columns, *(f"p ({column} ≤ {base})" for column in tested))
    return TextTable(
        _titled("Efficiency loss in %, mean ± 95 % CI (instances)", results),
        header,
        tuple(rows),
        num_words=2,
        notes=tuple(_loss_notes(results)),
    )


def detail_table(results: Results) -> TextTable:
    """The layout of the paper's Tables 3 to 6: loss, revenue and hours of every setting."""
    rows = []
    for cell in results.cells:
        first = results.base_of(cell)
        test = first.against(cell, "revenue") if first else None
        rows.append(
            (
                cell.domain,
                results.column(cell),
                NOTHING if cell.setting.q is None else f"{cell.setting.q:g}",
                f"{len(cell.runs)} of {cell.num_planned}",
                mean_text(cell.loss),
                mean_text(cell.revenue),
                _test_text(test.p_differs, test) if test else NOTHING,
                f"{cell.hours:.3g}",
                *_published_texts(find_published(cell.domain, cell.setting)),
            )
        )
    base = results.base
    header = (
        "domain",
        "mechanism",
        "q",
        "instances",
        "loss %",
        "revenue %",
        f"p (revenue = {base or 'boca'})",
        "hours",
        "published loss",
        "revenue",
        "hours",
    )
    notes = [
        f"{WINNER} after a published loss: the quantile that the paper marks as the best of its "
        "table, or the winner of its Table 1."
    ]
    if base:
        notes.insert(
            0,
            f"p: two-sided paired t-test on common instances, whose number is in brackets, that "
            f"the revenue is that of {base}{_base_quantiles(results)}.",
        )
    title = "Loss, revenue and time per auction, with the published figures"
    return TextTable(_titled(title, results), header, tuple(rows), num_words=3, notes=tuple(notes))


def published_table(results: Results) -> TextTable:
    """Where our mean losses lie beside the published ones; no rows if there are none."""
    rows = []
    for cell in results.cells:
        published = find_published(cell.domain, cell.setting)
        if published is None:
            continue
        comparison = compare_with_published(cell, published)
        rows.append(
            (
                cell.domain,
                results.column(cell),
                published.source,
                f"{len(cell.runs)}",
                mean_text(cell.loss),
                pair_text(published.loss),
                f"{comparison.difference:+.2f}",
                comparison.verdict,
                _p_of(comparison),
            )
        )
    header = (
        "domain",
        "mechanism",
        "compared with",
        "instances",
        "our loss %",
        "published",
        "difference",
        "our interval",
        "p (same mean)",
    )
    return TextTable(
        _titled("Our mean losses beside the published ones", results),
        header,
        tuple(rows),
        num_words=3,
        notes=(
            f"Our interval: where it lies relative to the published one; no verdict with fewer "
            f"than {FEWEST_INSTANCES} instances.",
            "p: two-sided t-test that both means are the same. Paired where the losses of all "
            "instances were published (then the difference and p are of the common instances), "
            "else of the two means and intervals, the larger of Student's and Welch's p.",
        ),
    )


def certificate_table(results: Results) -> TextTable:
    """How close the proven bounds on welfare came to the optimum; no rows if nothing was proven."""
    rows = []
    for cell in results.cells:
        proven = [run.stored for run in cell.runs.values() if run.stored.get("welfare_bound")]
        if not proven:
            continue
        ratios = [stored["welfare_bound"] / stored["optimum"] for stored in proven]
        rows.append(
            (
                cell.domain,
                results.column(cell),
                f"{len(proven)} of {len(cell.runs)}",
                f"{min(ratios):.4f}",
                f"{sum(ratios) / len(ratios):.4f}",
                f"{max(ratios):.4f}",
                mean_text(mean_with_ci([100 * stored["missing"] for stored in proven])),
            )
        )
    return TextTable(
        _titled("Certificates: the bound on any allocation's welfare at the end", results),
        (
            "domain",
            "mechanism",
            "runs with a bound",
            "smallest bound / optimum",
            "mean",
            "largest",
            "at most missing %",
        ),
        tuple(rows),
        num_words=2,
        notes=(
            "A bound below the optimum, a ratio below 1, would be wrong. Runs that stop at 0 % "
            "loss have had less time to prove it.",
        ),
    )


def instance_tables(results: Results) -> list[TextTable]:
    """For every domain, the loss of every instance, with the published one where there is one."""
    return [_instance_table(results, domain) for domain in results.domains]


def _instance_table(results: Results, domain: str) -> TextTable:
    cells = results.of_domain(domain)
    columns: list[tuple[str, dict[int, float]]] = []
    notes = []
    for cell in cells:
        name = results.column(cell)
        ours = {seed: run.loss for seed, run in cell.runs.items()}
        once = published_instances(domain, cell.setting)
        again = published_again(domain, cell.setting)
        both = {seed: (once[seed] + again[seed]) / 2 for seed in once.keys() & again.keys()}
        columns += [(name, ours)]
        columns += [
            (title, x) for title, x in (("published", once), ("published again", again)) if x
        ]
        for title, theirs in (
            ("published", once),
            ("the published ones of a second run of the same configuration", again),
            ("the means of the two", both),
        ):
            note = _paired_note(name, ours, title, theirs)
            notes += [note] if note else []
    rows = [
        (str(seed), *(f"{x[seed]:.2f}" if seed in x else NOTHING for _, x in columns))
        for seed in sorted({seed for cell in cells for seed in cell.runs})
    ]
    header = ["seed", *(title for title, _ in columns)]
    title = _titled(f"{domain}: efficiency loss in % by instance", results, cells)
    return TextTable(title, tuple(header), tuple(rows), num_words=1, notes=tuple(notes))


def _paired_note(
    name: str, ours: dict[int, float], title: str, theirs: dict[int, float]
) -> str | None:
    """How losses of ours differ from published ones on common instances; None without two."""
    seeds = sorted(ours.keys() & theirs.keys())
    if len(seeds) < 2:
        return None
    test = paired([theirs[s] for s in seeds], [ours[s] for s in seeds])
    return (
        f"{name}: ours minus {title} on these {len(seeds)} instances "
        f"{test.difference.mean:+.2f} ± {test.difference.half_width:.2f} points "
        f"(two-sided paired t-test: p = {test.p_differs:.1g})."
    )


def _loss_notes(results: Results) -> list[str]:
    notes = [
        f"{WINNER}: the lowest mean loss of the row, and every mechanism whose loss a one-sided "
        f"paired t-test does not find to be larger ({100 * SIGNIFICANCE:g} %, at least "
        f"{FEWEST_INSTANCES} common instances); in published rows, the paper's grey cells."
    ]
    if purchase_table(results).rows or exchange_table(results).rows:
        notes.append(
            "Loss of a purchase: its cost above the optimum; of an exchange: the share of the "
            "gains from trade that is missed."
        )
    if results.base:
        notes.append(
            f"p: one-sided paired t-test against the column {results.base} on common instances, "
            f"whose number is in brackets; a small p says that the mechanism's mean loss is above "
            f"that of {results.base}."
        )
    if len(results.families) < len(results.columns):
        notes.append(
            "Where several q were run, a column shows the one with the lowest published loss "
            "(0.9 and 0.95 are one configuration), or where that was not run, the one with most "
            "instances."
        )
    return notes


def _base_quantiles(results: Results) -> str:
    """Which quantile the base has in each domain, where it has one."""
    cells = {domain: results.shown(domain).get(results.base or "") for domain in results.domains}
    quantiles = [
        f"{domain} q={cell.setting.q:g}"
        for domain, cell in cells.items()
        if cell is not None and cell.setting.q is not None
    ]
    return f" ({', '.join(quantiles)})" if quantiles else ""


def _p_text(cells: dict[str, Cell], base: str | None, column: str) -> str:
    first, second = cells.get(base or ""), cells.get(column)
    if first is None or second is None:
        return NOTHING
    test = first.against(second)
    return _test_text(test.p_larger, test)


def _test_text(p: float, test: PairedDifference) -> str:
    return NOTHING if math.isnan(p) else f"{p:.1g} ({test.difference.num})"


def _p_of(comparison: AgainstPublished) -> str:
    if comparison.p is None:
        return NOTHING
    return f"{comparison.p:.1g} ({'paired' if comparison.is_paired else 'unpaired'})"


def _published_texts(published: Published | None) -> tuple[str, str, str]:
    if published is None:
        return NOTHING, NOTHING, NOTHING
    return (
        pair_text(published.loss) + (f" {WINNER}" if published.is_winner else ""),
        pair_text(published.revenue) if published.revenue else NOTHING,
        f"{published.hours:.2f}" if published.hours else NOTHING,
    )


def _published_loss(cell: Cell | None) -> str:
    published = find_published(cell.domain, cell.setting) if cell else None
    if cell is None or published is None:
        return NOTHING
    mark = f" {WINNER}" if is_table1_winner(cell.domain, cell.setting) else ""
    return f"{pair_text(published.loss)}{mark}"


def _published_p(cell: Cell | None) -> str:
    p = published_p(cell.domain, cell.setting) if cell else None
    return NOTHING if p is None else f"{p:.1g}"


def _loss_text(cell: Cell | None, best: Sequence[Cell]) -> str:
    if cell is None:
        return NOTHING
    count = f"{len(cell.runs)} of {cell.num_planned}" if cell.is_partial else f"{len(cell.runs)}"
    q = "" if cell.setting.q is None else f"q={cell.setting.q:g}, "
    mark = f" {WINNER}" if cell in best else ""
    return f"{mean_text(cell.loss)} ({q}{count}){mark}"


def _titled(title: str, results: Results, cells: Sequence[Cell] | None = None) -> str:
    """A title that says itself if something is missing."""
    cells = results.cells if cells is None else cells
    done, planned = sum(len(c.runs) for c in cells), sum(c.num_planned for c in cells)
    if len(cells) == len(results.cells):  # cells without a finished run count as well
        done, planned = results.num_done, results.num_planned
    return f"{title} [partial: {done} of {planned} runs]" if done < planned else title
