"""Branching with relaxations that are told what to say: trees by hand, and relaxations that err."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare

from boca.payments import branching as module
from boca.payments.bids import Packing
from boca.payments.branching import NOBODY, Branching
from boca.payments.packing_lp import PackingLP

NOTHING = np.zeros(0, dtype=np.int64)


class Says:
    """A relaxation with the same shares and prices at every node; it notes which bids are open."""

    def __init__(self, shares, prices):
        self.shares, self.prices = np.array(shares, dtype=float), np.array(prices, dtype=float)
        self.num_iterations, self.asked = 0, []

    def solve(self, is_won, is_open):
        self.num_iterations += 10
        self.asked.append((np.flatnonzero(is_won).tolist(), np.flatnonzero(is_open).tolist()))
        return self.shares, self.prices


class Errs(PackingLP):
    """A relaxation whose shares and prices are off, as those of a solver are, only by far more."""

    def __init__(self, packing, seed):
        super().__init__(packing)
        self.rng = np.random.default_rng(seed)

    def solve(self, is_won, is_open):
        shares, prices = super().solve(is_won, is_open)
        shares = np.where(self.rng.random(len(shares)) < 0.5, shares, self.rng.random(len(shares)))
        return shares, prices * self.rng.choice([0.0, 0.5, 1.0, 3.0], len(prices))


def one_good(values, lp, best=NOTHING, owners=None, absent=(NOBODY,), gap=0.0, decimals=0):
    """Bids for the same good."""
    num = len(values)
    owners = np.arange(num) if owners is None else np.array(owners)
    worth = np.array(values, dtype=float)
    packing = Packing(owners, np.ones((num, 1), dtype=int), worth, np.array([1]), decimals)
    starts = [best] * len(absent)
    return Branching(packing, lp, np.ones(num, dtype=bool), starts, absent, gap)


def triangle(lp=None, values=(10.0, 10.0, 10.0), **more):
    """Three pairs of three goods: of half of each the relaxation makes 15."""
    pairs = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    packing = Packing(np.arange(3), pairs, np.array(values), np.ones(3, dtype=int))
    lp = PackingLP(packing) if lp is None else lp
    return Branching(packing, lp, np.ones(3, dtype=bool), [NOTHING], **more)


@settings(max_examples=60, deadline=None)
@given(
    auctions(max_bidders=4),
    st.integers(0, 1000),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([1, 10**11, 0.3712345678]),
)
def test_whatever_the_relaxation_says_the_best_is_found(auction, seed, gap, factor):
    """
    Tests several economies in one tree with wrong prices and shares: bounds hold, and without a
    gap they are reached.
    """
    reports, market = auction
    reports = [type(r)(r.bundles, r.values * factor) for r in reports]
    packing = Packing.from_reports(reports, market)
    if not len(packing):
        return
    absent = [NOBODY, *range(market.num_bidders)]
    everybody = np.ones(len(packing), dtype=bool)
    tree = Branching(packing, Errs(packing, seed), everybody, [NOTHING] * len(absent), absent, gap)

    for _ in range(3):
        tree.run(3)
        bounds = tree.bound
    assert tree.run()
    assert tree.is_finished

    for economy, missing in enumerate(absent):
        best = best_welfare(reports, market, [i for i in range(len(reports)) if i != missing])
        surplus, bound = (packing.money(x) for x in (tree.surplus[economy], tree.bound[economy]))
        assert packing.money(bounds[economy]) >= best * (1 - 1e-12)
        assert surplus <= best * (1 + 1e-12)
        nothing = 0.0 if packing.is_whole else 2e-12 * packing.scale
        assert best - nothing <= bound <= surplus * (1 + gap) + nothing
        won = tree.best[economy]
        assert (packing.bundles[won].sum(axis=0) <= market.capacities).all()
        owners = packing.owners[won].tolist()
        assert len({*owners, missing}) == len(owners) + 1
        assert packing.surplus[won].sum() == pytest.approx(tree.surplus[economy])


def test_the_bound_of_the_first_node_by_hand():
    """Tests 5, 4 and 3 at a price of 2: 2 for the good, and gains of 3, 2 and 1."""
    tree = one_good([5, 4, 3], Says([1, 0, 0], [2]), absent=(NOBODY, 0, 2, 7))
    assert tree.first_bounds().tolist() == [8, 5, 7, 8]
    assert (tree.num_nodes, tree.is_finished) == (0, False)
    assert tree.bound.tolist() == [np.inf] * 4
    one_of_each = one_good([5, 4, 3], Says([1, 0, 0], [2]), owners=[0, 0, 1], absent=(NOBODY, 0, 1))
    assert one_of_each.first_bounds().tolist() == [6, 3, 5]  # 3 of bidder 0, 1 of bidder 1
    dear = one_good([5, 4, 3], Says([1, 0, 0], [6]))
    assert dear.first_bounds().tolist() == [6]  # nobody gains


def test_the_right_price_needs_one_node():
    tree = one_good([5, 4, 3], Says([1, 0, 0], [4]))
    assert tree.run()
    assert (tree.best[0].tolist(), tree.bound[0], tree.num_nodes) == ([0], 5, 1)


def test_a_tree_by_hand():
    """
    Tests a price of 0, at which all bids fit: bid 0 wins or loses, and without it bid 1 does, where
    5 are known: without both, 3 are not enough, and with either nothing more fits.
    """
    lp = Says([0.5, 0.4, 0.1], [0])
    tree = one_good([5, 4, 3], lp)
    assert not tree.run(0)
    assert (tree.best[0].tolist(), tree.bound[0]) == ([0], 12)
    assert tree.run()
    assert lp.asked == [([], [0, 1, 2]), ([0], []), ([], [1, 2]), ([1], []), ([], [2])]
    assert (tree.best[0].tolist(), tree.bound[0], tree.num_nodes) == ([0], 5, 5)


def test_a_gap_that_gave_nothing_up_is_not_in_the_bound():
    """Tests the same tree, where 6.5 are needed: no node was closed above 5."""
    tree = one_good([5, 4, 3], Says([0.5, 0.4, 0.1], [0]), gap=0.3)
    assert tree.run()
    assert (tree.bound[0], tree.num_nodes) == (5, 5)


def test_bids_far_below_their_bidders_best_lose_at_once():
    """
    Tests a bidder with 5, 4 and 1, and another with 3, of which 8 seem possible and 6 are needed:
    what is 2 below the best may do, what is 4 below may not; nothing above 5 is given up with it.
    """
    lp = Says([1, 0, 0, 0], [0])
    tree = one_good([5, 3, 1, 3], lp, owners=[0, 0, 0, 1])
    assert tree.run()
    assert lp.asked[:3] == [([], [0, 1, 2, 3]), ([0], []), ([], [1, 3])]
    assert tree.bound[0] == 5


@pytest.mark.parametrize(
    ("gap", "decimals", "bound"), [(0.0, 0, 5), (0.3, 0, 6), (0.4, 0, 6), (0.5, 0, 7)]
)
def test_what_is_given_up_within_a_gap_is_in_the_bound(gap, decimals, bound):
    """Tests 5 of at most 8: of 6.5, 7 and 7.5 that are needed, the whole numbers below."""
    lp = Says([1, 0, 0], [0])
    tree = one_good([5, 1, 3], lp, owners=[0, 0, 1], gap=gap, decimals=decimals)
    tree.run()
    assert tree.best[0].tolist() == [0]
    assert tree.bound[0] == bound


def test_amounts_that_are_not_whole_give_up_nothing_below_what_is_needed():
    """Tests 5.5 and 1.5 of one bidder and 3.5 of another, gap a tenth: 6.05 are needed."""
    tree = one_good([5.5, 1.5, 3.5], Says([1, 0, 0], [0]), owners=[0, 0, 1], gap=0.1, decimals=None)
    assert tree.run()
    assert tree.bound[0] == pytest.approx(6.05, rel=1e-15)


def test_a_millionth_of_a_millionth_is_nothing():
    """
    Tests amounts that are not whole, and prices that are too high by a little: less than 1e-12 of
    the largest stays in the bound; of more, only so much, since no bid can be part of it.
    """
    for more, share in ((0.9e-12, 0.9e-12), (3e-12, 1e-12)):
        tree = one_good([8.0], Says([0.0], [8 + 8 * more]), np.array([0]), decimals=None)
        assert tree.run()
        assert tree.num_nodes == 1
        assert tree.bound[0] / 8 - 1 == pytest.approx(share, abs=1e-15)


def test_a_pause_after_iterations_or_time_goes_on_where_it_was(monkeypatch):
    """Tests 10 iterations per node, counted from the call and not from the first one ever."""
    lp = Says([0.5, 0.4, 0.1], [0])
    lp.num_iterations = 1000
    tree = one_good([5, 4, 3], lp)
    assert not tree.run(20)
    assert tree.num_nodes == 2
    assert not tree.run(10)
    assert tree.num_nodes == 3
    monkeypatch.setattr(module, "perf_counter", lambda: 7.0)
    assert not tree.run(deadline=7.0)
    assert tree.num_nodes == 3
    assert tree.run(deadline=7.5)
    late = one_good([5, 4, 3], lp)
    assert not late.run(deadline=7.0)
    assert late.num_nodes == 1  # there is always a bound
    assert late.bound[0] == 12


def test_there_is_something_to_report_every_few_nodes(monkeypatch):
    monkeypatch.setattr(module, "REPORT_NODES", 2)
    tree = one_good([5, 4, 3], Says([0.5, 0.4, 0.1], [0]))
    told = []
    assert tree.run(report=lambda: told.append(tree.num_nodes))
    assert told == [2, 4]


def test_halves_are_branched_on():
    """Tests three pairs: the first node finds one, its two children find that two do not fit."""
    tree = triangle()
    assert not tree.run(0)
    assert (tree.surplus[0], tree.bound[0]) == (10, 15)
    assert tree.run()
    assert (tree.surplus[0], tree.bound[0], tree.num_nodes) == (10, 10, 3)


def test_rounding_takes_large_shares_first_then_large_bids():
    """
    Tests the first node, which tries all bids; the shares decide, then the worth: bid 2 wins with
    half a share, and of others without a share the one for 7 before that for 6.
    """
    bundles = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]])
    worth = np.array([6.0, 7, 3, 9, 1])
    packing = Packing(np.array([0, 1, 2, 3, 4]), bundles, worth, np.ones(3, dtype=int))
    says = Says([0, 0, 0.5, 0.4, 0], [0, 0, 0])
    tree = Branching(packing, says, np.ones(5, dtype=bool), [NOTHING])
    tree.run(0)
    assert tree.best[0].tolist() == [1, 2, 4]


def test_rounding_gives_a_bidder_one_bid_and_no_more_copies_than_there_are():
    """Tests two copies: bid 0 takes one; of the rest only bid 3 is another bidder's and fits."""
    bundles = np.array([[1], [1], [2], [1], [1]])
    packing = Packing(
        np.array([0, 0, 1, 2, 3]), bundles, np.array([9.0, 8, 7, 2, 1]), np.array([2])
    )
    tree = Branching(
        packing, Says([0.9, 0.8, 0.7, 0.6, 0.5], [0]), np.ones(5, dtype=bool), [NOTHING]
    )
    tree.run(0)
    assert tree.best[0].tolist() == [0, 3]


def test_rounding_is_tried_at_the_first_of_every_few_nodes_and_at_whole_shares(monkeypatch):
    """Tests at which nodes there are new bids: 1 and 3 of every two, or any with whole shares."""
    for shares, every, nodes in (
        ([0.5, 0.4, 0.1], 2, [1, 3]),
        ([0.5, 0.4, 0.1], 3, [1, 4]),
        ([1.0, 0.0, 0.0], 3, [1, 2, 3, 4]),
        ([1 - 1e-8, 1e-8, 0.0], 3, [1, 2, 3, 4]),
        ([1 - 1e-6, 0.0, 0.0], 3, [1, 4]),
        ([1.0, 1e-6, 0.0], 3, [1, 4]),
    ):
        monkeypatch.setattr(module, "ROUNDING_NODES", every)
        tree, tried = one_good([5, 4, 3], Says(shares, [0])), []
        monkeypatch.setattr(tree, "offer", lambda bids, tried=tried: tried.append(len(bids)))
        everything = np.ones(3, dtype=bool)
        for node in (1, 2, 3, 4):
            tree.num_nodes = node
            before = len(tried)
            tree._round([], everything, tree.lp.shares)
            tried[before:] = [node] if len(tried) > before else []
        assert tried == nodes


def test_what_is_decided_first():
    """Tests undecided shares times conflicts, and the largest share where none is undecided."""
    tree = one_good([5, 4, 3, 2], Says([0] * 4, [0]), owners=[0, 1, 2, 3])
    tree.packing.__dict__["num_conflicts"] = np.array([1, 1, 1, 3])
    bids = np.arange(4)
    assert tree._choose(bids, np.array([0.9, 0.5, 0.6, 0.0])) == 1
    assert tree._choose(bids, np.array([0.9, 0.5, 0.6, 0.2])) == 3
    assert tree._choose(bids, np.array([0.9, 0.5, 0.6, 0.05])) == 1
    assert tree._choose(bids, np.array([0.0, 0.0, 1.0, 0.0])) == 2
    assert tree._choose(bids, np.array([1e-8, 0.0, 1 - 1e-8, 0.0])) == 2
    assert tree._choose(bids[1:], np.array([1.0, 0.0, 0.0, 0.0])) == 1


def test_bids_offered_are_better_where_they_are_better():
    """Tests 5 and 3 of two bidders: without bidder 0 only 3 of them are left, which 4 beat."""
    packing = Packing(
        np.arange(3), np.array([[1, 0], [0, 1], [1, 0]]), np.array([5.0, 3, 4]), np.ones(2, int)
    )
    everything = np.ones(3, dtype=bool)
    starts = [np.array([0]), np.array([2]), NOTHING]
    tree = Branching(packing, Says([0] * 3, [0, 0]), everything, starts, (NOBODY, 0, 1))
    assert tree.surplus.tolist() == [5, 4, 0]

    tree.offer(np.array([1, 0]))

    assert [bids.tolist() for bids in tree.best] == [[0, 1], [2], [0]]
    assert tree.surplus.tolist() == [8, 4, 5]
    tree.offer(np.array([2, 1]))
    assert [bids.tolist() for bids in tree.best] == [[0, 1], [1, 2], [0]]  # 7 is not more than 8


def test_few_economies_at_a_node_get_relaxations_of_their_own(monkeypatch):
    """
    Tests three bidders, each missing somewhere: each economy is bounded without its bidder, unless
    the bidder has no share; more economies share what the relaxation with everybody says.
    """
    absent = (0, 1, 2)
    lp = Says([0.5, 0.5, 0.0], [0])
    tree = one_good([5, 4, 3], lp, absent=absent)
    tree.run(0)
    assert lp.asked == [([], [0, 1, 2]), ([], [1, 2]), ([], [0, 2])]
    monkeypatch.setattr(module, "FEW_ECONOMIES", 2)
    lp.asked.clear()
    one_good([5, 4, 3], lp, absent=absent).run(0)
    assert lp.asked == [([], [0, 1, 2])]
    lp.asked.clear()
    one_good([5, 4, 3], lp, absent=(1,)).run(0)
    assert lp.asked == [([], [0, 2])]  # one economy is branched on without its bidder


def test_a_lower_bound_of_an_economy_alone_counts():
    """Tests that a node is closed for an economy whose own relaxation says so, not for others."""

    class OwnPrices(Says):
        def solve(self, is_won, is_open):
            shares, _ = super().solve(is_won, is_open)
            return shares, np.array([0.0 if is_open.all() else 5.0 if is_open[0] else 4.0])

    lp = OwnPrices([0.4, 0.3, 0.3], [0])
    tree = one_good([5, 4, 3], lp, absent=(0, 1))
    assert tree.run()
    # Without bidder 0 a price of 4 proves 4, without bidder 1 a price of 5 proves 5.
    assert lp.asked == [([], [0, 1, 2]), ([], [1, 2]), ([], [0, 2])]
    assert tree.bound.tolist() == [4, 5]
    assert [bids.tolist() for bids in tree.best] == [[1], [0]]


def test_the_economy_that_is_left_goes_on_with_its_own_relaxation():
    """
    Tests that of two economies the first is proven by a price of 4; the other needs 6, which at a
    price of 2 are just possible, and decides what its own shares say: bid 2, and bid 1 never.
    """

    class Own(Says):
        def solve(self, is_won, is_open):
            shares, prices = super().solve(is_won, is_open)
            if is_won.any() or is_open.all():
                return shares, prices
            if is_open[0]:
                return np.array([0.0, 0, 1]), np.array([2.0])
            return np.array([0.0, 1, 0]), np.array([4.0])

    lp = Own([0.4, 0.3, 0.3], [0])
    tree = one_good([5, 4, 3], lp, absent=(0, 1))
    assert tree.run()
    assert lp.asked[:4] == [([], [0, 1, 2]), ([], [1, 2]), ([], [0, 2]), ([2], [])]
    assert all(1 not in is_open for _, is_open in lp.asked[3:])
    assert tree.bound.tolist() == [4, 5]
