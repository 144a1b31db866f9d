"""
A small allocation of courses with everything that can happen to one, played through the desk.

    PYTHONPATH=src:tests/support python tests/support/golden_courses.py

plays it with the real engine and writes the full log to ``tests/data/live``, the golden log of what
the verifier says of courses. Random bytes and time are fixed, so that a log made anew differs only
in how long the engine took and where it was installed.
"""

import tempfile
import time
from pathlib import Path

from course_play import (
    COURSES,
    FORMS,
    ZOE,
    auditor,
    opened,
    rate_all,
    same_draws,
    seat_market,
    student,
    wait_until,
)
from golden_auction import FOLDER
from hand_clock import HandClock

from boca.live.auction import commands as cmd
from boca.live.desk import Desk
from boca.live.ledger import SigningKey

PATH = FOLDER / "golden-courses.jsonl"


def signing_key() -> SigningKey:
    """The key that signed the golden log; its seed is the first that was drawn."""
    return SigningKey.from_seed(same_draws()(32))


class GoldenCourses:
    """
    The allocation, step by step.

    Parameters
    ----------
    desk, clock
        The server, and its time.
    """

    def __init__(self, desk: Desk, clock: HandClock):
        self.desk, self.clock = desk, clock
        self.auction = ""

    def play(self) -> None:
        """From the first draft to the second publication."""
        self.auction = opened(self.desk, num_questions=5)
        rate_all(self.desk, self.auction)
        self.prices()
        self.interrupt()
        self.answers()
        self.end()
        more = seat_market(courses=COURSES.replace("Music,1", "Music,2"))
        self.desk.change_courses(ZOE, self.auction, more, "A larger room.", 30).result()
        self.desk.rate(student(self.auction, 1), *FORMS[1], "again-000").result()
        self.end()

    def prices(self) -> None:
        """Two forms that are sent again are enough new ones for prices for questions."""
        for number in (0, 1):
            who = student(self.auction, number)
            self.desk.rate(who, *FORMS[number], f"more-{number}").result()
        end = time.monotonic() + 60
        while self.desk.state_of(self.auction).courses.priced is None:
            if time.monotonic() > end:
                raise AssertionError("no prices were made")
            time.sleep(0.02)

    def interrupt(self) -> None:
        """An announcement, a pause, more time, and a link that is revoked."""
        self.command(cmd.Announce("Logic is in the large hall."))
        self.clock.turn(minutes=5)
        self.command(cmd.Pause("a fire drill"))
        self.clock.turn(minutes=30)
        self.command(cmd.Resume("back again"))
        self.command(cmd.Extend(5, "everybody is out of breath"))
        lost = self.desk.invite(ZOE, self.auction, 0, "Ada's aunt").result()
        self.desk.revoke(ZOE, self.auction, lost.access, "the wrong address").result()

    def answers(self) -> None:
        """Two students compare schedules, and one takes an answer back."""
        for number in (0, 2):
            for turn, answer in enumerate(("first", "second", "same")):
                who = student(self.auction, number)
                question = self.desk.question(who).result()
                if question.first is None:
                    break
                weeks = question.first, question.second
                name = f"answer-{number}-{turn}"
                self.desk.compare(who, *weeks, answer, name).result()
        self.desk.compare(student(self.auction, 2), *weeks, "withdrawn", "no-answer").result()

    def end(self) -> None:
        """Stopped, decided, published."""
        self.command(cmd.Stop("Everybody has answered."))
        self.command(cmd.Close())
        wait_until(self.desk, self.auction, "decided")
        self.command(cmd.Publish())

    def command(self, command: cmd.Command) -> None:
        self.desk.command(ZOE, self.auction, command).result()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = HandClock()
        desk = Desk(Path(folder), clock=clock, draw=same_draws(), is_ticking=False, mechanisms={})
        try:
            golden = GoldenCourses(desk, clock)
            golden.play()
            log = desk.log(auditor(golden.auction), golden.auction)
            PATH.write_text("".join(log))
        finally:
            desk.close()
    print(f"Written to {PATH}.")


if __name__ == "__main__":
    main()
