"""Questions until little is lost, on paths that a test chose."""

import math

import pytest
from fake_runs import make_result, make_spec

from boca.lab.reports.cell import Run
from boca.lab.reports.question_table import (
    loss_after,
    question_table,
    until_loss,
    until_proven,
)
from boca.lab.reports.results import collect

PATH = [(20, 9.0), (30, 4.0), (40, 6.0), (60, 5.0), (80, 1.0)]


def run_of(path, missing=()):
    result = make_result(make_spec("mrvm", 1, "hybrid"), path[-1][1], path=path)
    for entry, share in zip(result["path"], missing, strict=False):
        entry["missing"] = share
    return Run.from_dict(result)


@pytest.mark.parametrize(
    ("most", "questions"), [(5.0, 60), (6.0, 30), (1.0, 80), (0.99, math.inf), (9.0, 20)]
)
def test_a_loss_must_stay_below(most, questions):
    """Tests that a good round before worse ones does not count, and that the bound itself does."""
    assert until_loss(run_of(PATH), most) == questions


def test_what_is_proven_counts_from_its_own_round():
    missing = (None, 0.03, None, 0.05, 0.02)
    assert until_proven(run_of(PATH, missing), 5.0) == 60
    assert until_proven(run_of(PATH, missing), 2.0) == 80
    assert until_proven(run_of(PATH), 5.0) == math.inf  # nothing was ever proven


@pytest.mark.parametrize(("after", "loss"), [(19, None), (20, 9.0), (59, 6.0), (60, 5.0), (99, 1)])
def test_losses_on_the_way(after, loss):
    assert loss_after(run_of(PATH), after) == loss


def test_medians_and_percentiles_are_those_of_instances():
    """Tests that auctions that never come so far count, and that a missing loss is no mean."""
    ends = [50, 60, 70, 80, 100]
    specs = [make_spec("mrvm", seed, "hybrid") for seed in range(6)]
    stored = [
        make_result(spec, 2.0, path=[(30, 8.0), (end, 2.0)])
        for spec, end in zip(specs, ends, strict=False)
    ]
    stored.append(make_result(specs[-1], 8.0, path=[(41, 8.0)]))
    table = question_table(collect(stored, specs))
    means = ("-", "6.00 ± 3.25", "3.00 ± 2.57")
    assert table.rows == (("MRVM", "hybrid", "6 of 6", *means, "70 / -", "70 / -", "- / -", "-"),)

    for result in stored[:5]:
        result["path"][-1]["missing"] = 0.04
    assert question_table(collect(stored, specs)).rows[0][-1] == "70 / -"
