"""Tests of named random streams."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core import InputError, Seeds
from boca.core.randomness import as_seed, format_seeds, parse_seeds

PATHS = st.lists(st.one_of(st.integers(), st.text(max_size=5)), max_size=3).map(tuple)


def test_a_stream_is_the_same_wherever_it_is_asked_for():
    """Tests that the way to a stream does not matter, only its name."""
    straight = Seeds(7).child("round", 3, "fit", 2)
    stepwise = Seeds(7).child("round", 3).child("fit").child(2)

    assert straight == stepwise
    assert straight.generator().random() == stepwise.generator().random()


@given(st.tuples(st.integers(), PATHS), st.tuples(st.integers(), PATHS))
def test_different_names_are_different_streams(first, second):
    """Tests that 1 and "1", or ("a", "b") and ("ab",), never share a stream."""
    a, b = (Seeds(seed).child(*path).integer(128) for seed, path in (first, second))

    assert (a == b) == (first == second)


def test_zero_is_a_seed_like_any_other():
    """Tests that seed 0 neither fails nor means "random"."""
    assert Seeds(0).integer() == Seeds(0).integer()
    assert Seeds(0).integer() != Seeds(1).integer()


def test_integers_stay_below_their_bits():
    """Tests the range that other libraries are promised."""
    assert all(0 <= Seeds(s).integer(bits=5) < 32 for s in range(100))
    assert len({Seeds(s).integer(bits=5) for s in range(1000)}) == 32


def test_numpy_integers_name_the_same_stream():
    """Tests that an index out of an array is the same purpose as the plain number."""
    assert Seeds(np.int64(7)).child("fit", np.int64(2)).integer() == (
        Seeds(7).child("fit", 2).integer()
    )


def test_streams_do_not_depend_on_the_process():
    """Tests against hash randomisation: another process draws the same numbers."""
    code = "from boca.core import Seeds; print(Seeds(7).child('round', 3).integer())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(other.stdout) == Seeds(7).child("round", 3).integer()


@pytest.mark.parametrize("seed", [0, -1, 2**63 - 1, -(2**63), np.int64(3)])
def test_seeds_that_are_fine(seed):
    """Tests that zero and the ends of the range are seeds like any other."""
    assert as_seed(seed) == int(seed)


@pytest.mark.parametrize("seed", [1.0, "1", None, True, 2**63, -(2**63) - 1])
def test_seeds_that_are_not(seed):
    """Tests that a seed which would be changed silently is refused with a message."""
    with pytest.raises(InputError, match="expected"):
        as_seed(seed)


def test_seeds_as_text():
    """Tests ranges, single numbers and lists, each seed once."""
    assert parse_seeds("10001-10003, 7") == (10001, 10002, 10003, 7)
    assert parse_seeds([1, "3-4", 1]) == (1, 3, 4)
    assert parse_seeds(0) == (0,)
    assert parse_seeds("-3--1, 5") == (-3, -2, -1, 5)
    assert format_seeds((10001, 10002, 10003, 7)) == "10001-10003, 7"


@given(st.lists(st.integers(-5, 12), min_size=1, unique=True))
def test_seeds_survive_being_written_and_read(seeds):
    """Tests that what is written into an experiment's file is read as the same seeds."""
    assert parse_seeds(format_seeds(seeds)) == tuple(seeds)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ("0-99999999", "makes more than 100,000, the most there may be"),
        ("0-99999, 5, 200000", "makes more than 100,000"),
        (list(range(100_001)), "a list of 100,001 seeds; expected at most 100,000"),
        ("9" * 5000, "expected numbers and ranges"),
        ("9" * 19, "expected one from -2^63"),
        pytest.param(10**5000, "of 16610 bits; expected one from -2^63", id="5001 digits"),
        ("1-", "expected numbers and ranges"),
        ("", "expected numbers and ranges"),
        ("a-b", "Received the seeds 'a-b'"),
        ("5-3", "'5-3' is empty; write the smaller number first"),
        (True, "Received the seed True"),
        ([1.5], "Received the seed 1.5"),
        (None, "Received the seed None"),
    ],
)
def test_seeds_that_cannot_be_read_get_a_sentence(seeds, message):
    """Tests that neither a slip nor an absurd range costs memory or ends in a traceback."""
    with pytest.raises(InputError) as refused:
        parse_seeds(seeds)

    assert message in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize("seed", [1.5, 1.0, "1", True, None])
def test_a_seed_is_a_whole_number(seed):
    """Tests that 1.5 is not quietly 1."""
    with pytest.raises(InputError, match="expected a whole number"):
        Seeds(seed)
