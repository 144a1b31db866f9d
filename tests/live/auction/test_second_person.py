"""Two people for what cannot be undone: decided, folded, and verified against forged logs."""

import pytest
from live_play import nobody_wins
from logged_play import LoggedPlay, RandomPlay
from relinked import Rows, verdict_of

from boca.live.auction import commands as cmd
from boca.live.auction import events as ev
from boca.live.auction.fold import fold
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import LiveState
from boca.live.auction.submission import Submission, ValueAnswer
from boca.live.clock import to_text

ALL = ["close", "publish", "entry", "link", "auditor"]


def play_to_stop(**keys) -> LoggedPlay:
    """An auction whose questions are over."""
    play = LoggedPlay(second_person=ALL, **keys)
    play.open()
    play.do(cmd.Stop("enough"))
    play.clock.turn(hours=2)
    play.do(cmd.CloseRound(0), "server")
    return play


def ended() -> LoggedPlay:
    """An auction that two people closed and published."""
    play = play_to_stop()
    for who in ("Zoe", "Yan"):
        play.do(cmd.Close(who=who), f"auctioneer:{who}")
    play.do(cmd.TakeOutcome(nobody_wins()), "server")
    for who in ("Yan", "Zoe"):
        play.do(cmd.Publish(who=who), f"auctioneer:{who}")
    return play


def entry(who: str, amount: str = "5.00", query: str = "r0-b1-q1") -> tuple[cmd.Submit, str]:
    """What an auctioneer enters for the first bidder."""
    submission = Submission((ValueAnswer(query, amount),))
    now = "2026-11-16T09:00:00.000000Z"
    return cmd.Submit(0, submission, now, "operator", "by telephone", who=who), f"auctioneer:{who}"


def test_closing_and_publishing_take_two_people():
    """Tests that the first press proposes, that the same person cannot confirm, and the log."""
    play = play_to_stop()
    (proposed,) = play.do(cmd.Close(who="Zoe"), "auctioneer:Zoe")
    assert isinstance(proposed, ev.Proposed)
    assert play.state.phase == "stopped"
    with pytest.raises(Refusal, match="You have proposed this yourself"):
        play.do(cmd.Close(who="Zoe"), "auctioneer:Zoe")
    (closed,) = play.do(cmd.Close(who="Yan"), "auctioneer:Yan")
    assert isinstance(closed, ev.Closed)
    assert play.state.phase == "deciding"
    assert play.state.proposals == {}
    verdict = verdict_of(ended())
    assert verdict["V8"].state != "fails", verdict.summary()
    assert verdict["V4"].state == "holds", verdict.summary()


def test_a_proposal_can_be_withdrawn():
    """Tests that after that, one person begins again."""
    play = play_to_stop()
    play.do(cmd.Close(who="Zoe"), "auctioneer:Zoe")
    (pending,) = play.state.proposals.values()
    play.do(cmd.Withdraw(pending.hash), "auctioneer:Yan")
    assert play.state.proposals == {}
    with pytest.raises(Refusal, match="no such proposal"):
        play.do(cmd.Withdraw(pending.hash), "auctioneer:Yan")
    (proposed,) = play.do(cmd.Close(who="Yan"), "auctioneer:Yan")
    assert isinstance(proposed, ev.Proposed)
    assert verdict_of(play)["V8"].state != "fails"


def test_an_entry_on_behalf_is_entered_twice_and_the_same():
    """Tests that the second person has to enter the same amounts, and a round that ends between."""
    play = LoggedPlay(second_person=ALL)
    play.open()
    play.do(*entry("Zoe"))
    assert play.state.books[0].reports == {}
    with pytest.raises(Refusal, match="Zoe has proposed something else"):
        play.do(*entry("Yan", "6.00"))
    (submitted,) = play.do(*entry("Yan"))
    assert isinstance(submitted, ev.Submitted)
    assert len(play.state.books[0].reports) == 1
    verdict = verdict_of(play)
    assert verdict["V8"].state != "fails", verdict.summary()
    play.do(*entry("Zoe", "7.00", "r0-b1-q2"))
    play.clock.turn(hours=2)
    play.do(cmd.CloseRound(0), "server")
    assert play.state.proposals == {}


def test_a_link_for_an_auditor_takes_two_people_and_one_of_a_bidder_does_not():
    """Tests who reads everything: no one person lets somebody in."""
    play = LoggedPlay(second_person=ALL)
    play.do(cmd.Invite("kim", "access-a", who="Zoe"), "auctioneer:Zoe")
    assert play.state.persons == ()
    play.do(cmd.Invite("lee", "access-b", who="Yan"), "auctioneer:Yan")
    assert len(play.state.proposals) == 2
    play.do(cmd.Invite("kim", "access-c", who="Yan"), "auctioneer:Yan")
    assert [person.name for person in play.state.persons] == ["kim"]
    play.do(cmd.Invite("ann", "access-0", 0, who="Zoe"), "auctioneer:Zoe")
    assert len(play.state.persons) == 2
    assert verdict_of(play)["V8"].state != "fails"


def test_a_further_link_of_a_bidder_who_has_joined_takes_two_people():
    """Tests that no one auctioneer can come in as a bidder's person, by whatever name."""
    play = LoggedPlay(second_person=["link"])
    for access in ("access-0", "access-1"):  # nobody has come yet: the first one may be lost
        play.do(cmd.Invite("ann", access, 0, who="Zoe"), "auctioneer:Zoe")
    play.do(cmd.Join("ann", 0), "bidder:0/ann")
    for person in ("ann", "zoe"):
        play.do(cmd.Invite(person, f"access-{person}", 0, who="Zoe"), "auctioneer:Zoe")
    assert len(play.state.proposals) == 2
    assert [person.name for person in play.state.persons] == ["ann"]
    with pytest.raises(Refusal, match="proposed this yourself"):
        play.do(cmd.Invite("ann", "access-2", 0, who="Zoe"), "auctioneer:Zoe")
    play.do(cmd.Invite("ben", "access-3", 1, who="Zoe"), "auctioneer:Zoe")  # nobody has come
    play.do(cmd.Invite("ann", "access-4", 0, "operator"), "operator:command line")
    (done,) = play.do(cmd.Invite("ann", "access-5", 0, who="Yan"), "auctioneer:Yan")
    assert isinstance(done, ev.Invited)
    assert done.approves is not None
    assert verdict_of(play)["V8"].state != "fails"

    def alone(rows: Rows) -> None:
        del row(rows, "invited", -1)["body"]["approves"]

    def for_another(rows: Rows) -> None:
        row(rows, "invited", -1)["body"]["person"] = "zoe"

    for forge, words in ((alone, "one person alone did it ('link')"), (for_another, "else")):
        assert words in verdict_of(play, forge)["V8"].sentence


def test_a_rehearsal_and_other_rules_need_one_person():
    """Tests that nobody is kept waiting where nothing binds, or where the rules do not say so."""
    for play in (LoggedPlay(True, second_person=ALL), LoggedPlay(second_person=["publish"])):
        play.open()
        play.do(cmd.Stop("enough"))
        play.clock.turn(hours=2)
        play.do(cmd.CloseRound(0), "server")
        play.do(cmd.Close(who="Zoe"), "auctioneer:Zoe")
        assert play.state.phase == "deciding"
        assert verdict_of(play)["V8"].state != "fails"


def row(rows: Rows, kind: str, number: int = 0):
    return [one for one in rows if one["kind"] == kind][number]


def same_person(rows: Rows) -> None:
    row(rows, "closed")["body"]["actor"] = row(rows, "proposed")["body"]["actor"]


def without_approval(rows: Rows) -> None:
    del row(rows, "closed")["body"]["approves"]


def of_something_else(rows: Rows) -> None:
    row(rows, "proposed")["body"]["act"] = "publish"


def twice(rows: Rows) -> None:
    row(rows, "published")["body"]["approves"] = row(rows, "closed")["body"]["approves"]


def by_the_server(rows: Rows) -> None:
    row(rows, "closed")["body"]["actor"] = "server"


def proposed_by_a_bidder(rows: Rows) -> None:
    row(rows, "proposed")["body"]["actor"] = "bidder:0/ann"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (same_person, "approves what 'auctioneer:Zoe' proposed"),
        (without_approval, "one person alone did it"),
        (of_something_else, "proposed something else"),
        (twice, "was not made, was withdrawn or had lapsed"),
        (by_the_server, "approves what"),
        (proposed_by_a_bidder, "only auctioneers can"),
    ],
)
def test_forged_second_persons_are_found(change, told):
    """Tests what a server would write that let one person do it."""
    check = verdict_of(ended(), change)["V8"]
    assert check.state == "fails"
    assert any(told in finding.sentence for finding in check.findings), check


def of_another_record(rows: Rows) -> None:
    row(rows, "closed")["body"]["approves"] = "0" * 64


def test_sealed_proposals_are_counted():
    """Tests a cut without proposals: it holds, but not if one serves twice, or none was made."""
    sealed = ("proposed",)
    assert verdict_of(ended(), sealed=sealed)["V8"].state != "fails"
    for change in (twice, of_another_record, without_approval):
        assert verdict_of(ended(), change, sealed)["V8"].state == "fails", change
    play = play_to_stop()
    play.do(cmd.Close(who="Zoe"), "auctioneer:Zoe")
    (pending,) = play.state.proposals.values()
    play.do(cmd.Withdraw(pending.hash), "auctioneer:Yan")
    assert verdict_of(play, sealed=sealed)["V8"].state != "fails"


def other_amount(rows: Rows) -> None:
    row(rows, "submitted")["body"]["reports"][0]["units"] = 900


def test_an_entry_that_differs_from_what_was_proposed_is_found():
    """Tests that the second person's entry is the one that the first one made."""
    play = LoggedPlay(second_person=ALL)
    play.open()
    play.do(*entry("Zoe"))
    play.do(*entry("Yan"))
    assert "proposed something else" in verdict_of(play, other_amount)["V8"].sentence
    assert to_text(play.clock.now()) == "2026-11-16T09:00:00.000000Z"


def test_an_approval_carries_out_what_was_proposed_and_nothing_else():
    """Tests auctions that go any way: bids and outcome are those that were proposed."""
    approved = {"closed": 0, "published": 0}
    for seed in range(40):
        play = RandomPlay(seed, second_person=["close", "publish"]).run()
        state, proposed = LiveState("test"), {}
        for entry in play.entries:
            what = ([book.reports for book in state.books], state.outcome)
            if entry.event.kind == "proposed":
                proposed[entry.hash] = what
            if entry.event.kind in approved and entry.event.approves:
                assert proposed[entry.event.approves] == what
                approved[entry.event.kind] += 1
            state = fold(state, entry)
    assert min(approved.values()) >= 3, approved


def test_an_approval_given_in_one_phase_is_refused_in_the_next():
    """Tests a page that was opened before: what it would approve has been carried out."""
    play = play_to_stop()
    for who in ("Zoe", "Yan"):
        play.do(cmd.Close(who=who), f"auctioneer:{who}")
    play.do(cmd.TakeOutcome(nobody_wins()), "server")
    play.do(cmd.Publish(who="Zoe"), "auctioneer:Zoe")
    with pytest.raises(Refusal):
        play.do(cmd.Close(who="Yan"), "auctioneer:Yan")
    assert play.state.phase == "decided"
    assert [one.event.act for one in play.state.proposals.values()] == ["publish"]


def test_one_credential_cannot_do_both_halves():
    """Tests a log in which two names acted with one session, as its report shows."""

    def credentials(first: str, second: str):
        def change(rows: Rows) -> None:
            (end,) = [k for k, row in enumerate(rows) if row["kind"] == "published"]
            rows[end]["body"]["credential"] = second
            rows[end - 1]["body"]["credential"] = first

        return change

    two, one = (verdict_of(ended(), credentials("one", other)) for other in ("two", "one"))
    assert two["V8"].state != "fails"
    assert any(
        "auctioneer:Zoe (credential two) approves" in note
        and "auctioneer:Yan (credential one)" in note
        for note in two["V8"].notes
    )
    assert one["V8"].state == "fails"
    assert "one credential proposed it" in one["V8"].findings[0].text
