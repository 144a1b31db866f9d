"""Settings of mean networks."""

import pytest

from boca.core import InputError
from boca.surrogates.mean_nets import MeanNetParams


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "linear"},
        {"hidden_units": 0},
        {"batch_size": 1.5},
        {"learning_rate": 0},
        {"dropout": 1.0},
        {"steps_fraction": 0},
        {"loss": "huber"},
    ],
)
def test_impossible_settings_are_refused(wrong):
    """Tests that a wrong setting is named before any auction starts."""
    with pytest.raises(InputError, match=f"({'|'.join(wrong)})( is|: | =)"):
        MeanNetParams(**wrong)
