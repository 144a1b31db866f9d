"""Answers that come after the end of their round: said, kept, and of use as far as they can be."""

import re
import time

import course_play
import pytest
from hand_clock import HandClock
from live_play import market_text
from live_server import Person
from served_desk import serving
from whole_auction import PERSONS, ZOE, open_desk, submit_open, wait_until

from boca.live.auction import commands as cmd


class Late:
    """A bidder who types while the first round ends."""

    def __init__(self, desk, url, **rules):
        self.desk, self.clock = desk, desk.clock
        text = market_text(round_minutes=[20, 20], **rules)
        self.auction = desk.create(ZOE, text).result().auction
        self.people = []
        for bidder, name in enumerate(PERSONS):
            link = desk.invite(ZOE, self.auction, bidder, name).result()
            self.people.append(Person(url))
            self.people[-1].enter(f"{url}/enter/{link.token}")
        desk.command(ZOE, self.auction, cmd.Start("Zoe", True)).result()
        self.open = wait_until(desk, self.auction, "open")
        self.ann = self.people[0]

    def typed(self, value="12.34"):
        book = self.desk.writer.state(self.auction).books[0]
        return {f"value.{q.query.id}": value for q in book.open}

    def let_end(self):
        """The deadline goes by, and the next round opens or none does."""
        self.clock.turn(minutes=21)
        self.desk.watch.tick()
        limit = self.open.round
        for _ in range(2000):
            state = self.desk.writer.state(self.auction)
            if state.phase == "stopped" or (state.phase == "open" and state.round > limit):
                return state
            time.sleep(0.01)
        raise AssertionError(state.phase)

    def path(self, page):
        return f"/a/{self.auction}/{page}"


@pytest.fixture
def house(tmp_path):
    with serving(open_desk(tmp_path, clock=HandClock(), is_ticking=False)) as (desk, url, _):
        yield desk, url


@pytest.mark.parametrize("do", ["check", "draft"])
def test_late_answers_are_kept_and_nothing_counted(house, do):
    """Tests the click that comes after the round: why, what was typed, what can be done with it."""
    late = Late(*house, push_bids=2, num_total=6)
    typed = late.typed()
    late.let_end()
    answer = late.ann.post(late.path("me"), {**typed, "do": do})
    assert (answer.status_code, answer.headers["location"]) == (303, late.path("late"))
    page = late.ann.get(late.path("late")).text
    assert "Round 1 is over." in page
    assert "nothing of it counted" in page
    assert page.count("12.34 EUR") == len(typed)
    assert "leave you 2 of that kind" in page
    assert not late.desk.writer.state(late.auction).books[0].reports
    # Wherever the person goes next, it is said.
    for name in ("me", "check"):
        assert "came after the end of its round" in late.ann.get(late.path(name)).text
    assert "Nothing to send" not in late.ann.get(late.path("check")).text


def test_late_values_can_be_offered_unasked(house):
    """Tests that they go to the check as own bids, as many as are left, and are done with then."""
    late = Late(*house, push_bids=1, num_total=6)
    typed = late.typed()
    late.let_end()
    late.ann.post(late.path("me"), {**typed, "do": "check"})
    offered = late.ann.post(late.path("late"), {"do": "offer"})
    assert offered.headers["location"] == late.path("check")
    check = late.ann.get(late.path("check")).text
    fields = dict(re.findall(r'name="(content|basis)" value="([^"]*)"', check))
    assert "12.34" in check
    sent = late.ann.post(
        late.path("check"),
        {"content": fields["content"].replace("&#34;", '"'), "basis": fields["basis"],
         "tick": re.findall(r'name="tick" value="([^"]*)"', check), "do": "confirm"},
    )  # fmt: skip
    assert "/receipts/" in sent.headers.get("location", ""), sent.text
    reports = late.desk.writer.state(late.auction).books[0].reports
    assert [report.units for report in reports.values()] == [1234]
    rest = late.ann.get(late.path("late")).text
    assert rest.count("12.34 EUR") == len(typed) - 1
    assert "You can send nothing more unasked" in rest


def test_late_answers_of_the_last_round_say_that_there_is_none_left(house):
    """Tests the end of an auction: nothing can be sent, and the typed values are still there."""
    late = Late(*house, push_bids=2, num_initial=3, num_total=3)
    typed = late.typed()
    assert late.let_end().phase == "stopped"
    late.ann.post(late.path("me"), {**typed, "do": "check"})
    page = late.ann.get(late.path("late")).text
    assert "There are no more rounds" in page
    assert "12.34 EUR" in page
    late.ann.post(late.path("late"), {"do": "forget"})
    assert "12.34" not in late.ann.get(late.path("late")).text


def test_what_another_person_answered_in_time_is_not_late(house):
    """Tests that a draft is no late answer where the bidder has answered."""
    late = Late(*house, push_bids=2, num_total=6)
    typed = late.typed()
    late.ann.post(late.path("me"), {**typed, "do": "draft"})
    submit_open(late.desk, late.auction, 0)
    late.let_end()
    answer = late.ann.post(late.path("me"), {**typed, "do": "check"})
    assert answer.headers["location"] != late.path("late")
    assert "came after the end" not in late.ann.get(late.path("me")).text


def test_a_form_that_comes_after_the_end_says_so(tmp_path):
    """Tests courses: nothing is to be corrected, nothing counted, the points are still there."""
    with serving(course_play.open_desk(tmp_path)) as (desk, url, _):
        auction = course_play.opened(desk)
        ada = Person(url)
        link = desk.invite(ZOE, auction, 0, "Ada's tablet").result()
        ada.enter(f"{url}/enter/{link.token}")
        desk.clock.turn(minutes=61)
        desk.watch.tick()
        wait_until(desk, auction, "stopped")
        answer = ada.post(f"/a/{auction}/ratings", {f"points-{k}": "42" for k in range(5)})
        assert answer.status_code == 409
        assert "Round 1 is over." in answer.text
        assert "nothing of it counted" in answer.text
        assert "Please correct this" not in answer.text
        assert answer.text.count(">42<") == 5
        assert "nothing of it counted" not in ada.get(f"/a/{auction}/ratings").text
