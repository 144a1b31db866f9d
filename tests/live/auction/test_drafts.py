"""Drafts that are edited, planned starts and opening hours: decided, folded and verified."""

from dataclasses import replace
from datetime import timedelta

import pytest
from live_play import MARKET, market_text, read
from logged_play import LoggedPlay
from relinked import Rows, verdict_of

from boca.core.market import Bidder, Market
from boca.live.auction import commands as cmd
from boca.live.auction.decide.rounds import opens_by_itself
from boca.live.auction.decide.setting_up import is_due, starts_by_itself, why_not_started
from boca.live.auction.refusal import Refusal
from boca.live.clock import from_text, to_text

# The clock of a play stands at 9:00 UTC on Monday, 16 November 2026.
HOURS = {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "09:00", "to": "17:00"}


def with_bidders(market: Market, *names: str) -> Market:
    """The market with another list of bidders."""
    return replace(market, bidders=tuple(map(Bidder, names)))


@pytest.fixture
def draft():
    """Ann's person was invited and has joined; nobody was invited for Ben."""
    play = LoggedPlay()
    play.do(cmd.Invite("ann", "access-0", 0))
    play.do(cmd.Join("ann", 0), "bidder:0/ann")
    return play


def configure(play, *names):
    rules, market = play.state.setup
    play.do(cmd.Configure(rules, with_bidders(market, *names)))


@pytest.mark.parametrize(
    "names",
    [("Ann", "Bea"), ("Anna", "Ben"), ("Ann", "Ben", "Cid"), ("Ann",), ("Ann", "Cid", "Ben")],
)
def test_bidders_are_added_renamed_and_removed_behind_those_with_people(draft, names):
    """Tests that people keep their bidder, whose place in the list says who that is."""
    configure(draft, *names)
    assert [bidder.name for bidder in draft.state.market.bidders] == list(names)
    assert [(p.name, p.bidder, p.has_joined) for p in draft.state.persons] == [("ann", 0, True)]
    assert len(draft.state.books) == len(names)
    assert draft.state.changed == draft.clock.now()
    assert verdict_of(draft)["V5"].state != "fails"


@pytest.mark.parametrize(
    ("names", "told"),
    [(("Ben", "Ann"), "number 2 of the list instead"), (("Cid", "Ann"), "instead")],
)
def test_a_bidder_with_people_keeps_its_place(draft, names, told):
    """Tests that a list in another order does not hand Ann's people to Ben."""
    with pytest.raises(Refusal, match=told):
        configure(draft, *names)


def test_a_bidder_with_people_is_not_dropped(draft):
    """Tests the end of the list, also for people who were revoked: the log still names them."""
    draft.do(cmd.Invite("ben", "access-1", 1))
    draft.do(cmd.Revoke("access-1", "left", 1, "ben"))
    with pytest.raises(Refusal, match="'Ben' would not be in the list"):
        configure(draft, "Ann")


def move(names: tuple[str, ...]):
    def change(rows: Rows) -> None:
        bodies = [row["body"] for row in rows if row["kind"] == "configured"]
        blocks = bodies[-1]["market"]["bidders"]
        bodies[-1]["market"]["bidders"] = [{**blocks[0], "name": name} for name in names]

    return change


@pytest.mark.parametrize(("names", "told"), [(("Ben", "Ann"), "moves 'Ann'"), ((), "drops 'Ann'")])
def test_a_forged_list_that_moves_people_is_found(draft, names, told):
    """Tests that the verifier does not believe a server that hands people to another bidder."""
    configure(draft, "Ann", "Bea")
    check = verdict_of(draft, move(names or ()))["V5"]
    assert check.state == "fails"
    assert any(told in finding.sentence for finding in check.findings)


def test_nothing_is_changed_after_the_start(draft):
    """Tests that rules are fixed once the auction has started."""
    draft.do(cmd.Invite("ben", "access-1", 1))
    draft.do(cmd.Start("Zoe", accept_missing=True))
    with pytest.raises(Refusal, match="cannot be changed any more"):
        configure(draft, "Ann", "Bea")


def test_a_planned_start_waits_for_its_time_and_for_everybody():
    """Tests not before, not without everybody, and then by itself."""
    play = LoggedPlay(starts_at="2026-11-16T11:00", time_zone="Europe/Berlin")
    for bidder, person in enumerate(("ann", "ben")):
        play.do(cmd.Invite(person, f"access-{bidder}", bidder))
    with pytest.raises(Refusal, match="starts at 2026-11-16, 11:00 Europe/Berlin, not before"):
        play.do(cmd.Start("Zoe", accept_missing=True))
    assert not is_due(play.state, play.clock.now())
    play.clock.turn(hours=1)  # 11:00 in Berlin
    assert is_due(play.state, play.clock.now())
    assert "Nobody has joined for Ann, Ben" in why_not_started(play.state, play.clock.now())
    assert not starts_by_itself(play.state, play.clock.now())
    for bidder, person in enumerate(("ann", "ben")):
        play.do(cmd.Join(person, bidder), f"bidder:{bidder}/{person}")
    assert starts_by_itself(play.state, play.clock.now())
    play.do(cmd.Start("as planned"), "server")
    assert verdict_of(play)["V5"].state == "holds"

    def earlier(rows: Rows) -> None:
        for row in rows:
            row["at"] = to_text(from_text(row["at"]) - timedelta(hours=1))

    assert "before its planned start" in verdict_of(play, earlier)["V5"].sentence


def test_a_planned_start_in_the_past_is_refused():
    """Tests that a slip in the year is found when the auction is made."""
    with pytest.raises(Refusal, match="has passed"):
        LoggedPlay(starts_at="2025-11-16T11:00")


def test_rounds_open_and_end_within_opening_hours():
    """Tests a round that goes over night, and a plan that comes in the evening."""
    play = LoggedPlay(opening_hours=HOURS, round_minutes=[480, 60])
    play.clock.turn(hours=2)  # 11:00; eight hours are not left today
    play.open()
    assert to_text(play.state.deadline)[:16] == "2026-11-17T11:00"
    play.do(cmd.Pause("lunch"))
    play.clock.turn(hours=7)  # 18:00
    play.do(cmd.Extend(60, "it is late"))
    play.do(cmd.Resume())
    assert to_text(play.state.deadline)[:16] == "2026-11-18T10:00"  # nine hours from Tuesday 9:00
    play.clock.time = play.state.deadline + timedelta(hours=9)  # 19:00
    play.do(cmd.CloseRound(0), "server")
    play.plan()
    assert play.state.phase == "ready"
    assert not opens_by_itself(play.state, play.clock.now())
    with pytest.raises(Refusal, match="begin at 2026-11-19, 09:00 UTC"):
        play.do(cmd.OpenRound())
    play.clock.turn(hours=14)
    assert opens_by_itself(play.state, play.clock.now())
    play.do(cmd.OpenRound(), "server")
    assert to_text(play.state.deadline)[:16] == "2026-11-19T10:00"
    verdict = verdict_of(play)
    assert verdict["V6"].state != "fails", verdict.summary()


def at_night(rows: Rows) -> None:
    opened = next(row for row in rows if row["kind"] == "round-opened")
    opened["body"]["deadline"] = "2026-11-16T20:00:00.000000Z"


def opened_at_night(rows: Rows) -> None:
    rows[-1]["at"] = "2026-11-16T20:00:00.000000Z"
    rows[-1]["body"]["deadline"] = "2026-11-17T17:00:00.000000Z"


@pytest.mark.parametrize(
    ("change", "told"),
    [(at_night, "the round lasts 420"), (opened_at_night, "outside the opening hours")],
)
def test_forged_hours_are_found(change, told):
    """Tests a deadline after closing time, and a round that opens at night."""
    play = LoggedPlay(opening_hours=HOURS, round_minutes=[480, 60])
    play.clock.turn(hours=1)
    play.open()
    check = verdict_of(play, change)["V6"]
    assert check.state == "fails"
    assert told in check.sentence


def test_the_market_of_these_tests_has_two_bidders():
    """Tests what the lists above start from."""
    _, market = read(market_text())
    assert [bidder.name for bidder in market.bidders] == ["Ann", "Ben"]
    assert MARKET.count("[[bidders]]") == 2
