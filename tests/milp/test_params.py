import pytest

from boca.core.errors import InputError
from boca.milp import MilpParams


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_limit": -1.0},
        {"gap": -0.1},
        {"gap": float("nan")},
        {"absolute_gap": -1.0},
        {"threads": 0},
    ],
)
def test_parameters_check_themselves(wrong):
    """Tests that a solver is never asked for something it would silently ignore."""
    with pytest.raises(InputError, match="Received"):
        MilpParams(**wrong)
