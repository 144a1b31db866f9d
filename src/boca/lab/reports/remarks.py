"""What a reader must know to compare our numbers with the published ones."""

from boca.lab.reports.against_published import compare_with_published
from boca.lab.reports.published import (
    find_published,
    noise,
    sources,
    state_of_the_art,
)
from boca.lab.reports.results import Results
from boca.lab.reports.statistics import FEWEST_INSTANCES
from boca.lab.reports.text_table import pair_text


def remarks(results: Results) -> list[str]:
    """What a reader must know to compare our numbers with the published ones."""
    lines = [*_completeness(results), *_origin(results), *_comparisons(results)]
    compared = [cell.domain for cell in results.cells if find_published(cell.domain, cell.setting)]
    for domain in dict.fromkeys(compared):
        if text := noise(domain):
            lines.append(f"Noise yardstick, {domain}: one setting, published twice, gave {text}.")
        if best := state_of_the_art(domain):
            lines.append(f"State of the art, {domain}: {pair_text(best)} ({sources()['mlhca']}).")
    return lines


def _completeness(results: Results) -> list[str]:
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
    return lines


def _origin(results: Results) -> list[str]:
    """Which states of the source made the runs, where that matters."""
    lines = []
    if len(results.sources) > 1:
        counts = ", ".join(f"{name} ({num})" for name, num in results.sources.items())
        lines.append(f"The runs came from {len(results.sources)} states of the source: {counts}.")
    if changed := results.changed_parts:
        counts = ", ".join(f"{part} ({num} runs)" for part, num in changed.items())
        lines.append(
            f"A part has changed since runs were made with it: {counts}; made again, they may give "
            "other numbers with the same settings."
        )
    if former := results.former_settings:
        counts = ", ".join(f"{name} ({num})" for name, num in former.items())
        lines.append(
            f"Made with former settings of their mechanism: {counts}; a grid that goes on runs "
            "them again."
        )
    return lines


def _comparisons(results: Results) -> list[str]:
    compared = [cell.setting for cell in results.cells if find_published(cell.domain, cell.setting)]
    if not compared:
        return ["No published figure has the same budget of queries to compare ours with."]
    names = {s.mechanism if s.generic else "boca": None for s in compared}
    lines = _verdicts(results)
    lines += [f"Published: {sources()[name]}." for name in names]
    lines.append(
        f"± is half a 95 % confidence interval; published hours on {sources()['hardware']}."
    )
    if any(setting.mechanism == "boca" for setting in compared):
        lines.append(
            "The published BOCA column of Table 1 is the best of four q, chosen on these instances."
        )
    if any(setting.mechanism == "mvnn" for setting in compared):
        lines.append(
            "Our mvnn is the paper's OUR-MVNN-MLCA (the mean network as acquisition); MVNN-MLCA of "
            "Table 1 has other networks and hyperparameters."
        )
    return [*lines, _stopping(results)]


def _verdicts(results: Results) -> list[str]:
    """How many of our intervals overlap the published ones, and which do not."""
    places: dict[str, list[str]] = {"overlaps": [], "above": [], "below": []}
    for cell in results.cells:
        published = find_published(cell.domain, cell.setting)
        if published is None:
            continue
        comparison = compare_with_published(cell, published)
        if comparison.verdict in places:
            p = "" if comparison.p is None else f", p = {comparison.p:.1g}"
            name = f"{cell.domain} {results.column(cell)}"
            text = f"{name} ({comparison.difference:+.2f} points{p})"
            places[comparison.verdict].append(text)
    num = sum(map(len, places.values()))
    if not num:
        return []
    below, above = (", ".join(places[where]) or "none" for where in ("below", "above"))
    return [
        f"Intervals of the {num} mean losses that have a published counterpart and at least "
        f"{FEWEST_INSTANCES} instances: {len(places['overlaps'])} overlap the published ones; "
        f"below: {below}; above: {above}."
    ]


def _stopping(results: Results) -> str:
    stops = {cell.setting.stop_when_efficient for cell in results.cells}
    if stops == {True}:
        words = "so do ours. Revenue is understated by it."
    elif stops == {False}:
        words = "ours do not, so our revenue and time are higher."
    else:
        words = "some of ours do, others do not."
    return f"Published runs stop at 0 % loss, which an observer sees; {words}"
