"""Regret plots: the numbers, then that they are drawn."""

import itertools
import re

import numpy as np
import pytest
from fake_runs import make_result, make_spec

from boca.core.errors import InputError
from boca.lab.reports.figures.regret import (
    Drawing,
    draw_regret,
    draw_regret_curves,
    regret_curves,
)
from boca.lab.reports.results import collect
from boca.lab.simulation.observer import PathEntry


@pytest.fixture
def results():
    stored = [
        make_result(make_spec(domain, seed, name), loss * seed, path=[(40, 20), (44, loss * seed)])
        for domain in ("lsvm", "srvm")
        for name, loss in (("boca", 1), ("random", 9))
        for seed in (1, 2)
    ]
    return collect(stored)


def test_curves_have_the_numbers_of_the_tables(results):
    """Tests what a panel shows before it is drawn."""
    curves = regret_curves(results)

    assert list(curves) == ["LSVM", "SRVM"]
    boca, random = curves["LSVM"]
    assert boca.label == "boca (2)"
    np.testing.assert_allclose(boca.loss, [20, 1.5])
    np.testing.assert_allclose(random.loss, [20, 13.5])
    assert boca.published == (0.39, 0.30)
    assert boca.colour == curves["SRVM"][0].colour != random.colour


def test_files(results, tmp_path):
    """Tests that both files are written, with every domain's name and every label in them."""
    png, svg = draw_regret_curves(results, tmp_path, "some-regret")

    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text()
    assert all(word in text for word in ("LSVM", "SRVM", "boca (2)", "random (2)"))


@pytest.mark.parametrize(
    ("mechanism", "named"), [("boca", {"Diamonds"}), ("cca", {"Dotted"}), ("svr", set())]
)
def test_published_figures_are_named(mechanism, named, tmp_path):
    """Tests that a figure says what its diamonds and its dotted lines are, where it has any."""
    path = [(1, 20), (70, 9), (100, 5)]
    results = collect([make_result(make_spec("lsvm", 1, mechanism), 5, path=path)])

    text = draw_regret_curves(results, tmp_path, "some")[1].read_text()

    assert {word for word in ("Diamonds", "Dotted") if f" {word}" in text} == named


def test_the_note_does_not_widen_the_figure(tmp_path):
    """Tests that a panel of one domain keeps its size, however much there is to say below it."""
    results = collect([make_result(make_spec("lsvm", 1), 5, path=[(40, 20), (100, 5)])])
    svg = draw_regret_curves(results, tmp_path, "some")[1].read_text()

    width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1]) / 72
    assert width < 7
    assert "linear below 1" in svg


def test_losses_are_steps(results, tmp_path):
    """Tests that nothing seems to be gained between two rounds."""
    svg = draw_regret_curves(results, tmp_path, "some")[1].read_text()

    line = re.search(r'id="line2d_\d+">\s*<path d="([^"]+)" [^>]*stroke: #009e73', svg)[1]
    corners = [tuple(map(float, pair)) for pair in re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", line)]
    assert len(corners) == 3
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(corners))


def test_formats_size_and_labels(results, tmp_path):
    """Tests what a paper needs: PDF, a column's width, and names of its own."""
    drawing = Drawing(("pdf", "svg"), (3.0, 2.5), {"boca": "BOCA"})
    pdf, svg = draw_regret_curves(results, tmp_path, "some", drawing)

    assert pdf.read_bytes().startswith(b"%PDF")
    assert "BOCA (2)" in svg.read_text()
    assert (
        pdf.read_bytes() == draw_regret_curves(results, tmp_path, "again", drawing)[0].read_bytes()
    )
    with pytest.raises(InputError, match="no column 'boka'; did you mean 'boca'"):
        draw_regret_curves(results, tmp_path, "some", Drawing(labels={"boka": "x"}))


def test_single_runs_without_intervals(tmp_path):
    """Tests that one run with no loss at all is drawn too."""
    results = collect([make_result(make_spec("toy", 1), 0, path=[(12, 0)])])

    assert draw_regret_curves(results, tmp_path, "toy")[0].exists()


def test_one_auction(tmp_path):
    """Tests the plot of a single run."""
    draw_regret([PathEntry(0, 40, 0.2), PathEntry(1, 44, 0.1)], "a title", tmp_path / "one.svg")

    assert "10.00 %" in (tmp_path / "one.svg").read_text()
