import numpy as np
import pytest

from boca.core.allocation import Allocation
from boca.core.errors import InputError
from boca.lab.domains.grouping import Grouping

GROUPING = Grouping((0, 1, 0, 2, 0), ("A", "B", "C"))


def test_counts_of_items():
    """Tests that copies are counted wherever they stand."""
    assert GROUPING.capacities.tolist() == [3, 1, 1]
    assert GROUPING.to_counts(np.array([[1, 0, 1, 1, 0]])).tolist() == [[2, 0, 1]]


def test_items_of_counts():
    """Tests that the lowest copies are taken."""
    assert GROUPING.to_items(np.array([[2, 0, 1]])).tolist() == [[1, 0, 1, 1, 0]]


def test_there_and_back():
    """Tests that counts survive the way through items, for all of them."""
    counts = np.array(list(np.ndindex(4, 2, 2)))
    assert np.array_equal(GROUPING.to_counts(GROUPING.to_items(counts)), counts)


def test_allocations_hand_out_every_copy_once():
    """Tests that two bidders with copies of one good get different items."""
    counts = Allocation(np.array([[1, 0, 0], [2, 1, 0]]))
    items = GROUPING.allocation_to_items(counts)
    assert items.bundles.tolist() == [[1, 0, 0, 0, 0], [0, 1, 1, 0, 1]]
    assert GROUPING.allocation_to_counts(items) == counts


def test_goods_without_items_are_refused():
    """Tests that a gap in the numbering is found at once."""
    with pytest.raises(InputError, match="expected every one of 0 to 2"):
        Grouping((0, 2), ("A", "B", "C"))
