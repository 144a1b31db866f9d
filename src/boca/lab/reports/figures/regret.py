"""Efficiency loss over the course of auctions: the paper's regret plots."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from boca.lab.reports.cell import regret_curve
from boca.lab.reports.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    our_style,
    save,
    save_as,
)
from boca.lab.reports.published import find_published, published_path
from boca.lab.reports.results import Results
from boca.lab.simulation.observer import PathEntry

COLOURS = (GREEN, ORANGE, BLUE, VERMILION, PURPLE, SKY, BLACK, GREY)
# Below this many per cent the axis is linear, so that zero is on it; above it is logarithmic.
LINEAR_BELOW = 1.0
# The interval of fewer instances is as wide as the plot and hides the lines of all others.
FEWEST_FOR_BAND = 10
TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1, 2, 5, 10, 20, 50, 100)
# Published final losses stand beside each other, this many points apart: at one place they would
# hide each other.
MARKER_DISTANCE = 7
PANEL_WIDTH = 5.2


@dataclass(frozen=True)
class RegretCurve:
    """
    One line of a regret plot.

    Parameters
    ----------
    label
        Text of the legend.
    colour
        Colour of the line, the same for a column in all domains.
    queries
        Queries per bidder, ``(num_points,)``.
    loss
        Mean loss in per cent, ``(num_points,)``.
    half_width
        Half the width of the 95 % confidence interval of the loss, ``(num_points,)``; nan for one
        instance.
    num_instances
        Number of auctions that the mean is over.
    published
        Mean of the published final loss and half the width of its confidence interval; None if
        there is none.
    published_path
        Queries per bidder and mean losses that were published of the way there; None if there are
        none.
    """

    label: str
    colour: str
    queries: np.ndarray
    loss: np.ndarray
    half_width: np.ndarray
    num_instances: int
    published: tuple[float, float] | None
    published_path: tuple[list[int], list[float]] | None


def regret_curves(results: Results) -> dict[str, list[RegretCurve]]:
    """The numbers of the regret plots, by domain."""
    columns = results.columns
    curves: dict[str, list[RegretCurve]] = {}
    for cell in results.cells:
        column = results.column(cell)
        published = find_published(cell.domain, cell.setting)
        curves.setdefault(cell.domain, []).append(
            RegretCurve(
                f"{column} ({len(cell.runs)})",
                COLOURS[columns.index(column) % len(COLOURS)],
                *regret_curve(cell),
                len(cell.runs),
                published.loss if published else None,
                published_path(cell.domain, cell.setting),
            )
        )
    return curves


def draw_regret_curves(results: Results, folder: Path, stem: str) -> list[Path]:
    """
    Draws one panel per domain and writes it as PNG and SVG.

    Parameters
    ----------
    results
        Finished runs.
    folder
        Where the files go.
    stem
        Name of the files, without ending.
    """
    curves = regret_curves(results)
    with our_style():
        num_columns = _legend_columns(line.label for lines in curves.values() for line in lines)
        num_rows = ceil(max(map(len, curves.values())) / num_columns)
        size = (1 + PANEL_WIDTH * len(curves), 4.2 + 0.22 * num_rows)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(1, len(curves), squeeze=False)[0]
        for axes, (domain, lines) in zip(panels, curves.items(), strict=True):
            _draw_panel(axes, domain, lines)
            axes.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, -0.14),
                ncols=num_columns,
                fontsize=10,
                handlelength=1.5,
                columnspacing=1.2,
            )
        panels[0].set_ylabel("efficiency loss (%)")
        text = (
            f"Mean; 95 % CI where there are at least {FEWEST_FOR_BAND} instances, "
            "whose number is in brackets."
        )
        if any(line.published for lines in curves.values() for line in lines):
            text += " Diamonds at the end: published final losses."
        if any(line.published_path for lines in curves.values() for line in lines):
            text += " Dotted: published clock bids, on other instances."
        if results.is_partial:
            text += f" Partial: {results.num_done} of {results.num_planned} runs."
        figure.supxlabel(text, fontsize=9, color=GREY)
        return save(figure, folder, stem)


def _legend_columns(labels: Iterable[str]) -> int:
    """How many entries fit beside each other below a panel: by their size in inches, roughly."""
    width = 0.5 + 0.075 * max(map(len, labels))
    return max(1, int(PANEL_WIDTH // width))


def _draw_panel(axes: Axes, domain: str, lines: Sequence[RegretCurve]) -> None:
    for line in lines:
        axes.plot(line.queries, line.loss, color=line.colour, label=line.label, linewidth=2)
        if line.num_instances >= FEWEST_FOR_BAND:
            low = np.clip(line.loss - line.half_width, 0, None)
            high = line.loss + line.half_width
            axes.fill_between(line.queries, low, high, color=line.colour, alpha=0.18, linewidth=0)
        if len(line.queries) < 3:
            axes.plot(line.queries, line.loss, "o", color=line.colour, markersize=5)
        if line.published_path:
            axes.plot(*line.published_path, ":o", color=line.colour, markersize=3)
    _draw_published_losses(axes, lines)
    axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=1.2)
    top = max(0.2, *map(_largest_loss, lines))
    axes.set_ylim(0, 1.15 * top)
    axes.set_yticks([tick for tick in TICKS if tick <= 1.15 * top])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set(title=domain, xlabel="queries per bidder")


def _draw_published_losses(axes: Axes, lines: Sequence[RegretCurve]) -> None:
    """Diamonds behind the ends of the lines, in their order."""
    published = [(line, line.published) for line in lines if line.published]
    for place, (line, (mean, half_width)) in enumerate(published, start=1):
        shift = ScaledTranslation(place * MARKER_DISTANCE / 72, 0, axes.figure.dpi_scale_trans)
        axes.errorbar(
            line.queries[-1],
            mean,
            # Below zero there is no loss, nor an axis.
            yerr=[[min(mean, half_width)], [half_width]],
            color=line.colour,
            marker="D",
            markersize=5,
            markerfacecolor="white",
            capsize=2,
            transform=axes.transData + shift,
            clip_on=False,
        )


def _largest_loss(line: RegretCurve) -> float:
    losses = [float(np.nanmax(line.loss))]
    if line.published:
        losses.append(sum(line.published))
    if line.published_path:
        losses.extend(line.published_path[1])
    return max(losses)


def regret_series(path: Sequence[PathEntry]) -> tuple[np.ndarray, np.ndarray]:
    """Queries per bidder and efficiency loss in per cent, both ``(num_rounds,)``."""
    queries = np.array([entry.queries for entry in path])
    losses = np.array([100 * entry.efficiency_loss for entry in path])
    return queries, losses


def draw_regret(path: Sequence[PathEntry], title: str, file: Path | str) -> None:
    """Draws one auction's loss by number of queries, and what is provably the most."""
    queries, losses = regret_series(path)
    proven = [entry for entry in path if entry.missing is not None and entry.missing < 1]
    with our_style():
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = figure.subplots()
        axes.step(queries, losses, where="post", color=BLUE, linewidth=2)
        axes.plot(queries, losses, "o", color=BLUE, markersize=4)
        if proven:
            axes.step(
                [entry.queries for entry in proven],
                [100 * entry.missing for entry in proven if entry.missing is not None],
                where="post",
                color=GREY,
                linestyle="dashed",
                label="at most, proven by the answers",
            )
            axes.legend(frameon=False)
        axes.set(xlabel="queries per bidder", ylabel="efficiency loss (%)", title=title)
        axes.set_ylim(bottom=0, top=max(1.05 * losses.max(initial=0), 0.1))
        if len(path):  # else nothing was asked
            axes.annotate(
                f"{losses[-1]:.2f} %",
                (queries[-1], losses[-1]),
                textcoords="offset points",
                xytext=(-4, 5),
                ha="right",
            )
        save_as(figure, Path(file))
