"""From one round to the next: slow and pure, then quick."""

import json

import numpy as np
from additive_learner import quick_params

from boca.core import DemandQuery, Market
from boca.mechanism import Auction, AuctionParams, AuctionState, Phase, Step, next_step, run
from boca.queries import Clock, RandomBundles


def answered(state, answer):
    """The state once every open question has its answer."""
    for query in state.pending:
        state = state.report(query.bidder, query.bundle, answer(query))
    return state


def test_steps_by_hand_are_an_auction(market, params, answer):
    """Tests that next_step and apply lead where ask leads, with steps sent through JSON."""
    expected = Auction.start(market, params)
    run(expected, answer)

    state = AuctionState.start(market, params)
    while not state.stopped:
        step = Step.from_dict(json.loads(json.dumps(next_step(state).to_dict())))
        state = answered(state.apply(step), answer)

    assert state.reports == expected.state.reports
    assert state.use == expected.state.use
    assert [r.welfare for r in state.history] == [r.welfare for r in expected.state.history]


def test_a_step_changes_nothing_until_it_is_applied(market, params, answer):
    """Tests purity: the same state gives the same step, however often it is asked for."""
    state = AuctionState.start(market, params)
    state = answered(state.apply(next_step(state)), answer)
    before = json.dumps(state.to_dict())
    first, second = next_step(state), next_step(state)
    assert first.questions == second.questions
    assert json.dumps(state.to_dict()) == before


def test_phases_take_turns_within_the_budget():
    """Tests a phase that ends long before its budget and hands over to the next."""
    market = Market.simple(2, 2)
    params = AuctionParams(
        (
            Phase("clock", Clock((1.0, 1.0), 1.0), num_queries=5),
            Phase("random", RandomBundles(1), share=1.0),
        ),
        num_total=7,
    )

    def answer(query):
        if isinstance(query, DemandQuery):  # bidder i wants good i
            return np.eye(2, dtype=int)[query.bidder]
        return 1.0

    auction = Auction.start(market, params)
    run(auction, answer)
    phases = [record.phase for record in auction.state.history]
    assert phases == ["clock", "random", "random"]  # no two want the same; two bundles exist
    assert auction.state.stopped == "every bundle has been asked about"


def test_an_auction_without_phases_asks_nothing(market):
    """Tests the smallest auction of all."""
    auction = Auction.start(market, AuctionParams())
    assert auction.ask() == ()
    assert auction.close().welfare == 0


def test_what_planning_knew_and_what_the_round_brought_are_two_things(market, answer):
    """Tests a record of a learned round."""
    auction = Auction.start(market, quick_params(4, 2, 6))
    run(auction, answer)
    first, second = auction.state.history
    assert first.planning.prediction is None
    assert second.planning.prediction.welfare > 0
    assert second.planning.fit_r2 == 1.0
    assert second.row()["predicted_welfare"] == second.planning.prediction.welfare
    assert second.num_queries == 6
