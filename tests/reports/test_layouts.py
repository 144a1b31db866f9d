"""The tables of a report, on stored runs with numbers that a test chose."""

import csv
import io
import math

import pytest
from fake_runs import make_result, make_spec

from boca.reports.csv_rows import run_rows, summary_rows
from boca.reports.layouts import detail_table, instance_tables, loss_table
from boca.reports.remarks import remarks
from boca.reports.results import collect
from boca.reports.text_table import to_csv

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


def test_loss_table(results):
    """Tests the layout of Table 1: ours above the published ones, then the tests."""
    table = loss_table(results)

    assert table.header == (
        *("domain", "", "boca", "mvnn", "random"),
        *("p (mvnn ≤ boca)", "p (random ≤ boca)"),
    )
    ours, published = table.rows
    assert ours[:3] == ("MRVM", "ours", "7.50 ± 6.35 (q=0.9, 2 of 3)")  # t = 12.706, s = 0.707
    # Differences 2 and 3: t = 2.5 / 0.5, one degree of freedom.
    p = 0.5 - math.atan(5) / math.pi
    assert ours[5] == f"{p:.1g} (2)"
    assert published == (
        *("MRVM", "published", "7.77 ± 0.34", "7.51 ± 0.47", "48.79 ± 1.13", "-", "-"),
    )


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

    assert rows[0] == (
        *("MRVM", "boca", "0.9", "2 of 3", "7.50 ± 6.35", "40.00 ± 0.00", "0.1"),
        *("7.77 ± 0.34", "42.04 ± 0.89", "28.15"),
    )
    assert rows[2][-3:] == ("48.79 ± 1.13", "-", "-")


def test_instances_beside_published_ones(results):
    """Tests the comparison instance by instance, and its paired difference."""
    (table,) = instance_tables(results)

    assert table.header == ("seed", "boca", "published", "mvnn", "random")
    assert table.rows[0] == ("10001", "7.00", "7.66", "9.00", "50.00")
    # 7.00 - 7.662 and 8.00 - 7.042
    assert table.notes[0].startswith("boca: ours minus published on these 2 instances +0.15 ±")


def test_remarks_say_what_stands_beside_what(results):
    """Tests the lines that make the comparison an honest one."""
    text = "\n".join(remarks(results))

    assert "Partial: 6 of 9 planned runs" in text
    assert "our boca stands beside the published Table 3, BOCA, q=0.9" in text
    assert "our mvnn stands beside the published Table 4, OUR-MVNN-MLCA, q=0.9" in text
    assert "our mean loss on 2 instances is within its confidence interval" in text  # 7.50
    assert text.count("is above its confidence interval") == 1  # mvnn, 10.00 and 7.51 ± 0.47
    assert text.count("is below its confidence interval") == 1  # random, 45.00 and 48.79 ± 1.13
    assert "best of four q" in text
    assert "standard deviation of 1.43 points" in text
    assert "ours do not, so our revenue and time are higher" in text


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
    assert first["auction.surrogate_params.national.epochs"]
    assert first["auction.stopping.min_gain"] == "0.0001"
    assert first["versions.boca"] == "0"
    assert first["machine"] == "a machine"
    assert rows[-1]["auction.surrogate_params.national.epochs"] == ""  # random search has none


def test_summary_rows(results):
    """Tests that the summary has the numbers of the tables with all digits."""
    boca, mvnn, _ = summary_rows(results)

    assert boca["loss"] == pytest.approx(7.5)
    assert (boca["instances"], boca["planned"]) == (2, 3)
    assert boca["p_not_above_boca"] is None
    assert mvnn["p_not_above_boca"] == pytest.approx(0.5 - math.atan(5) / math.pi)
    assert boca["published_loss"] == 7.77
