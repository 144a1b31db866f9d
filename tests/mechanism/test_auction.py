"""Tests of the auction as a state machine."""

import json
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from additive_learner import quick_params
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import Bidder, DemandQuery, Good, InputError, Limit, Market, Reports
from boca.core.allocation import check_feasible
from boca.mechanism import (
    Auction,
    AuctionParams,
    AuctionState,
    Callback,
    Phase,
    StoppingParams,
    auction_params,
    run,
)
from boca.queries import FirstBundles, RandomBundles

module = import_module("boca.mechanism.auction")


def reports_of(auction):
    return [reports.to_dict() for reports in auction.state.reports]


class Listening(Callback):
    """Writes down what it hears of questions, the end and the outcome."""

    def __init__(self):
        self.heard = []

    def on_asked(self, state, questions):
        self.heard.append(("asked", len(questions), len(state.pending)))

    def on_stopped(self, state, reason):
        self.heard.append(("stopped", state.stopped, reason))

    def on_closed(self, state, outcome):
        self.heard.append(("closed", state.closed, len(state.pending)))


def test_first_bundles_can_be_given(market, params):
    """Tests questions instead of those that the first phase would plan, and who hears of them."""
    listener = Listening()
    auction = Auction.start(
        market,
        params,
        [listener],
        first_bundles=[[[1, 0, 0, 0]], [[0, 1, 2, 0], [1, 1, 1, 1]], np.zeros((0, 4))],
    )
    asked = [(q.bidder, q.bundle.tolist(), q.reason.source) for q in auction.ask()]
    assert asked == [
        (0, [1, 0, 0, 0], "initial"), (1, [0, 1, 2, 0], "initial"), (1, [1, 1, 1, 1], "initial")
    ]  # fmt: skip
    assert listener.heard == [("asked", 3, 3)]
    state = auction.state
    assert (state.phase, state.round, state.planning.phase) == (0, 0, "first")
    assert state.num_asked == (1, 2, 0)
    for question in auction.ask():
        auction.tell(question.bidder, question.bundle, 1.0)
    auction.ask()
    assert auction.state.history[0].phase == "first"
    nothing = Auction.start(market, params)
    assert nothing.state.to_dict() == AuctionState.start(market, params).to_dict()


def test_time_that_is_over_ends_the_auction(market, params, monkeypatch):
    """Tests ten seconds, counted from when the auction was begun or loaded."""
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr("boca.mechanism.auction.time", clock)
    limited = replace(params, stopping=StoppingParams(max_seconds=10.0))
    auction = Auction.start(market, limited)
    clock.now = 109.5
    assert auction.ask()
    auction.decline_open()
    clock.now = 110.0
    assert auction.ask() == ()
    assert auction.state.stopped == "the time of 10 s is used up"


def test_who_stops_an_auction_says_why(market, params):
    """Tests that open questions are gone, that nothing is asked and reports are taken."""
    listener = Listening()
    auction = Auction.start(market, params, [listener])
    auction.ask()
    auction.stop("enough")
    assert (auction.state.stopped, auction.state.pending, auction.ask()) == ("enough", (), ())
    auction.tell(0, [1, 0, 0, 0], 2.0)
    assert listener.heard == [("asked", 12, 12), ("stopped", "enough", "enough")]
    assert not auction.state.closed


def test_an_auction_is_closed_once(market, params, monkeypatch):
    """Tests that listeners hear of it once, that open questions go, and what is verified."""
    asked = []
    right = module.decided
    monkeypatch.setattr(module, "decided", lambda *a: asked.append(a[3:]) or right(*a))
    listener = Listening()
    auction = Auction.start(market, params, [listener])
    auction.ask()
    auction.tell(0, [1, 0, 0, 0], 2.0)
    told = []
    outcome = auction.close()
    again = auction.close(verify=True, progress=told.append)
    assert outcome.welfare == again.welfare == 2
    assert asked == [(False, None), (True, told.append)]
    assert listener.heard == [("asked", 12, 12), ("closed", True, 0)]
    assert auction.ask() == ()
    for call in (
        lambda: auction.tell(0, [1, 0, 0, 0], 1.0),
        lambda: auction.tell_demand(0, [1, 0, 0, 0]),
        lambda: auction.decline(0, [1, 0, 0, 0]),
    ):
        with pytest.raises(InputError, match="closed"):
            call()


def test_open_questions_of_both_kinds_can_be_declined(market, answer):
    """Tests a clock, whose demand queries are declined one by one, and values."""
    cca = auction_params("cca", market, num_total=5)
    clock = Auction.start(market, cca.changed("clock.start_prices", (1.0, 1.0, 1.0, 1.0)))
    assert all(isinstance(question, DemandQuery) for question in clock.ask())
    clock.decline_open()
    assert clock.state.pending == ()
    assert [len(demands) for demands in clock.state.demands] == [0, 0, 0]
    values = Auction.start(market, quick_params(4, 2, 10))
    bundles = [(q.bidder, tuple(q.bundle)) for q in values.ask()]
    values.decline_open()
    assert values.state.pending == ()
    again = {(q.bidder, tuple(q.bundle)) for q in values.ask()}
    assert not again & set(bundles)


@pytest.mark.parametrize("bidder", [-1, 3])
def test_nobody_else_speaks(market, params, bidder):
    auction = Auction.start(market, params)
    with pytest.raises(InputError, match=f"report of bidder {bidder}; expected 0 to 2"):
        auction.tell(bidder, [1, 0, 0, 0], 1.0)


def test_a_cost_is_one_number(market, params):
    lots = Auction.start(Market(market.goods, market.bidders, sense="buy"), params)
    lots.tell(0, [1, 0, 0, 0], 5)
    lots.tell(1, [1, 0, 0, 0], (6.0,))
    with pytest.raises(InputError, match="of a cost; expected one number"):
        lots.tell(2, [1, 0, 0, 0], (5, 6))
    assert [len(reports) for reports in lots.state.reports] == [1, 1, 0]


@pytest.mark.parametrize(
    ("bidder", "bundle", "value", "message"),
    [
        (3, [1, 0, 0, 0], 1.0, "expected 0 to 2"),
        (0, [2, 0, 0, 0], 1.0, "between 0 and 1"),
        (0, [1, 0, 0], 1.0, "one column per good|one column per good"),
        (0, [1, 0, 0, 0], -1.0, "at least 0"),
        (0, [1, 0, 0, 0], float("nan"), "finite"),
        (0, [0.5, 0, 0, 0], 1.0, "whole numbers"),
        (0, [0, 0, 0, 0], 1.0, "worth 0 by definition"),
        (0, [1, 0, 0, 0], True, "expected a number"),
        (0, [1, 0, 0, 0], "5", "expected a number"),
        (0, [1, 0, 0, 0], 1e308, "at most 1e"),
    ],
)
def test_a_wrong_report_changes_nothing(market, params, bidder, bundle, value, message):
    """Tests that a mistake gets a message and loses nothing."""
    auction = Auction.start(market, params)
    auction.ask()
    before = auction.state
    with pytest.raises(InputError, match=message):
        auction.tell(bidder, bundle, value)
    assert auction.state is before


def test_a_range_is_told_as_a_pair(market, params):
    """Tests that the first number is bid, and that what is no range is refused."""
    auction = Auction.start(market, params)
    full = market.full_bundle
    auction.tell(0, full, (5, 7.5))
    assert auction.state.reports[0] == Reports([full], [5], [7.5])
    assert auction.bids()[0].values.tolist() == [5]
    auction.tell(0, full, 6.0)
    assert not auction.state.reports[0].has_ranges
    for wrong, text in [((5, True), "a number or two"), ((), "0 values"), ((1, 2, 3), "3 values")]:
        with pytest.raises(InputError, match=text):
            auction.tell(0, full, wrong)
    with pytest.raises(InputError, match="range from 5 to 4"):
        auction.tell(0, full, (5, 4))
    lots = Auction.start(Market(market.goods, market.bidders, sense="buy"), params)
    with pytest.raises(InputError, match="of a cost"):
        lots.tell(0, full, (5, 6))


def test_an_auction_asks_its_budget_and_never_the_same_twice(market, params, answer):
    """Tests the number of queries, their novelty and the end."""
    auction = Auction.start(market, params)
    outcome = run(auction, answer)

    assert auction.state.num_asked == (10, 10, 10)
    assert [len(reports) for reports in auction.state.reports] == [10, 10, 10]
    assert auction.state.stopped == "the budget of 10 queries per bidder is used up"
    assert [record.num_queries for record in auction.state.history] == [4, 6, 8, 10]
    check_feasible(outcome.allocation, market)


def test_welfare_never_falls(market, params, answer):
    """Tests that more reports never make the best allocation of reports worse."""
    auction = Auction.start(market, params)
    outcome = run(auction, answer)
    welfare = [record.welfare for record in auction.state.history]
    assert welfare == sorted(welfare)
    assert outcome.welfare == pytest.approx(welfare[-1])


def test_the_full_bundle_is_asked_first(market, params):
    """Tests that learning will have its scale."""
    queries = Auction.start(market, params).ask()
    for i in range(3):
        mine = [q.bundle.tolist() for q in queries if q.bidder == i]
        assert mine[0] == [1, 1, 2, 1]
        assert len(mine) == 4


def test_asking_twice_gives_the_same_queries(market, params, answer):
    """Tests that a page may be reloaded: open queries stay open until they are dealt with."""
    auction = Auction.start(market, params)
    first = auction.ask()
    assert auction.ask() == first
    auction.tell(first[0].bidder, first[0].bundle, answer(first[0]))
    assert auction.ask() == first[1:]


def test_every_query_tells_why_it_was_asked(market, params, answer):
    """Tests the reasons of a learned round: economy, prediction and bounds."""
    auction = Auction.start(market, params)
    for query in auction.ask():
        auction.tell(query.bidder, query.bundle, answer(query))
    for query in auction.ask():
        reason = query.reason
        assert reason.source in ("marginal", "main")
        assert reason.economy == "main" or reason.economy.startswith("without")
        assert reason.predicted == pytest.approx(reason.upper)
        assert reason.mean <= reason.upper
        assert reason.envelope is not None


def test_push_bids_count_for_the_outcome_and_not_for_the_budget(market, params, answer):
    """Tests a report that nobody asked for."""
    auction = Auction.start(market, params)
    auction.tell(2, [0, 0, 0, 1], 1000.0)
    outcome = run(auction, answer)
    assert auction.state.num_asked == (10, 10, 10)
    assert outcome.allocation.bundles[2, 3] == 1
    assert outcome.values[2] >= 1000


def test_a_push_bid_for_an_open_query_answers_it(market, params):
    """Tests that it does not matter who speaks first."""
    auction = Auction.start(market, params)
    query = auction.ask()[5]
    auction.tell(query.bidder, query.bundle, 3.0)
    assert query not in auction.ask()


def test_a_report_can_be_corrected(market, params):
    """Tests that a second value replaces the first."""
    auction = Auction.start(market, params)
    query = auction.ask()[0]
    auction.tell(query.bidder, query.bundle, 3.0)
    auction.tell(query.bidder, query.bundle, 4.0)
    assert auction.state.reports[query.bidder].value_of(query.bundle) == 4.0
    assert len(auction.state.reports[query.bidder]) == 1


def test_declined_queries_are_not_repeated(market, params, answer):
    """Tests a bidder that declines everything from the second round on."""
    declined = []

    def fickle(query):
        if query.bidder == 1 and query.reason.source != "initial":
            declined.append(tuple(query.bundle))
            return None
        return answer(query)

    auction = Auction.start(market, params)
    run(auction, fickle)
    assert len(declined) == len(set(declined)) == 6
    assert [len(reports) for reports in auction.state.reports] == [10, 4, 10]


def test_a_bidder_that_never_speaks_gets_nothing_and_pays_nothing(market, params, answer):
    """Tests silence from the first query on; the silent bidder is asked random bundles."""
    auction = Auction.start(market, params)
    outcome = run(auction, lambda query: None if query.bidder == 0 else answer(query))
    assert not outcome.allocation.bundles[0].any()
    assert outcome.payments[0] == 0
    assert outcome.welfare > 0


def test_a_bidder_may_refuse_to_value_the_full_bundle(market, params, answer):
    """Tests that learning goes on with the largest report in its place."""
    auction = Auction.start(market, params)

    def shy(query):
        is_full = (query.bundle == market.full_bundle).all()
        return None if query.bidder == 0 and is_full else answer(query)

    run(auction, shy)
    assert market.full_bundle not in auction.state.reports[0]
    assert len(auction.state.reports[0]) == 9


def test_missing_answers_can_be_given_up(market, params, answer):
    """Tests that the auction goes on after a deadline."""
    auction = Auction.start(market, params)
    for query in auction.ask()[:7]:
        auction.tell(query.bidder, query.bundle, answer(query))
    auction.decline_open()
    assert {q.reason.source for q in auction.ask()} <= {"main", "marginal", "random"}


def test_nothing_is_taken_after_the_end(market, params, answer):
    """Tests a closed auction."""
    auction = Auction.start(market, params)
    run(auction, answer)
    assert auction.ask() == ()
    with pytest.raises(InputError, match="closed"):
        auction.tell(0, [1, 0, 0, 0], 1.0)


def test_same_seed_same_trajectory(market, params, answer):
    """Tests reports in their order, not only the end; another seed asks other questions."""
    runs = []
    for seed in (5, 5, 6):
        auction = Auction.start(market, replace(params, seed=seed))
        run(auction, answer)
        runs.append(reports_of(auction))
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("stop_at", range(1, 30, 4))
def test_a_saved_auction_goes_on_as_if_nothing_happened(market, params, answer, tmp_path, stop_at):
    """Tests saving and loading after any number of answers, also in the middle of a round."""
    straight = Auction.start(market, params)
    expected = run(straight, answer)

    auction = Auction.start(market, params)
    told = 0
    while told < stop_at and (queries := auction.ask()):
        for query in queries[: stop_at - told]:
            auction.tell(query.bidder, query.bundle, answer(query))
            told += 1
    auction.save(tmp_path / "state.json")

    resumed = Auction.load(tmp_path / "state.json")
    outcome = run(resumed, answer)
    assert reports_of(resumed) == reports_of(straight)
    assert outcome.payments.tolist() == expected.payments.tolist()
    assert [r.welfare for r in resumed.state.history] == [r.welfare for r in straight.state.history]


def test_state_survives_json(market, params, answer):
    """Tests that nothing of the state is lost on the way through a file."""
    auction = Auction.start(market, params)
    for query in auction.ask()[:5]:
        auction.tell(query.bidder, query.bundle, answer(query))
    auction.decline(auction.ask()[0].bidder, auction.ask()[0].bundle)
    data = auction.state.to_dict()
    again = AuctionState.from_dict(json.loads(json.dumps(data)))
    assert again.to_dict() == data
    assert again.market == market


def test_random_search_needs_no_learner(market, answer):
    """Tests a phase without a surrogate."""
    first = Phase("first", FirstBundles(4), num_queries=4)
    params = AuctionParams((first, Phase("random", RandomBundles(3), share=1.0)), num_total=10)
    auction = Auction.start(market, params)
    run(auction, answer)
    assert [len(reports) for reports in auction.state.reports] == [10, 10, 10]


def test_a_small_market_ends_when_every_bundle_was_asked(answer):
    """Tests that a budget larger than the market ends with a reason."""
    market = Market.simple(4, 3)
    params = quick_params(6, 3, 100)
    auction = Auction.start(market, params)
    run(auction, answer)
    assert auction.state.stopped == "every bundle has been asked about"
    assert [len(reports) for reports in auction.state.reports] == [15, 15, 15]


def test_callbacks_hear_everything_in_order(market, params, answer):
    """Tests the moments a listener is told of."""
    heard = []

    class Listener(Callback):
        def on_learning(self, state):
            heard.append("learn")

        def on_solving(self, state):
            heard.append("solve")

        def on_asked(self, state, questions):
            heard.append("ask")

        def on_round(self, state, record):
            heard.append("round")

        def on_stopped(self, state, reason):
            heard.append("stop")

        def on_closed(self, state, outcome):
            heard.append("close")

    run(Auction.start(market, replace(params, num_total=6), [Listener()]), answer)
    assert heard == ["ask", "round", "learn", "solve", "ask", "round", "stop", "close"]


def test_an_observer_may_stop_the_auction(market, params, answer):
    """Tests a rule from outside, which experiments use to stop at 0 % loss."""
    auction = Auction.start(
        market, params, rules=(lambda state: "seen enough" if state.round == 2 else None,)
    )
    run(auction, answer)
    assert auction.state.stopped == "seen enough"
    assert auction.state.num_asked == (6, 6, 6)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_outcomes_are_individually_rational_without_deficit(seed):
    """Tests the two promises of the mechanism on random markets with any learner."""
    generator = np.random.default_rng(seed)
    market = Market.simple(4, 3, capacities=generator.integers(1, 3, 4))
    weights = generator.uniform(0, 10, (3, 4))
    bonus = generator.uniform(0, 1, 3)
    params = quick_params(4, 2, 8, seed=seed)

    def answer(query):
        total = query.bundle @ weights[query.bidder]
        return float(total * (1 + bonus[query.bidder] * (query.bundle.sum() > 2)))

    auction = Auction.start(market, params)
    outcome = run(auction, answer)
    welfare = [record.welfare for record in auction.state.history]
    assert welfare == sorted(welfare)
    assert (outcome.utilities >= -1e-9).all()
    assert (outcome.payments >= -1e-9).all()
    check_feasible(outcome.allocation, market)


def test_core_payments_can_be_chosen(market, params, answer):
    """Tests the second payment rule: never below VCG in total."""
    straight = run(Auction.start(market, params), answer)
    core = run(Auction.start(market, replace(params, payment_rule="core")), answer)
    assert core.revenue >= straight.revenue - 1e-9


def test_marginal_economies_end_up_balanced(market, params, answer):
    """Tests the balance over a whole auction."""
    auction = Auction.start(market, replace(params, num_total=24))
    run(auction, answer)
    assert max(auction.state.use.overall) - min(auction.state.use.overall) <= 1
    assert max(auction.state.use.overall) > 0


def test_stopping_params_reach_the_auction(market, params, answer):
    """Tests that patience ends an auction whose welfare stands still."""
    patient = replace(params, num_total=40, stopping=StoppingParams(patience=1, min_gain=10.0))
    auction = Auction.start(market, patient)
    run(auction, answer)
    assert "no gain" in auction.state.stopped
    assert auction.state.num_asked[0] == 6


def test_reserve_prices_reach_the_outcome(market, params, answer):
    """Tests that goods below their reserve price stay unsold, and that a second solver agrees."""
    auction = Auction.start(market, replace(params, reserve=(100.0, 0.0, 0.0, 0.0)))
    run(auction, answer)
    outcome = auction.close(verify=True)
    assert not outcome.allocation.bundles[:, 0].any()
    assert outcome.allocation.bundles.any()


def test_reserve_prices_must_fit_the_market(market, params):
    """Tests that a forgotten price is noticed before anything is asked."""
    with pytest.raises(InputError, match="1 reserve prices"):
        Auction.start(market, replace(params, reserve=(1.0,)))
    with pytest.raises(InputError, match="reserve price outside"):
        replace(params, reserve=(-1.0,))


@pytest.mark.parametrize("mechanism", ["hybrid", "random", "svr"])
@pytest.mark.parametrize("bounds", [(0.5, 0.5), (0.5, 9.0), (1.0, 2.0)])
def test_nobody_is_asked_about_what_it_cannot_have(mechanism, bounds):
    """Tests limits that allow nothing: a half of everything ended in an error of a solver."""
    goods = (Good("A"), Good("B", 2), Good("C", 3))
    bidders = tuple(
        Bidder(f"b{i}", limits=(Limit((1.0, 1.0, 1.0), bound),)) for i, bound in enumerate(bounds)
    )
    market = Market(goods, bidders)
    every = np.array([[a, b, c] for a in range(2) for b in range(3) for c in range(4)])
    worth = np.array([[3, 2, 1], [1, 4, 2]])

    def answer(query):
        if isinstance(query, DemandQuery):
            allowed = every[market.allows(query.bidder, every)]
            return allowed[(allowed @ (worth[query.bidder] - query.prices)).argmax()]
        assert market.allows(query.bidder, query.bundle)[0]
        return float(query.bundle @ worth[query.bidder])

    settings = {} if mechanism == "hybrid" else {"num_initial": 3, "num_per_round": 2}
    params = auction_params(mechanism, market, num_total=7, seed=3, **settings)
    outcome = run(Auction.start(market, params), answer)

    # Nothing; A, two of B and all of C for the second; B for the second and A for the first.
    best = {(0.5, 0.5): 0, (0.5, 9.0): 15, (1.0, 2.0): 11}[bounds]
    assert outcome.welfare == best if mechanism == "hybrid" else outcome.welfare <= best
    assert (outcome.welfare > 0) == (best > 0)


def test_networks_learn_the_middle_of_a_range(market, params):
    auction, plain = Auction.start(market, params), Auction.start(market, params)
    for one, low, high in ((auction, 0.8, 1.2), (plain, 1.0, 1.0)):
        for question in one.ask():
            worth = float(question.bundle.sum())
            one.tell(question.bidder, question.bundle, (low * worth, high * worth))
    assert [q.to_dict() for q in auction.ask()] == [q.to_dict() for q in plain.ask()]
