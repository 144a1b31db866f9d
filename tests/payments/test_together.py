"""Tests of marginal economies that are branched on together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare

from boca.core import Economy, Market, Reports
from boca.payments import together as module
from boca.payments.bids import Packing
from boca.payments.branching import NOBODY, Branching
from boca.payments.cliques import tightened
from boca.payments.effort import Effort
from boca.payments.packing_lp import PackingLP
from boca.payments.together import branch_without
from boca.payments.vcg_rule import vcg
from boca.payments.winners import WinnerDetermination

NOTHING = np.zeros(0, dtype=np.int64)


def pairs_and_triples(num_bidders: int, num_goods: int, size: int, seed: int):
    """Bidders with one bid each, on two or three goods, all worth nearly the same per good."""
    rng = np.random.default_rng(seed)
    reports = []
    for _ in range(num_bidders):
        goods = rng.choice(num_goods, rng.integers(2, 4), replace=False)
        bundle = np.isin(np.arange(num_goods), goods).astype(int)
        reports.append(Reports(bundle[None], [float(len(goods) * size + rng.integers(0, 10))]))
    return reports, Market.simple(num_goods, num_bidders)


def best_of_subsets(reports, bidders) -> int:
    """Largest value of some bidders with one bid each, over all sets of goods, in integers."""
    num_goods = reports[0].num_goods
    powers = 1 << np.arange(num_goods)
    best = np.zeros(1 << num_goods, dtype=np.int64)  # best[s]: from the goods in s
    sets = np.arange(1 << num_goods)
    for i in bidders:
        mask, value = int(reports[i].bundles[0] @ powers), int(reports[i].values[0])
        holds = (sets & mask) == mask
        best = np.where(holds, np.maximum(best, best[sets & ~mask] + value), best)
    return int(best[-1])


# Four bidders who want the same good.
FOUR = Packing(np.arange(4), np.ones((4, 1), int), np.array([9.0, 5, 4, 3]), np.array([1]))


class Tree:
    """Branching that proves what it is told to prove."""

    def __init__(self, script, packing, is_open, best, absent, gap):
        self.script, self.packing, self.lp, self.gap = script, packing, None, gap
        self.is_open, self.best, self.absent = is_open, list(best), list(absent)
        self.surplus = np.array([packing.surplus[bids].sum() for bids in best])
        self.bound = np.full(len(self.best), np.inf)
        self.is_finished = False
        is_missing = absent == (NOBODY,)
        self.name = (
            tuple(packing.owners[~is_open].tolist()) if is_missing else ("all", *self.absent)
        )
        script.asked.append(("tree", self.name, [bids.tolist() for bids in best], gap))

    def offer(self, bids):
        self.script.asked.append(("offer", self.name, bids.tolist()))
        worth = self.packing.surplus[bids].sum()
        if worth > self.surplus[0]:
            self.best[0], self.surplus[0] = bids, worth

    def run(self, most_iterations, deadline, report=None):
        if self.is_finished:
            return True
        self.script.asked.append(("run", self.name, most_iterations, deadline))
        self.script.now += 1
        self.bound = np.array(self.script.bounds[self.name].pop(0), dtype=float)
        self.is_finished = bool((self.bound <= self.surplus).all())
        if report is not None:
            report()
        return self.is_finished

    def first_bounds(self):
        return np.array([self.script.first[i] for i in self.absent])


class Script:
    """Bounds that runs of each tree prove, one after another, and bids that swaps find."""

    def __init__(self, monkeypatch, bounds, first=None, swaps=None):
        self.bounds, self.first, self.swaps = bounds, first, swaps or {}
        self.asked, self.told, self.now = [], [], 0.0
        monkeypatch.setattr(module, "Branching", self.tree)
        monkeypatch.setattr(module, "improved", self.improved)
        monkeypatch.setattr(module, "perf_counter", lambda: self.now)

    def tree(self, packing, lp, is_open, best, absent=(NOBODY,), gap=0.0):
        return Tree(self, packing, is_open, best, absent, gap)

    def improved(self, packing, bids, is_open):
        (missing,) = packing.owners[~is_open].tolist()
        self.asked.append(("swap", missing, bids.tolist()))
        return np.array(self.swaps.get(missing, bids))

    def branch(self, bidders, starts, **more):
        starts = [np.array(bids, dtype=int) for bids in starts]
        found = branch_without(FOUR, None, bidders, starts, **more)
        return {i: (s.bids.tolist(), s.bound, s.is_finished) for i, s in found.items()}

    def what(self, word):
        return [entry[1:] for entry in self.asked if entry[0] == word]


def test_economies_that_their_first_relaxation_settles_are_not_branched_on(monkeypatch):
    """Tests that their best bids are nevertheless offered to the one that is left."""
    script = Script(monkeypatch, {(0,): [[5]], (1,): [[9]], (2,): [[10], [9]]})
    found = script.branch([0, 1, 2], [[1], [0], [3]], gap=0.25, most_iterations=70)

    assert found == {0: ([1], 5, True), 1: ([0], 9, True), 2: ([0], 9, True)}
    assert script.what("tree") == [
        ((0,), [[1]], 0.25), ((1,), [[0]], 0.25), ((2,), [[3]], 0.25)
    ]  # fmt: skip
    assert script.what("swap") == [(2, [3])]
    assert script.what("run") == [((i,), 0, np.inf) for i in range(3)] + [((2,), 70, np.inf)]
    assert [entry for entry in script.what("offer") if entry[0] == (2,)] == [
        ((2,), [3]), ((2,), [1]), ((2,), [0])
    ]  # fmt: skip


def test_economies_share_a_tree_where_its_prices_loosen_their_bounds_little(monkeypatch):
    """
    Tests gaps of 4: a bound that is loosened by 2, half of it, is little; by 2.5 it is not. The
    tree has the iterations of both, and bounds of an economy on its own remain.
    """
    all_three, two = ("all", 0, 1, 2), ("all", 0, 1)
    script = Script(
        monkeypatch,
        {(0,): [[9]], (1,): [[13]], (2,): [[8], [6]], two: [[11, 12]]},
        first={0: 11.0, 1: 15.0, 2: 10.5},
        swaps={2: [2]},
    )
    found = script.branch(
        [0, 1, 2], [[1], [0], [3]], gap=0.25, most_iterations=70, deadline=50.0,
        report=lambda surplus, bound: script.told.append((surplus, bound)),
    )  # fmt: skip

    assert script.what("tree")[3:] == [
        (all_three, [[1], [0], [2]], 0.25), (two, [[1], [0]], 0.25)
    ]  # fmt: skip
    assert script.what("run") == [
        ((0,), 0, 50.0), ((1,), 0, 50.0), ((2,), 0, 50.0), (two, 140, 50.0), ((2,), 70, 50.0)
    ]  # fmt: skip
    assert found == {0: ([1], 9, False), 1: ([0], 12, False), 2: ([0], 6, True)}
    assert script.told == [(5, 11), (9, 6)]  # the widest gap of two, then the one economy
    # Bid 1 of the economy without bidder 0, and bid 0 of that without bidder 1; nobody's own.
    assert [entry for entry in script.what("offer") if entry[0] == (2,)] == [
        ((2,), [2]), ((2,), [1]), ((2,), [0])
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "num_together"), [({0: 15.0, 1: 15.5}, 1), ({0: 11.5, 1: 15.0}, 1)]
)
def test_one_economy_alone_shares_with_nobody(monkeypatch, first, num_together):
    """Tests two economies, one or none of which is loosened little: each gets its own tree."""
    script = Script(monkeypatch, {(0,): [[9], [5]], (1,): [[13], [9]]}, first)
    found = script.branch([0, 1], [[1], [0]])
    assert found == {0: ([1], 5, True), 1: ([0], 9, True)}
    assert len(script.what("tree")) == 2 + num_together
    assert [entry[:2] for entry in script.what("run")[2:]] == [((0,), np.inf), ((1,), np.inf)]


def test_an_economy_that_is_left_alone_is_not_compared(monkeypatch):
    """Tests one unfinished economy of two: no tree for it and itself."""
    script = Script(monkeypatch, {(0,): [[5]], (1,): [[13], [9]]})
    found = script.branch([0, 1], [[1], [0]])
    assert found == {0: ([1], 5, True), 1: ([0], 9, True)}
    assert len(script.what("tree")) == 2


@pytest.mark.parametrize(
    ("deadline", "num_runs"), [(0.0, 0), (1.0, 1), (2.0, 2), (3.0, 3), (4.0, 4)]
)
def test_nothing_is_begun_at_the_deadline(monkeypatch, deadline, num_runs):
    """Tests runs of one second each: two first relaxations, then two trees."""
    script = Script(monkeypatch, {(0,): [[9], [5]], (1,): [[13], [9]]}, {0: 15.0, 1: 15.5})
    found = script.branch([0, 1], [[1], [0]], deadline=deadline)
    assert len(script.what("run")) == num_runs
    assert len(script.what("tree")) == (3 if num_runs > 2 else 2)
    assert [bound for _, bound, _ in found.values()] == [
        [np.inf, np.inf], [9, np.inf], [9, 13], [5, 13], [5, 9]
    ][num_runs]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(auctions(max_bidders=5), st.sampled_from([0, 10**12 - 10]), st.booleans())
def test_one_tree_finds_the_optimum_of_every_economy(auction, size, is_whole):
    """Tests the main economy and all marginal ones in one tree, with capacities and limits."""
    reports, market = auction
    factor = 1 if is_whole else 0.3712345678
    reports = [type(r)(r.bundles, (r.values + size) * factor) for r in reports]
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return
    absent = [NOBODY, *range(market.num_bidders)]
    everybody = np.ones(len(packing), dtype=bool)
    tree = Branching(packing, PackingLP(packing), everybody, [NOTHING] * len(absent), absent)

    assert tree.run()

    for economy, missing in enumerate(absent):
        others = [i for i in range(market.num_bidders) if i != missing]
        best = best_welfare(reports, market, others)
        won = packing.owners[tree.best[economy]].tolist()
        assert tree.surplus[economy] == (best if is_whole else pytest.approx(best, rel=1e-12))
        assert tree.bound[economy] >= best - 1e-12 * best
        assert missing not in won
        assert len(set(won)) == len(won)


@pytest.mark.parametrize("size", [1, 10**6, 10**11])
def test_the_last_unit_decides_in_large_trees(size):
    """
    Tests trees of many nodes against dynamic programming in whole numbers: gaps of the relaxation
    are wide, and what decides is the last digit.
    """
    for seed in range(6):
        reports, market = pairs_and_triples(40, 10, size, seed)
        packing = Packing.from_reports(reports, market)
        bidders = list(range(40))

        branched = branch_without(*tightened(packing), bidders, [NOTHING] * 40)

        for missing, result in branched.items():
            best = best_of_subsets(reports, [i for i in bidders if i != missing])
            assert result.is_finished
            assert int(packing.surplus[result.bids].sum()) == best
            assert int(result.bound) == best
            assert (packing.bundles[result.bids].sum(axis=0) <= 1).all()


def test_sharing_needs_fewer_relaxations():
    """Tests that economies in one tree pivot much less than in a tree each."""
    rng = np.random.default_rng(3)
    bundles = rng.random((150, 30)) < 0.12
    bundles[np.arange(150), rng.integers(0, 30, 150)] = True
    values = bundles.sum(axis=1) * rng.uniform(0.8, 1.2, 150)
    reports = [Reports(b[None].astype(int), [v]) for b, v in zip(bundles, values, strict=True)]
    packing = Packing.from_reports(reports, Market.simple(30, 150))
    tight, lp = tightened(packing)
    everybody = np.ones(len(packing), dtype=bool)
    main = Branching(tight, lp, everybody, [NOTHING])
    main.run()
    winners = packing.owners[main.best[0]].tolist()
    starts = [main.best[0][packing.owners[main.best[0]] != i] for i in winners]

    before = lp.num_iterations
    branched = branch_without(tight, lp, winners, starts)
    shared = lp.num_iterations - before
    alone = [
        Branching(tight, lp, packing.owners != i, [start])
        for i, start in zip(winners, starts, strict=True)
    ]
    assert all(tree.run() for tree in alone)
    separate = lp.num_iterations - before - shared

    assert shared < 0.5 * separate
    for i, tree in zip(winners, alone, strict=True):
        assert packing.surplus[branched[i].bids].sum() == pytest.approx(tree.surplus[0], rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 300))
def test_a_pause_leaves_bounds_that_hold(seed, iterations):
    """Tests that economies that are not finished keep the promise of their bounds."""
    reports, market = pairs_and_triples(14, 8, 20, seed)
    packing = Packing.from_reports(reports, market)
    bidders = list(range(14))
    starts = [NOTHING] * 14

    branched = branch_without(*tightened(packing), bidders, starts, most_iterations=iterations / 14)

    for missing, result in branched.items():
        best = best_of_subsets(reports, [i for i in bidders if i != missing])
        assert packing.surplus[result.bids].sum() <= best <= result.bound
        if result.is_finished:
            assert packing.surplus[result.bids].sum() == best == result.bound


def test_payments_of_many_bidders_are_those_of_whole_numbers():
    """Tests the whole way to payments, with too many bidders for a search over them."""
    reports, market = pairs_and_triples(60, 10, 10**9, seed=4)

    outcome = vcg(reports, market)

    assert outcome.method == "branching"
    assert outcome.status == "optimal"
    welfare = best_of_subsets(reports, range(60))
    for i in np.flatnonzero(outcome.allocation.bundles.any(axis=1)).tolist():
        without = best_of_subsets(reports, [j for j in range(60) if j != i])
        assert outcome.payments[i] == without - (welfare - int(outcome.values[i]))
    assert outcome.payments[~outcome.allocation.bundles.any(axis=1)].tolist() == [0.0] * (
        60 - int(outcome.allocation.bundles.any(axis=1).sum())
    )


def test_what_is_not_settled_is_known_to_the_next_method():
    """Tests that bids and bounds of unfinished economies are a start for the other methods."""
    reports, market = pairs_and_triples(60, 12, 10**9, seed=1)
    packing = Packing.from_reports(reports, market)
    determination = WinnerDetermination(packing, Effort(iterations=1))
    determination._tight = tightened(packing)

    settled = determination.accept_without(list(range(60)), 60, np.inf)
    rest = [i for i in range(60) if i not in settled]

    assert rest
    for i in rest[:3]:
        accepted = determination.accept(Economy.without(i, 60))
        best = best_of_subsets(reports, [j for j in range(60) if j != i])
        assert int(accepted.surplus) == int(accepted.bound) == best


def test_nothing_is_begun_after_the_deadline():
    """
    Tests that a deadline that has passed leaves starts as they are, without a bound of their own:
    with thousands of bids, first relaxations of all economies took minutes.
    """
    reports, market = pairs_and_triples(30, 10, 100, seed=2)
    packing = Packing.from_reports(reports, market)
    tight, lp = tightened(packing)
    before = lp.num_iterations

    branched = branch_without(tight, lp, [0, 1, 2], [NOTHING] * 3, deadline=0.0)

    assert lp.num_iterations == before
    assert not any(result.is_finished for result in branched.values())
    assert [result.bound for result in branched.values()] == [np.inf] * 3
