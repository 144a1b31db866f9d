"""What rounds are recorded as: shares that are missing, rows of a table, files."""

import json
from dataclasses import replace

import pytest

from boca.core import Allocation, InputError
from boca.mechanism import RoundRecord
from boca.mechanism.record import Planning
from boca.queries.planner import Prediction

KNOWN = Planning("acquisition", Prediction(12.0, 15.0, 0.25, 7, 2), 1.5, 2.5, 0.75)
RECORD = RoundRecord(3, 16, 40, 8.0, Allocation([[1, 0], [0, 2]]), KNOWN, 10.0)
FIRST = RoundRecord(0, 4, 8, 0.0, Allocation([[0, 0], [0, 0]]))


def test_the_share_that_is_missing():
    """Tests 8 of 10, what is sure of it where answers contradict each other, and no bound."""
    assert RECORD.missing == pytest.approx(0.2)
    assert replace(RECORD, discrepancy=1.0, sure_welfare=5.0).missing == 0.5
    assert replace(RECORD, discrepancy=1.0, sure_welfare=0.0).missing == 1
    assert FIRST.missing is None
    assert (RECORD.gap, FIRST.gap) == (0.25, None)


def test_a_row_has_the_numbers_of_the_round():
    """Tests a round with everything, and a first one of which little is known."""
    assert RECORD.row() == {
        "round": 3, "phase": "acquisition", "num_queries": 16, "num_reports": 40, "welfare": 8.0,
        "welfare_bound": 10.0, "missing": pytest.approx(0.2), "discrepancy": 0.0,
        "predicted_welfare": 12.0, "bound": 15.0, "gap": 0.25, "num_solved": 7, "num_displaced": 2,
        "learning_seconds": 1.5, "solving_seconds": 2.5, "fit_r2": 0.75,
    }  # fmt: skip
    assert FIRST.row() == {
        "round": 0, "phase": "", "num_queries": 4, "num_reports": 8, "welfare": 0.0,
        "welfare_bound": None, "missing": None, "discrepancy": 0.0, "predicted_welfare": None,
        "bound": None, "gap": None, "num_solved": 0, "num_displaced": 0, "learning_seconds": 0.0,
        "solving_seconds": 0.0, "fit_r2": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("record", "more"),
    [
        (RECORD, set()),
        (FIRST, set()),
        (replace(RECORD, discrepancy=0.5), {"discrepancy"}),
        (
            replace(RECORD, discrepancy=0.5, sure_welfare=0.0),
            {"discrepancy", "sure_welfare"},
        ),
        (replace(RECORD, planning=replace(KNOWN, fit_r2=None)), set()),
        (replace(RECORD, planning=replace(KNOWN, prediction=Prediction())), set()),
    ],
)
def test_a_record_is_read_as_it_was_written(record, more):
    """Tests that contradictions are written only where there are some, as in older files."""
    data = json.loads(json.dumps(record.to_dict()))
    assert RoundRecord.from_dict(data) == record
    assert data.keys() - RECORD.to_dict().keys() == more


@pytest.mark.parametrize(
    "name",
    ["round", "num_queries", "num_reports", "welfare", "welfare_bound", "discrepancy",
     "sure_welfare"],
)  # fmt: skip
def test_a_record_with_words_for_numbers_is_refused(name):
    data = {**replace(RECORD, discrepancy=0.5, sure_welfare=1.0).to_dict(), name: "many"}
    with pytest.raises(InputError, match=f"{name} = 'many'"):
        RoundRecord.from_dict(data)


@pytest.mark.parametrize("name", ["learning_seconds", "solving_seconds", "fit_r2", "bound", "gap"])
def test_a_planning_with_words_for_numbers_is_refused(name):
    data = KNOWN.to_dict()
    place = data["prediction"] if name in data["prediction"] else data
    place[name] = "long"
    with pytest.raises(InputError, match=f"{name} = 'long'"):
        Planning.from_dict(data)
