"""Tests of groups of bids of which at most one can win."""

import numpy as np
import pytest
from hypothesis import given, settings
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Market, Reports
from boca.payments import cliques as module
from boca.payments.bids import Packing
from boca.payments.branching import Branching
from boca.payments.cliques import tightened, violated_cliques
from boca.payments.packing_lp import PackingLP

NOTHING = np.zeros(0, dtype=np.int64)


def test_a_triangle_is_one_clique():
    """Tests three pairs of three goods: half of each is worth 15, with the clique only 10."""
    pairs = ([1, 1, 0], [0, 1, 1], [1, 0, 1])
    market = Market.simple(3, 3)
    packing = Packing.from_reports([Reports([pair], [10.0]) for pair in pairs], market)

    tight, lp = tightened(packing)

    assert tight.bundles[:, 3:].tolist() == [[1], [1], [1]]
    shares, _ = lp.solve(np.zeros(3, dtype=bool), np.ones(3, dtype=bool))
    assert packing.surplus @ shares == pytest.approx(10)


def excluding(num, *pairs):
    """Which of some bids exclude each other, given in pairs; none is said to exclude itself."""
    conflicts = np.zeros((num, num), dtype=bool)
    for a, b in pairs:
        conflicts[a, b] = conflicts[b, a] = True
    return conflicts


def members(cliques):
    return [np.flatnonzero(row).tolist() for row in cliques]


def test_cliques_grow_by_the_largest_share_that_excludes_all():
    """
    Tests 0 with 1, 2 and 3, of which 2 and 3 exclude each other too: from 0 and from 1 the largest
    share leads to the pair, from 2 and from 3 to the three, which are found once.
    """
    conflicts = excluding(4, (0, 1), (0, 2), (0, 3), (2, 3))
    assert members(violated_cliques(np.array([0.6, 0.5, 0.4, 0.3]), conflicts)) == [
        [0, 1],
        [0, 2, 3],
    ]
    # In the order of shares, not of bids.
    conflicts = excluding(4, (3, 2), (3, 1), (3, 0), (1, 0))
    assert members(violated_cliques(np.array([0.3, 0.4, 0.5, 0.6]), conflicts)) == [
        [2, 3],
        [0, 1, 3],
    ]


@pytest.mark.parametrize(
    ("shares", "is_worth_a_row"),
    [
        ([0.51, 0.51], False),
        ([0.51, 0.52], True),
        ([1.0, 0.5], False),  # whole shares are no fractions to cut off
        ([1 - 1e-7, 0.5], False),
        ([1 - 1e-5, 0.5], True),
        ([0.0, 0.9], False),
    ],
)
def test_only_clear_violations_by_fractions_are_worth_a_row(shares, is_worth_a_row):
    found = violated_cliques(np.array(shares), excluding(2, (0, 1)))
    assert members(found) == [[0, 1]] * is_worth_a_row
    assert found.shape[1] == 2


def test_bids_without_a_share_join_where_they_exclude_all():
    """Tests that 2 and 4 join 0 and 1, that 3 would, but not beside 2, and 5 excludes 0 alone."""
    joining = [(a, b) for a in (0, 1) for b in (2, 3, 4)]
    conflicts = excluding(6, (0, 1), *joining, (2, 4), (3, 4), (0, 5))
    shares = np.array([0.6, 0.6, 0, 1e-7, 0, 0])
    assert members(violated_cliques(shares, conflicts)) == [[0, 1, 2, 4]]


def triangles(num, worth=10.0):
    """Pairs of three goods each, all worth the same."""
    pair = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    bundles = np.kron(np.eye(num, dtype=int), pair)
    return Packing(
        np.arange(3 * num), bundles, np.full(3 * num, worth), np.ones(3 * num, dtype=int)
    )


class Noting(PackingLP):
    """A relaxation of which every solve counts as ten pivots."""

    def solve(self, is_won, is_open):
        answer = super().solve(is_won, is_open)
        self.num_iterations += 10 - self.num_iterations % 10
        return answer


def test_what_binds_stays_and_the_worst_violations_come_first(monkeypatch):
    """
    Tests three triangles of different worth and one new clique per round: each round finds one
    more, the earlier ones stay, and pivots of all programs are counted.
    """
    monkeypatch.setattr(module, "PackingLP", Noting)
    monkeypatch.setattr(module, "MOST_NEW", 1)
    packing = triangles(3, worth=1e-3)
    tight, lp = tightened(packing)
    assert sorted(members(tight.bundles[:, 9:].T.astype(bool))) == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
    ]
    assert tight.capacities.tolist() == [1] * 12
    assert lp.num_iterations == 40  # three rounds with a clique, one without
    monkeypatch.setattr(module, "MOST_ROUNDS", 2)
    assert tightened(packing)[0].bundles.shape == (9, 11)


def test_cliques_that_bind_nothing_go_and_end_the_rounds(monkeypatch):
    """
    Tests rounds that are told what is violated: first a row of one bid, which binds nothing and
    goes when the triangle comes, then the same again, which improves nothing.
    """
    useless, triangle = np.array([[True, False, False]]), np.ones((1, 3), dtype=bool)
    script = iter([useless, triangle, triangle, triangle])
    monkeypatch.setattr(module, "violated_cliques", lambda *_: next(script))
    monkeypatch.setattr(module, "LEAST_GAIN", 0.0)  # so that a bound as good as before goes on
    monkeypatch.setattr(module, "MOST_ROUNDS", 2)
    tight, _ = tightened(triangles(1))
    assert tight.bundles[:, 3:].tolist() == [[1], [1], [1]]
    monkeypatch.undo()
    asked = []
    monkeypatch.setattr(module, "violated_cliques", lambda *_: asked.append(1) or useless)
    tightened(triangles(1))
    assert len(asked) == 2


def test_the_most_violated_cliques_are_added(monkeypatch):
    """Tests one new row per round, which is the clique with the largest sum of shares."""
    monkeypatch.setattr(module, "MOST_NEW", 1)
    monkeypatch.setattr(module, "MOST_ROUNDS", 1)
    rows = np.array([[True, True, False], [True, True, True], [True, False, True]])
    monkeypatch.setattr(module, "violated_cliques", lambda *_: rows)
    tight, _ = tightened(triangles(1))
    assert tight.bundles[:, 3:].tolist() == [[1], [1], [1]]


def test_bids_too_many_to_compare_have_no_cliques(monkeypatch):
    monkeypatch.setattr("boca.payments.bids.MOST_PAIRED", 2)
    packing = triangles(1)
    assert tightened(packing)[0] is packing


def test_cliques_are_cliques_and_violated():
    """Tests on random bids that members exclude each other and hold too large a share."""
    reports, market = random_reports(30, 5, 20, 0.2, seed=3)
    packing = Packing.from_reports(reports, market)
    rng = np.random.default_rng(0)
    shares = np.where(rng.random(len(packing)) < 0.5, rng.random(len(packing)), 0.0)

    cliques = violated_cliques(shares, packing.conflicts)

    assert len(cliques) > 0
    for members in cliques:
        pairs = packing.conflicts[np.ix_(members, members)] | np.eye(members.sum(), dtype=bool)
        assert pairs.all()
        assert shares[members].sum() > 1
        # No further bid excludes all members.
        others = packing.conflicts[members].all(axis=0) & ~members
        assert not others.any()


@settings(max_examples=60, deadline=None)
@given(auctions(max_bidders=5))
def test_the_optimum_stays(auction):
    """Tests that cliques cut fractions off and no allocation, with several copies as well."""
    reports, market = auction
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return
    tight, lp = tightened(packing)
    branching = Branching(tight, lp, np.ones(len(packing), bool), [NOTHING])

    assert branching.run()
    assert branching.surplus[0] == branching.bound[0] == best_welfare(reports, market)
