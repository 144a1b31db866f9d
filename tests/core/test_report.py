"""Tests of immutable reports."""

import subprocess
import sys

import numpy as np
import pytest

from boca.core import InputError, Reports

TWO = Reports(np.array([[1, 0], [1, 2]]), np.array([3.0, 5.0]))


def test_reports_remember_bundles_and_values():
    """Tests reading reports in each way that callers use."""
    assert len(TWO) == 2
    assert TWO.num_goods == 2
    assert [1, 2] in TWO
    assert [0, 1] not in TWO
    assert TWO.value_of([1, 2]) == 5.0
    assert [(bundle.tolist(), value) for bundle, value in TWO] == [([1, 0], 3.0), ([1, 2], 5.0)]


def test_value_of_unreported_bundle_is_a_key_error():
    """Tests that an unknown value is never taken for 0."""
    with pytest.raises(KeyError):
        TWO.value_of([0, 1])


def test_adding_gives_new_reports():
    """Tests that a state which holds reports never changes under its owner."""
    more = TWO.add([0, 1], 2.0)

    assert len(TWO) == 2
    assert len(more) == 3
    assert more.value_of([0, 1]) == 2.0
    assert Reports.empty(2).add(TWO.bundles, TWO.values) == TWO


def test_correcting_changes_one_value():
    """Tests that a bidder may take back a number without losing the others."""
    corrected = TWO.correct([1, 0], 4.0)

    assert corrected.values.tolist() == [4.0, 5.0]
    assert TWO.values.tolist() == [3.0, 5.0]
    with pytest.raises(KeyError):
        TWO.correct([0, 1], 4.0)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_impossible_values_are_refused(value):
    """Tests that nan and negative values are caught where they enter."""
    with pytest.raises(InputError, match=f"Report 2 has the value {value:g}"):
        TWO.add([0, 1], value)


@pytest.mark.parametrize(("value", "advised"), [(-1.0, False), (np.nan, False), (1e300, True)])
def test_another_unit_is_advised_for_large_values_only(value, advised):
    """Tests that a negative value is not said to need another unit of money."""
    with pytest.raises(InputError) as caught:
        TWO.add([0, 1], value)
    assert ("another unit of money" in str(caught.value)) == advised


def test_second_report_of_a_bundle_is_refused():
    """Tests that two values of one bundle cannot stand side by side."""
    with pytest.raises(InputError, match="reported twice"):
        TWO.add([1, 0], 3.0)


def test_negative_or_fractional_counts_are_refused():
    """Tests that half a good is not quietly taken for none."""
    with pytest.raises(InputError, match="whole numbers"):
        Reports(np.array([[0.5, 1.0]]), np.array([1.0]))
    with pytest.raises(InputError, match="whole numbers"):
        TWO.add([0.5, 1.0], 1.0)
    with pytest.raises(InputError, match="negative count"):
        Reports(np.array([[-1, 1]]), np.array([1.0]))


def test_shapes_must_agree():
    """Tests that every bundle has one value."""
    with pytest.raises(InputError, match=r"shape \(1, 2\) with values of shape \(2,\)"):
        Reports(np.array([[1, 0]]), np.array([1.0, 2.0]))


def test_dictionary_round_trip():
    """Tests saving, also of a bidder who has said nothing yet."""
    assert Reports.from_dict(TWO.to_dict(), 2) == TWO
    assert Reports.from_dict(Reports.empty(3).to_dict(), 3) == Reports.empty(3)


def test_reports_cannot_be_written_to():
    """Tests that arrays handed in or out are no way to change a report."""
    values = np.array([3.0, 5.0])
    reports = Reports(TWO.bundles, values)
    values[0] = 9.0

    assert reports.values[0] == 3.0
    with pytest.raises(ValueError, match="read-only"):
        reports.values[0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        reports.bundles[0] = 0


@pytest.mark.parametrize("values", [["a"], [[1, 2], [3]], "many"])
def test_values_that_are_no_numbers(values):
    """Tests that the message shows what was received."""
    with pytest.raises(InputError, match="expected a list of numbers"):
        Reports([[1]], values)


def test_rows_of_different_lengths():
    """Tests a forgotten good."""
    with pytest.raises(InputError, match="rows of different lengths"):
        Reports([[1, 0], [1]], [1, 2])


@pytest.mark.slow
def test_nested_lists_pass_a_type_checker(tmp_path):
    """Tests the call that the pages show, and that a text in its place does not pass."""
    pytest.importorskip("mypy")
    (tmp_path / "calls.py").write_text(
        "from boca import Reports\nReports([[1, 0]], [10])\nReports(wrong=1)\n"
    )
    words = ["--strict", "--follow-imports=silent", "--no-incremental", "calls.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], capture_output=True, text=True, cwd=tmp_path
    )
    errors = [line for line in done.stdout.splitlines() if line.startswith("calls.py")]
    assert errors, done.stdout + done.stderr
    assert all(line.startswith("calls.py:3:") for line in errors), done.stdout


def test_ranges_bid_their_least():
    """Tests what a range is, in files too, and that corrections can narrow and widen it."""
    reports = Reports([[1, 0], [1, 1]], [4, 6], [5, 6])
    assert reports.has_ranges
    assert reports.ranged.tolist() == [True, False]
    assert (reports.value_of([1, 0]), reports.high_of([1, 0])) == (4, 5)
    assert reports.middles == Reports([[1, 0], [1, 1]], [4.5, 6])
    assert Reports.from_dict(reports.to_dict(), 2) == reports
    assert reports != Reports([[1, 0], [1, 1]], [4, 6])
    assert reports.part(np.array([0])).high_of([1, 0]) == 5

    narrowed = reports.correct([1, 0], 4.5)
    assert not narrowed.has_ranges
    assert "highs" not in narrowed.to_dict()
    assert narrowed.correct([1, 1], 6, 7).high_of([1, 1]) == 7
    assert reports.add([0, 1], 1, 2).highs.tolist() == [5, 6, 2]
    assert reports.add([0, 1], 1).highs.tolist() == [5, 6, 1]


@pytest.mark.parametrize(
    ("highs", "text"),
    [
        ([3.0], "range from 4 to 3"),
        ([np.inf], "range from 4 to inf"),
        ([np.nan], "range from 4 to nan"),
        ([5, 6], "2 ends"),
        (["five"], "list of numbers"),
    ],
)
def test_ranges_that_end_before_they_begin_are_refused(highs, text):
    with pytest.raises(InputError, match=text):
        Reports([[1, 0]], [4], highs)
    with pytest.raises(InputError, match="empty bundle"):
        Reports([[0, 0]], [0], [1])
