import pytest

from boca.core.errors import InputError
from boca.functions import Quadratic, Scaled


def test_values_are_multiplied():
    """Tests that a function in other units keeps its goods."""
    function = Quadratic([[1.0]], capacities=[3])

    assert Scaled(function, 10)([[0], [2], [3]]).tolist() == [0, 40, 90]
    assert Scaled(function, 10).capacities.tolist() == [3]


@pytest.mark.parametrize("factor", [-1.0, float("inf"), float("nan")])
def test_a_factor_must_keep_the_order(factor):
    """Tests that a factor that turns a maximum into something else is refused."""
    with pytest.raises(InputError, match="factor"):
        Scaled(Quadratic([[1.0]]), factor)
