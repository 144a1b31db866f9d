"""Two worlds that differ in one bidder only: nobody else can tell them apart."""

import hashlib
import itertools
import random
import re
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from hand_clock import HandClock
from live_play import MECHANISMS
from live_server import market_text
from run_apart import run_apart

from boca.live.auction import commands
from boca.live.auction.audience import PUBLIC
from boca.live.auction.submission import DemandAnswer, Submission, ValueAnswer
from boca.live.desk import Desk
from boca.live.people import Who
from boca.live.web.app import build
from boca.live.web.security import form_token

NUM_PAIRS = 5
URL = "http://localhost"
PAGES = (
    "me", "sheet", "sheet/questions.csv", "check", "answers", "push", "rules", "result", "sessions",
    "public", "nowhere",
)  # fmt: skip
CALLS = ("", "/rules", "/queries", "/receipts", "/result", "/log", "/progress")
# Hashes and signatures are opaque; they differ with the salt of every record.
OPAQUE = re.compile(r"[0-9a-f]{64,128}|[0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4}|[0-9a-f]{32}")


def steady_draw(name: str):
    """Random bytes that are the same in every world."""
    counter = itertools.count()

    def draw(size: int) -> bytes:
        block = hashlib.shake_256(f"{name} {next(counter)}".encode())
        return block.digest(size)

    return draw


@dataclass
class World:
    """
    A server without a socket, whose clock stands still.

    Parameters
    ----------
    desk
        Its desk.
    clock
        Its clock.
    auction
        An auction with two bidders whose first round is open.
    session, token
        Of the first bidder, who looks at everything.
    other
        The second bidder.
    """

    desk: Desk
    clock: HandClock
    auction: str
    session: str
    token: str
    other: Who
    told: list

    @classmethod
    def reopen(cls, prepared: "Prepared", folder: Path) -> "World":
        """One more copy of the prepared auction."""
        shutil.copytree(prepared.folder, folder / "data")
        clock = HandClock()
        desk = Desk(
            folder / "data",
            clock=clock,
            draw=steady_draw("play"),
            is_ticking=False,
            mechanisms=MECHANISMS,
        )
        ann, ben = (desk.people.who(token) for token in prepared.sessions)
        told: list = []
        desk.listen(prepared.auction, ann.viewer, lambda what: told.append(("Ann", what)))
        desk.listen(prepared.auction, PUBLIC, lambda what: told.append(("public", what)))
        return cls(desk, clock, prepared.auction, prepared.sessions[0], prepared.token, ben, told)

    def seen(self) -> list:
        """All bytes that the first bidder and the public get."""
        return run_apart(self._seen())

    async def _seen(self) -> list:
        transport = httpx.ASGITransport(app=build(self.desk, URL))
        answers = []
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            cookie = {"Cookie": f"__Host-boca={self.session}", "Origin": URL}
            # That the bidder was seen now is written behind its back, and shown once it is.
            await client.get(f"/a/{self.auction}/me", headers=cookie)
            self.desk.writer.do(lambda connection: None).result()
            for page, headers in itertools.product(PAGES, (cookie, {})):
                path = f"/a/{self.auction}/{page}"
                answers.append(await client.get(path, headers=headers))
            bearer = {"Authorization": f"Bearer {self.token}"}
            for call, headers in itertools.product(CALLS, (bearer, {})):
                path = f"/api/v1/auctions/{self.auction}{call}"
                answers.append(await client.get(path, headers=headers))
            for field in ("value.r0-b1-q1", "copies.r0-b1-q1.0"):
                form = {"csrf": form_token(self.session), field: "x", "do": "check"}
                path = f"/a/{self.auction}/me"
                answers.append(await client.post(path, data=form, headers=cookie))
        return [(a.status_code, sorted(a.headers.items()), opaque(a.text)) for a in answers]

    def other_acts(self, way: str, generator: random.Random) -> None:
        """The second bidder does something, or nothing."""
        questions = [q for q in self.desk.bidder(self.other).questions if q.status == "open"]
        if way == "late":
            return
        for attempt in range(2 if way == "twice" else 1):
            rows = questions[attempt::2] if way == "twice" else questions
            ids = tuple(question.id for question in rows)
            if way == "declines":
                submission = Submission(declines=ids)
            elif questions[0].prices is not None:
                wanted = {"hall": generator.randint(0, 1), "chairs": generator.randint(0, 3)}
                submission = Submission(demands=(DemandAnswer(questions[0].id, wanted),))
            else:
                values = [f"{generator.randint(1, 900)}.00" for _ in ids]
                submission = Submission(tuple(map(ValueAnswer, ids, values)))
            ticks = tuple(w.id for w in self.desk.check(self.other, submission, "api").warnings)
            submission = replace(submission, confirmed=ticks)
            request = f"request-{attempt}"
            self.desk.submit(self.other, submission, request, channel="api").result()


def opaque(text: str) -> str:
    """A text in which hashes look alike."""
    return OPAQUE.sub(lambda found: "#" * len(found[0]), text)


@dataclass(frozen=True)
class Prepared:
    """
    An auction whose first round is open, at rest.

    Parameters
    ----------
    folder
        Its data.
    auction, sessions, token
        Its id, the sessions of both bidders, a token of the first one.
    """

    folder: Path
    auction: str
    sessions: tuple[str, ...]
    token: str


START = '{ hall = "5.00", kitchen = "2.00", chairs = "1.00" }'
# Questions about values, and about what is wanted at prices.
KINDS = {
    "values": {},
    "prices": {"mechanism": '"ml-cca"', "num_initial": "1", "start_prices": START},
    "points and caps": {
        "mechanism": '"ml-cca"',
        "num_initial": "1",
        "start_prices": START,
        "points": "{ hall = 3, kitchen = 2, chairs = 1 }",
        "spending_caps": '{ "Club A" = "20.00", "Club B" = "99.00" }',
    },
}


@pytest.fixture(scope="module", params=KINDS)
def prepared(request, tmp_path_factory) -> Prepared:
    """Both bidders have joined and are asked the same in all worlds."""
    folder = tmp_path_factory.mktemp("world") / "data"
    desk = Desk(
        folder,
        clock=HandClock(),
        draw=steady_draw("prepare"),
        is_ticking=False,
        mechanisms=MECHANISMS,
    )
    try:
        people = desk.people
        boss = people.enter(people.first_link().result().token).result().who
        text = market_text(2, close_early="false", listed="true", **KINDS[request.param])
        auction = desk.create(boss, text).result().auction
        entered = [
            people.enter(desk.invite(boss, auction, i, name).result().token).result()
            for i, name in enumerate(("Ann", "Ben"))
        ]
        token = people.api_token(entered[0].who).result().token
        desk.command(boss, auction, commands.Start("boss", True)).result()
        deadline = time.monotonic() + 300
        while desk.bidder(entered[0].who).heading.phase != "open":
            assert time.monotonic() < deadline, "planning takes too long"
            time.sleep(0.05)
    finally:
        desk.close()
    return Prepared(folder, auction, tuple(e.token for e in entered), token)


@pytest.fixture(scope="module")
def reference(prepared, tmp_path_factory):
    """What is seen in a world where the other bidder answers in some way."""
    return play(prepared, tmp_path_factory.mktemp("reference"), "answers", seed=0)


def play(prepared: Prepared, folder: Path, way: str, seed: int) -> list:
    """Everything that is seen before, during and after the other bidder's turn."""
    world = World.reopen(prepared, folder)
    try:
        before = world.seen()
        world.other_acts(way, random.Random(seed))
        during = world.seen()
        # The round ends; the next one is not planned, so that nothing new is asked.
        world.desk.worker.close()
        world.desk.worker = None
        world.clock.turn(hours=2)
        world.desk.watch.tick()
        deadline = time.monotonic() + 20
        while world.desk.bidder(world.other).heading.phase == "open":
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return [before, during, world.seen(), list(world.told)]
    finally:
        world.desk.close()


PAIRS = [("answers", 1), ("answers", 2), ("declines", 3), ("twice", 4), ("late", 5)]


@pytest.mark.parametrize(("way", "seed"), PAIRS[:NUM_PAIRS])
def test_nobody_can_tell_what_another_bidder_did(prepared, reference, tmp_path, way, seed):
    """
    Tests pages, calls, headers and the number of messages of the stream: not a byte differs until
    the next round opens, whatever the other bidder said, and whether it said anything.
    """
    for expected, found in zip(reference, play(prepared, tmp_path, way, seed), strict=True):
        assert found == expected


def test_comparison_would_notice_a_difference(prepared, reference, tmp_path):
    """Tests the test: what a bidder does itself is seen."""
    world = World.reopen(prepared, tmp_path)
    try:
        world.other = world.desk.people.who(world.session)
        world.other_acts("answers", random.Random(1))
        assert world.seen() != reference[1]
    finally:
        world.desk.close()
