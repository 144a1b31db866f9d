"""What pages show: questions with reasons and earlier answers, results with theirs."""

from dataclasses import replace

import pytest
from live_play import Play, market_text, nobody_wins, plan_result, read

from boca.live.auction import commands as cmd
from boca.live.auction.audience import Viewer, seen_by
from boca.live.auction.events import AskedQuery, Decided, Justification, Result
from boca.live.auction.reasons import KEYS, why_asked, why_paid
from boca.live.auction.rules import Rules
from boca.live.auction.state import RoundSummary
from boca.live.auction.submission import BundleValue, Submission
from boca.live.auction.views import RoundRow, bidder_view, earlier, progress, result_view
from boca.live.auction.views.welfare import round_rows
from boca.live.web.texts import load
from boca.live.web.views.staff.progress import contradiction_words

ANN = Viewer("bidder", 0)


def opened(**keys):
    play = Play(**keys)
    play.open()
    return play


def test_questions_come_with_everything_a_bidder_needs():
    """Tests words, counts, reason and status of each question."""
    play = opened()
    play.answer(r0_b1_q1=5)
    view = bidder_view(seen_by(play.state, ANN), 0, play.clock.now())
    first, second = view.questions
    assert (first.id, first.bundle) == ("r0-b1-q1", (0, 0, 1))
    assert (first.status, first.units) == ("answered", 500)
    assert (second.bundle, second.status, second.units) == ((0, 0, 2), "open", None)
    assert second.reasons[0].key == "reason.initial"
    assert [(e.bundle, e.units, e.relation) for e in second.earlier] == [((0, 0, 1), 500, "part")]
    assert (view.num_open, view.pushes_left, view.can_submit) == (1, 10, True)
    assert view.basis == view.submissions[0].hash


def test_earlier_answers_are_the_nearest_and_few():
    """Tests the largest part, the smallest whole, and bundles that differ by one copy."""
    reports = {(1, 0, 0): 5, (1, 0, 1): 6, (1, 1, 3): 20, (1, 1, 2): 15, (0, 0, 2): 3,
               (1, 0, 3): 9, (0, 1, 0): 4}  # fmt: skip
    rows = earlier((1, 0, 2), reports)
    assert len(rows) == 4
    assert [(row.bundle, row.relation) for row in rows[:2]] == [
        ((1, 0, 1), "part"),
        ((1, 0, 3), "whole"),
    ]


def test_answers_say_what_can_be_corrected_and_what_does_not_fit():
    """Tests the page of own answers."""
    play = opened()
    play.answer(r0_b1_q1=50, r0_b1_q2=40)
    play.submit(Submission(pushes=(BundleValue({"hall": 1}, "20"),)))
    view = bidder_view(seen_by(play.state, ANN), 0, play.clock.now())
    assert [row.can_correct for row in view.answers] == [True] * 3
    assert [len(row.breaches) for row in view.answers] == [1, 1, 0]
    assert [row.report.query for row in view.answers] == ["r0-b1-q1", "r0-b1-q2", None]


def test_reasons_name_no_bidder():
    """Tests every source that the engine gives, with names of bidders in the economy."""
    rules, market = opened().state.setup
    for source in ("initial", "main", "marginal", "random", "raised"):
        query = AskedQuery("q", (1, 0, 0), {"source": source, "economy": "without Ben"})
        (sentence,) = why_asked(query, 0, market, rules)
        assert sentence.key in KEYS
        assert "Ben" not in repr(sentence)


def test_full_bundle_and_displaced_questions_have_their_own_reasons():
    """Tests the first question of all, and the best unasked bundle."""
    rules, market = opened().state.setup
    full = AskedQuery("q", (1, 1, 3), {"source": "initial"})
    assert why_asked(full, 0, market, rules)[0].key == "reason.full"
    displaced = AskedQuery("q", (1, 0, 0), {"source": "marginal", "displaced": True})
    assert why_asked(displaced, 0, market, rules)[0].key == "reason.displaced"


def test_full_bundle_beyond_the_limits_is_explained():
    """Tests that who cannot get everything is told why it is asked nevertheless."""
    play = Play()
    text = market_text().replace('name = "Ann"', 'name = "Ann"\nforbidden = ["hall"]')
    play.do(cmd.Configure(*read(text)))
    rules, market = play.state.setup
    full = AskedQuery("q", (1, 1, 3), {"source": "initial"})
    keys = [why_asked(full, bidder, market, rules)[0].key for bidder in (0, 1)]
    assert keys == ["reason.full-beyond-limits", "reason.full"]


def test_estimate_is_shown_only_by_the_rules():
    """Tests `show_reasons`: the model's estimate in money, within what can be reported."""
    play = opened(show_reasons="numbers")
    rules, market = play.state.setup
    query = AskedQuery("q", (1, 0, 0), {"source": "main", "mean": 1234.4})
    assert why_asked(query, 0, market, rules)[1].gaps == {"estimate": "12.34 EUR"}
    below = AskedQuery("q", (1, 0, 0), {"source": "main", "mean": -3.0})
    assert why_asked(below, 0, market, rules)[1].gaps == {"estimate": "0.00 EUR"}
    assert len(why_asked(query, 0, market, Rules())) == 1


def test_payments_are_explained():
    """Tests the sentences of a winner, with and without sums, and of somebody with nothing."""
    rules = Rules()
    won = Result(0, (1, 0, 0), 5000, 2500, 12000, 9500, 0, 2500)
    (sentence,) = why_paid(won, rules, ((1, 0, 0), 5000))
    assert sentence.key == "result.vcg"
    assert sentence.gaps["difference"] == "25.00 EUR"
    # The sums of all winners are above reserve prices, also of one whose goods have none.
    reserved = why_paid(won, Rules(reserve={"kitchen": "5.00"}), None)
    assert [sentence.key for sentence in reserved] == ["result.vcg-reserve"]
    silent = Result(0, (1, 0, 0), 5000, 2500)
    assert why_paid(silent, rules, None)[0].key == "result.unexplained"
    lost = Result(0, (0, 0, 0), 0, 0)
    assert why_paid(lost, rules, ((1, 0, 0), 5000))[0].key == "result.nothing"
    assert why_paid(lost, rules, None)[0].key == "result.no-report"
    core = Result(0, (1, 0, 0), 5000, 3000, 12000, 9500, 0, 2500)
    keys = [s.key for s in why_paid(core, Rules(payment_rule="core"), None)]
    assert keys == ["result.vcg", "result.core"]


def test_result_comes_with_publication():
    """Tests that a bidder hears nothing before the auctioneer publishes."""
    play = opened()
    play.do(cmd.Stop("enough"))
    play.clock.turn(hours=2)
    play.do(cmd.CloseRound(0), "server")
    play.do(cmd.Close())
    play.do(cmd.TakeOutcome(nobody_wins()), "server")
    seen = seen_by(play.state, ANN)
    assert seen.phase == "deciding"
    assert result_view(seen, 0, play.clock.now()) is None
    play.do(cmd.Publish())
    view = result_view(seen_by(play.state, ANN), 0, play.clock.now())
    assert (view.bundle, view.payment) == ((0, 0, 0), 0)


def test_desk_counts_questions_of_the_present_round():
    """Tests the auctioneer's table."""
    play = opened()
    play.answer(0, r0_b1_q1=5)
    play.submit(Submission(declines=("r0-b1-q2",)))
    rows = progress(play.state, play.clock.now(), False).rows
    assert [(r.num_open, r.num_answered, r.num_declined) for r in rows] == [(0, 1, 1), (2, 0, 0)]
    assert rows[0].joined == ("ann",)
    assert rows[0].last_submission == play.clock.now()


def test_everybody_is_told_why_it_rests_and_why_it_was_given_up():
    """Tests the reason of a pause and of a cancellation, and that it goes with its phase."""
    play = opened()

    def reason() -> str:
        return bidder_view(seen_by(play.state, ANN), 0, play.clock.now()).heading.reason

    assert reason() == ""
    play.do(cmd.Pause("A storm."))
    assert reason() == "A storm."
    play.do(cmd.Resume("It is over."))
    assert reason() == ""
    play.do(cmd.Cancel("The hall is flooded."))
    assert reason() == "The hall is flooded."


def test_finished_rounds_have_their_welfare_and_the_last_one_the_outcomes():
    """Tests the rows of the desk's chart: from the engine's records, then from the outcome."""
    step = {
        "record": {
            "round": 0, "num_reports": 4, "welfare": 1200.0, "welfare_bound": 1500.0,
            "planning": {"prediction": {"gap": 0.01}},
        }
    }  # fmt: skip
    play = opened()
    first = replace(play.state.rounds[0], step={"record": None}, seconds=2.0)
    state = replace(play.state, round=1, rounds=(first, RoundSummary(1, step, 3.0)))
    assert round_rows(state) == (RoundRow(0, 4, 1200.0, 1500.0, 0.01, 2.0),)
    won = Justification(0, 1300, 0, 0, 0, ())
    decided = Decided(((0,), (0,)), (0, 0), "vcg", None, {}, 1.0)
    state = replace(state, outcome=decided, justification=(won,))
    assert [(row.round, row.welfare) for row in round_rows(state)] == [(0, 1200.0), (1, 1300)]


def record(number, **fields):
    """A step of the engine that tells what a round brought."""
    return {"record": {"round": number, "num_reports": 4, "welfare": 1200.0, **fields}}


def test_the_last_round_of_questions_is_reviewed_and_keeps_its_certificate():
    """Tests that the desk shows what the engine proved when it found nothing more to ask."""
    for minutes in (0, 10):
        play = Play(last_call_minutes=minutes)
        play.open()
        play.answer(r0_b1_q1="9.00")
        play.clock.turn(minutes=61)
        play.do(cmd.CloseRound(0))
        step = record(0, num_reports=1, welfare=900.0, welfare_bound=1000.0)
        result = replace(plan_result([], "nothing is missing"), step=step)
        play.do(cmd.TakePlan(play.state.plan_from, result), "server")
        assert play.entries[-2].event.kind == "reviewed"
        (row,) = round_rows(play.state)
        assert (row.round, row.welfare, row.lacking) == (0, 900.0, pytest.approx(0.1))
        if not minutes:
            win = Justification(0, 900, 0, 0, 0, ())
            decided = Decided(((1, 0, 0), (0, 0, 0)), (0, 0), "vcg", None, {}, 0.0)
            ended = replace(play.state, outcome=decided, justification=(win,))
            assert round_rows(ended) == (row,)


def test_a_round_before_a_last_call_that_nobody_reviewed_has_a_row():
    """Tests that a round does not vanish from the desk when the auctioneer ends the questions."""
    play = Play(last_call_minutes=10)
    play.open()
    play.do(cmd.Stop("it is late"))
    play.clock.turn(minutes=61)
    play.do(cmd.CloseRound(0))
    (row,) = round_rows(play.state)
    assert play.state.is_last_call
    assert (row.round, row.welfare, row.lacking) == (0, None, None)


def test_nothing_is_claimed_where_welfare_exceeds_the_bound():
    """Tests answers that contradict each other: no "0.0 % can be missing"."""
    assert RoundRow(0, 4, 1200.0, 1100.0, None, 0.0).lacking is None
    assert RoundRow(0, 4, 1200.0, 1200.0, None, 0.0).lacking == 0.0
    assert RoundRow(0, 4, 1100.0, 1000.0 * 1.1, None, 0.0).lacking == 0.0


def test_contradicting_answers_are_known_to_the_auctioneer_alone():
    """Tests that the desk names bidder and answers, unless values are sealed."""
    for is_sealed in (False, True):
        play = Play(sealed_from_auctioneer=is_sealed)
        play.open()
        choices = [[[400.0, 100.0, 0.0], [1, 0, 0]], [[100.0, 400.0, 0.0], [0, 1, 0]]]
        found = {"bidder": 1, "reports": [[[1, 1, 0], 1000.0]], "demands": choices}
        summary = RoundSummary(1, {**record(0), "contradictions": [found]}, 1.0)
        state = replace(play.state, rounds=(*play.state.rounds, summary))
        for role, bidder in (("auctioneer", None), ("auditor", None), ("bidder", 1)):
            viewer = Viewer(role, bidder)
            view = progress(seen_by(state, viewer), play.clock.now(), False)
            is_told = role == "auditor" or (role == "auctioneer" and not is_sealed)
            assert bool(view.contradictions) == is_told
            if is_told:
                words = contradiction_words(load("en"), view, view.contradictions[0])
                assert words.startswith("The answers of Ben contradict each other")
                assert "hall and kitchen is worth 10.00 EUR" in words
                assert "hall wanted at hall 4.00 EUR, kitchen 1.00 EUR and chairs 0.00 EUR" in words
                assert "nothing is claimed" in words  # a log from before discrepancies
                now = replace(view.contradictions[0], discrepancy=300)
                words = contradiction_words(load("en"), view, now)
                assert "off by up to 3.00 EUR" in words
                assert "nothing is claimed" not in words
