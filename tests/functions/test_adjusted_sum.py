import numpy as np
import pytest

from boca.core import InputError
from boca.functions import AdjustedSum, Adjustment, ValueFunction


def test_values_by_hand():
    """Tests ratings, points for a whole set, and factors by the number of goods taken."""
    function = AdjustedSum(
        [10.0, 20.0, 30.0, 5.0],
        (Adjustment.together([0, 3], 7.0), Adjustment([0, 1, 2], factors=[0, 0, 0.5, -1])),
    )
    assert isinstance(function, ValueFunction)
    rows = [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 1]]
    assert function(rows).tolist() == [
        0,
        10,
        15 + 7,
        30 + 0.5 * 30,
        55 + 0.5 * 50,
        65 + 7 - 60,
    ]


def test_points_by_number_taken():
    """Tests a set that gives points for some of its goods, and copies of a good."""
    function = AdjustedSum(
        [1.0, 1.0, 1.0], (Adjustment([0, 1, 2], points=[0, 0, 4, 6]),), [3, 1, 1]
    )
    assert function([[3, 0, 0], [2, 1, 0], [1, 1, 1]]).tolist() == [3, 3 + 4, 3 + 6]
    assert function.capacities.tolist() == [3, 1, 1]


@pytest.mark.parametrize("goods", [[0], [1, 1], [0, 9], [-1, 0]])
def test_strange_sets_are_refused(goods):
    """Tests single, repeated and unknown goods."""
    with pytest.raises(InputError):
        AdjustedSum(np.ones(3), (Adjustment(goods),))


def test_numbers_must_fit_the_set():
    """Tests lengths and undefined numbers."""
    with pytest.raises(InputError, match="points"):
        Adjustment([0, 1], points=[0, 1])
    with pytest.raises(InputError, match="factors"):
        Adjustment([0, 1], factors=[0, 0, np.nan])
    with pytest.raises(InputError, match="ratings"):
        AdjustedSum([1.0, np.inf])
