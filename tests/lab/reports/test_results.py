"""Stored runs as cells of a table."""

from dataclasses import replace

import numpy as np
import pytest
from fake_runs import make_result, make_spec

from boca.lab.reports.cell import regret_curve
from boca.lab.reports.results import collect


def results_of(*entries, planned=()):
    """Results from pairs of a run and its loss."""
    return collect([make_result(spec, loss) for spec, loss in entries], planned)


def test_cells_hold_the_runs_of_one_setting():
    """Tests that runs are sorted into cells, and cells as in the paper's tables."""
    results = results_of(
        (make_spec("mrvm", 1, "random"), 50),
        (make_spec("lsvm", 1, "random"), 30),
        (make_spec("lsvm", 1, "boca"), 1),
        (make_spec("lsvm", 2, "boca"), 2),
        (make_spec("lsvm", 1, "mvnn"), 3),
    )

    assert [(c.domain, c.setting.mechanism) for c in results.cells] == [
        ("LSVM", "boca"),
        ("LSVM", "mvnn"),
        ("LSVM", "random"),
        ("MRVM", "random"),
    ]
    assert results.cells[0].loss.mean == pytest.approx(1.5)
    assert results.cells[0].revenue.mean == pytest.approx(50)
    assert results.cells[0].hours == pytest.approx(0.01)


def test_missing_runs_are_counted():
    """Tests that a cell knows how many runs were planned, and the whole how many cells lack."""
    planned = [make_spec("lsvm", seed, name) for seed in (1, 2) for name in ("boca", "random")]
    results = results_of((planned[0], 1), planned=planned)

    (cell,) = results.cells
    assert (len(cell.runs), cell.num_planned) == (1, 2)
    assert cell.is_partial
    assert (results.num_done, results.num_planned) == (1, 4)
    assert results.is_partial


def test_newest_run_counts():
    """Tests that of two results of one run, such as from two versions, the newer is used."""
    spec = make_spec("lsvm", 1)
    results = collect(
        [
            make_result(spec, 7, finished="2026-02-01T00:00:00", source="new"),
            make_result(spec, 5, finished="2026-01-01T00:00:00", source="old"),
        ]
    )

    assert results.cells[0].loss.mean == pytest.approx(7)
    assert results.num_replaced == 1
    assert results.sources == {"new": 1}


def test_differences_use_common_instances_only():
    """Tests that a pair is compared where both have run."""
    results = results_of(
        (make_spec("lsvm", 1, "boca"), 1),
        (make_spec("lsvm", 2, "boca"), 2),
        (make_spec("lsvm", 9, "boca"), 100),
        (make_spec("lsvm", 1, "random"), 31),
        (make_spec("lsvm", 2, "random"), 30),
    )
    boca, random = results.cells

    test = boca.against(random)
    assert test.difference.num == 2
    assert test.difference.mean == pytest.approx(29)  # (30 + 28) / 2


def test_columns_are_named_by_what_differs():
    """Tests that settings which all share are left out of the names, and the chosen q too."""
    shared = results_of(
        (make_spec("lsvm", 1, "boca", num_initial=20), 1),
        (make_spec("srvm", 1, "boca", num_initial=20), 1),
        (make_spec("lsvm", 1, "random", num_initial=20), 1),
    )
    assert shared.columns == ["boca", "random"]

    learners = results_of(
        (make_spec("lsvm", 1, "boca", surrogate__epochs=7), 1), (make_spec("lsvm", 1, "random"), 1)
    )
    assert learners.columns == ["boca", "random"]  # random search has no epochs

    differing = results_of(
        (make_spec("lsvm", 1, "boca", num_initial=20), 1), (make_spec("lsvm", 1, "boca"), 1)
    )
    assert differing.columns == ["boca", "boca num_initial=20"]

    quantiles = results_of(
        (make_spec("lsvm", 1, "boca", q=0.6), 1), (make_spec("lsvm", 1, "boca", q=0.9), 1)
    )
    assert quantiles.columns == ["boca q=0.6", "boca q=0.9"]


def test_of_several_q_the_best_published_one_is_shown():
    """Tests Table 5's best of LSVM, 0.95: run as such, or as 0.9, which is the same auction."""

    def shown(*quantiles):
        specs = [make_spec("lsvm", 1, "boca", q=q, num_initial=20) for q in quantiles]
        results = results_of(*((spec, 1) for spec in specs))
        return results.shown("LSVM")["boca"].setting.q

    assert shown(0.6, 0.75, 0.9) == 0.9
    assert shown(0.6, 0.9, 0.95) == 0.95
    assert shown(0.6, 0.75) == 0.6


def test_settings_that_differ_in_a_flag_are_two_columns():
    """Tests that neither of two runs vanishes where only the stopping rule differs."""
    spec = make_spec("lsvm", 1, "boca")
    other = replace(spec, setting=replace(spec.setting, stop_when_efficient=True))
    results = results_of((spec, 1), (other, 2), (make_spec("lsvm", 1, "random"), 30))

    assert len(set(results.columns)) == 3
    assert "boca stop when efficient" in results.columns


def test_regret_curve_keeps_the_loss_of_runs_that_stopped_early():
    """Tests the mean path on two runs, one of which reached 0 % after 44 queries."""
    results = collect(
        [
            make_result(make_spec("lsvm", 1), 4, path=[(40, 10), (44, 8), (48, 4)]),
            make_result(make_spec("lsvm", 2), 0, path=[(40, 6), (44, 0)]),
        ]
    )
    queries, loss, half_width = regret_curve(results.cells[0])

    np.testing.assert_array_equal(queries, [40, 44, 48])
    np.testing.assert_allclose(loss, [8, 4, 2])
    assert half_width[0] == pytest.approx(12.7062 * np.sqrt(8) / np.sqrt(2), rel=1e-4)
