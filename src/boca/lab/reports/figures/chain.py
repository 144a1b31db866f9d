"""Draws what :mod:`boca.lab.studies.learning.chain` computed."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from boca.lab.reports.figures.style import BLACK, BLUE, GREY, VERMILION, our_style
from boca.lab.studies.learning.chain import BoundsAlongChain


def draw_bounds(bounds: BoundsAlongChain) -> Figure:
    """Mean, upper bound, envelope, reports and true values along the chain."""
    with our_style():
        figure = Figure(figsize=(8.5, 5.0), layout="constrained")
        axes = figure.add_subplot()
        sizes = bounds.sizes
        few = len(sizes) <= 40

        axes.fill_between(
            sizes,
            bounds.mean,
            np.maximum(bounds.mean, bounds.upper),
            color=VERMILION,
            alpha=0.12,
            linewidth=0,
            label="uncertainty: mean to upper bound",
        )
        axes.plot(
            sizes,
            bounds.envelope,
            color=GREY,
            linestyle=(0, (1, 1.2)),
            linewidth=2,
            label="envelope (100 % bound)",
        )
        axes.plot(
            sizes,
            bounds.upper,
            color=VERMILION,
            linestyle="--",
            linewidth=2.2,
            label="upper bound",
        )
        axes.plot(sizes, bounds.mean, color=BLUE, linewidth=2.2, label="mean")
        axes.plot(
            sizes,
            bounds.true,
            color=BLACK,
            linestyle="none",
            marker="x",
            markersize=6 if few else 3.5,
            markeredgewidth=1.4 if few else 0.9,
            label="true value",
        )
        axes.plot(
            sizes[bounds.reported],
            bounds.true[bounds.reported],
            color=BLACK,
            linestyle="none",
            marker="o",
            markersize=8,
            markerfacecolor="white",
            markeredgewidth=1.8,
            zorder=4,
            clip_on=False,
            label="reported value",
        )

        unit, word = unit_of(float(bounds.envelope.max()))
        axes.set_title(
            f"{bounds.title}, learned from {bounds.num_reports} reports\n{bounds.networks}"
        )
        axes.set_xlabel("goods in the bundle; every bundle contains the one before")
        axes.set_ylabel(f"value{word}")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / unit:,.4g}"))
        axes.set_xlim(-0.01 * sizes[-1], 1.01 * sizes[-1])
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper left")
        return figure


def unit_of(largest: float) -> tuple[float, str]:
    """A unit in which axis numbers stay short, and what it is called."""
    for unit, word in ((1e9, " (billions)"), (1e6, " (millions)"), (1e3, " (thousands)")):
        if largest >= unit:
            return unit, word
    return 1.0, ""
