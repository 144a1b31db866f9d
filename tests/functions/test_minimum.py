import pytest

from boca.core.errors import InputError
from boca.functions import Minimum, Quadratic


def test_the_smallest_value_counts():
    """Tests that the minimum is taken bundle by bundle."""
    first, second = Quadratic([[1.0]], capacities=[3]), Quadratic([[0.0]], [2.0], capacities=[3])

    assert Minimum([first, second])([[0], [1], [2], [3]]).tolist() == [0, 1, 4, 6]


def test_functions_must_be_over_the_same_goods():
    """Tests that functions of two markets are not mixed."""
    with pytest.raises(InputError, match="same goods"):
        Minimum([Quadratic([[1.0]]), Quadratic([[1.0]], capacities=[2])])
    with pytest.raises(InputError, match="at least one"):
        Minimum([])
