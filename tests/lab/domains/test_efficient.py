import numpy as np
import pytest

from boca.core.allocation import Allocation
from boca.lab.domains import Efficient


@pytest.mark.parametrize(
    ("bound", "proven"), [(100.0, True), (100.0 + 1e-8, True), (100.1, False), (99.9, True)]
)
def test_proven_means_that_the_bound_is_reached(bound, proven):
    """Tests that rounding is forgiven and a real gap is not."""
    found = Efficient(100.0, Allocation(np.zeros((1, 1))), bound, "by hand")
    assert found.proven == proven


def test_gap_is_relative():
    """Tests the unit of the gap."""
    found = Efficient(100.0, Allocation(np.zeros((1, 1))), 110.0, "by hand")
    assert found.gap == pytest.approx(0.1)
