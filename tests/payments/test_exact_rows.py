"""Rows with smaller numbers, and cuts, against all choices."""

from itertools import product

import numpy as np
import pytest

from boca.payments.exact_rows import cuts, tightened


def choices(owners):
    return product(*(np.flatnonzero(owners == i).tolist() for i in range(owners.max() + 1)))


def test_a_number_is_lowered_to_what_decides():
    """
    Tests 0 or 10^11, and 0, 3 or 4, of which 5 are allowed: the large one cannot be taken, and of
    what is left everything is allowed.
    """
    row, is_possible = tightened(np.array([0, 0, 1, 1, 1]), np.array([0, 10**11, 0, 3, 4]), 5)
    assert is_possible.tolist() == [True, False, True, True, True]
    assert row[[0, 2, 3, 4]].max() <= 5


def test_what_makes_a_row_hold_is_no_larger_than_needed():
    """Tests at least 7 from 0 or 10^11, and 0 or 8: either counts as 7."""
    row, is_possible = tightened(np.array([0, 0, 1, 1]), -np.array([0, 10**11, 0, 8]), -7)
    assert is_possible.all()
    assert row.tolist() == [0, -7, 0, -7]
    row, is_possible = tightened(np.array([0, 0, 1, 1]), -np.array([0, 10**11, 0, 3]), -7)
    assert is_possible.tolist() == [False, True, True, True]


@pytest.mark.parametrize("seed", range(40))
def test_smaller_numbers_permit_the_same_choices(seed):
    """Tests rows of either sign, some with a number that is absurd."""
    rng = np.random.default_rng(20000 + seed)
    owners = np.repeat(np.arange(3), rng.integers(1, 4, 3))
    row = rng.integers(-9, 10, len(owners)).astype(object)
    for k in rng.choice(len(row), int(rng.integers(0, 3))):
        row[k] = int(rng.choice([-1, 1])) * 10**12
    most = int(rng.integers(-12, 13)) + int(rng.choice([0, 0, 10**12]))
    smaller, is_possible = tightened(owners, row, most)
    for chosen in map(list, choices(owners)):
        holds = sum(row[chosen]) <= most
        if not is_possible[chosen].all():
            assert not holds
        else:
            assert (sum(smaller[chosen]) <= most) == holds
    assert (np.abs(smaller) <= np.abs(row)).all() or (smaller >= row).all()


@pytest.mark.parametrize("seed", range(40))
def test_a_cut_forbids_what_breaks_a_row_and_nothing_else(seed):
    """Tests that a broken choice exceeds its cut, and no choice that keeps the row does."""
    rng = np.random.default_rng(21000 + seed)
    owners = np.repeat(np.arange(4), rng.integers(1, 4, 4))
    row, most = rng.integers(-9, 10, len(owners)), int(rng.integers(-12, 8))
    for broken in map(np.array, choices(owners)):
        if row[broken].sum() <= most:
            continue
        ((columns, number),) = cuts(owners, [(row, most)], broken)
        assert np.isin(broken, columns).sum() > number
        for other in map(np.array, choices(owners)):
            assert row[other].sum() > most or np.isin(other, columns).sum() <= number


def test_a_cut_names_as_few_as_break_the_row():
    """Tests 9 and 1 of at most 8: whoever takes the 9 breaks it, whatever the other takes."""
    ((columns, number),) = cuts(
        np.array([0, 0, 1, 1]), [(np.array([0, 9, 0, 1]), 8)], np.array([1, 3])
    )
    assert (columns.tolist(), number) == ([1], 0)
