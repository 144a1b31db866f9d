"""All small subsets of a few courses, listed once and shared by all students."""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np


@dataclass(frozen=True, eq=False)
class Template:
    """
    The subsets of at most ``most`` out of ``num`` things, smaller ones first.

    Every subset but the empty one is its parent and one thing more, so that sums over subsets grow
    level by level.

    Parameters
    ----------
    num, most
        Things there are, and things per subset.
    members
        Things of each subset in ascending order ``(num_subsets, most)``, padded with ``num``.
    parents, last
        The subset without its last thing, and that thing ``(num_subsets,)``; 0 for the empty one.
    levels
        Where each size begins, and the number of subsets at the end ``(most + 2,)``.
    contains
        Whether a thing is in a subset ``(num, num_subsets)``.
    """

    num: int
    most: int
    members: np.ndarray
    parents: np.ndarray
    last: np.ndarray
    levels: np.ndarray
    contains: np.ndarray

    @property
    def num_subsets(self) -> int:
        return len(self.parents)

    def sums(self, numbers: np.ndarray, start: float = 0.0) -> np.ndarray:
        """For every subset, the sum of its things' numbers ``(num,)``."""
        totals = np.empty(self.num_subsets)
        totals[0] = start
        for low, high in zip(self.levels[1:-1], self.levels[2:], strict=True):
            totals[low:high] = totals[self.parents[low:high]] + numbers[self.last[low:high]]
        return totals


def num_subsets(num: int, most: int) -> int:
    """How many subsets a template has."""
    return sum(comb(num, size) for size in range(most + 1))


@lru_cache(maxsize=64)
def template(num: int, most: int) -> Template:
    """The template of at most ``most`` out of ``num`` things."""
    members = [np.full((1, most), num, dtype=np.uint8)]
    parents, last = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
    levels = [0, 1]
    ends = np.full(1, -1)  # the last thing of each subset of the level before
    for size in range(1, most + 1):
        extensions = num - 1 - ends
        parent = np.repeat(np.arange(len(ends)), extensions)
        before = np.repeat(np.cumsum(extensions) - extensions, extensions)
        ends = ends[parent] + 1 + np.arange(len(parent)) - before
        rows = members[-1][parent]
        rows[:, size - 1] = ends
        members.append(rows)
        parents.append(parent + levels[-2])
        last.append(ends)
        levels.append(levels[-1] + len(ends))
    rows = np.concatenate(members)
    contains = np.zeros((num + 1, len(rows)), dtype=bool)
    for place in range(most):
        contains[rows[:, place], np.arange(len(rows))] = True
    return Template(
        num,
        most,
        rows,
        np.concatenate(parents),
        np.concatenate(last),
        np.array(levels),
        np.ascontiguousarray(contains[:num]),
    )
