"""A small allocation of courses at a desk: three students, five courses, scarce seats."""

import hashlib
import itertools
import time

from hand_clock import HandClock

from boca.live.auction import commands as cmd
from boca.live.auction.courses import CourseRules, course_setup
from boca.live.auction.events import RatedPair
from boca.live.desk import Desk
from boca.live.people import Who
from boca.markets.courses import read_course_files

COURSES = """course,seats,credits,slots,section
Algebra,2,6,Mon 10-12,
Logic,1,6,Mon 11-13,
Ethics,1,6,Tue 10-12,
Art,2,3,Wed 9-10,
Music,1,3,Thu 9-10,
"""
STUDENTS = """student,max_courses,max_credits,forbidden,required
Ada,3,,,
Bob,2,,,Ethics
Cleo,2,12,Art,
"""
FORMS = (
    ({"Algebra": 50, "Ethics": 80, "Art": 20}, (RatedPair("Ethics", "Art", 15),)),
    ({"Ethics": 90, "Art": 40, "Music": 30}, ()),
    ({"Ethics": 70, "Logic": 60, "Music": 50}, (RatedPair("Logic", "Music", -20),)),
)
ZOE = Who("z", "session", "auctioneer", None, None, "Zoe", "", None)


def auditor(auction):
    """Somebody who may read everything."""
    return Who("a", "session", "auditor", auction, None, "Abe", "", None)


NAMES = ("Ada", "Bob", "Cleo")


def files(courses=COURSES, students=STUDENTS):
    """What a registrar uploads."""
    return {"courses.csv": courses.encode(), "students.csv": students.encode()}


def seat_market(courses=COURSES, students=STUDENTS):
    return course_setup(read_course_files(files(courses, students), "spring term"))


def student(auction, number):
    """Somebody who acts for a student."""
    return Who(f"s{number}", "session", "bidder", auction, number, NAMES[number], "", None)


def same_draws(seed=b"courses"):
    """Random bytes that are the same every time, so that lots are."""
    count = itertools.count()
    return lambda num: hashlib.shake_256(seed + str(next(count)).encode()).digest(num)


def open_desk(folder, **more):
    """A desk with a clock and lots of its own."""
    more = {"draw": same_draws(), **more}
    return Desk(folder, clock=HandClock(), is_ticking=False, mechanisms={}, **more)


def opened(desk, num_questions=20, market=None):
    """An allocation that takes forms; everybody is invited."""
    rules = CourseRules.of(60, num_questions)
    auction = desk.create_courses(ZOE, market or seat_market(), rules).result().auction
    for number, name in enumerate(NAMES):
        desk.invite(ZOE, auction, number, name).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    return auction


def rate_all(desk, auction, forms=FORMS):
    for number, (ratings, pairs) in enumerate(forms):
        desk.rate(student(auction, number), ratings, pairs, f"rate-{number}").result()


def wait_until(desk, auction, *phases):
    """The state once it is in one of some phases."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        state = desk.state_of(auction)
        if state.phase in phases:
            return state
        if state.failures and state.attempts >= 3:
            raise AssertionError(state.failures)
        time.sleep(0.02)
    raise AssertionError(f"still {desk.state_of(auction).phase}")


def assign(desk, auction):
    """Ends answers and has seats shared out."""
    desk.command(ZOE, auction, cmd.Stop("Everybody has answered.")).result()
    desk.command(ZOE, auction, cmd.Close()).result()
    return wait_until(desk, auction, "decided")


def published(desk, auction):
    assign(desk, auction)
    desk.command(ZOE, auction, cmd.Publish()).result()
    return desk.state_of(auction)
