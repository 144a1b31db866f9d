"""Tests of outcomes."""

import numpy as np

from boca.core import Allocation, Market, Outcome

OUTCOME = Outcome(
    Market.simple(2, 2),
    Allocation(np.array([[1, 1], [0, 0]])),
    values=np.array([10.0, 0.0]),
    payments=np.array([7.0, 0.0]),
    rule="VCG",
)


def test_sums():
    """Tests welfare, revenue and utilities of an outcome done by hand."""
    assert OUTCOME.welfare == 10.0
    assert OUTCOME.revenue == 7.0
    assert OUTCOME.utilities.tolist() == [3.0, 0.0]


def test_rows_and_summary_name_everybody():
    """Tests that a bidder without goods is shown too."""
    assert [row["bundle"] for row in OUTCOME.rows()] == ["good 0, good 1", "nothing"]
    assert OUTCOME.summary().splitlines() == [
        "welfare 10, revenue 7 (VCG)",
        "bidder 0: good 0, good 1 for 7 (value 10)",
        "bidder 1: nothing for 0 (value 0)",
    ]
