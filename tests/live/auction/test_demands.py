"""Demand queries: which bundle a bidder wants at announced prices."""

from dataclasses import replace

import pytest
from live_play import Play, plan_result

from boca.live.auction import commands as cmd
from boca.live.auction.audience import Viewer, seen_by
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import (
    BundleValue,
    DemandAnswer,
    Submission,
    ValueAnswer,
    check,
)
from boca.live.auction.views import bidder_view, result_view
from boca.live.clock import to_text

PRICES = (500, 200, 100)


def announced(prices=PRICES, **keys):
    """An open round with one demand query and one value query per bidder."""
    play = Play(num_initial=3, **keys)
    play.start()
    queries = [
        query
        for bidder in (0, 1)
        for query in (
            PlannedQuery(bidder, (), {"source": "clock"}, prices),
            PlannedQuery(bidder, (1, 0, 0), {"source": "initial"}),
        )
    ]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")
    return play


def demand(play, bundle, bidder=0):
    query = f"r0-b{bidder + 1}-q1"
    play.submit(Submission(demands=(DemandAnswer(query, bundle),)), bidder)


def refused(play, submission):
    with pytest.raises(Refusal) as refusal:
        play.submit(submission)
    return refusal.value.mistakes[0]


def test_demand_is_a_bid_at_what_it_proves():
    """Tests that a wanted bundle counts with its price, more if something else was turned down."""
    play = announced()
    demand(play, {"hall": 1, "chairs": 2})
    assert play.state.bids(0) == {(1, 0, 2): 700}
    play.answer(r0_b1_q2=9)
    # The hall alone would have left 9.00 - 5.00.
    assert play.state.bids(0) == {(1, 0, 0): 900, (1, 0, 2): 1100}
    demand(play, {"hall": 1})  # at 5.00, less than the report of 9.00
    assert play.state.bids(0) == {(1, 0, 0): 900}


def test_nothing_is_an_answer():
    """Tests that a bidder may want nothing at these prices."""
    play = announced()
    demand(play, {})
    assert play.state.books[0].queries["r0-b1-q1"].status == "answered"
    assert play.state.bids(0) == {}


@pytest.mark.parametrize("prices", [(1, 2), (-1, 0, 0), (2**53, 0, 0), (0, 0, 2**52)])
def test_prices_are_checked_before_they_are_announced(prices):
    """Tests prices that no engine should send."""
    with pytest.raises(Refusal, match="prices"):
        announced(prices)


def test_question_and_answer_must_be_of_one_kind():
    """Tests a value for prices, a bundle for a value question, and somebody else's question."""
    play = announced()
    assert "bundle" in refused(play, Submission((ValueAnswer("r0-b1-q1", "5"),))).expected
    wrong = Submission(demands=(DemandAnswer("r0-b1-q2", {"hall": 1}),))
    assert "value" in refused(play, wrong).expected
    foreign = Submission(demands=(DemandAnswer("r0-b2-q1", {"hall": 1}),))
    assert "not asked" in refused(play, foreign).found
    both = Submission(declines=("r0-b1-q1",), demands=(DemandAnswer("r0-b1-q1", {"hall": 1}),))
    assert "decline" in refused(play, both).found
    huge = Submission(demands=(DemandAnswer("r0-b1-q1", {"chairs": 4}),))
    assert "4 copies" in refused(play, huge).found


def test_bundle_beyond_the_largest_value_is_refused():
    """Tests that a demand cannot bid more than a report could."""
    play = announced((9_000_000, 0, 0), max_value="80000.00")
    mistake = refused(play, Submission(demands=(DemandAnswer("r0-b1-q1", {"hall": 1}),)))
    assert "90,000.00 EUR" in mistake.found


def test_demand_can_be_changed_as_the_rules_say():
    """Tests corrections of demand answers, within the round and never."""
    play = announced()
    demand(play, {"hall": 1})
    demand(play, {"kitchen": 1})
    assert play.state.books[0].demands["r0-b1-q1"].bundle == (0, 1, 0)
    strict = announced(corrections="never")
    demand(strict, {"hall": 1})
    assert (
        "corrections"
        in refused(strict, Submission(demands=(DemandAnswer("r0-b1-q1", {"kitchen": 1}),))).expected
    )


def test_unanswered_demand_query_declines_no_bundle():
    """Tests that the engine is not told of a declined empty bundle."""
    play = announced(close_early=True)
    for bidder in (0, 1):
        queries = (f"r0-b{bidder + 1}-q1", f"r0-b{bidder + 1}-q2")
        play.submit(Submission(declines=queries), bidder)
    assert play.state.phase == "planning"
    assert play.state.books[0].declined == ((1, 0, 0),)


def test_page_shows_prices_and_the_demand():
    """Tests what the bidder's page needs to compose a bundle."""
    play = announced()
    view = bidder_view(seen_by(play.state, Viewer("bidder", 0)), 0, play.clock.now())
    assert (view.questions[0].type, view.questions[0].prices) == ("demand", PRICES)
    assert view.questions[0].reasons[0].key == "reason.clock"
    demand(play, {"chairs": 2})
    view = bidder_view(seen_by(play.state, Viewer("bidder", 0)), 0, play.clock.now())
    assert (view.questions[0].demand, view.questions[0].bundle) == ((0, 0, 2), (0, 0, 2))


def test_outcome_counts_demands():
    """Tests that what was wanted can be won, and is paid for in whole units."""
    play = announced()
    demand(play, {"hall": 1}, 0)
    play.answer(1, r0_b2_q2=4)
    play.do(cmd.Stop("enough"))
    play.clock.turn(hours=2)
    play.do(cmd.CloseRound(0), "server")
    play.do(cmd.Close())
    result = OutcomeResult(
        ((1, 0, 0), (0, 0, 0)), (400.0, 0.0), {0: ((0, 0, 0), (1, 0, 0))}, "vcg", "scip", 0.1, {}
    )
    play.do(cmd.TakeOutcome(result), "server")
    assert play.state.results[0].units == 500
    assert play.state.outcome.payments == (400, 0)


def kinds(play, submission, bidder=0):
    """Kinds of the warnings that a submission would bring."""
    return [w.kind for w in check(play.state, bidder, submission, "page").warnings]


def wanting(**bundle):
    return Submission(demands=(DemandAnswer("r0-b1-q1", bundle),))


def test_choice_against_own_values_is_doubted():
    """Tests choices that cannot be right if earlier values are: another one, or none, is better."""
    play = announced()
    play.answer(r0_b1_q2=9)  # the hall, which costs 5.00, is worth 9.00
    (warning,) = check(play.state, 0, wanting(), "page").warnings
    assert (warning.kind, warning.other, warning.other_units) == (
        "something-is-better", (1, 0, 0), 400,
    )  # fmt: skip
    assert kinds(play, wanting(hall=1)) == []
    assert kinds(play, wanting(kitchen=1)) == []  # nobody knows what the kitchen is worth
    cheap = announced()
    cheap.answer(r0_b1_q2=3)
    (warning,) = check(cheap.state, 0, wanting(hall=1), "page").warnings
    assert (warning.kind, warning.units, warning.other_units) == ("nothing-is-better", 500, 200)


def test_values_and_choices_of_one_submission_are_compared():
    """Tests that both rows of a submission count before either is taken."""
    play = announced()
    both = Submission(
        (ValueAnswer("r0-b1-q2", "3"),), demands=(DemandAnswer("r0-b1-q1", {"hall": 1}),)
    )
    assert kinds(play, both) == ["nothing-is-better"]


def test_value_against_own_choices_is_doubted():
    """Tests values below the price at which a bundle was wanted, and above what was turned down."""
    play = announced()
    demand(play, {"hall": 1})
    (warning,) = check(play.state, 0, Submission((ValueAnswer("r0-b1-q2", "3"),)), "page").warnings
    assert (warning.kind, warning.other_units) == ("less-than-choices", 500)
    assert kinds(play, Submission((ValueAnswer("r0-b1-q2", "5"),))) == []
    # Nothing was wanted although two chairs cost 2.00, so they are worth no more.
    other = announced()
    demand(other, {})
    push = Submission(pushes=(BundleValue({"chairs": 2}, "2.01"),))
    (warning,) = check(other.state, 0, push, "page").warnings
    assert (warning.kind, warning.other_units) == ("more-than-choices", 200)
    fair = Submission(pushes=(BundleValue({"chairs": 2}, "2.00"),))
    assert kinds(other, fair) == []


def test_doubt_needs_a_tick_and_stands_in_the_log():
    """Tests that a warning blocks until it is ticked, and that the record says it was shown."""
    play = announced()
    play.answer(r0_b1_q2=9)
    command = cmd.Submit(0, wanting(), to_text(play.clock.now()))
    with pytest.raises(Refusal) as refusal:
        play.do(command, "bidder:0/ann")
    assert refusal.value.cause == "unconfirmed"
    play.submit(wanting())
    assert len(play.entries[-1].event.warnings) == 1


def test_what_would_count_is_known_before_sending():
    """Tests the bid that the check page shows: the one that counts once it is sent."""
    play = announced()
    play.answer(r0_b1_q2=9)
    checked = check(play.state, 0, wanting(hall=1, chairs=2), "page")
    assert checked.bids == {(1, 0, 0): 900, (1, 0, 2): 1100}
    play.submit(wanting(hall=1, chairs=2))
    assert play.state.bids(0)[(1, 0, 2)] == 1100
    assert check(play.state, 0, wanting(), "page").bids == {(1, 0, 0): 900}


def test_page_tells_what_earlier_answers_leave():
    """Tests the bundles beside a demand query: what leaves most first, proven ones marked."""
    play = announced(corrections="always")
    play.answer(r0_b1_q2=9)
    demand(play, {"hall": 1, "chairs": 2})
    view = bidder_view(seen_by(play.state, Viewer("bidder", 0)), 0, play.clock.now())
    (row,) = view.demands
    assert (row.cost, row.bid, row.is_reported, row.can_correct) == (700, 1100, False, True)
    assert view.questions[0].at_prices == ()  # it is answered

    fresh = announced()
    fresh.answer(r0_b1_q2=9)
    view = bidder_view(seen_by(fresh.state, Viewer("bidder", 0)), 0, fresh.clock.now())
    (near,) = view.questions[0].at_prices
    assert (near.bundle, near.units, near.cost, near.left) == ((1, 0, 0), 900, 500, 400)
    assert not near.is_proven


def test_declined_question_is_answered_within_its_round_only():
    """Tests that a later round cannot answer what an earlier one declined, whatever the rules."""
    play = announced(corrections="always", close_early=True, num_total=6)
    for bidder in (0, 1):
        play.submit(Submission(declines=(f"r0-b{bidder + 1}-q1", f"r0-b{bidder + 1}-q2")), bidder)
    queries = [PlannedQuery(b, (), {"source": "clock"}, (1, 1, 1)) for b in (0, 1)]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")
    assert "declined" in refused(play, wanting(hall=1)).found
    play.submit(Submission(declines=("r1-b1-q1",)))
    play.submit(Submission(demands=(DemandAnswer("r1-b1-q1", {"hall": 1}),)))
    assert play.state.books[0].demands["r1-b1-q1"].bundle == (1, 0, 0)


def test_result_tells_a_bid_that_was_never_named():
    """Tests that a winner learns which of its bids counted, and a loser its highest one."""
    play = announced()
    demand(play, {"hall": 1}, 0)
    demand(play, {"chairs": 1}, 1)
    play.do(cmd.Stop("enough"))
    play.clock.turn(hours=2)
    play.do(cmd.CloseRound(0), "server")
    play.do(cmd.Close())
    result = OutcomeResult(
        ((1, 0, 0), (0, 0, 0)), (0.0, 0.0), {0: ((0, 0, 0), (0, 0, 1))}, "vcg", "scip", 0.1, {}
    )
    with pytest.raises(Refusal, match="exact sum is 100"):
        play.do(cmd.TakeOutcome(result), "server")
    play.do(cmd.TakeOutcome(replace(result, payments=(100.0, 0.0))), "server")
    play.do(cmd.Publish())
    views = [
        result_view(seen_by(play.state, Viewer("bidder", i)), i, play.clock.now()) for i in (0, 1)
    ]
    assert (views[0].is_proven, views[0].units, views[0].payment) == (True, 500, 100)
    assert (views[1].is_proven, views[1].best) == (False, ((0, 0, 1), 100))
