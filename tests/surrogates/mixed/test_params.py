"""Hyperparameters of networks that learn from values and demands."""

import pytest

from boca.core import InputError
from boca.surrogates.mixed import MixedParams


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden_units", 0),
        ("members", 1.5),
        ("spread", -1.0),
        ("stretches", 2000),
        ("inputs_per_neuron", 0.0),
    ],
)
def test_bad_numbers_are_named(name, value):
    """Tests that the message names the field and the value."""
    with pytest.raises(InputError, match=f"{name} (is|=) {value}"):
        MixedParams(**{name: value})


def test_small_markets_start_dense():
    """Tests that a neuron sees about the same number of goods whatever the market."""
    params = MixedParams(inputs_per_neuron=4.0)
    assert params.share_of_inputs(3) == 1.0
    assert params.share_of_inputs(40) == 0.1
