"""Efficiency loss over the course of auctions: the paper's regret plots."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np

from boca.experiments.simulate import PathEntry

matplotlib.use("Agg")


def regret_series(path: Sequence[PathEntry]) -> tuple[np.ndarray, np.ndarray]:
    """Queries a bidder and efficiency loss in per cent, both ``(num_rounds,)``."""
    queries = np.array([entry.queries for entry in path])
    losses = np.array([100 * entry.efficiency_loss for entry in path])
    return queries, losses


def draw_regret(path: Sequence[PathEntry], title: str, file: Path | str) -> None:
    """Draws one auction's loss by number of queries."""
    from matplotlib import pyplot as plt

    queries, losses = regret_series(path)
    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    axes.step(queries, losses, where="post", color="#0072B2", linewidth=2)
    axes.plot(queries, losses, "o", color="#0072B2", markersize=4)
    axes.set(xlabel="queries a bidder", ylabel="efficiency loss (%)", title=title)
    axes.set_ylim(bottom=0, top=max(1.05 * losses.max(initial=0), 0.1))
    axes.annotate(
        f"{losses[-1]:.2f} %",
        (queries[-1], losses[-1]),
        textcoords="offset points",
        xytext=(-4, 8),
        ha="right",
    )
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=150)
    plt.close(figure)
