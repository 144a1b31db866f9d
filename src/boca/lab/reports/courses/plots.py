"""Pictures of an assignment as SVG, for a page without other files."""

import io
import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

BLUE, PALE, RED, GREY = "#2b6ca3", "#cfe0ee", "#b5443c", "#666666"


def svg_of(figure: Figure) -> str:
    """The figure's SVG element, the same for the same figure."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def seats_plot(
    names: Sequence[str], seats: np.ndarray, taken: np.ndarray, prices: np.ndarray
) -> str:
    """Seats taken and empty by course, the dearest first, and what each costs."""
    order = np.lexsort((-taken / seats, -prices))[:40]
    figure = Figure(figsize=(9, 0.24 * len(order) + 1.0))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    rows = np.arange(len(order))
    left.barh(rows, seats[order], color=PALE, label="empty")
    left.barh(rows, taken[order], color=BLUE, label="taken")
    left.set_yticks(rows, [_short(names[j]) for j in order], fontsize=8)
    left.invert_yaxis()
    left.set_xlabel("seats")
    left.legend(loc="lower right", fontsize=8, frameon=True)
    right.barh(rows, prices[order], color=RED)
    right.set_xlim(left=0, right=None if prices.any() else 1)
    right.set_xlabel("price (a budget is about 1)")
    _tidy(left, right)
    return svg_of(figure)


def ranks_plot(num_better: np.ndarray) -> str:
    """How many schedules students would rather have."""
    edges = (0, 1, 2, 5, 10, 20, 50, 100, 500, np.inf)
    labels = ("best", "2nd", "3-5", "6-10", "11-20", "21-50", "to 100", "to 500", "later")
    counts = [
        int(((num_better >= low) & (num_better < high)).sum())
        for low, high in itertools.pairwise(edges)
    ]
    figure = Figure(figsize=(5.4, 2.6))
    axes = figure.subplots()
    bars = axes.bar(labels, counts, color=[BLUE, *[PALE] * (len(labels) - 1)])
    axes.bar_label(bars, fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_ylabel("students")
    axes.set_xlabel("place of the schedule in the student's own ranking")
    _tidy(axes)
    return svg_of(figure)


def budgets_plot(costs: np.ndarray, budgets: np.ndarray) -> str:
    """What students spent of their budgets."""
    figure = Figure(figsize=(4, 2.6))
    axes = figure.subplots()
    shares = 100 * costs / np.maximum(budgets, 1e-9)
    axes.hist(np.clip(shares, 0, 110), bins=list(range(0, 115, 5)), color=BLUE)
    axes.set_xlabel("% of the budget spent")
    axes.set_ylabel("students")
    _tidy(axes)
    return svg_of(figure)


def calibration_plot(bins: Sequence[tuple[int, float, int]]) -> str:
    """How often the first schedule was preferred, by the chance that was given to it."""
    some = [entry for entry in bins if entry[0]]
    counts = np.array([count for count, _, _ in some])
    chances = np.array([total for _, total, _ in some]) / counts
    shares = np.array([first for _, _, first in some]) / counts
    figure = Figure(figsize=(3.4, 3.0))
    axes = figure.subplots()
    axes.plot([0, 100], [0, 100], color=GREY, linewidth=1, linestyle="--")
    errors = 100 * np.sqrt(np.maximum(shares * (1 - shares), 0.25 / counts) / counts)
    axes.errorbar(100 * chances, 100 * shares, errors, fmt="o", color=BLUE, markersize=4)
    axes.set_xlabel("chance of the first schedule, %")
    axes.set_ylabel("preferred, %")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    _tidy(axes)
    return svg_of(figure)


def _tidy(*all_axes: object) -> None:
    for axes in all_axes:
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)  # type: ignore[attr-defined]


def _short(name: str) -> str:
    return name if len(name) <= 28 else name[:27] + "..."
