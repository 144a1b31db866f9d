"""Efficiency loss over the course of auctions: the paper's regret plots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from textwrap import fill
from types import MappingProxyType

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened
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
FEWEST_FOR_INTERVAL = 10
# More bands than these run together into mud; then intervals stand at the end only.
MOST_BANDS = 3
TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1, 2, 5, 10, 20, 50, 100)
PANEL_WIDTH = 5.2
# Width of the strip of final losses beside a panel, relative to the panel, for each mechanism.
STRIP_SHARE = 0.045
LETTERS_PER_INCH = 14  # of the note below the panels


@dataclass(frozen=True)
class Drawing:
    """
    How a plot is drawn.

    Parameters
    ----------
    formats
        Endings of the files, such as png, svg, pdf.
    size
        Width and height of one panel in inches; None for ours.
    labels
        Column of the tables -> its name in the legend, where it should have another one.
    """

    formats: tuple[str, ...] = ("png", "svg")
    size: tuple[float, float] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


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


def regret_curves(
    results: Results, labels: Mapping[str, str] = MappingProxyType({})
) -> dict[str, list[RegretCurve]]:
    """
    The numbers of the regret plots, by domain.

    Parameters
    ----------
    results
        Finished runs.
    labels
        As in :class:`Drawing`.
    """
    unknown = [name for name in labels if name not in results.columns]
    if unknown:
        word = shortened(unknown[0])
        raise InputError(f"There is no column '{word}'; {did_you_mean(word, results.columns)}")
    columns = results.columns
    curves: dict[str, list[RegretCurve]] = {}
    for cell in results.cells:
        column = results.column(cell)
        published = find_published(cell.domain, cell.setting)
        curves.setdefault(cell.domain, []).append(
            RegretCurve(
                f"{labels.get(column, column)} ({len(cell.runs)})",
                COLOURS[columns.index(column) % len(COLOURS)],
                *regret_curve(cell),
                len(cell.runs),
                published.loss if published else None,
                published_path(cell.domain, cell.setting),
            )
        )
    return curves


def draw_regret_curves(
    results: Results, folder: Path, stem: str, drawing: Drawing = Drawing()
) -> list[Path]:
    """
    Draws one panel per domain, with a strip of final losses beside it, and writes the files.

    Parameters
    ----------
    results
        Finished runs.
    folder
        Where the files go.
    stem
        Name of the files, without ending.
    drawing
        Formats, size and labels.
    """
    curves = regret_curves(results, drawing.labels)
    width, height = drawing.size or (PANEL_WIDTH, 4.2)
    with our_style():
        labels = [line.label for lines in curves.values() for line in lines]
        num_columns = _legend_columns(labels, width)
        num_rows = ceil(max(map(len, curves.values())) / num_columns)
        size = (1 + width * len(curves), height + 0.22 * num_rows)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(1, len(curves), squeeze=False)[0]
        for axes, (domain, lines) in zip(panels, curves.items(), strict=True):
            _draw_panel(axes, domain, lines)
            _draw_final_losses(axes.inset_axes((1.02, 0, STRIP_SHARE * len(lines), 1)), axes, lines)
            axes.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, -0.14),
                ncols=num_columns,
                fontsize=10,
                handlelength=1.5,
                columnspacing=1.2,
            )
        panels[0].set_ylabel(f"efficiency loss (%), linear below {LINEAR_BELOW:g}")
        note = fill(_note(results, curves), max(40, int(LETTERS_PER_INCH * size[0])))
        figure.supxlabel(note, fontsize=9, color=GREY)
        return save(figure, folder, stem, drawing.formats)


def _note(results: Results, curves: Mapping[str, Sequence[RegretCurve]]) -> str:
    """What the marks mean, as far as there are any."""
    lines = [line for panel in curves.values() for line in panel]
    bars = (
        f"Mean losses; 95 % confidence intervals from {FEWEST_FOR_INTERVAL} instances on, whose "
        "number is in brackets. At the right: final losses, filled ours."
    )
    parts = [bars]
    if any(line.published for line in lines):
        parts.append("Diamonds: published final losses.")
    if any(line.published_path for line in lines):
        parts.append("Dotted: published clock bids, on other instances.")
    if results.is_partial:
        parts.append(f"Partial: {results.num_done} of {results.num_planned} runs.")
    return " ".join(parts)


def _legend_columns(labels: Iterable[str], width: float) -> int:
    """How many entries fit beside each other below a panel: by their size in inches, roughly."""
    entry = 0.5 + 0.075 * max(map(len, labels))
    return max(1, int(width // entry))


def _draw_panel(axes: Axes, domain: str, lines: Sequence[RegretCurve]) -> None:
    has_bands = len(lines) <= MOST_BANDS
    for line in lines:
        # Steps: between two rounds nothing was asked, so nothing was gained.
        axes.step(
            line.queries,
            line.loss,
            where="post",
            color=line.colour,
            label=line.label,
            linewidth=2,
        )
        if has_bands and line.num_instances >= FEWEST_FOR_INTERVAL:
            low = np.clip(line.loss - line.half_width, 0, None)
            high = line.loss + line.half_width
            axes.fill_between(
                line.queries, low, high, step="post", color=line.colour, alpha=0.18, linewidth=0
            )
        if len(line.queries) < 3:
            axes.plot(line.queries, line.loss, "o", color=line.colour, markersize=5)
        if line.published_path:
            axes.plot(*line.published_path, ":o", color=line.colour, markersize=3)
    axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=1.2)
    top = max(0.2, *map(_largest_loss, lines))
    axes.set_ylim(0, 1.15 * top)
    axes.set_yticks([tick for tick in TICKS if tick <= 1.15 * top])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set(title=domain, xlabel="queries per bidder")


def _draw_final_losses(strip: Axes, panel: Axes, lines: Sequence[RegretCurve]) -> None:
    """Where every mechanism ends, and what was published of it, in the panel's order."""
    strip.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=1.2)
    strip.set_ylim(panel.get_ylim())
    strip.set_yticks(panel.get_yticks(), labels=[])
    strip.yaxis.set_minor_locator(NullLocator())
    for place, line in enumerate(lines):
        own = line.half_width[-1] if line.num_instances >= FEWEST_FOR_INTERVAL else 0.0
        marks = [(place - 0.18, line.loss[-1], own, "o", line.colour)]
        if line.published:
            marks.append((place + 0.18, *line.published, "D", "white"))
        for x, mean, half_width, marker, face in marks:
            strip.errorbar(
                x,
                mean,
                # Below zero there is no loss, nor an axis.
                yerr=[[min(mean, half_width)], [half_width]],
                color=line.colour,
                marker=marker,
                markersize=5,
                markerfacecolor=face,
                capsize=2,
                clip_on=False,
            )
    strip.set_xlim(-0.7, len(lines) - 0.3)
    strip.set_xticks([])
    strip.set_xlabel("end")
    strip.tick_params(axis="y", left=False)
    strip.spines["left"].set_visible(False)


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


def draw_regret(
    path: Sequence[PathEntry],
    title: str,
    file: Path | str,
    size: tuple[float, float] | None = None,
) -> None:
    """Draws one auction's loss by number of queries, and what is provably the most."""
    queries, losses = regret_series(path)
    proven = [entry for entry in path if entry.missing is not None and entry.missing < 1]
    with our_style():
        figure = Figure(figsize=size or (6.4, 4), layout="constrained")
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
