"""Draws what :mod:`boca.lab.studies.tuning.insights` computed."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from boca.lab.reports.figures.style import BLUE, GREY, VERMILION, our_style
from boca.lab.studies.tuning.insights import History, Lines

# Trials that are this much worse than the best are drawn at the edge.
WORST_DRAWN = 3.0

# Of all trials, those that parallel coordinates draw in colour.
COLOURED_SHARE = 0.25


def draw_history(histories: Sequence[History], title: str, unit: str) -> Figure:
    """The criterion of every trial and the best so far, a panel for each target."""
    with our_style():
        columns = min(2, len(histories))
        rows = -(-len(histories) // columns)
        figure = Figure(figsize=(4.6 * columns + 0.4, 2.9 * rows + 0.6), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True)
        for axes, history in zip(panels.flat, histories, strict=False):
            best = float(history.best_so_far[-1])
            highest = WORST_DRAWN * best
            shown = np.minimum(history.values, highest)
            complete = history.is_complete
            axes.plot(
                history.numbers[~complete],
                shown[~complete],
                linestyle="none",
                marker="x",
                color=GREY,
                markersize=5,
                label="given up early (estimate)",
            )
            axes.plot(
                history.numbers[complete],
                shown[complete],
                linestyle="none",
                marker="o",
                color=BLUE,
                markersize=4.5,
                label="all instances",
            )
            axes.step(
                history.numbers,
                np.minimum(history.best_so_far, highest),
                where="post",
                color=VERMILION,
                linewidth=1.8,
                label="best so far",
            )
            name = "" if history.target == "all" else f"q = {history.target}: "
            axes.set_title(f"{name}best {best:.4g}")
            axes.set_ylim(0.9 * best, highest * 1.03)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        for axes in panels.flat[len(histories) :]:
            axes.set_visible(False)
        for axes in panels[-1]:
            axes.set_xlabel("trial")
        for axes in panels[:, 0]:
            axes.set_ylabel(unit)
        handles, labels = panels.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=10)
        figure.suptitle(title, x=0.01, ha="left")
        return figure


def draw_importances(by_target: Mapping[str, Mapping[str, float]], title: str) -> Figure:
    """How much each range matters, a column of bars for each target."""
    with our_style():
        mean = {
            name: np.mean([shares.get(name, 0.0) for shares in by_target.values()])
            for name in next(iter(by_target.values()))
        }
        names = sorted(mean, key=lambda name: mean[name])
        figure = Figure(
            figsize=(2.2 * len(by_target) + 3.0, 0.28 * len(names) + 1.4), layout="constrained"
        )
        panels = figure.subplots(1, len(by_target), squeeze=False, sharey=True, sharex=True)
        for axes, (target, shares) in zip(panels.flat, by_target.items(), strict=True):
            axes.barh(names, [100 * shares.get(name, 0.0) for name in names], color=BLUE)
            axes.set_title("" if target == "all" else f"q = {target}")
            axes.grid(visible=False, axis="y")
            axes.set_xlabel("share, %")
        figure.suptitle(title, x=0.01, ha="left")
        return figure


def draw_lines(lines: Lines, title: str) -> Figure:
    """Parallel coordinates: the best quarter in colour, the best darkest, others in grey."""
    with our_style():
        figure = Figure(figsize=(0.95 * len(lines.names) + 1.5, 5.2), layout="constrained")
        axes = figure.add_subplot()
        order = np.argsort(-lines.values)  # the best last, on top
        num_good = max(2, round(COLOURED_SHARE * len(order)))
        good = lines.values[order[-num_good:]]
        scale = Normalize(float(good.min()), float(good.max()))
        colours = colormaps["plasma"]
        where = np.arange(len(lines.names))
        for rank, row in enumerate(order):
            is_good = rank >= len(order) - num_good
            axes.plot(
                where,
                lines.places[row],
                color=colours(scale(lines.values[row])) if is_good else "#D8D8D8",
                linewidth=1.6 if is_good else 0.7,
                alpha=0.95 if is_good else 0.7,
                zorder=3 if is_good else 1,
            )
        for axis, names in enumerate(lines.ends):
            for place, name in zip(np.linspace(0, 1, len(names)), names, strict=True):
                axes.text(
                    axis,
                    place,
                    f" {name}",
                    fontsize=8,
                    va="center",
                    zorder=5,
                    bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
                )
        axes.set_xticks(where, lines.names, rotation=40, ha="right", fontsize=9)
        axes.set_yticks([])
        axes.set_xlim(-0.3, len(lines.names) - 0.3)
        axes.grid(visible=True, axis="x", color=GREY, linewidth=0.8)
        axes.spines["left"].set_visible(False)
        bar = figure.colorbar(ScalarMappable(scale, colours), ax=axes, pad=0.01, shrink=0.8)
        bar.set_label("criterion, best quarter of the trials")
        axes.set_title(title)
        return figure
