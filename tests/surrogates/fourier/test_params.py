"""Settings of Fourier functions."""

import pytest

from boca.core import InputError
from boca.surrogates.fourier import FourierParams
from boca.surrogates.mean_nets import MeanNetParams


def test_settings_survive_as_plain_values():
    """Tests that the network's settings can come from a file, as a mapping."""
    params = FourierParams(network={"kind": "relu", "hidden_units": 7})
    assert params.network == MeanNetParams(kind="relu", hidden_units=7)
    with pytest.raises(InputError, match="basis"):
        FourierParams(basis="FT5")
    with pytest.raises(InputError, match="num_terms"):
        FourierParams(num_terms=0)
