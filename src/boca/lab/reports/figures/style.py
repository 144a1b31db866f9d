"""How our figures look, and how they reach the disk."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from boca.core.files import write_atomically

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLACK = "#000000"
BLUE = "#0072B2"
SKY = "#56B4E9"
GREEN = "#009E73"
ORANGE = "#E69F00"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#767676"

SETTINGS: dict[Any, Any] = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    # The same numbers give the same file.
    "svg.hashsalt": "boca",
    "svg.fonttype": "none",
}


@contextmanager
def our_style() -> Iterator[None]:
    """Inside, figures are drawn and saved our way; outside, nothing changes."""
    with mpl.rc_context(SETTINGS):
        yield


def save(
    figure: Figure, folder: Path, stem: str, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """
    Writes a figure; the paths of the files.

    Parameters
    ----------
    figure
        The figure.
    folder
        Where the files go; made if it is missing.
    stem
        Name of the files, without ending.
    formats
        Their endings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{stem}.{ending}" for ending in formats]
    for path in paths:
        save_as(figure, path, bbox_inches="tight")
    return paths


def save_as(figure: Figure, path: Path, **options: Any) -> None:
    """
    Writes a figure, the whole of it or nothing.

    Parameters
    ----------
    figure
        The figure.
    path
        The file; its ending gives the format.
    options
        Further arguments of matplotlib's ``savefig``.
    """
    kind = path.suffix.removeprefix(".")
    # Neither the program nor the date, so that the same numbers give the same file.
    date = {"png": "Software", "pdf": "CreationDate"}.get(kind, "Date")
    buffer = io.BytesIO()
    with our_style():
        figure.savefig(buffer, format=kind, metadata={date: None}, **options)
    write_atomically(path, buffer.getvalue())
