"""
The queue of slow work: one child at a time, three attempts, killed when not wanted any more.

What no auction waits for has children of its own: previews, so that nobody looks at a page while
another auction plans, and verifications, which take long and give way to everything else.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.core.market import Market
from boca.live.auction.commands import Command, Fail, TakeOutcome, TakePlan, TakeSeating
from boca.live.auction.engine_results import PriceResult
from boca.live.auction.fold import MOST_ATTEMPTS
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules
from boca.live.auction.seat_market import is_courses
from boca.live.auction.state import LiveState
from boca.live.work.asker import Asker
from boca.live.work.errands import Errand, Errands
from boca.live.work.process import COURSES, PROGRAM, Child, Ended
from boca.live.work.requests import (
    check_request,
    compare_request,
    course_request,
    job_request,
    question_request,
    time_limit,
)
from boca.live.work.results import (
    Form,
    Preview,
    Rubbish,
    check_exit,
    read_comparison,
    read_forms,
    read_mechanisms,
    read_outcome,
    read_plan,
    read_preview,
    read_prices,
    read_result,
    read_seating,
    read_verdict,
)

# Seconds to wait before each attempt.
DELAYS = (0.0, 5.0, 30.0)
# How long a preview and a verification may take.
CHECK_SECONDS = 60.0
VERIFY_SECONDS = 1800.0
COMPARE_SECONDS = 900.0
PRICE_SECONDS = 900.0

Send = Callable[[str, Command], "Future[Any]"]


@dataclass
class Wanted:
    """A job that an auction waits for, and when to start it."""

    state: LiveState
    due: float

    @property
    def key(self) -> tuple[str | None, str, int]:
        """Changes whenever the running child is not wanted any more."""
        return self.state.job, self.state.plan_from, self.state.attempts


@dataclass(frozen=True)
class Work:
    """
    The slow work of one auction, for its auctioneer.

    Parameters
    ----------
    job
        ``plan`` or ``decide``.
    is_running
        Whether it is under way; it may wait for another auction or for its next attempt.
    seconds
        How long it has been under way, or how long it still waits at least.
    stages
        How far it has said that it is: ``learning``, ``solving``, and one ``economy`` for each
        that was begun.
    """

    job: str
    is_running: bool
    seconds: float
    stages: tuple[str, ...] = ()

    @property
    def stage(self) -> str:
        """What it is at; empty while nothing is known."""
        return self.stages[-1] if self.stages else ""


class Worker:
    """
    Starts children for auctions in the phases planning and deciding, and brings their results.

    Parameters
    ----------
    send
        Puts a command into the writer's queue.
    at_step
        Called with the name of each step; tests fail there.
    program
        The child's program; tests pass others.
    delays
        Seconds before each attempt.
    limit
        Seconds that a job may take; by default as long as its rules say.
    courses
        The child's program for allocations of courses.
    """

    def __init__(
        self,
        send: Send,
        at_step: Callable[[str], None],
        program: Sequence[str] = PROGRAM,
        delays: Sequence[float] = DELAYS,
        limit: Callable[[LiveState], float | None] = time_limit,
        courses: Sequence[str] = COURSES,
    ):
        self.send, self.at_step = send, at_step
        self.program, self.delays, self.limit = program, delays, limit
        self.doing = "idle"
        self._began = 0.0
        self._wanted: dict[str, Wanted] = {}
        self._previews, self._verifications = Errands(program), Errands(program)
        self._comparisons = Errands(program)
        self.courses, self._prices = courses, Errands(courses)
        self._asker = Asker((*courses, "ask"))
        self._running: tuple[str, tuple[str | None, str, int], Child] | None = None
        self._is_closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self, states: dict[str, LiveState]) -> None:
        """Begins to work, first on whatever was waiting when the server ended."""
        for auction, state in states.items():
            self.look(auction, state)
        self._thread.start()

    def look(self, auction: str, state: LiveState) -> None:
        """Notes what an auction waits for now; ends a child that it does not want any more."""
        if is_courses(state.market) and state.phase == "open":
            self._asker.warm()
        with self._changed:
            if state.job is None or state.attempts >= MOST_ATTEMPTS:
                self._wanted.pop(auction, None)
            else:
                wanted = Wanted(state, time.monotonic() + self.delays[state.attempts])
                before = self._wanted.get(auction)
                if before is None or before.key != wanted.key:
                    self._wanted[auction] = wanted
            if self._running and self._running[0] == auction:
                now = self._wanted.get(auction)
                if now is None or now.key != self._running[1]:
                    self._running[2].kill()
            self._changed.notify_all()

    def preview(self, rules: Rules, market: Market) -> "Future[Preview]":
        """What the engine thinks of new rules; an InputError if it cannot use them."""
        future: Future[Preview] = Future()
        request = check_request(rules, market)
        self._previews.send(Errand("check", request, read_preview, CHECK_SECONDS, future))
        return future

    def mechanisms(self) -> "Future[dict[str, Conduct]]":
        """What people meet in an auction by each mechanism, plug-ins included."""
        future: Future[dict[str, Conduct]] = Future()
        self._previews.send(Errand("mechanisms", {}, read_mechanisms, CHECK_SECONDS, future))
        return future

    def verify(self, lines: list[str], key: str) -> "Future[dict[str, Any]]":
        """What the stand-alone verifier says about a log, as plain values."""
        future: Future[dict[str, Any]] = Future()
        request = {"lines": lines, "key": key}
        errand = Errand("verify", request, read_verdict, VERIFY_SECONDS, future)
        self._verifications.send(errand)
        return future

    def compare(self, state: LiveState) -> "Future[dict[str, Any]]":
        """Awards of a purchase side by side, as plain values."""
        future: Future[dict[str, Any]] = Future()
        request = compare_request(state)
        errand = Errand("scenarios", request, read_comparison, COMPARE_SECONDS, future)
        self._comparisons.send(errand)
        return future

    def price(self, state: LiveState) -> "Future[PriceResult]":
        """Prices for questions of an allocation of courses; nobody waits for them."""
        future: Future[PriceResult] = Future()
        errand = Errand("price", course_request(state), read_prices, PRICE_SECONDS, future)
        self._prices.send(errand)
        return future

    def draw(self, state: LiveState) -> "Future[tuple[Form, ...]]":
        """Forms of simulated students."""
        future: Future[tuple[Form, ...]] = Future()
        self._prices.send(Errand("draw", course_request(state), read_forms, CHECK_SECONDS, future))
        return future

    def ask(self, state: LiveState, student: int, wants: bool) -> "Future[dict[str, Any]]":
        """Two schedules for a student to compare, if wanted, and what it would get now."""
        return self._asker.ask(question_request(state, student, wants))

    def work(self, auction: str) -> Work | None:
        """The slow work that an auction waits for; None if it waits for none."""
        with self._changed:
            wanted = self._wanted.get(auction)
            if wanted is None or wanted.state.job is None:
                return None
            now = time.monotonic()
            if self._running and self._running[0] == auction:
                stages = tuple(self._running[2].stages())
                return Work(wanted.state.job, True, now - self._began, stages)
            return Work(wanted.state.job, False, max(wanted.due - now, 0.0))

    def close(self) -> None:
        """Ends the running children and the threads."""
        with self._changed:
            self._is_closing = True
            if self._running:
                self._running[2].kill()
            self._changed.notify_all()
        self._previews.close()
        self._verifications.close()
        self._comparisons.close()
        self._prices.close()
        self._asker.close()
        if self._thread.is_alive():
            self._thread.join(10)

    # -- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._is_closing:
                    return
                auction, wait = self._next()
                if auction is None:
                    self._changed.wait(wait)
                    continue
            self._attempt(auction)

    def _attempt(self, auction: str) -> None:
        """One attempt; whatever goes wrong on our side counts as a failure, too."""
        wanted = self._wanted.get(auction)
        try:
            self._work(auction)
        except Exception as error:
            with self._changed:
                self._running, self.doing = None, "idle"
                if wanted is not None and self._wanted.get(auction) is wanted:
                    del self._wanted[auction]
            if wanted is not None and wanted.state.job is not None:
                self._fail(auction, wanted.state, wanted.state.job, error)

    def _next(self) -> tuple[str | None, float | None]:
        """The auction whose job is due, or how long to wait."""
        if not self._wanted:
            return None, None
        auction, wanted = min(self._wanted.items(), key=lambda item: item[1].due)
        left = wanted.due - time.monotonic()
        return (auction, None) if left <= 0 else (None, left)

    def _work(self, auction: str) -> None:
        """One attempt of one job."""
        with self._changed:
            wanted = self._wanted.get(auction)
            if wanted is None or self._is_closing:
                return
            state = wanted.state
            job = state.job
            assert job is not None
            self.at_step(f"{job} start")
            is_seats = is_courses(state.market)
            program = self.courses if is_seats else self.program
            child = Child("seat" if is_seats else job, job_request(state), program)
            self._running = (auction, wanted.key, child)
            self.doing = f"{job} {auction}"
            self._began = time.monotonic()
        try:
            ended = child.run(self.limit(state))
        finally:
            with self._changed:
                self._running, self.doing = None, "idle"
                # Whatever comes next is noted by look(), once the result is in the log.
                if self._wanted.get(auction) is wanted:
                    del self._wanted[auction]
        if ended.was_killed:
            return
        self.at_step(f"{job} end")
        self._bring(auction, state, job, ended)

    def _bring(self, auction: str, state: LiveState, job: str, ended: Ended) -> None:
        """The result as a command, or what went wrong."""
        try:
            command = _command(job, state, ended)
            self.send(auction, command).result()
        except (Rubbish, Refusal, InputError) as error:
            if isinstance(error, Refusal) and error.cause != "mistakes":
                return  # not wanted any more, or the server cannot write
            self._fail(auction, state, job, error)

    def _fail(self, auction: str, state: LiveState, job: str, error: Exception) -> None:
        """Notes a failed attempt, unless the job is not wanted any more."""
        with suppress(Refusal):
            fail = Fail(job, type(error).__name__, str(error), state.plan_from)
            self.send(auction, fail).result()


def _command(job: str, state: LiveState, ended: Ended) -> Command:
    check_exit(ended)
    if is_courses(state.market):
        return TakeSeating(read_result(ended.output, read_seating))
    if job == "plan":
        return TakePlan(state.plan_from, read_result(ended.output, read_plan))
    return TakeOutcome(read_result(ended.output, read_outcome))
