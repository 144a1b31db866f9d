"""Tests of saved states that cannot be used."""

import json
from dataclasses import replace

import numpy as np
import pytest

from boca.core import (
    Allocation,
    Bidder,
    DemandQuery,
    Demands,
    Economy,
    Good,
    InputError,
    Limit,
    Market,
    Query,
    Reason,
    Reports,
)
from boca.mechanism import Auction, AuctionParams, AuctionState, RoundRecord
from boca.mechanism.record import Planning


@pytest.fixture
def saved(market, params, tmp_path):
    auction = Auction.start(market, params)
    auction.ask()
    auction.save(tmp_path / "state.json")
    return tmp_path / "state.json"


def test_a_truncated_file_is_named_with_its_line(saved):
    """Tests that a cut-off file is not mistaken for a state."""
    saved.write_text(saved.read_text()[:200])
    with pytest.raises(InputError, match=r"damaged at line 1.*cut off"):
        AuctionState.load(saved)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    """Tests the message for a wrong path."""
    with pytest.raises(InputError, match="no state file"):
        AuctionState.load(tmp_path / "none.json")


@pytest.mark.parametrize("change", ["reports", "market", "params"])
def test_a_file_with_a_part_missing_is_refused(saved, change):
    """Tests that every part is needed."""
    data = json.loads(saved.read_text())
    del data[change]
    saved.write_text(json.dumps(data))
    with pytest.raises(InputError, match=f"not a boca state.*{change}"):
        AuctionState.load(saved)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null"])
def test_other_json_is_refused(saved, text):
    """Tests JSON that is no state at all."""
    saved.write_text(text)
    with pytest.raises(InputError, match="not a boca state"):
        AuctionState.load(saved)


def test_another_format_is_refused(saved):
    """Tests that a later version's file is not misread."""
    data = json.loads(saved.read_text())
    saved.write_text(json.dumps(data | {"format": 99}))
    with pytest.raises(InputError, match="format 99"):
        AuctionState.load(saved)


def test_a_file_that_cannot_be_written_keeps_the_old_one(saved, market, params):
    """Tests that saving to a folder that is not there says so."""
    with pytest.raises(InputError, match="Cannot write"):
        Auction.start(market, params).save(saved.parent / "missing" / "state.json")
    assert AuctionState.load(saved).market == market


def test_a_bundle_is_declined_once(market, params):
    """Tests that a second refusal of the same bundle is a mistake of somebody."""
    auction = Auction.start(market, params)
    query = auction.ask()[0]
    auction.decline(query.bidder, query.bundle)
    with pytest.raises(InputError, match="declined this bundle already"):
        auction.decline(query.bidder, query.bundle)
    assert len(auction.state.declined[query.bidder]) == 1


def test_a_state_is_built_in_one_go(params):
    """Tests ten thousand reports of a hundred bidders, as a server hands them over."""
    rng = np.random.default_rng(0)
    market = Market.simple(20, 100)
    reports = []
    for _ in range(100):
        bundles = np.unique(rng.integers(0, 2, (130, 20)), axis=0)[-100:]
        reports.append(Reports(bundles, rng.uniform(1, 2, len(bundles))))
    state = AuctionState.of(market, params, reports=reports, num_asked=(100,) * 100)
    assert sum(map(len, state.reports)) == 10_000
    again = AuctionState.from_dict(state.to_dict())
    assert again.reports == state.reports


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("reports", 0, "bundles"), [[9, 0, 0, 0]], "expected between 0 and 1"),
        (("reports", 0, "bundles"), [[0.5, 0, 0, 0]], "fractional"),
        (("reports", 0, "bundles"), [[-1, 0, 0, 0]], "expected between"),
        (("reports", 0, "values"), [1e308], "at most 1e"),
        (("reports",), [], "one per bidder"),
        (("num_asked", 0), -3, "0 or more"),
        (("num_asked", 0), True, "0 or more"),
        (("phase",), 7, "in phase 7"),
        (("planning", "learning_seconds"), "long", "learning_seconds = 'long'"),
        (("planning", "fit_r2"), [1], "fit_r2"),
        (("pending",), [], r"0 of \d+ open questions"),
        (("pending", 0, "bidder"), 12, "bidder 12"),
        (("pending", 0, "bundle"), [5, 0, 0, 0], "expected between"),
        (("params", "phases", 0, "planner", "name"), "frist", "did you mean 'first'"),
        (("params", "phases", 1, "surrogate", "name"), "magic", "surrogate 'magic'"),
        (("params", "num_total"), "many", "whole number"),
    ],
)
def test_states_that_cannot_be_are_refused(saved, path, value, message):
    """Tests that a damaged or forged file is named, not run."""
    data = json.loads(saved.read_text())
    data["reports"][0] = {"bundles": [[1, 0, 0, 0]], "values": [1.0]}
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    saved.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        AuctionState.load(saved)


def test_winners_are_the_best_allocation_on_bids(market, params):
    """Tests an economy with and without a bidder, and that choices count as bids."""
    reports = [Reports.empty(4), Reports([[1, 0, 0, 0]], [5.0]), Reports([[1, 0, 0, 0]], [4.0])]
    demands = [Demands([[1, 2, 1, 1]], [[0, 1, 0, 0]]), Demands.empty(4), Demands.empty(4)]
    state = AuctionState.of(market, params, reports, demands)
    main = state.winners(Economy.main(3))
    assert main.values.tolist() == [2, 5, 0]
    assert main.largest(5) == [1, 0]
    assert state.winners(Economy.main(3)) is main
    assert state.winners(Economy.without(1, 3)).values.tolist() == [2, 0, 4]


def test_winners_pay_at_least_reserve_prices(params):
    """Tests that rounds are planned from the allocation that closing would give."""
    bids = [
        Reports(np.array([[1, 0]]), np.array([5.0])),
        Reports(np.array([[1, 0], [0, 1]]), np.array([4.0, 12.0])),
    ]
    kept = replace(params, reserve=(10.0, 10.0))
    state = AuctionState.of(Market.simple(2, 2), kept, reports=bids)
    winners = state.winners(Economy.main(2)).bundles
    assert winners.tolist() == [[0, 0], [0, 1]]
    assert Auction(state).close().allocation.bundles.tolist() == winners.tolist()


ONE = (Limit((1.0, 1.0), 1.0),)
PAIR = Market((Good("A"), Good("B", 2)), (Bidder("x"), Bidder("y", limits=ONE)))


def asked_at(prices, num_bundles=1, bidder=0) -> AuctionState:
    """A bidder is asked what it wants; so is the other one, at other prices."""
    queries = (
        DemandQuery(bidder, np.array(prices, dtype=float), num_bundles, Reason("clock")),
        DemandQuery(1 - bidder, np.array([9.0, 9.0]), 1, Reason("clock")),
    )
    state = AuctionState.of(PAIR, AuctionParams(), num_asked=[1, 1])
    return replace(state, pending=queries)


def test_one_wanted_bundle_is_an_answer():
    """Tests that prices and bundle are kept, for this bidder alone, and its question is closed."""
    state = asked_at([2, 3]).demand(0, np.array([[1, 0]]))
    assert state.demands[0] == Demands([[2, 3]], [[1, 0]])
    assert len(state.demands[1]) == 0
    assert [query.bidder for query in state.pending] == [1]
    assert state.num_asked == (1, 1)


def test_of_several_wanted_bundles_the_values_are_asked():
    """Tests questions for new bundles only: not for nothing, known or declined ones."""
    state = asked_at([2, 3], num_bundles=5).report(0, np.array([1, 0]), 5.0)
    state = state.decline(0, np.array([0, 1]))
    other = state.pending[1]
    state = state.demand(0, np.array([[1, 1], [0, 2], [1, 0], [0, 1], [0, 0]]))
    assert state.pending[0] is other
    assert [(q.bidder, q.bundle.tolist()) for q in state.pending[1:]] == [(0, [1, 1]), (0, [0, 2])]
    assert state.num_asked == (3, 1)
    assert len(state.demands[0]) == 0


def test_too_many_or_forbidden_bundles_are_refused():
    """Tests both messages; as many as asked for are fine."""
    with pytest.raises(InputError, match="named 2 bundles; expected at most 1"):
        asked_at([2, 3]).demand(0, np.array([[1, 0], [0, 1]]))
    assert asked_at([2, 3], num_bundles=2).demand(0, np.array([[1, 0], [0, 1]]))
    with pytest.raises(InputError, match="Bidder 1 wants a bundle that its limits forbid"):
        asked_at([2, 3], bidder=1).demand(1, np.array([[1, 1]]))
    with pytest.raises(InputError, match="limits forbid"):
        asked_at([2, 3], 2, bidder=1).demand(1, np.array([[1, 0], [1, 1]]))
    with pytest.raises(InputError, match="no open demand query"):
        asked_at([2, 3]).decline_demand(0).demand(0, np.array([[1, 0]]))


def test_a_declined_demand_query_is_closed_alone():
    """Tests that the other bidder's question stays, and the bidder's own about a value."""
    assert [query.bidder for query in asked_at([2, 3]).decline_demand(0).pending] == [1]
    state = asked_at([2, 3])
    value = Query(0, np.array([1, 0]), Reason("main"))
    state = replace(state, pending=(value, *state.pending))
    assert state.decline_demand(0).pending == (value, state.pending[2])


def test_a_known_bundle_cannot_be_declined_nor_one_twice():
    """Tests both messages."""
    state = AuctionState.of(PAIR, AuctionParams()).report(0, np.array([1, 0]), 5.0)
    with pytest.raises(InputError, match="has reported before"):
        state.decline(0, np.array([1, 0]))
    once = state.decline(0, np.array([0, 1]))
    with pytest.raises(InputError, match="declined this bundle already"):
        once.decline(0, np.array([0, 1]))
    assert once.declined[0].tolist() == [[0, 1]]
    assert once.decline(1, np.array([0, 1])).declined[1].tolist() == [[0, 1]]
    assert once.decline(0, np.array([1, 1])).declined[0].tolist() == [[0, 1], [1, 1]]


def test_a_range_need_not_be_narrowed():
    """Tests a question about a bundle that has been reported from 3 to 5, which stays so."""
    bundle = np.array([1, 0])
    state = AuctionState.of(PAIR, AuctionParams()).report(0, bundle, 3.0, high=5.0)
    asked = replace(state, pending=(Query(0, bundle, Reason("narrowing")),)).decline(0, bundle)
    assert asked.pending == ()
    assert asked.reports == state.reports


def test_a_second_value_of_a_bundle_corrects_the_first():
    """Tests that a bundle has one value, and that others keep theirs."""
    state = AuctionState.of(PAIR, AuctionParams())
    for bundle, value in (([1, 0], 5.0), ([0, 1], 2.0), ([1, 0], 7.0)):
        state = state.report(0, np.array(bundle), value)
    assert state.reports[0] == Reports([[1, 0], [0, 1]], [7.0, 2.0])


def test_an_answer_closes_its_own_question_alone():
    """Tests bidder, bundle and kind of the questions that stay open."""
    queries = tuple(
        Query(i, np.array(row), Reason("main")) for i in range(2) for row in ([1, 0], [0, 1])
    )
    demand = DemandQuery(0, np.array([1.0, 1.0]), 1, Reason("clock"))
    state = replace(AuctionState.of(PAIR, AuctionParams()), pending=(*queries, demand))
    assert state.report(0, np.array([1, 0]), 1.0).pending == (*queries[1:], demand)
    assert state.decline(1, np.array([0, 1])).pending == (*queries[:3], demand)


def test_every_bidder_has_its_entry():
    """Tests each list of answers, and reserve prices, against the market."""
    for name, entries in (
        ("reports", [Reports.empty(2)]),
        ("demands", [Demands.empty(2)] * 3),
        ("declined", [[]]),
        ("num_asked", [1]),
    ):
        with pytest.raises(InputError, match=f"Received {name} of {len(entries)} bidders"):
            AuctionState.of(PAIR, AuctionParams(), **{name: entries})
    with pytest.raises(InputError, match="1 reserve prices; expected one for each of the 2"):
        AuctionState.start(PAIR, AuctionParams(reserve=(1.0,)))
    assert AuctionState.start(PAIR, AuctionParams(reserve=(1.0, 2.0)))


def test_what_follows_from_answers_is_worked_out_once():
    """Tests that it is kept while answers stay, and not before anybody asks."""
    demands = [Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]), Demands.empty(2)]
    state = AuctionState.of(PAIR, AuctionParams(), demands=demands)
    assert "contradictions" not in state.with_same_answers(phase=0).__dict__
    assert [found.bidder for found in state.contradictions] == [0]
    later = state.with_same_answers(stopped="over")
    assert later.stopped == "over"
    assert later.contradictions is state.contradictions
    # Another answer, and it is worked out again.
    assert "contradictions" not in state.report(0, np.array([1, 0]), 5.0).__dict__


def test_recording_nothing_changes_nothing():
    """Tests the step before the first round, and one that ends a round."""
    state = AuctionState.of(PAIR, AuctionParams(), planning=Planning("first"))
    assert state.recorded(None) is state
    record = RoundRecord(0, 1, 1, 2.0, Allocation.empty(PAIR), Planning("first"))
    after = state.recorded(record)
    assert after.history == (record,)
    assert after.planning is None
    assert (state.round, after.round) == (0, 1)


def test_a_state_keeps_what_was_declined():
    """Tests bundles of one bidder and none of the other, given and from plain values."""
    state = AuctionState.of(PAIR, AuctionParams(), declined=[[[1, 0], [0, 2]], []])
    for same in (state, AuctionState.from_dict(state.to_dict())):
        assert [rows.tolist() for rows in same.declined] == [[[1, 0], [0, 2]], []]


def test_lots_without_a_price_cost_as_much_as_the_dearest_offer():
    """Tests prices outside: stated, the largest cost that was reported, and 1 without any."""
    market = replace(PAIR, sense="buy")
    offers = [Reports([[1, 0]], [0.25]), Reports([[0, 1]], [0.5])]
    stated = AuctionParams(reserve=(3.0, np.inf))
    assert AuctionState.of(market, stated, offers).at_most.tolist() == [3, 0.5]
    assert AuctionState.of(market, AuctionParams(), offers).at_most.tolist() == [0.5, 0.5]
    assert AuctionState.of(market, AuctionParams()).at_most.tolist() == [1, 1]
