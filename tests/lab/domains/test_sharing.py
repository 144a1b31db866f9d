"""Dynamic programmes against trying everything."""

from itertools import product

import numpy as np
import pytest

from boca.lab.domains.sharing import share_counts, share_subsets, trace_counts
from boca.lab.domains.value_tables import SubsetTable


def best_counts(tables):
    """Largest welfare over all ways to share out, by trying them."""
    supply = np.array(tables[0].shape) - 1
    best = -np.inf
    for shares in product(np.ndindex(*tables[0].shape), repeat=len(tables)):
        if (np.sum(shares, axis=0) <= supply).all():
            best = max(best, sum(t[s] for t, s in zip(tables, shares, strict=True)))
    return best


@pytest.mark.parametrize("seed", range(5))
def test_counts_against_brute_force(seed):
    """Tests welfare and shares on random tables, which need not be monotone."""
    generator = np.random.default_rng(seed)
    tables = [generator.normal(size=(2, 4)) for _ in range(3)]
    stages = share_counts(tables, 2)
    shares = trace_counts(tables, stages)
    assert stages[-1][-1, -1] == pytest.approx(best_counts(tables), rel=1e-12)
    assert sum(t[tuple(s)] for t, s in zip(tables, shares, strict=True)) == pytest.approx(
        stages[-1][-1, -1], rel=1e-12
    )
    assert (shares.sum(axis=0) <= [1, 3]).all()


def test_problems_side_by_side():
    """Tests that axes in front are independent problems, as MRVM's regions are."""
    generator = np.random.default_rng(0)
    many = [generator.random((3, 1, 2, 3)), generator.random((1, 4, 2, 3))]
    together = share_counts(many, 2)[-1]
    assert together.shape == (3, 4, 2, 3)
    alone = share_counts([many[0][2, 0], many[1][0, 3]], 2)[-1]
    assert np.array_equal(together[2, 3], alone)


def test_forbidden_counts_are_not_given():
    """Tests that minus infinity forbids, also when it would forbid receiving nothing."""
    must_have = np.array([-np.inf, 1.0])
    wants = np.array([0.0, 5.0])
    stages = share_counts([must_have, wants], 1)
    assert stages[-1][-1] == 1.0
    assert trace_counts([must_have, wants], stages).tolist() == [[1], [0]]


def test_worthless_copies_stay_unsold():
    """Tests that nobody is given what adds nothing."""
    tables = [np.array([0.0, 2.0, 2.0]), np.array([0.0, 0.0, 0.0])]
    assert trace_counts(tables, share_counts(tables, 1)).tolist() == [[1], [0]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("last", [0, 2])
def test_subsets_against_brute_force(seed, last):
    """Tests three bidders with different, overlapping interests and some forbidden bundles."""
    generator = np.random.default_rng(seed)
    functions = []
    for items in [(0, 2), (3, 1, 2), (4, 0, 3)]:
        table = generator.random(2 ** len(items))
        table[0] = 0.0
        table[-1] = -np.inf
        functions.append(SubsetTable(5, items, table))

    best = -np.inf
    for owners in product(range(4), repeat=5):  # owner 3: unsold
        bundles = np.array([[owner == i for owner in owners] for i in range(3)])
        best = max(best, sum(f(b)[0] for f, b in zip(functions, bundles, strict=True)))

    welfare, bundles = share_subsets(functions, last)
    assert welfare == pytest.approx(best, rel=1e-12)
    assert (bundles.sum(axis=0) <= 1).all()
    total = sum(f(b)[0] for f, b in zip(functions, bundles, strict=True))
    assert total == pytest.approx(best, rel=1e-12)
