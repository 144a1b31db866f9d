"""How many questions it takes: what matters to people, who cannot answer a hundred."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from boca.lab.reports.cell import Cell, Run
from boca.lab.reports.results import Results
from boca.lab.reports.statistics import mean_with_ci
from boca.lab.reports.text_table import NOTHING, TextTable, mean_text

# Questions per bidder after which losses are shown, and losses in per cent that are waited for.
AFTER = (40, 60, 100)
LOSSES = (5.0, 2.0, 1.0)
PROVEN = 5.0


def question_table(results: Results) -> TextTable:
    """Losses on the way, and questions until little is lost, or proven to be lost."""
    rows = [
        (
            cell.domain,
            results.column(cell),
            f"{len(cell.runs)} of {cell.num_planned}",
            *(_loss_after(cell, after) for after in AFTER),
            *(_until(until_loss(run, most) for run in cell.runs.values()) for most in LOSSES),
            _until_proven(cell),
        )
        for cell in results.cells
    ]
    header = (
        "domain",
        "mechanism",
        "instances",
        *(f"loss % after {after}" for after in AFTER),
        *(f"until {most:g} %" for most in LOSSES),
        f"until {PROVEN:g} % is proven",
    )
    return TextTable(
        "Questions per bidder until little is lost, median and 90th percentile of the instances",
        header,
        tuple(rows),
        num_words=2,
        notes=(
            "Until: the number of questions from which on the loss is never above so much, or at "
            "most so much can be missing as far as answers prove; a dash where an auction did not "
            "come so far. Questions are those of the bidder who is asked most.",
            "A loss after some questions is that of the last round that ended by then; an auction "
            "that ended before keeps its loss, and one that had none by then has no mean.",
        ),
    )


def loss_after(run: Run, after: int) -> float | None:
    """The loss in per cent of the last round with at most so many questions; None before one."""
    place = int(np.searchsorted(run.queries, after, side="right"))
    return run.losses[place - 1] if place else None


def until_loss(run: Run, most: float) -> float:
    """Questions from which on at most so many per cent are lost; inf if that never comes."""
    return _from_which_on(run.queries, [loss <= most for loss in run.losses])


def until_proven(run: Run, most: float) -> float:
    """Questions from which on at most so many per cent can be missing; inf if that never comes."""
    missing = [entry.get("missing") for entry in run.stored["path"]]
    return _from_which_on(run.queries, [m is not None and 100 * m <= most for m in missing])


def _from_which_on(queries: Sequence[int], holds: Sequence[bool]) -> float:
    """The number of questions of the first round of the last stretch in which something holds."""
    reached = math.inf
    for count, true in zip(reversed(queries), reversed(holds), strict=True):
        if not true:
            break
        reached = count
    return reached


def _loss_after(cell: Cell, after: int) -> str:
    losses = [loss_after(run, after) for run in cell.runs.values()]
    known = [loss for loss in losses if loss is not None]
    return mean_text(mean_with_ci(known)) if len(known) == len(losses) else NOTHING


def _until(counts: Iterable[float]) -> str:
    """Median and 90th percentile, each that of an instance; a dash for never."""
    shares = np.quantile(list(counts), (0.5, 0.9), method="inverted_cdf")
    return " / ".join(f"{x:g}" if math.isfinite(x) else NOTHING for x in shares)


def _until_proven(cell: Cell) -> str:
    counts = [until_proven(run, PROVEN) for run in cell.runs.values()]
    return _until(counts) if any(map(math.isfinite, counts)) else NOTHING
