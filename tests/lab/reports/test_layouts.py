"""The tables of a report, on stored runs with numbers that a test chose."""

import csv
import io
import math

import numpy as np
import pytest
from fake_runs import make_result, make_spec
from scipy import stats

from boca.lab.reports.against_published import compare_with_published
from boca.lab.reports.csv_rows import run_rows, summary_rows
from boca.lab.reports.layouts import (
    certificate_table,
    detail_table,
    instance_tables,
    loss_table,
    published_table,
    summary_tables,
)
from boca.lab.reports.published import SAME_CONFIGURATION, find_published, published_instances
from boca.lab.reports.remarks import remarks
from boca.lab.reports.results import collect
from boca.lab.reports.text_table import to_csv
from boca.lab.studies.part_versions import NEWEST
from boca.surrogates.hyperparameters import TUNED_DOMAINS, published

# On MRVM, whose published instances 10001 and 10002 lost 7.662 and 7.042 %.
LOSSES = {"boca": (7.0, 8.0), "mvnn": (9.0, 11.0), "random": (50.0, 40.0)}
SPECS = {
    (name, seed): make_spec("mrvm", seed, name) for name in LOSSES for seed in (10001, 10002, 10003)
}


@pytest.fixture
def results():
    stored = [
        make_result(SPECS[name, seed], loss, revenue=40, seconds=360)
        for name, losses in LOSSES.items()
        for seed, loss in zip((10001, 10002), losses, strict=True)
    ]
    return collect(stored, SPECS.values())


def test_certificates_are_compared_with_the_optimum(results):
    """Tests the smallest, mean and largest bound, and that reports without bounds have no table."""
    assert len(summary_tables(results)) == 4
    specs = [make_spec("mrvm", seed, "hybrid") for seed in (1, 2, 3)]
    bounds = ({"welfare_bound": 11.0, "missing": 0.1}, {"welfare_bound": 12.0, "missing": 0.3}, {})
    stored = [
        make_result(spec, loss=1, optimum=10.0, **more)
        for spec, more in zip(specs, bounds, strict=True)
    ]

    table = certificate_table(collect(stored, specs))
    assert len(summary_tables(collect(stored, specs))) == 4
    ratios = ("1.1000", "1.1500", "1.2000")
    assert table.rows == (("MRVM", "hybrid", "2 of 3", *ratios, "20.00 ± 127.06"),)


def test_loss_table(results):
    """Tests the layout of Table 1: ours above the published ones, then the tests."""
    table = loss_table(results)

    tests = ("p (mvnn ≤ boca)", "p (random ≤ boca)")
    assert table.header == ("domain", "", "boca", "mvnn", "random", *tests)
    ours, published = table.rows
    assert ours[:3] == ("MRVM", "ours", "7.50 ± 6.35 (q=0.9, 2 of 3)")  # t = 12.706, s = 0.707
    # Differences 2 and 3: t = 2.5 / 0.5, one degree of freedom.
    p = 0.5 - math.atan(5) / math.pi
    assert ours[5] == f"{p:.1g} (2)"
    # The paper's Table 1 marks BOCA; mvnn is not in it.
    losses = ("7.77 ± 0.34 ★", "7.51 ± 0.47", "48.79 ± 1.13")
    assert published == ("MRVM", "published", *losses, "-", "-")


def test_others_are_tested_against_the_newest_mechanism_that_was_run():
    """Tests that where ``hybrid`` was run, it takes boca's place, in front of its rivals."""
    specs = [make_spec("mrvm", 1, name) for name in ("boca", "mlhca", "hybrid")]

    results = collect([make_result(spec, loss=1) for spec in specs], specs)
    table = loss_table(results)

    assert [row["base"] for row in summary_rows(results)] == [None, "hybrid", "hybrid"]
    tests = ("p (mlhca ≤ hybrid)", "p (boca ≤ hybrid)")
    assert table.header == ("domain", "", "hybrid", "mlhca", "boca", *tests)


def test_without_our_mechanisms_others_are_tested_against_the_first_column():
    """Tests the p-value of two rivals by hand, and that the paper's, against BOCA, stay away."""
    losses = {"nn": (1, 2), "svr": (3, 5)}  # differences 2 and 3, as above
    specs = {(name, seed): make_spec("gsvm", seed, name) for name in losses for seed in (1, 2)}
    stored = [make_result(specs[n, s], loss=losses[n][s - 1]) for n, s in specs]
    results = collect(stored, list(specs.values()))

    table = loss_table(results)
    assert table.header[-1] == "p (svr ≤ nn)"
    p = 0.5 - math.atan(5) / math.pi
    assert table.rows[0][-1] == f"{p:.1g} (2)"
    assert [row[-1] for row in table.rows[1:]] in ([], ["-"])
    assert any("against the column nn" in note for note in table.notes)
    alone = collect([r for r in stored if r["spec"]["mechanism"] == "nn"], [])
    assert alone.base is None


def test_partial_tables_say_so(results):
    """Tests that every table of an unfinished grid carries the fact itself."""
    for table in (loss_table(results), detail_table(results), *instance_tables(results)):
        assert "[partial: 6 of 9 runs]" in table.title

    done = collect([make_result(spec, 1) for spec in SPECS.values()], SPECS.values())
    assert "partial" not in loss_table(done).title
    assert "(q=0.9, 3)" in loss_table(done).rows[0][2]


def test_detail_table(results):
    """Tests the layout of Tables 3 to 6."""
    rows = detail_table(results).rows

    ours = ("2 of 3", "7.50 ± 6.35", "40.00 ± 0.00", "-", "0.1")
    assert rows[0] == ("MRVM", "boca", "0.9", *ours, "7.77 ± 0.34 ★", "42.04 ± 0.89", "28.15")
    assert rows[2][-3:] == ("48.79 ± 1.13", "-", "-")


def test_revenue_differences_have_a_p_value():
    """Tests the two-sided test on differences of 2 and 3 points: twice the one-sided p."""
    revenues = {"boca": (40, 40), "mvnn": (42, 43)}
    stored = [
        make_result(make_spec("mrvm", seed, name), 7, revenue=value)
        for name, values in revenues.items()
        for seed, value in enumerate(values)
    ]
    results = collect(stored)

    p = 1 - 2 * math.atan(5) / math.pi
    assert [row[6] for row in detail_table(results).rows] == ["-", f"{p:.1g} (2)"]
    assert summary_rows(results)[1]["p_revenue_equals_base"] == pytest.approx(p)


@pytest.fixture
def quantiles():
    """BOCA on LSVM with two quantiles, of which the paper found 0.9 the better, and a rival."""
    losses = {("boca", 0.6): (9, 9, 9), ("boca", 0.9): (1, 2, 3), ("mvnn", 0.9): (2, 3, 5)}
    stored = [
        make_result(make_spec("lsvm", seed, name, q), loss)
        for (name, q), values in losses.items()
        for seed, loss in enumerate(values)
    ]
    return collect(stored)


def test_p_values_belong_to_the_column_that_is_shown(quantiles):
    """Tests that of several quantiles the published winner is shown, and others tested against."""
    table = loss_table(quantiles)

    assert table.header == ("domain", "", "boca", "mvnn", "p (mvnn ≤ boca)")
    assert table.rows[0][2] == "2.00 ± 2.48 (q=0.9, 3)"
    # Differences from q = 0.9 are 1, 1, 2; from q = 0.6 they would be negative and p near 1.
    expected = stats.ttest_1samp([1, 1, 2], 0, alternative="greater").pvalue
    assert table.rows[0][4] == f"{expected:.1g} (3)"
    assert "several q" in table.notes[-1]
    assert [row["p_not_above_base"] for row in summary_rows(quantiles)] == [
        pytest.approx(stats.ttest_1samp([8, 7, 6], 0, alternative="greater").pvalue),
        None,
        pytest.approx(expected),
    ]


def test_all_quantiles_are_in_the_detailed_table(quantiles):
    """Tests that what Table 1 leaves out is not lost, and that the paper's winner is marked."""
    rows = detail_table(quantiles).rows

    assert [row[1] for row in rows] == ["boca q=0.6", "boca q=0.9", "mvnn q=0.9"]
    assert [row[8] for row in rows] == ["0.69 ± 0.41", "0.39 ± 0.30 ★", "0.53 ± 0.41 ★"]


def test_winners_are_marked():
    """Tests the paper's rule: the best, and whatever is not worse at 1 %."""
    losses = {
        "boca": (1, 2, 3, 2, 1),
        "mvnn": (1, 3, 3, 2, 2),  # differences 0, 1, 0, 0, 1: p = 0.09
        "random": (30, 31, 29, 33, 30),
        "nn": (0.5, 0.5),  # too few instances to be anything
    }
    stored = [
        make_result(make_spec("lsvm", seed, name), loss)
        for name, values in losses.items()
        for seed, loss in enumerate(values)
    ]
    results = collect(stored)

    texts = dict(zip(results.families, loss_table(results).rows[0][2:], strict=False))
    assert {name for name, text in texts.items() if "★" in text} == {"boca", "mvnn"}


def test_instances_beside_published_ones(results):
    """Tests the comparison instance by instance, and its paired difference."""
    (table,) = instance_tables(results)

    assert table.header == ("seed", "boca", "published", "published again", "mvnn", "random")
    assert table.rows[0] == ("10001", "7.00", "7.66", "7.18", "9.00", "50.00")
    # 7.00 - 7.662 and 8.00 - 7.042
    assert table.notes[0].startswith("boca: ours minus published on these 2 instances +0.15 ±")
    # 7.00 - 7.177 and 8.00 - 7.581
    assert "a second run of the same configuration on these 2 instances +0.12 ±" in table.notes[1]
    assert "the means of the two on these 2 instances +0.13 ±" in table.notes[2]


def test_the_second_published_run_has_the_same_hyperparameters():
    """Tests what makes runs of another quantile runs of the same configuration."""
    for q, other in SAME_CONFIGURATION.items():
        for domain in TUNED_DOMAINS:
            assert published(domain, q) == published(domain, other)


def test_remarks_say_what_is_compared_with_what(results):
    """Tests the lines that make the comparison an honest one."""
    text = "\n".join(remarks(results))

    assert "Partial: 6 of 9 planned runs" in text
    assert "best of four q" in text
    assert "standard deviation of 1.43 points" in text
    assert "ours do not, so our revenue and time are higher" in text


def test_means_beside_published_ones(results):
    """Tests which figure each cell is compared with; two instances are no verdict and no test."""
    rows = published_table(results).rows

    assert [row[2] for row in rows] == [
        "Table 3, BOCA, q=0.9",
        "Table 4, OUR-MVNN-MLCA, q=0.9",
        "Table 1, RS",
    ]
    assert rows[0] == (
        *("MRVM", "boca", "Table 3, BOCA, q=0.9", "2", "7.50 ± 6.35", "7.77 ± 0.34"),
        *("-0.27", "too few instances", "-"),
    )


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [
        ((7, 8, 7, 8, 7), "overlaps"),  # 7.40 ± 0.68
        ((8, 9, 8, 9, 9), "overlaps"),  # 8.60 ± 0.68 and 7.77 ± 0.34
        ((9, 9.1, 9, 9.1, 9), "above"),
        ((6, 6.1, 6, 6.1, 6), "below"),
        ((9, 9.1, 9, 9.1), "too few instances"),
    ],
)
def test_verdicts_compare_intervals(losses, verdict):
    """Tests that our own uncertainty counts, and that a few instances are no verdict."""
    stored = [make_result(make_spec("mrvm", s, "boca"), loss) for s, loss in enumerate(losses)]
    (row,) = published_table(collect(stored)).rows

    assert row[7] == verdict


def test_remarks_name_what_lies_outside_the_published_interval():
    """Tests the one sentence about all cells, those with few instances left out."""
    losses = {
        ("lsvm", "boca"): (0.3, 0.5, 0.4, 0.3, 0.4),
        ("lsvm", "random"): (9, 10, 9, 11, 10),
        ("srvm", "nn"): (3, 3.1, 3.2, 3, 3.1),
        ("srvm", "ft"): (9, 9),
    }
    stored = [
        make_result(make_spec(domain, seed, name), loss)
        for (domain, name), values in losses.items()
        for seed, loss in enumerate(values)
    ]

    text = "\n".join(remarks(collect(stored)))
    assert "Intervals of the 3 mean losses that have a published counterpart" in text
    assert "1 overlap the published ones; below: LSVM random (-21.93 points, p = " in text
    assert "); above: SRVM nn (+1.95 points, p = " in text


def test_published_instances_make_the_test_a_paired_one():
    """Tests p and difference against scipy, with single losses and with means alone."""
    seeds, losses = range(10001, 10006), [7.0, 8.0, 7.5, 9.0, 6.0]
    specs = [make_spec("mrvm", s, "boca") for s in seeds] + [
        make_spec("lsvm", s, "boca") for s in seeds
    ]
    stored = [make_result(spec, loss) for spec, loss in zip(specs, losses * 2, strict=True)]
    cells = {cell.domain: cell for cell in collect(stored).cells}
    single = published_instances("MRVM", cells["MRVM"].setting)
    test = stats.ttest_rel(losses, [single[s] for s in seeds])

    mrvm, lsvm = (
        compare_with_published(cells[name], find_published(name, cells[name].setting))
        for name in ("MRVM", "LSVM")
    )
    assert (mrvm.is_paired, lsvm.is_paired) == (True, False)
    assert mrvm.p == pytest.approx(test.pvalue)
    assert mrvm.difference == pytest.approx(np.mean(losses) - np.mean([single[s] for s in seeds]))
    error = 0.30 / stats.t.ppf(0.975, 49)  # 0.39 ± 0.30 over 50 instances
    ours, theirs = (np.mean(losses), np.std(losses, ddof=1), 5), (0.39, error * 50**0.5, 50)
    tests = [
        stats.ttest_ind_from_stats(*ours, *theirs, equal_var=alike).pvalue
        for alike in (True, False)
    ]
    assert lsvm.p == pytest.approx(max(tests))


def test_parts_that_have_changed_are_named():
    """Tests that stored runs still read after a change of training, but not as new ones."""
    spec = make_spec("lsvm", 1, "boca")
    old = collect([make_result(spec, 1, results_version=NEWEST - 1)])
    new = collect([make_result(spec, 1, parts=spec.parts)])

    assert "made with it: surrogate mvnn (1 runs);" in "\n".join(remarks(old))
    assert "has changed since" not in "\n".join(remarks(new))


def test_runs_with_former_settings_are_named():
    """Tests that runs are counted whose mechanism has other settings by now, and no others."""
    of = {"results_version": NEWEST}
    old = [make_result(make_spec("lsvm", seed), 1, **of) | {"key": "former"} for seed in (1, 2)]
    older = make_result(make_spec("lsvm", 3), 1, results_version=1)
    new = make_result(make_spec("srvm", 1), 1, **of)

    words = "Made with former settings of their mechanism: random (2);"
    assert words in "\n".join(remarks(collect([*old, older | {"key": "former"}, new])))
    assert "former settings" not in "\n".join(remarks(collect([new])))


def test_remarks_without_published_figures():
    """Tests that small budgets are not compared with anything."""
    small = collect([make_result(make_spec("lsvm", 1, num_total=44), 20)])

    assert any("No published figure has the same budget" in line for line in remarks(small))
    assert [row[1] for row in loss_table(small).rows] == ["ours"]


def test_mixed_sources_are_named():
    """Tests that runs of different states of the source do not pass as one experiment."""
    mixed = collect(
        [make_result(make_spec("lsvm", seed), 1, source=f"state{seed}") for seed in (1, 2)]
    )

    assert any("2 states of the source: state1 (1), state2 (1)" in line for line in remarks(mixed))


def test_rows_carry_everything(results):
    """Tests that a row of the CSV says every parameter, the version and the machine."""
    text = to_csv(run_rows(results))
    rows = list(csv.DictReader(io.StringIO(text)))

    assert len(rows) == 6
    first = rows[0]
    assert (first["domain"], first["seed"], first["mechanism"]) == ("mrvm", "10001", "boca")
    assert float(first["efficiency_loss"]) == 0.07
    assert first["auction.num_total"] == "100"
    assert first["auction.phases.acquisition.surrogate.params.national.epochs"]
    assert first["auction.stopping.min_gain"] == "0.0001"
    assert first["versions.boca"] == "0"
    assert first["machine"] == "a machine"
    assert (
        rows[-1]["auction.phases.acquisition.surrogate.params.national.epochs"] == ""
    )  # random search has none


def test_summary_rows(results):
    """Tests that the summary has the numbers of the tables with all digits."""
    boca, mvnn, _ = summary_rows(results)

    assert boca["loss"] == pytest.approx(7.5)
    assert (boca["instances"], boca["planned"]) == (2, 3)
    assert boca["p_not_above_base"] is None
    assert mvnn["p_not_above_base"] == pytest.approx(0.5 - math.atan(5) / math.pi)
    assert boca["published_loss"] == 7.77
