"""What a bidder can submit, row by row."""

import pytest
from live_play import Play, market_text, read

from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import BundleValue, Submission, ValueAnswer, check
from boca.live.clock import to_text

# Round 0 asks everybody about one chair (q1) and two chairs (q2).


def opened(**keys):
    play = Play(**keys)
    play.open()
    return play


def refused(play, submission, cause="mistakes"):
    with pytest.raises(Refusal) as refusal:
        play.submit(submission)
    assert refusal.value.cause == cause
    return refusal.value


def test_all_or_nothing():
    """Tests that one bad row keeps the good ones out, and that every mistake is named."""
    play = opened()
    submission = Submission(
        (
            ValueAnswer("r0-b1-q1", "5"),
            ValueAnswer("r0-b1-q2", "abc"),
            ValueAnswer("r0-b2-q1", "5"),
        ),
        pushes=(BundleValue({"cellar": 1}, "5"), BundleValue({"chairs": 9}, "5")),
    )
    refusal = refused(play, submission)
    places = [mistake.where for mistake in refusal.mistakes]
    assert places == ["r0-b1-q2", "r0-b2-q1", "pushes[0]", "pushes[1]"]
    assert not play.state.books[0].reports


def test_somebody_elses_question_looks_like_none():
    """Tests that an id of another bidder and an invented one are refused in the same words."""
    play = opened()
    other = refused(play, Submission((ValueAnswer("r0-b2-q1", "5"),))).mistakes[0]
    absent = refused(play, Submission((ValueAnswer("r9-b9-q9", "5"),))).mistakes[0]
    assert (other.found, other.expected) == (absent.found, absent.expected)


def test_answer_of_an_answered_question_is_a_correction():
    """Tests that the log keeps what was said before, and that rules may forbid it."""
    play = opened()
    play.answer(r0_b1_q1=5)
    play.answer(r0_b1_q1=6)
    report = play.state.books[0].submissions[-1].event.reports[0]
    assert (report.units, report.was, report.query) == (600, 500, "r0-b1-q1")
    assert len(play.state.books[0].reports) == 1
    strict = opened(corrections="never")
    strict.answer(r0_b1_q1=5)
    refused(strict, Submission((ValueAnswer("r0-b1-q1", "6"),)))


def test_earlier_rounds_are_final_unless_the_rules_say_always():
    """Tests corrections after the round in which something was said."""
    for corrections, is_taken in (("round", False), ("always", True)):
        play = opened(corrections=corrections, close_early=True)
        play.answer(0, r0_b1_q1=5, r0_b1_q2=9)
        play.answer(1, r0_b2_q1=5, r0_b2_q2=9)
        play.plan()
        correction = Submission(corrections=(BundleValue({"chairs": 1}, "6"),))
        if is_taken:
            play.submit(correction)
            assert play.state.books[0].reports[(0, 0, 1)].units == 600
        else:
            refused(play, correction)


def test_declined_question_may_be_answered_after_all():
    """Tests that a decline can be taken back while its round is open."""
    play = opened()
    play.submit(Submission(declines=("r0-b1-q1",)))
    assert play.state.books[0].declined == ((0, 0, 1),)
    play.answer(r0_b1_q1=5)
    assert play.state.books[0].declined == ()
    refused(play, Submission(declines=("r0-b1-q1",)))


def test_pushes_are_counted_and_corrections_of_them_are_not():
    """Tests the number of reports that nobody asked for."""
    play = opened(push_bids=1)
    play.submit(Submission(pushes=(BundleValue({"hall": 1}, "20"),)))
    assert play.state.books[0].num_pushes == 1
    play.submit(Submission(corrections=(BundleValue({"hall": 1}, "21"),)))
    assert play.state.books[0].num_pushes == 1
    refused(play, Submission(pushes=(BundleValue({"kitchen": 1}, "20"),)))


def test_push_of_an_asked_bundle_is_sent_to_its_question():
    """Tests that nobody wastes a push on what costs nothing."""
    play = opened()
    mistake = refused(play, Submission(pushes=(BundleValue({"chairs": 1}, "5"),))).mistakes[0]
    assert "r0-b1-q1" in mistake.found


def test_amounts_beyond_the_rules_are_mistakes():
    """Tests the largest value and one unit more."""
    play = opened(max_value="100.00")
    play.answer(r0_b1_q1="100.00")
    mistake = refused(play, Submission((ValueAnswer("r0-b1-q2", "100.01"),))).mistakes[0]
    assert "100.01" in mistake.found


def test_long_nonsense_gives_a_short_message():
    """Tests that a page of errors is never as long as what was sent."""
    long = "9x" * 50_000
    submission = Submission(
        (ValueAnswer("r0-b1-q1", long), ValueAnswer(long, "5")),
        pushes=(BundleValue({long: 1}, "5"), BundleValue({"hall": 10**3000}, "5")),
    )
    refusal = refused(opened(), submission)
    assert len(refusal.mistakes) == 4
    assert len(repr(refusal.mistakes)) + len(refusal.sentence) < 3000


def test_empty_submission_is_refused():
    """Tests that nothing is not a submission."""
    refused(opened(), Submission())


def test_warning_without_a_tick_is_listed_and_nothing_taken():
    """Tests that the page can show what wants confirming, and that a stale tick does not do."""
    play = opened()
    submission = Submission((ValueAnswer("r0-b1-q1", "0"),), confirmed=("000000000000",))
    with pytest.raises(Refusal) as refusal:
        play.do(cmd.Submit(0, submission, to_text(play.clock.now())))
    assert refusal.value.cause == "unconfirmed"
    assert [warning.kind for warning in refusal.value.details] == ["zero"]
    assert not play.state.books[0].reports


def test_two_persons_notice_each_other():
    """Tests that a page made before the other person's submission is not taken."""
    play = opened()
    basis = play.state.books[0].basis
    play.submit(Submission((ValueAnswer("r0-b1-q1", "5"),), basis=basis))
    with pytest.raises(Refusal) as refusal:
        play.submit(Submission((ValueAnswer("r0-b1-q2", "9"),), basis=basis))
    assert refusal.value.cause == "conflict"
    assert refusal.value.details[0].event.reports[0].query == "r0-b1-q1"


def test_programs_and_people_write_numbers_differently():
    """Tests that the API takes decimal strings and pages what people type."""
    play = opened()
    grouped = Submission((ValueAnswer("r0-b1-q1", "1,234"),))
    assert check(play.state, 0, grouped, "page").reports[0].units == 123400
    assert check(play.state, 0, grouped, "api").mistakes


def test_operator_needs_a_reason():
    """Tests that the auctioneer's entries for a bidder explain themselves."""
    play = opened()
    submission, received = Submission((ValueAnswer("r0-b1-q1", "5"),)), to_text(play.clock.now())
    with pytest.raises(Refusal, match="reason"):
        play.do(cmd.Submit(0, submission, received, "operator"))
    play.do(cmd.Submit(0, submission, received, "operator", "by telephone"))
    assert play.state.books[0].submissions[0].event.reason == "by telephone"


def test_limits_of_the_bidder_hold_for_pushes():
    """Tests that a bundle that could never be won is not taken."""
    play = Play()
    text = market_text().replace('name = "Ann"', 'name = "Ann"\nforbidden = ["hall"]')
    play.do(cmd.Configure(*read(text)))
    play.open()
    mistake = refused(play, Submission(pushes=(BundleValue({"hall": 1}, "5"),))).mistakes[0]
    assert "none of hall" in mistake.expected


@pytest.mark.parametrize("command", [
    cmd.Revoke("session", "lost", 0, "ann"), cmd.Revoke("access-0", "lost", 0),
])  # fmt: skip
def test_whoever_was_revoked_submits_nothing_that_was_on_its_way(command):
    """Tests that the log has nothing by a person after the record that revoked it."""
    play = Play()
    play.open()
    play.do(command)
    sent = cmd.Submit(0, Submission(), to_text(play.clock.now()), sender="ann")
    with pytest.raises(Refusal, match="any more"):
        play.do(sent)
    play.do(cmd.Invite("ann", "again", 0))
    assert not play.state.persons[0].is_out
