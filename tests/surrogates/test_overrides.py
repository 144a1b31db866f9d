"""A user's hyperparameters: mistakes are named."""

import pytest

from boca.core.errors import InputError
from boca.surrogates.hyperparameters import published
from boca.surrogates.mvnn import MvnnParams
from boca.surrogates.overrides import load_params, override


def test_a_file_overrides_for_all_and_for_one_type(tmp_path):
    """Tests that a type's table wins over the top of the file, and the rest stays."""
    file = tmp_path / "mine.toml"
    file.write_text('epochs = 100\nc_exp = 64\nloss = "paper"\n[national]\nepochs = 200\n')
    base = published("lsvm", 0.9)
    params = load_params(file, base)

    assert params["regional"].epochs == 100
    assert params["national"].epochs == 200
    assert params["national"].loss == "paper"
    assert params["regional"].c_exp == 64
    assert params["regional"].learning_rate == base["regional"].learning_rate


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"learning_rte": 0.1}, "did you mean 'learning_rate'"),
        ({"national": {"hiden_units": 8}}, "did you mean 'hidden_units'"),
        ({"natonal": {"epochs": 8}}, "did you mean 'national'"),
        ({"xyz": 1}, "expected one of acceptance, artificial, "),
        ({"epochs": "many"}, "sets epochs to 'many'; expected a whole number"),
        ({"epochs": 2.5}, "a whole number"),
        ({"epochs": True}, "a whole number"),
        ({"l2": False}, "a number"),
        ({"linear_skip": 1}, "true or false"),
        ({"init": 3}, "a word"),
        ({"init": "glorot"}, "one of mixture, generic_glorot"),
        ({"dropout_prob": 1.0}, "a probability below 1"),
    ],
)
def test_mistakes_in_overrides_are_named(data, words):
    """Tests that a typo never falls back to a default in silence."""
    with pytest.raises(InputError, match=words):
        override({"national": MvnnParams()}, data)


def test_an_unreadable_file_is_an_input_error(tmp_path):
    """Tests that a missing or broken file is reported with its name."""
    with pytest.raises(InputError, match="nowhere"):
        load_params(tmp_path / "nowhere.toml", {})
    broken = tmp_path / "broken.toml"
    broken.write_text("epochs = = 3")
    with pytest.raises(InputError, match="broken"):
        load_params(broken, {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epochs = " + "1" * 5000, "thousands of digits"),
        ("epochs = " + "[" * 5000, "nested too deeply|not TOML"),
        ("epochs =", "is not TOML"),
    ],
    ids=["digits", "depth", "nothing"],
)
def test_files_that_no_reader_takes_get_one_sentence(tmp_path, text, words):
    """Tests what the TOML reader refuses in other ways than by its own error."""
    file = tmp_path / "params.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=words) as error:
        load_params(file, {})
    assert str(file) in str(error.value)
