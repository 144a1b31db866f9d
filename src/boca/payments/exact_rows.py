"""
Rows that have to hold to the unit, for solvers that keep them up to a tolerance only.

A tolerance is a part of the largest number of a row: with 10^11 in it, a part in a million is more
than all other numbers. So numbers that are larger than a row needs are lowered first, what cannot
be taken at all is left out, and what was chosen is counted again exactly. Where it breaks a row, a
cut forbids it together with everything that uses no less.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np


def tightened(
    owners: np.ndarray, row: np.ndarray, most: Fraction | float
) -> tuple[np.ndarray, np.ndarray]:
    """
    A row with smaller numbers for the same choices, and which options can be taken at all.

    Parameters
    ----------
    owners
        Participant of each option, ascending from 0, each with at least one, ``(num_options,)``.
    row
        What each option uses, exact numbers of any type, ``(num_options,)``.
    most
        The most that one option of everybody may use together.
    """
    row = row.astype(object)
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    least = np.minimum.reduceat(row, firsts)
    can_be_taken = np.array(row - least[owners] + least.sum() <= most, dtype=bool)
    # Nobody takes more than the largest option that can be taken.
    largest = np.maximum.reduceat(np.where(can_be_taken, row, least[owners]), firsts)
    # With this option the row holds whatever the others take; less of it would change nothing.
    enough = most - (largest.sum() - largest)[owners]
    return np.where(can_be_taken, np.maximum(row, np.minimum(enough, largest[owners])), row), (
        can_be_taken
    )


def cuts(
    owners: np.ndarray,
    rows: list[tuple[np.ndarray, Fraction | float]],
    chosen: np.ndarray,
) -> Iterator[tuple[np.ndarray, int]]:
    """
    For each row that a choice breaks: options, and how many of them can be taken at most.

    Some participants break a row whatever the others take, as long as each of them takes no less
    than it does. So one of them has to take less.

    Parameters
    ----------
    owners
        As in :func:`tightened`.
    rows
        The rows that it breaks: exact coefficients of all options, and the most of their sum.
    chosen
        One option for everybody, ``(num_participants,)``.
    """
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    for row, most in rows:
        row = row.astype(object)
        used = row[chosen]
        above = used - np.minimum.reduceat(row, firsts)
        left = sum(used.tolist()) - most  # how much may be left out so that it is still broken
        members = np.ones(len(chosen), dtype=bool)
        for i in np.argsort(above.astype(float), kind="stable").tolist():
            if above[i] < left:
                members[i] = False
                left -= above[i]
        columns = np.flatnonzero(members[owners] & np.array(row >= used[owners], dtype=bool))
        yield columns, int(members.sum()) - 1
