"""Tests of bundles as integer matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core import InputError
from boca.core.bundle import as_bundles, bundle_key, bundle_keys, format_bundle

CAPACITIES = np.array([1, 3])


def test_one_bundle_becomes_a_stack():
    """Tests that callers may pass a single bundle."""
    assert as_bundles([1, 2], CAPACITIES).tolist() == [[1, 2]]


@pytest.mark.parametrize("bundles", [[[True, False]], [[1.0, 0.0]], np.array([[1, 0]], np.uint8)])
def test_whole_numbers_of_any_type_are_accepted(bundles):
    """Tests that booleans, floats and small integers all mean the same bundle."""
    result = as_bundles(bundles, CAPACITIES)

    assert result.dtype == np.int64
    assert result.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("bundles", "message"),
    [
        ([[1, 2, 3]], r"shape \(1, 3\)"),
        ([[[1, 2]]], r"shape \(1, 1, 2\)"),
        ([[0.5, 1]], "fractional"),
        ([[np.nan, 1]], "fractional"),
        ([[0, 4]], "Bundle 0 holds 4 copies of good 1; expected between 0 and 3"),
        ([[0, 0], [-1, 0]], "Bundle 1 holds -1 copies of good 0"),
        ([["1", "2"]], "expected whole numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_what_is_no_bundle_is_refused(bundles, message):
    """Tests that each mistake is named with its place."""
    with pytest.raises(InputError, match=message):
        as_bundles(bundles, CAPACITIES)


def test_empty_stack_is_fine():
    """Tests that no bundles are a stack of none."""
    assert as_bundles(np.zeros((0, 2)), CAPACITIES).shape == (0, 2)


@given(
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
)
def test_keys_are_equal_exactly_for_equal_bundles(first, second):
    """Tests that keys can stand for bundles, whatever integer type holds them."""
    a, b = np.array(first, np.int8), np.array(second, np.int64)

    assert (bundle_key(a) == bundle_key(b)) == (first == second)
    assert bundle_keys(np.array([first, second])) == [bundle_key(a), bundle_key(b)]


def test_bundles_in_words():
    """Tests what people read: names, with a number where there are several copies."""
    names = ["A", "B", "C"]

    assert format_bundle(np.array([1, 0, 2]), names) == "A, 2 x C"
    assert format_bundle(np.array([0, 0, 0]), names) == "nothing"
