"""From a point of a space to parameters."""

import pytest

from boca.core.errors import InputError
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.ranges import Space

RANGES = {
    "architecture": {"choices": [{"hidden_layers": 1, "hidden_units": 96}]},
    "batch_size": {"choices": [0.25, 1.0], "unit": "reports"},
    "epochs": {"low": 4000, "high": 8000, "step": 500, "unit": "batch share"},
}


def test_what_is_relative_to_the_reports():
    """Tests the paper's batch sizes and epochs: a quarter of 50 reports is 13, rounded up."""
    space = Space.from_dict({"surrogate": "mvnn", "fixed": {"pi_sqr": 2.0}, "ranges": RANGES})
    label = space.dimensions["architecture"].labels[0]
    params = space.params({"architecture": label, "batch_size": 0.25, "epochs": 5500}, 50)

    assert params == MvnnParams(
        hidden_layers=1, hidden_units=96, batch_size=13, epochs=1430, pi_sqr=2.0
    )  # 5500 * 13 / 50


def test_reading_and_writing_agree():
    """Tests that a study can tell its ranges from others by their plain values."""
    space = Space.from_dict({"surrogate": "mvnn", "ranges": RANGES})
    data = space.to_dict()
    for table in data["ranges"].values():
        for name in [name for name, value in table.items() if value is None]:
            del table[name]

    assert Space.from_dict(data) == space


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"ranges": {"epohcs": {"low": 1, "high": 2}}}, "did you mean 'epochs'"),
        ({"ranges": {"a": {"choices": [{"epohcs": 1}]}}}, "did you mean 'epochs'"),
        ({"fixed": {"epohcs": 1}, "ranges": RANGES}, "did you mean 'epochs'"),
        ({"ranges": {"dropout_prob": {"low": 0.0, "high": 1.5}}}, "a probability below 1"),
        ({"ranges": {"learning_rate": {"choices": [0.1, "fast"]}}}, "learning_rate may become"),
        ({"ranges": {}}, "expected a table"),
        ({"ranges": 3}, "expected a table"),
        ({"range": RANGES}, "did you mean 'ranges'"),
        ({"surrogate": "mvn", "ranges": RANGES}, "did you mean 'mvnn'"),
        ({"surrogate": 1, "ranges": RANGES}, "expected its name"),
    ],
)
def test_mistakes_are_one_line_with_their_source(data, words):
    """Tests that a search never starts with ranges that some trial could not use."""
    with pytest.raises(InputError, match=words) as caught:
        Space.from_dict(data, "The file 'x.toml'")

    assert str(caught.value).startswith("The file 'x.toml' cannot be used: ")
    assert "\n" not in str(caught.value)
