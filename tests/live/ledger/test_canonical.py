"""One text for one value, as RFC 8785 says."""

import math

import pytest

from boca.core.errors import InputError
from boca.live.ledger.canonical import canonical, read_canonical, sha256


def test_keys_are_sorted_and_nothing_is_padded():
    """Tests the form that every program must find, whatever order it built the object in."""
    assert canonical({"b": [1, 2.5], "a": "é\n"}) == '{"a":"é\\n","b":[1,2.5]}'


@pytest.mark.parametrize("value", [2**53, math.nan, math.inf, "\ud800"])
def test_what_others_would_read_differently_is_refused(value):
    """Tests numbers and letters that JSON programs disagree about."""
    with pytest.raises(InputError):
        canonical({"value": value})


def test_largest_whole_number_is_kept():
    """Tests the last integer that every program reads exactly."""
    assert canonical(2**53 - 1) == "9007199254740991"


def test_known_digest():
    """Tests the hash against one computed elsewhere (`printf '{}' | sha256sum`)."""
    assert sha256("{}") == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_text_in_another_form_is_refused_when_read():
    """Tests that a space is enough to show that somebody else wrote it."""
    assert read_canonical('{"a":1}', "line") == {"a": 1}
    for text in ('{"a": 1}', '{"b":1,"a":2}', "not json"):
        with pytest.raises(InputError):
            read_canonical(text, "line")
