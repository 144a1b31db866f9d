"""Settings of the regression."""

import pytest

from boca.core import InputError
from boca.surrogates.svr import SvrParams


@pytest.mark.parametrize(
    "wrong",
    [
        {"kernel": "cubic"},
        {"kernel": "linear", "coefficients": (0, 1, 2)},
        {"coefficients": (0, -1, 2)},
        {"penalty": 0},
        {"epsilon": -1},
        {"kernel": "gaussian", "bandwidth": 0},
        {"value_scale": 0},
    ],
)
def test_impossible_settings_are_refused(wrong):
    """Tests that a wrong setting is named before any auction starts."""
    with pytest.raises(InputError, match=f"({'|'.join(wrong)})( is|: | =)"):
        SvrParams(**wrong)
