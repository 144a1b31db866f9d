"""Whether students see the same courses as related: a permutation test on their forms."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

NUM_PERMUTATIONS = 999


@dataclass(frozen=True)
class PoolingTest:
    """
    How often two students typed the same pair of courses with the same sign.

    Parameters
    ----------
    num_typed
        Pairs of courses that were typed, by everybody together.
    repeats
        How often two of them are the same pair.
    expected
        The same on average if partners are drawn at random, each course as often as it was typed.
    p_value
        How probable as many repeats would be then.
    """

    num_typed: int
    repeats: int
    expected: float
    p_value: float


def pooling_test(
    pairs: Sequence[np.ndarray], signs: Sequence[np.ndarray], rng: np.random.Generator
) -> PoolingTest:
    """
    The test, by shuffling the partners of all typed pairs.

    Popular courses are in many pairs, which says nothing about who their partners are; so every
    course keeps its number of pairs.

    Parameters
    ----------
    pairs
        Per student, courses ``(num_typed, 2)``.
    signs
        Per student, the sign of each pair's effect ``(num_typed,)``.
    rng
        Draws the permutations.
    """
    edges = np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs]).astype(np.int64)
    kinds = np.concatenate([np.zeros(0), *signs])
    repeats = _repeats(edges, kinds)
    drawn = [_repeats(_shuffled(edges, kinds, rng), kinds) for _ in range(NUM_PERMUTATIONS)]
    as_many = sum(count >= repeats for count in drawn)
    return PoolingTest(
        len(edges), repeats, float(np.mean(drawn)), (1 + as_many) / (1 + NUM_PERMUTATIONS)
    )


def _shuffled(edges: np.ndarray, kinds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Other partners, among the pairs of the same sign; no course is its own if that can be."""
    ends = edges.copy()
    flipped = rng.random(len(ends)) < 0.5
    ends[flipped] = ends[flipped][:, ::-1]
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        ends[rows, 1] = ends[rng.permutation(rows), 1]
        own = ends[rows[ends[rows, 0] == ends[rows, 1]], 0]
        for course in np.unique(own):
            # They exchange partners with pairs without the course, as far as there are any.
            alone = rows[(ends[rows] == course).all(axis=1)]
            others = rng.permutation(rows[(ends[rows] != course).all(axis=1)])[: len(alone)]
            alone = alone[: len(others)]
            ends[alone, 1], ends[others, 1] = ends[others, 1], ends[alone, 1]
    return ends


def _repeats(edges: np.ndarray, kinds: np.ndarray) -> int:
    if not len(edges):
        return 0
    rows = np.column_stack([np.sort(edges, axis=1), kinds.astype(np.int64)])
    sizes = rows.max(axis=0) - rows.min(axis=0) + 1
    codes = np.ravel_multi_index(tuple((rows - rows.min(axis=0)).T), tuple(sizes))
    _, counts = np.unique(codes, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())
