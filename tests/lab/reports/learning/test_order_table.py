"""The table of upper bounds below the mean as text."""

from boca.lab.reports.learning.order_table import ORDER_TABLE
from boca.lab.studies.learning.order import OrderRow


def test_shares_are_percentages():
    """Tests the units: shares of bundles, and a distance as a share of the largest value."""
    row = OrderRow(
        "lsvm", "", 0.9, "cube", (1, 2), half_full=0.071, any_density=0.5, shortfall=0.02
    )
    cells = ["lsvm", "(none)", "0.9", "cube", "7.1 %", "50.0 %", "2.0 %"]
    assert ORDER_TABLE.cells(row) == cells
    assert "Means over 2 instances" in ORDER_TABLE.markdown([row])
    assert "| " + " | ".join(cells) + " |" in ORDER_TABLE.markdown([row])
