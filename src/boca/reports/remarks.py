"""What a reader must know to compare our numbers with the published ones."""

from boca.reports.cell import Cell
from boca.reports.published import (
    Published,
    find_published,
    noise,
    sources,
    state_of_the_art,
)
from boca.reports.results import Results
from boca.reports.text_table import pair_text


def remarks(results: Results) -> list[str]:
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
    beside = [cell.domain for cell in results.cells if find_published(cell.domain, cell.setting)]
    for domain in dict.fromkeys(beside):
        if found := noise(domain):
            lines.append(f"Noise yardstick, {domain}: one setting, published twice, gave {found}.")
        if best := state_of_the_art(domain):
            lines.append(f"State of the art, {domain}: {pair_text(best)} ({sources()['mlhca']}).")
    return lines


def _verdict(cell: Cell, found: Published) -> str:
    """Whether our mean loss lies within the published confidence interval."""
    distance = cell.loss.mean - found.loss[0]
    where = "within" if abs(distance) <= found.loss[1] else "above" if distance > 0 else "below"
    return f"our mean loss on {len(cell.runs)} instances is {where} its confidence interval"


def _beside_notes(results: Results) -> list[str]:
    lines = []
    for cell in results.cells:
        found = find_published(cell.domain, cell.setting)
        if found:
            lines.append(
                f"{cell.domain}: our {results.column(cell)} stands beside the published "
                f"{found.source}; {_verdict(cell, found)}."
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
