"""What a line of ranges may say."""

import pytest

from boca.core.errors import InputError
from boca.surrogates.ranges.dimension import Choice, Interval, read_dimension


def test_choices_may_be_tables():
    """Tests that a table is chosen by its words, because Optuna knows scalars only."""
    nets = read_dimension({"choices": [{"layers": 1, "units": 96}, {"layers": 2, "units": 32}]})

    assert nets.labels == ("layers 1, units 96", "layers 2, units 32")
    assert nets.value_of("layers 2, units 32") == {"layers": 2, "units": 32}


def test_whole_ends_mean_whole_numbers():
    """Tests that 1 and 1.0 are told apart, as TOML does."""
    assert read_dimension({"low": 1, "high": 5}).is_whole
    assert not read_dimension({"low": 1.0, "high": 5.0}).is_whole


def test_reading_and_writing_agree():
    """Tests that a study can keep its ranges as plain values."""
    for dimension in (Choice((1, 2), "reports"), Interval(1, 9, step=2), Interval(0.1, 1.0, True)):
        data = {key: value for key, value in dimension.to_dict().items() if value is not None}
        assert read_dimension(data) == dimension


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (3, "expected a table"),
        ({}, "expected low and high"),
        ({"low": 1}, "expected low and high"),
        ({"low": 2, "high": 1}, "expected low < high"),
        ({"low": "1", "high": 2}, "expected a finite number"),
        ({"low": float("nan"), "high": 2}, "expected a finite number"),
        ({"low": 0, "high": 2, "log": True}, "above 0"),
        ({"low": 1, "high": 2, "log": 1}, "true or false"),
        ({"low": 1, "high": 2, "step": 5}, "expected one that fits"),
        ({"low": 1, "high": 2, "hihg": 5}, "did you mean 'high'"),
        ({"low": 1, "high": 2, "unit": "rows"}, "expected 'reports'"),
        ({"choices": []}, "at least one"),
        ({"choices": 4}, "expected a list"),
        ({"choices": [1, 1]}, "twice"),
        ({"choices": [1, {"a": 2}]}, "partly tables"),
        ({"choices": [[1]]}, "expected a number, a word"),
    ],
)
def test_mistakes_are_named(data, words):
    """Tests that a range that cannot be meant is refused when it is read."""
    with pytest.raises(InputError, match=words):
        read_dimension(data)
