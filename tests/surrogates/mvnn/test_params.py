"""Hyperparameters check themselves."""

import pytest

from boca.core import InputError
from boca.surrogates import MvnnParams


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden_layers", 0),
        ("hidden_units", -3),
        ("batch_size", 2.5),
        ("learning_rate", 0.0),
        ("l2", -1e-9),
        ("dropout_prob", 1.0),
        ("dropout_decay", 1.1),
        ("steps_fraction", 0.0),
        ("steps_fraction", 1.5),
        ("artificial_fraction", 0.0),
        ("loss", "mine"),
        ("artificial", "sphere"),
        ("init", "generic"),
    ],
)
def test_nonsense_is_refused_by_name(name, value):
    """Tests that a wrong value is an error that names the field and what was received."""
    with pytest.raises(InputError, match=f"{name} (is|=) {value!r}"):
        MvnnParams(**{name: value})


def test_hidden_lists_the_widths():
    """Tests the widths that the networks are built from."""
    assert MvnnParams(hidden_layers=3, hidden_units=16).hidden == (16, 16, 16)


def test_artificial_points_of_a_step():
    """Tests that a share of the points is used, and never none."""
    assert MvnnParams(num_artificial=496, artificial_fraction=0.25).pairs_per_step == 62
    assert MvnnParams(num_artificial=1, artificial_fraction=0.25).pairs_per_step == 1


def test_artificial_points_of_an_early_step():
    """Tests that early steps have a hundred points, or so many as are asked for, or all of them."""
    assert MvnnParams(num_artificial=496).early_pairs == 50
    assert MvnnParams(num_artificial=496, early_artificial=31).early_pairs == 16
    assert MvnnParams(num_artificial=496, early_artificial=1).early_pairs == 1
    assert MvnnParams(num_artificial=80).early_pairs == 40
    assert MvnnParams(num_artificial=496, artificial_fraction=0.1).early_pairs == 25
