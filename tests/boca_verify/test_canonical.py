"""The verifier's canonical text, from the standard, against the one that logs are made by."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core.errors import InputError
from boca.core.message import Message
from boca.live.ledger import canonical as written
from boca_verify.canonical import canonical, sha256

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
doubles = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("<d", struct.pack("<Q", n))[0])
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(plain)
@settings(max_examples=300, deadline=None)
def test_any_value_is_written_as_the_server_writes_it(value):
    """Tests two programs of one standard: keys, texts, numbers, lists and objects."""
    assert canonical(value) == written(value)


@given(doubles)
@settings(max_examples=1000, deadline=None)
def test_any_double_is_written_as_the_server_writes_it(value):
    """Tests every pattern of 64 bits: numbers, and those that JSON does not have."""
    try:
        expected = written(value)
    except InputError:
        with pytest.raises(ValueError, match="infinite or none"):
            canonical(value)
    else:
        assert canonical(value) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123456789.5, "123456789.5"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (-2.5e300, "-2.5e+300"),
        (5e-324, "5e-324"),
        (333333333.33333329, "333333333.3333333"),
        ("\u20ac$\u000f\nA'B\"\\\\\"/", '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'),
        ({"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7},
         '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'),
        ([True, False, None, {}], "[true,false,null,{}]"),
    ],
)  # fmt: skip
def test_examples_of_the_standard(value, text):
    """Tests RFC 8785 by hand, its order of keys by UTF-16 among them."""
    assert canonical(value) == text


@pytest.mark.parametrize("value", [2**53, -(2**53), float("inf"), "\ud800", {1, 2}, {"a": (1,)}])
def test_what_has_no_text_is_refused(value):
    """Tests numbers that readers would confuse, half letters, and what is not JSON."""
    with pytest.raises(ValueError):
        canonical(value)
    assert canonical(2**53 - 1) == "9007199254740991"


def test_a_text_of_another_class_is_a_text():
    """Tests sentences that remember their gaps, as records in memory have them."""
    sentence = Message("found {word}", {"word": "hal"})
    assert canonical({"a": sentence}) == written({"a": sentence}) == '{"a":"found hal"}'


def test_a_hash_is_of_the_text_in_utf_8():
    """Tests a value of the standard's own."""
    assert sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
