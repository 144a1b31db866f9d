import numpy as np
import pytest

from boca.functions.value_function import ValueFunction
from boca.lab.domains.value_tables import CountTable, SubsetTable, subset_sizes, subset_sums


def test_subsets_are_numbered_by_bits():
    """Tests the numbering that tables and dynamic programmes share."""
    assert subset_sums([1.0, 10.0, 100.0]).tolist() == [0, 1, 10, 11, 100, 101, 110, 111]
    assert subset_sizes(3).tolist() == [0, 1, 1, 2, 1, 2, 2, 3]


def test_items_of_no_interest_change_nothing():
    """Tests a table over items 3 and 1 out of four, in this order."""
    function = SubsetTable(4, (3, 1), np.array([0.0, 5.0, 7.0, 20.0]))
    bundles = [[0, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]]
    assert function(np.array(bundles)).tolist() == [5, 7, 20, 0]


def test_counts_index_the_table():
    """Tests goods with capacities, whose table has an axis a good."""
    function = CountTable(np.arange(6.0).reshape(2, 3))
    assert function.capacities.tolist() == [1, 2]
    assert function(np.array([[0, 2], [1, 1]])).tolist() == [2, 4]


def test_tables_cannot_be_changed():
    """Tests that a function stays what it was when its array is used elsewhere."""
    values = np.array([0.0, 1.0])
    function = CountTable(values)
    values[1] = 9.0
    assert function(np.array([[1]]))[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        function.table[1] = 9.0


def test_tables_are_value_functions():
    """Tests that winner determination can take them as they are."""
    assert isinstance(CountTable(np.zeros(2)), ValueFunction)
    assert isinstance(SubsetTable(1, (0,), np.zeros(2)), ValueFunction)
