"""Values as ranges: what is bid, what is asked again, and what such an answer may be."""

import pytest
from live_play import Play, market_text, plan_result, read

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.engine_results import PlannedQuery
from boca.live.auction.events import Report
from boca.live.auction.money import Money
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules
from boca.live.auction.submission import (
    BundleValue,
    DemandAnswer,
    Submission,
    ValueAnswer,
    check,
)
from boca.live.auction.views import bidder_view
from boca.live.work.requests import job_request

HALL, KITCHEN, BOTH = (1, 0, 0), (0, 1, 0), (1, 1, 0)


def asked(*bundles, **keys):
    """An open round in which Ann is asked about some bundles."""
    play = Play(num_initial=3, num_total=8, num_per_round=2, **{"ranges": True, **keys})
    play.start()
    ask(play, *bundles)
    return play


def ask(play, *bundles, source="initial"):
    queries = [PlannedQuery(0, bundle, {"source": source}) for bundle in bundles]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")


def next_round(play):
    play.clock.turn(minutes=300)
    play.do(cmd.CloseRound(play.state.round), "server")


def narrowing(**keys):
    """Ann said 5.00 to 6.00 for the hall in round 1, and is asked to narrow it in round 2."""
    play = asked(HALL, KITCHEN, **keys)
    play.answer(r0_b1_q1="5-6")
    next_round(play)
    ask(play, HALL, source="narrow")
    return play


def mistake(play, **values):
    with pytest.raises(Refusal) as refusal:
        play.answer(**values)
    return refusal.value.mistakes[0]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("5-6", (500, 600)),
        ("5.00 \u2013 6.50", (500, 650)),
        ("1,000 to 2,000.00", (100000, 200000)),
        (" 5 bis 6 ", (500, 600)),
        ("5 \u00e0 6 EUR", (500, 600)),
        ("7", (700, 700)),
        ("7-7", (700, 700)),
    ],
)
def test_ranges_are_read_as_people_write_them(text, ends):
    """Tests dashes and words between two amounts; an amount alone is both ends."""
    assert Money("EUR", "0.01").parse_range(text) == ends


@pytest.mark.parametrize("text", ["6-5", "-5", "5-", "5-6-7", "5 to", "to 6", "5to6", ""])
def test_what_is_no_range_is_refused(text):
    """Tests that nothing is guessed, and a range does not end below its beginning."""
    with pytest.raises(InputError):
        Money("EUR", "0.01").parse_range(text)


def test_a_shown_range_can_be_typed_again():
    """Tests the way back in every language, also for programs."""
    for language in ("en", "de", "fr"):
        money = Money("EUR", "0.01", language)
        assert money.parse_range(money.range_figures(123456, 7890123)) == (123456, 7890123)
        assert money.parse_decimal_range(money.decimal_range(5, 60)) == (5, 60)
    assert money.range_figures(5, None) == money.range_figures(5, 5) == money.figures(5)


def test_rules_without_ranges_are_as_they_were():
    """Tests that the hash of rules from before does not change, and a purchase has no ranges."""
    rules, _ = read(market_text())
    assert "ranges" not in rules.to_dict()
    assert Rules.from_dict(rules.to_dict()) == rules
    ranged, _ = read(market_text(ranges=True))
    assert Rules.from_dict(ranged.to_dict()) == ranged
    assert ranged.num_rounds == ranged.num_total  # narrowing takes rounds of its own


def test_ranges_need_the_rule():
    """Tests that a range is no amount where the rules do not have ranges."""
    play = asked(HALL, ranges=False)
    assert "cannot be read" in mistake(play, r0_b1_q1="5-6").found


def test_the_lower_end_is_bid_and_the_engine_learns_both():
    """Tests what decides the outcome and what planning is given."""
    play = asked(HALL, KITCHEN)
    play.answer(r0_b1_q1="5-6", r0_b1_q2="7")
    assert play.state.bids(0) == {HALL: 500, KITCHEN: 700}
    request = job_request(play.state)
    assert request["reports"][0] == [[list(HALL), 500, 600], [list(KITCHEN), 700]]
    assert request["bids"][0] == [[list(HALL), 500], [list(KITCHEN), 700]]
    reports = play.entries[-1].event.reports
    assert reports[0] == Report(HALL, 500, "r0-b1-q1", most=600)
    assert "most" not in play.entries[-1].event.to_body()["reports"][1]


def test_no_range_ends_above_the_largest_value():
    """Tests the limit of the rules at the upper end."""
    play = asked(HALL, max_value="6.00")
    assert "largest value" in mistake(play, r0_b1_q1="5-6.01").expected
    play.answer(r0_b1_q1="5-6")


@pytest.mark.parametrize("corrections", ["never", "round"])
def test_a_narrowing_answer_lies_within_the_range(corrections):
    """Tests both ends, and that a correction in the round is no way around."""
    play = narrowing(corrections=corrections)
    for text in ("4.99", "6.01", "4-5.50", "5.50-7"):
        assert "within 5.00 \u2013 6.00 EUR" in mistake(play, r1_b1_q1=text).expected
    play.answer(r1_b1_q1="5.20-5.40")
    report = play.entries[-1].event.reports[0]
    assert report == Report(HALL, 520, "r1-b1-q1", 500, most=540, was_most=600)
    if corrections == "never":
        assert mistake(play, r1_b1_q1="5.30").found == "a correction"
        return
    for query in ("r0_b1_q1", "r1_b1_q1"):
        assert "within 5.00" in mistake(play, **{query: "20"}).expected
    with pytest.raises(Refusal):
        play.submit(Submission(corrections=(BundleValue({"hall": 1}, "20"),)))
    play.answer(r1_b1_q1="5.90")
    assert play.state.bids(0)[HALL] == 590


def test_who_may_correct_anything_may_leave_the_range():
    """Tests the rule that permits corrections of any answer."""
    play = narrowing(corrections="always")
    play.answer(r1_b1_q1="9")
    assert play.state.bids(0)[HALL] == 900
    assert play.state.books[0].mosts == {}


def test_a_range_in_the_round_that_it_is_given_in_can_be_corrected():
    """Tests that only a question to narrow binds."""
    play = asked(HALL)
    play.answer(r0_b1_q1="5-6")
    play.answer(r0_b1_q1="8-9")
    assert play.state.books[0].mosts == {HALL: 900}


def test_who_declines_keeps_the_range_and_is_not_asked_again():
    """Tests what the engine is told, and that a plan cannot ask once more."""
    play = narrowing()
    assert play.state.books[0].declined == (KITCHEN,)
    play.submit(Submission(declines=("r1-b1-q1",)))
    assert play.state.books[0].mosts == {HALL: 600}
    next_round(play)
    assert set(play.state.books[0].declined) == {HALL, KITCHEN}
    with pytest.raises(Refusal, match="which is known"):
        ask(play, HALL, source="narrow")


def test_a_declined_question_can_be_answered_in_its_round():
    """Tests that narrowing is no correction, whatever came first."""
    play = narrowing(corrections="round")
    play.submit(Submission(declines=("r1-b1-q1",)))
    play.answer(r1_b1_q1="5.50")
    assert play.state.bids(0)[HALL] == 550


def test_only_ranges_are_asked_about_again():
    """Tests that a plan cannot ask twice for a value, nor twice in a round for one range."""
    play = asked(HALL, KITCHEN)
    play.answer(r0_b1_q1="5-6", r0_b1_q2="7")
    next_round(play)
    with pytest.raises(Refusal, match="which is known"):
        ask(play, KITCHEN, source="narrow")
    with pytest.raises(Refusal, match="which is known"):
        ask(play, HALL, HALL, source="narrow")
    ask(play, HALL, source="narrow")
    assert play.state.books[0].queries["r1-b1-q1"].within == (500, 600)


def test_a_narrower_range_may_be_narrowed_again():
    """Tests a second question about what is left."""
    play = narrowing()
    play.answer(r1_b1_q1="5.20-5.40")
    next_round(play)
    ask(play, HALL, source="narrow")
    assert "within 5.20" in mistake(play, r2_b1_q1="5.50").expected
    play.answer(r2_b1_q1="5.30")


@pytest.mark.parametrize(
    ("hall", "both", "is_disorder"),
    [("5-6", "5.50", False), ("5-6", "4.99", True), ("5-6", "4-5", False), ("7", "4-6.99", True)],
)
def test_ranges_go_together_if_some_values_do(hall, both, is_disorder):
    """Tests that more is worth less only where no values within the ranges are in order."""
    for rule in ("warn", "require"):
        play = asked(HALL, BOTH, monotone=rule)
        play.answer(r0_b1_q1=hall)
        second = Submission((ValueAnswer("r0-b1-q2", both),))
        checked = check(play.state, 0, second, "page")
        assert any(warning.is_disorder for warning in checked.warnings) == is_disorder
        assert bool(checked.mistakes) == (is_disorder and rule == "require")
        play = asked(HALL, BOTH, monotone=rule)  # the other way round
        play.answer(r0_b1_q2=both)
        first = Submission((ValueAnswer("r0-b1-q1", hall),))
        checked = check(play.state, 0, first, "page")
        assert any(warning.is_disorder for warning in checked.warnings) == is_disorder


def test_choices_contradict_a_range_only_outside_it():
    """Tests remarks about wanted bundles with both ends of a range."""
    play = Play(num_initial=3, num_total=8, ranges=True)
    play.start()
    queries = [
        PlannedQuery(0, (), {"source": "clock"}, (500, 200, 100)),
        PlannedQuery(0, HALL, {"source": "initial"}),
    ]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")
    play.submit(Submission(demands=(DemandAnswer("r0-b1-q1", {"hall": 1}),)))

    def kinds(text):
        answer = Submission((ValueAnswer("r0-b1-q2", text),))
        return {warning.kind for warning in check(play.state, 0, answer, "page").warnings}

    assert "less-than-choices" in kinds("4-4.99")
    assert "less-than-choices" not in kinds("4-5")
    play = Play(num_initial=3, num_total=8, ranges=True)
    play.start()
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")
    play.submit(Submission(demands=(DemandAnswer("r0-b1-q1", {}),)))
    assert "more-than-choices" in kinds("5.01-6")
    assert "more-than-choices" not in kinds("5-6")


def test_a_bidder_sees_what_it_said():
    """Tests the view of a question that asks to narrow a range."""
    view = bidder_view(narrowing().state, 0, narrowing().clock.now())
    question = view.questions[0]  # the latest come first
    assert (question.units, question.most, question.is_open) == (500, 600, True)
    assert question.reasons[0].key == "reason.narrow"
