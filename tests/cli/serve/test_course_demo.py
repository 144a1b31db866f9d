"""The demo of courses: a term with simulated students, and two links."""

from hand_clock import HandClock

from boca.cli.serve.demo import set_up_courses
from boca.live.desk import Desk


def test_demo_of_courses_waits_for_its_person(tmp_path):
    """Tests that everybody but Dora has rated courses, and that both links let somebody in."""
    desk = Desk(tmp_path, clock=HandClock(), is_ticking=False, mechanisms={})
    told = set_up_courses(desk, "http://localhost:8080")
    (auction,) = desk.writer.ids
    state = desk.state_of(auction)
    assert state.is_rehearsal
    forms = [state.student(i).form is not None for i in range(len(state.books))]
    assert forms == [False, *[True] * 9]
    links = [line.rpartition("/enter/")[2] for line in told if "/enter/" in line]
    whos = [desk.people.enter(link).result().who for link in links]
    assert [who.role for who in whos] == ["bidder", "auctioneer"]
    assert desk.student(whos[0]).name == "Dora"
    desk.close()
