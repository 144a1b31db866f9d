"""The figure of what is known along a chain of bundles."""

import numpy as np
import pytest

from boca.lab.reports.figures.chain import draw_bounds, unit_of
from boca.lab.reports.figures.style import save
from boca.lab.studies.learning.chain import BoundsAlongChain


@pytest.fixture
def bounds():
    """Numbers that nobody had to learn."""
    sizes = np.arange(5)
    return BoundsAlongChain(
        title="LSVM, seed 11, national bidder 0",
        networks="networks [16]",
        bundles=np.tri(5, 4, -1, dtype=int),
        true=2.0 * sizes,
        mean=2.0 * sizes,
        upper=2.5 * sizes,
        envelope=np.full(5, 10.0),
        reported=np.array([True, False, False, False, True]),
        num_reports=20,
    )


def test_figure_names_all_it_shows(bounds, tmp_path):
    """Tests labels and files; how it looks is judged by eye."""
    figure = draw_bounds(bounds)
    (axes,) = figure.axes
    labels = {text.get_text() for text in axes.get_legend().get_texts()}
    assert {"mean", "upper bound", "envelope (100 % bound)", "reported value"} <= labels
    assert "LSVM, seed 11, national bidder 0" in axes.get_title(loc="left")

    png, svg = save(figure, tmp_path / "new folder", "figure")
    assert png.read_bytes().startswith(b"\x89PNG")
    first = svg.read_bytes()
    save(draw_bounds(bounds), tmp_path / "new folder", "figure")
    assert svg.read_bytes() == first  # so that a figure in git changes only with its numbers


def test_large_values_are_counted_in_words():
    """Tests that MRVM's axis reads in billions instead of in powers of ten."""
    assert unit_of(6.4e9) == (1e9, " (billions)")
    assert unit_of(432.0) == (1.0, "")
