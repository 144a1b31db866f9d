"""A whole auction through the desk, which goes on from wherever the log ends."""

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from live_play import BUNDLES, MECHANISMS, market_text

from boca.live.auction import commands as cmd
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import LiveState
from boca.live.auction.submission import DemandAnswer, Submission, ValueAnswer
from boca.live.desk import Desk
from boca.live.people import Who
from boca.live.work.jobs import Worker

SMALL_ENGINE = (sys.executable, "-S", "-E", str(Path(__file__).with_name("small_engine.py")))
ZOE = Who("zoe", "session", "auctioneer", None, None, "Zoe", "", None)
PERSONS = ("ann", "ben")
NO_DELAYS = (0.0, 0.0, 0.0)
SECONDS = 120.0


def counting_draw(name: str = "") -> Callable[[int], bytes]:
    """Bytes that look random and come in the same order every time."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.shake_128(f"{name} {count}".encode()).digest(size)

    return draw


def open_desk(
    data: Path,
    url: str | None = None,
    program: tuple[str, ...] | None = SMALL_ENGINE,
    **options: object,
) -> Desk:
    """A desk whose engine starts in a moment; None for the real one."""
    keys = {"delays": NO_DELAYS, **({"program": program} if program else {})}
    options = {"mechanisms": MECHANISMS if program else None, **options}
    return Desk(data, url, make_worker=partial(Worker, **keys), **options)


def value_of(bidder: int, bundle: tuple[int, ...]) -> int:
    """What a bundle is worth, in whole euros; more is never worth less."""
    weights = ((7, 3, 2), (5, 4, 3))[bidder]
    both = 4 * (bundle[0] and bundle[1] and bidder == 0)
    return sum(n * w for n, w in zip(bundle, weights, strict=True)) + both


def wanted_at(bidder: int, prices: tuple[int, ...]) -> dict[str, int]:
    """What leaves a bidder most at prices in cents."""

    def left(bundle: tuple[int, ...]) -> int:
        cost = sum(n * price for n, price in zip(bundle, prices, strict=True))
        return 100 * value_of(bidder, bundle) - cost

    best = max(((0, 0, 0), *BUNDLES), key=left)
    return dict(zip(("hall", "kitchen", "chairs"), best, strict=True))


def wait_until(desk: Desk, auction: str, *phases: str) -> LiveState:
    """Waits until the auction is in one of the phases."""
    limit = time.monotonic() + SECONDS
    while time.monotonic() < limit:
        state = desk.writer.state(auction)
        assert state is not None
        if state.phase in phases:
            return state
        if desk.writer.failure:
            raise AssertionError(desk.writer.failure)
        time.sleep(0.005)
    raise AssertionError(f"still {state.phase} after {SECONDS} s: {state.failures}")


def bidder_of(auction: str, bidder: int) -> Who:
    return Who(f"s{bidder}", "session", "bidder", auction, bidder, PERSONS[bidder], "", None)


def submit_open(desk: Desk, auction: str, bidder: int) -> None:
    """Answers everything that is open, with a key that belongs to the round."""
    who = bidder_of(auction, bidder)
    view = desk.bidder(who)
    questions = [q for q in view.questions if q.status == "open"]
    if not questions:
        return
    submission = Submission(
        tuple(
            ValueAnswer(q.id, str(value_of(bidder, q.bundle)))
            for q in questions
            if q.prices is None
        ),
        demands=tuple(
            DemandAnswer(q.id, wanted_at(bidder, q.prices))
            for q in questions
            if q.prices is not None
        ),
    )
    ticks = tuple(w.id for w in desk.check(who, submission).warnings)
    key = f"round-{view.heading.round}-bidder-{bidder}"
    desk.submit(who, replace(submission, confirmed=ticks), key).result()


def drive(desk: Desk, **keys: object) -> LiveState:
    """
    Creates, invites, answers, closes and publishes, skipping what the log shows as done.

    Every command carries a key, so that one whose answer was lost can simply be sent again.
    """
    text = market_text(close_early=True, round_minutes=[600, 600], **keys)
    auction = desk.create(ZOE, text, "create-the-auction").result().auction
    state = desk.writer.state(auction)
    assert state is not None
    if state.phase == "draft":
        for bidder, person in enumerate(PERSONS):
            if bidder not in {p.bidder for p in state.persons}:
                desk.invite(ZOE, auction, bidder, person).result()
        desk.command(ZOE, auction, cmd.Start("Zoe", True), "start-the-auction").result()
    while True:
        state = wait_until(desk, auction, "open", "paused", "stuck", "stopped", "deciding",
                           "decided", "published")  # fmt: skip
        match state.phase:
            case "open":
                for bidder in range(len(PERSONS)):
                    try:
                        submit_open(desk, auction, bidder)
                    except Refusal as refusal:
                        # The other one's answer may have ended the round meanwhile.
                        if refusal.cause != "wrong-phase":
                            raise
            case "paused":
                desk.command(ZOE, auction, cmd.Resume()).result()
            case "stuck":
                desk.command(ZOE, auction, cmd.Retry()).result()
            case "stopped":
                desk.command(ZOE, auction, cmd.Close(), "close-the-auction").result()
            case "deciding":
                wait_until(desk, auction, "decided")
            case "decided":
                desk.command(ZOE, auction, cmd.Publish(), "publish-the-outcome").result()
            case _:
                return state


def essence(state: LiveState) -> dict[str, object]:
    """What must not depend on crashes: who said what, who gets what and pays what."""
    assert state.outcome is not None
    return {
        "reports": [
            sorted((list(b), report.units) for b, report in book.reports.items())
            for book in state.books
        ],
        "demands": [
            sorted((query, list(demand.bundle)) for query, demand in book.demands.items())
            for book in state.books
        ],
        "asked": [sorted(book.queries) for book in state.books],
        "allocation": [list(bundle) for bundle in state.outcome.allocation],
        "payments": list(state.outcome.payments),
        "submissions": [len(book.submissions) for book in state.books],
    }
