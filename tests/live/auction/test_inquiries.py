"""Questions to the auctioneer: who reads what, and logs that say otherwise."""

import pytest
from logged_play import LoggedPlay

from boca.live.auction import commands as cmd
from boca.live.auction.audience import PUBLIC, Viewer, may_open, seen_by, stirs
from boca.live.auction.decide.inquiries import MOST_WAITING
from boca.live.auction.refusal import Refusal

ANN, BEN = Viewer("bidder", 0), Viewer("bidder", 1)
AUCTIONEER, AUDITOR = Viewer("auctioneer"), Viewer("auditor")


@pytest.fixture
def play():
    """Ann and Ben have each asked something; Ann alone is answered, and all about Ben's."""
    play = LoggedPlay()
    play.do(cmd.Inquire(0, " Where do we meet? "), "bidder:0/ann")
    play.do(cmd.Inquire(1, "When does it end?"), "bidder:1/ben")
    first, second = play.state.inquiries
    play.do(cmd.Reply(first.hash, "In the hall."))
    play.do(cmd.Reply(second.hash, "At noon.", "When is the end?"))
    return play


def test_answers_reach_whoever_asked_or_all(play):
    """Tests what each reader sees: nobody but the staff learns who asked."""
    ann, ben = seen_by(play.state, ANN), seen_by(play.state, BEN)
    assert [(i.person, i.text, i.reply) for i in ann.inquiries] == [
        ("ann", "Where do we meet?", "In the hall.")
    ]
    assert [i.text for i in ben.inquiries] == ["When does it end?"]
    for seen in (ann, ben):
        assert [(r.question, r.text) for r in seen.replies] == [("When is the end?", "At noon.")]
    public = seen_by(play.state, PUBLIC)
    assert (public.inquiries, public.replies) == ((), ())
    for viewer in (AUCTIONEER, AUDITOR):
        assert len(seen_by(play.state, viewer).inquiries) == 2


def test_records_open_to_those_whom_they_are_told(play):
    """Tests exports: an answer to all names nobody."""
    asked, _, alone, all_ = play.entries[-4:]

    def readers(entry):
        viewers = {"ann": ANN, "ben": BEN, "public": PUBLIC, "auditor": AUDITOR}
        state = play.state
        return {name for name, v in viewers.items() if may_open(entry.event, v, state, 0)}

    assert readers(asked) == {"ann", "auditor"}
    assert readers(alone) == {"ann", "auditor"}
    assert readers(all_) == {"ann", "ben", "auditor"}
    assert "bidder" not in all_.event.to_body()
    assert stirs([alone], ANN) == {"announcement"}
    assert stirs([alone], BEN) == set()
    assert stirs([all_], BEN) == {"announcement"}
    assert stirs([all_], PUBLIC) == set()


def test_what_cannot_be_asked_or_answered_is_refused(play):
    """Tests blank texts, a second answer, an unknown question, too many, and the end."""
    first = play.state.inquiries[0].hash
    for command, words in (
        (cmd.Inquire(0, "  "), "Please give a question"),
        (cmd.Reply(first, "Again."), "answered before"),
        (cmd.Reply("0" * 64, "What?"), "no such question"),
    ):
        with pytest.raises(Refusal, match=words):
            play.do(command)
    for k in range(MOST_WAITING):
        play.do(cmd.Inquire(0, f"And {k}?"), "bidder:0/ann")
    with pytest.raises(Refusal, match="wait for an answer"):
        play.do(cmd.Inquire(0, "And?"), "bidder:0/ann")
    play.do(cmd.Inquire(1, "May I?"), "bidder:1/ben")
    play.do(cmd.Cancel("Rain."))
    with pytest.raises(Refusal, match="any more"):
        play.do(cmd.Inquire(1, "Why?"), "bidder:1/ben")
    with pytest.raises(Refusal, match="any more"):
        play.do(cmd.Reply(play.state.inquiries[-1].hash, "Because."))


def last(kind, **fields):
    """Other fields in the last record of a kind."""

    def change(entries):
        entry = [entry for entry in entries if entry["kind"] == kind][-1]
        entry["body"].update(fields)

    return change


def test_the_verifier_knows_questions_and_answers(play):
    """Tests a true log, and answers that belong to no question, to another, or come twice."""

    def order(change=lambda entries: None):
        return next(c for c in play.verdict(change).checks if c.name == "V4")

    assert order().state == "partly"  # it has not ended
    assert not order().findings
    twice = last("replied", to=play.state.inquiries[0].hash)
    for change, words in (
        (twice, "for the second time"),
        (last("replied", to="0" * 64), "what nobody has asked before"),
        (last("replied", bidder=0), "another bidder than the one who asked"),
        (last("replied", to=5), "to"),
    ):
        assert words in str(order(change).findings)

    def by_somebody_else(entries):
        del entries[-2:]
        entries[-1]["body"]["actor"] = "bidder:0/ann"

    assert "somebody else" in str(order(by_somebody_else).findings)
