"""Tests of the search over bidders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payment_oracle import auctions, best_welfare, random_reports

from boca.core import Market, Reports
from boca.payments import branch_and_bound as module
from boca.payments.bids import Packing
from boca.payments.branch_and_bound import _Board, search
from boca.payments.packing_lp import PackingLP


def dual_prices(packing):
    """Prices of the linear relaxation in units of weight."""
    everything = np.ones(len(packing), dtype=bool)
    return PackingLP(packing).solve(~everything, everything)[1] / packing.scale


def one_good(values, owners=None, copies=1, wanted=1):
    """Bids for the same good."""
    num = len(values)
    owners = np.arange(num) if owners is None else np.array(owners)
    bundles = np.full((num, 1), wanted)
    return Packing(owners, bundles, np.array(values, dtype=float), np.array([copies]))


@pytest.mark.parametrize(
    ("prices", "start", "num_nodes"),
    [([], [], 2), ([[0.8]], [], 1), ([], [1], 2), ([[0.8]], [0], 1)],
)
def test_trees_by_hand(prices, start, num_nodes):
    """
    Tests 5, 4 and 3 for one good: bidder 0 wins or nobody else is worth more than 4 and 3 together,
    which needs a second node without prices. At a price of 4 the others together are worth 4.
    """
    result = search(one_good([5, 4, 3]), [np.array(p) for p in prices], np.array(start, dtype=int))
    assert (result.accepted.tolist(), result.complete) == ([0], True)
    assert result.weight == pytest.approx(1)
    assert result.num_nodes == num_nodes


def test_nothing_is_opened_that_cannot_be_better():
    """Tests starts that are the optimum: at the right price the first node has no child."""
    packing = one_good([5, 4, 3])
    board = _Board(packing, [np.array([0.8])])
    above, below = (board.expand(board.root(), floor) for floor in (1.0, 0.9))
    assert len(above) == 0
    assert below.chosen.tolist() == [[0, -1, -1]]
    assert below.bounds == pytest.approx([1.0])
    everything = board.expand(board.root(), -1.0)
    assert everything.chosen.tolist() == [[0, -1, -1], [-1, -1, -1]]
    assert everything.bounds == pytest.approx([1.0, 0.8])
    assert everything.totals == pytest.approx(np.array([[1.0, 1.0], [0.0, 0.8]]), abs=1e-8)


def test_who_is_decided_next():
    """Tests the most to win for a few children: 9 of three bids, 8 of two, 5 of one; then less."""
    packing = one_good([9, 2, 1, 8, 3, 5], owners=[0, 0, 0, 1, 1, 2])
    board = _Board(packing, [])
    masks = board.root().masks
    assert board.pick(masks, board.hopes(masks)).tolist() == [1]  # 8 / 3, 5 / 2, 9 / 4
    masks = masks.copy()
    masks[0, :, 1] = 0
    assert board.pick(masks, board.hopes(masks)).tolist() == [2]
    masks[0, :, 2] = 0
    assert board.pick(masks, board.hopes(masks)).tolist() == [0]


def test_what_each_bidder_can_add_is_its_best_compatible_bid():
    """Tests rows of two words of bits, at two prices, against every bid; none adds less than 0."""
    rng = np.random.default_rng(3)
    num = 180
    owners = np.repeat([0, 1, 2], [100, 70, 10])
    bundles = rng.integers(0, 2, (num, 6))
    packing = Packing(owners, bundles, rng.integers(1, 50, num).astype(float), np.ones(6, int))
    prices = rng.random(6)
    board = _Board(packing, [prices])
    assert board.start.shape == (2, 3, 2)

    masks = board.start[None] & board.compatible
    hopes = board.hopes(masks)  # after each bid has won

    reduced = [packing.weights, packing.weights - bundles @ prices]
    assert (reduced[1] < 0).any()
    is_late = np.zeros(2, dtype=bool)
    for bid in range(num):
        for k in range(2):
            for i in range(3):
                fits = np.flatnonzero(~packing.conflicts[bid] & (owners == i))
                best = max(reduced[k][fits], default=0.0)
                assert hopes[bid, k, i] == max(best, 0.0)
            is_late[k] |= bool((masks[bid, k, :, 0] == 0).any() and masks[bid, k, :, 1].any())
    assert is_late.all()  # a best bid was found in the second word, too


def test_limits_end_the_search_with_the_best_so_far(monkeypatch):
    """Tests one node of two, and a clock that strikes between them."""
    packing = one_good([5, 4, 3])
    finished = search(packing, node_limit=2)
    assert (finished.complete, finished.num_nodes) == (True, 2)
    stopped = search(packing, node_limit=1)
    assert (stopped.complete, stopped.num_nodes, stopped.accepted.tolist()) == (False, 1, [0])
    clock = iter([1.0, 2.0])
    monkeypatch.setattr(module, "perf_counter", lambda: next(clock))
    late = search(packing, deadline=2.0)
    assert (late.complete, late.num_nodes, late.accepted.tolist()) == (False, 1, [0])


@pytest.mark.parametrize("size", [1, 2, 7])
def test_small_batches_find_the_same(monkeypatch, size):
    """Tests nodes that wait for a later batch, where the first way down is not the best."""
    for seed in range(4):
        reports, market = random_reports(5, 30, 10, 0.4, seed)
        packing = Packing.from_reports(reports, market)
        once = search(packing)
        with monkeypatch.context() as patch:
            patch.setattr(module, "BATCH", size)
            again = search(packing)
        assert again.accepted.tolist() == once.accepted.tolist()
        assert again.complete


@settings(max_examples=80, deadline=None)
@given(auctions(), st.sampled_from(["none", "dual", "random"]), st.integers(0, 1000))
def test_any_prices_give_the_optimum(auction, kind, seed):
    """Tests that prices decide how much is looked at, never what is best."""
    reports, market = auction
    packing = Packing.from_reports(reports, market)
    prices = {
        "none": [],
        "dual": [dual_prices(packing)] if len(packing) else [],
        "random": [np.random.default_rng(seed).random(market.num_goods)],
    }[kind]

    result = search(packing, prices)

    assert result.complete
    assert packing.surplus[result.accepted].sum() == pytest.approx(best_welfare(reports, market))
    given_away = packing.bundles[result.accepted].sum(axis=0)
    assert (given_away <= market.capacities).all()
    assert len(set(packing.owners[result.accepted].tolist())) == len(result.accepted)


def test_three_bids_that_fit_in_pairs_only():
    """Tests a capacity that no pair of bids exceeds and all three together do."""
    reports = [Reports([[1]], [v]) for v in (5.0, 4.0, 3.0)]
    packing = Packing.from_reports(reports, Market.simple(1, 3, [2]))

    result = search(packing)

    assert result.accepted.tolist() == [0, 1]


def test_the_start_survives_the_node_limit():
    """Tests that a search that gives up at once returns what it began with, and says so."""
    reports, market = random_reports(5, 30, 10, 0.4, seed=2)
    packing = Packing.from_reports(reports, market)
    start = np.array([0])

    result = search(packing, start=start, node_limit=0)

    assert not result.complete
    assert result.accepted.tolist() == [0]
    assert result.weight == packing.weights[0]


def test_a_better_start_is_not_lost_and_a_worse_one_is_replaced():
    """Tests that the same optimum is reached from nothing, from the optimum and from one bid."""
    reports, market = random_reports(5, 30, 10, 0.4, seed=2)
    packing = Packing.from_reports(reports, market)
    best = search(packing)

    for start in (best.accepted, best.accepted[:1]):
        again = search(packing, [dual_prices(packing)], start)
        assert again.accepted.tolist() == best.accepted.tolist()
        assert again.complete


def test_more_bids_than_one_word_of_bits():
    """Tests a bidder with 150 bids, which take three words of 64 bits."""
    rng = np.random.default_rng(6)
    bundles = np.unique((rng.random((400, 9)) < 0.4).astype(int), axis=0)
    bundles = bundles[bundles.any(axis=1)][:150]
    values = bundles.sum(axis=1) ** 1.3 + 0.1 * rng.random(len(bundles))
    reports = [Reports(bundles, values), Reports(np.eye(9, dtype=int), rng.random(9))]
    market = Market.simple(9, 2)
    packing = Packing.from_reports(reports, market)
    assert (packing.owners == 0).sum() > 64

    result = search(packing)

    assert packing.surplus[result.accepted].sum() == pytest.approx(best_welfare(reports, market))


def test_no_bids_at_all():
    """Tests that an empty problem is solved at once."""
    packing = Packing.from_reports([Reports.empty(2)], Market.simple(2, 1))

    assert search(packing).complete
    assert search(packing).num_nodes == 0
