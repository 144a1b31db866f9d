"""Tests of named random streams."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from boca.core import Seeds

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
    import numpy as np

    assert Seeds(np.int64(7)).child("fit", np.int64(2)).integer() == (
        Seeds(7).child("fit", 2).integer()
    )


def test_streams_do_not_depend_on_the_process():
    """Tests against hash randomisation: another process draws the same numbers."""
    code = "from boca.core import Seeds; print(Seeds(7).child('round', 3).integer())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(other.stdout) == Seeds(7).child("round", 3).integer()
