"""From one round to the next: slow and pure, then quick."""

import json
from dataclasses import replace

import numpy as np
from additive_learner import quick_params

import boca.payments
from boca.core import Bidder, DemandQuery, Demands, Economy, Good, Market, Reports
from boca.mechanism import Auction, AuctionParams, AuctionState, Phase, Step, next_step, run
from boca.mechanism.callbacks import Callback
from boca.mechanism.record import Planning, RoundRecord
from boca.mechanism.stepping import finished_round, has_budget, welfare_bound
from boca.mechanism.stopping import ProvenGap
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


def contradicting_state(market, demands) -> AuctionState:
    return AuctionState.of(
        market,
        AuctionParams(),
        [Reports([[1, 1]], [10])],
        [demands],
        planning=Planning("clock"),
    )


def test_contradicting_answers_prove_what_holds_if_they_are_off_by_little():
    """
    Tests the dearer good each time with AB worth 10: once "at most 0.0 % missing". If no answer is
    off by more than 3, AB is worth 7 to 13.
    """
    market = Market.simple(2, 1)
    wrong = contradicting_state(market, Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]))
    record = finished_round(wrong)

    assert record.discrepancy == wrong.discrepancy == 3
    assert record.welfare_bound == welfare_bound(wrong) == 13
    assert record.sure_welfare == 7
    assert record.missing == record.row()["missing"] == 1 - 7 / 13
    assert RoundRecord.from_dict(record.to_dict()) == record
    assert ProvenGap(0.99)(wrong.recorded(record)) is None

    right = contradicting_state(market, Demands([[1, 4], [4, 1]], [[1, 0], [0, 1]]))
    assert welfare_bound(right) == 10
    assert finished_round(right).missing == 0
    assert finished_round(right).discrepancy == 0
    assert finished_round(right).sure_welfare is None
    assert not {"discrepancy", "sure_welfare"} & finished_round(right).to_dict().keys()
    assert ProvenGap(0.0)(right.recorded(finished_round(right))) is not None


def test_one_bidder_who_contradicts_itself_is_enough():
    """Tests that the amount of the worst holds for everybody: true answers are as loose then."""
    market = Market.simple(2, 2)
    wrong, right = Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]), Demands([[3, 3]], [[0, 0]])
    reports = [Reports([[1, 1]], [10]), Reports.empty(2)]
    state = AuctionState.of(market, AuctionParams(), reports, [wrong, right])

    assert state.discrepancy == 3
    # A for the first and B for the other, who wants nothing at 3 and 3, may be worth 13 and 6.
    assert welfare_bound(state) >= 13 + 6
    assert [found.bidder for found in state.contradictions] == [0]
    fine = Demands([[1, 4], [4, 1]], [[1, 0], [0, 1]])
    assert welfare_bound(AuctionState.of(market, AuctionParams(), reports, [fine, right])) >= 10


def test_the_winners_of_a_round_are_solved_once(monkeypatch, market, params, answer):
    """Tests that the record of a round and the planning of the next share the best allocation."""
    solved = []
    right = boca.payments.allocate_quickly
    monkeypatch.setattr(boca.payments, "allocate_quickly", lambda *a: solved.append(a) or right(*a))
    state = AuctionState.start(market, params)
    state = answered(state.apply(next_step(state)), answer)
    step = next_step(state)
    everybody = Economy.main(market.num_bidders)
    later = state.apply(step)

    assert later.winners(everybody) is state.winners(everybody)
    assert len(solved) == 1
    # An answer more, and they are other winners.
    assert answered(later, answer).winners(everybody) is not later.winners(everybody)
    assert len(solved) == 2


def test_the_end_says_how_much_of_the_budget_was_used(market, answer):
    """Tests a budget that whole rounds use up, and one of which a part is left."""
    for total, text in (
        (6, "the budget of 6 queries per bidder is used up"),
        (7, "6 of 7 queries per bidder are asked, and no further round fits in"),
    ):
        auction = Auction.start(market, quick_params(4, 2, total))
        run(auction, answer)
        assert auction.state.stopped == text


def test_the_budget_that_counts_is_that_of_whoever_was_asked_most(market):
    """Tests the record of a round and the reason of the end where bidders were asked unequally."""
    state = AuctionState.of(market, quick_params(4, 2, 7), num_asked=(2, 6, 0))
    state = replace(state, phase=1, planning=Planning("acquisition"))
    assert finished_round(state).num_queries == 6
    assert next_step(state).stop == (
        "6 of 7 queries per bidder are asked, and no further round fits in"
    )
    full = replace(state, num_asked=(2, 7, 0))
    assert next_step(full).stop == "the budget of 7 queries per bidder is used up"


def test_values_alone_prove_nothing_and_one_choice_is_enough():
    """Tests who has to have answered what, in markets that sell and in those that buy."""
    pair = (Bidder("x"), Bidder("y"))
    market = Market((Good("A"), Good("B")), pair)
    reports = [Reports([[1, 1]], [10]), Reports([[1, 1]], [4])]
    demands = [Demands([[3, 3]], [[1, 1]]), Demands.empty(2)]

    def bound(reports, demands=None, market=market):
        return welfare_bound(AuctionState.of(market, AuctionParams(), reports, demands))

    assert bound(reports) is None
    assert 10 <= bound(reports, demands) < np.inf
    assert bound([reports[0], Reports.empty(2)], demands) is None  # nothing bounds the second
    assert bound(reports, demands, Market(market.goods, pair, sense="buy")) is None


def test_somebody_else_may_say_when_to_stop(market, params, answer):
    """Tests given rules instead of those of the settings, and who hears of the finished round."""
    heard = []

    class Listener(Callback):
        def on_round(self, state, record):
            heard.append((state.round, record))

    state = AuctionState.start(market, params)
    step = next_step(state, callbacks=[Listener()])
    assert heard == []  # nothing was finished
    state = answered(state.apply(step), answer)
    step = next_step(state, rules=[lambda state: "enough"], callbacks=[Listener()])
    assert heard == [(1, step.record)]
    assert (step.stop, step.questions, step.phase) == ("enough", (), state.phase)
    assert next_step(state, rules=[]).questions

    hasty = replace(params, stopping=replace(params.stopping, patience=1, min_gain=1e9))
    state = replace(state, params=hasty, history=(step.record,))
    assert next_step(state).stop == "no gain above 1e+09 in 1 rounds"
    assert next_step(state, rules=[]).stop == ""


def test_later_phases_keep_their_questions():
    """
    Tests ten questions: a phase of rounds of six leaves three to the clock after it, which counts
    one per round; what is outside of the budget may always ask.
    """
    phases = (
        Phase("random", RandomBundles(6), share=1.0),
        Phase("clock", Clock((1.0, 1.0), 1.0), num_queries=3),
        Phase("outside", RandomBundles(1)),
    )
    state = AuctionState.start(Market.simple(2, 2), AuctionParams(phases, num_total=10))

    def at(phase, *all_asked):
        states = (replace(state, phase=phase, num_asked=(0, asked)) for asked in all_asked)
        return [has_budget(state) for state in states]

    assert at(0, 0, 1, 2) == [True, True, False]  # 1 + 6 + 3 = 10
    assert at(1, 8, 9, 10) == [True, True, False]
    assert at(2, 10, 11) == [True, True]
