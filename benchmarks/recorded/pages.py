"""Every page of a desk in three languages, at every stage of auctions of four kinds."""

import io
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recorded.steady import Record, be_steady, counting_draw

LANGUAGES = ("en", "de", "fr")
URL = "http://localhost"
# What each role is shown of an auction; what a kind or a stage does not have is a page, too.
EVERYBODY = ("public", "rules.json", "award.pdf", "award.xlsx")
BIDDERS = (
    "me", "sheet", "sheet/questions.csv", "sheet/questions.xlsx", "check", "answers",
    "answers/answers.csv", "answers/answers.json", "ask", "push", "rules", "result", "late", "told",
    "sessions", "letter", "deadline.ics", "ratings", "compare", "said",
)  # fmt: skip
STAFF = (
    "run", "bidders", "bidders/0", "bidders/1", "outcome", "scenarios", "letters/0", "proofs",
    "log", "rules", "inquiries", "mails", "change", "assignment.csv",
)  # fmt: skip
COMMANDS = (
    "edit", "rehearse",
    *(f"do/{name}" for name in ("start", "open", "extend", "pause", "resume", "stop", "close",
                                "publish", "cancel", "announce", "retry")),
)  # fmt: skip
CALLS = ("", "/rules", "/queries", "/receipts", "/result", "/progress")
STEPS = ("goods", "bidders", "rules", "people", "check")


@dataclass
class House:
    """
    A desk with its pages, and the people who look at them.

    Parameters
    ----------
    desk
        The desk, in this process; its clock is turned by hand.
    sessions
        Secrets of sessions: an auctioneer's under "boss", others under their auction and place.
    """

    desk: Any
    sessions: dict[object, str]

    @classmethod
    def open(cls, folder: Path, name: str, **options: object) -> "House":
        from hand_clock import HandClock
        from live_play import MECHANISMS

        from boca.live.desk import Desk

        be_steady()
        options = {"mechanisms": MECHANISMS, **options}
        clock, draw = HandClock(), counting_draw(name)
        desk = Desk(folder, clock=clock, draw=draw, is_ticking=False, **options)
        turn = clock.turn

        def settled_turn(**parts: float) -> None:
            """What is still to be written was written before."""
            desk.writer.do(lambda connection: None).result()
            turn(**parts)

        clock.turn = settled_turn  # type: ignore[method-assign]
        house = cls(desk, {})
        token = desk.people.first_link().result().token
        house.sessions["boss"] = desk.people.enter(token).result().token
        house._keep_sessions()
        return house

    def _keep_sessions(self) -> None:
        """Whoever enters, or is invited and has not entered, is somebody whom pages are shown."""
        enter, invite = self.desk.people.enter, self.desk.invite

        def entering(token: str) -> Any:
            future = enter(token)
            entered = future.result()
            if entered.who.auction is not None:
                self.sessions.setdefault((entered.who.auction, entered.who.bidder), entered.token)
            return future

        def inviting(who: Any, auction: str, bidder: int | None, person: str) -> Any:
            future = invite(who, auction, bidder, person)
            self.links.setdefault((auction, bidder), future.result().token)
            return future

        self.links: dict[object, str] = {}
        self.desk.people.enter, self.desk.invite = entering, inviting

    @property
    def boss(self) -> Any:
        return self.desk.people.who(self.sessions["boss"])

    def enter_all(self) -> None:
        """Everybody uses the first link it got, unless it has entered by another one."""
        for place, token in self.links.items():
            if place not in self.sessions:
                self.desk.people.enter(token)

    def shown(self, stage: str, auction: str) -> Iterator[Record]:
        """All pages of an auction, as its stage is now; an auctioneer's session ends in an hour."""
        link = self.desk.people.first_link().result()
        self.sessions["boss"] = self.desk.people.enter(link.token).result().token
        at_rest(self.desk)
        yield from fetched(self._shown, stage, auction)
        at_rest(self.desk)

    async def _shown(self, client: Any, stage: str, auction: str) -> list[Record]:
        here, records = f"/a/{auction}", []
        visitors: list[tuple[str, str, tuple[str, ...]]] = [("public", "", EVERYBODY)]
        for (role, place), pages in (
            (("bidder", (auction, 0)), (*BIDDERS, *EVERYBODY[2:])),
            (("bidder 2", (auction, 1)), ("me", "result", "answers", "letter", "compare", "said")),
            (("auditor", (auction, None)), (*STAFF, "told")),
            (("boss", "boss"), (*STAFF, *COMMANDS)),
        ):
            if place in self.sessions:
                visitors.append((role, self.sessions[place], pages))
        for role, session, pages in visitors:
            # That somebody was seen now is written behind its back, and shown once it is.
            await client.get("/", headers=cookies(session, "en"))
            self.desk.writer.do(lambda connection: None).result()
            for language in LANGUAGES:
                for page in pages:
                    if page.partition(".")[2] and language == "fr":
                        continue
                    answer = await client.get(f"{here}/{page}", headers=cookies(session, language))
                    records.append((f"{stage}/{role}/{page}.{language}", told(answer)))
                if role.startswith("bidder"):
                    wrong = await self._wrong(client, here, session, language)
                    records += [(f"{stage}/{role}/{n}.{language}", t) for n, t in wrong]
        return records

    async def _wrong(self, client: Any, here: str, session: str, language: str) -> list[Record]:
        """What forms say to amounts that cannot be read."""
        from boca.live.web.security import form_token

        headers = cookies(session, language)
        page = (await client.get(f"{here}/me", headers=headers)).text
        fields = re.findall(r'name="((?:value|copies)\.[^"]+)"', page)
        records = []
        for typed in ("a lot", "-3", "99999999"):
            form = {"csrf": form_token(session), "do": "check", **dict.fromkeys(fields, typed)}
            answer = await client.post(f"{here}/me", data=form, headers=headers)
            records.append((f"me?{typed}", told(answer)))
        form = {"csrf": form_token(session), "good-0": "9", "amount": "x", "points.0": "999"}
        for place in ("push", "ratings"):
            answer = await client.post(f"{here}/{place}", data=form, headers=headers)
            records.append((f"{place}?", told(answer)))
        return records


def at_rest(desk: Any) -> None:
    """Waits for what pages or answers have begun behind their back: proofs, prices, notes."""
    worker = desk.worker
    rooms = (worker._previews, worker._verifications, worker._comparisons, worker._prices)
    end = time.monotonic() + 600
    while any(room._thread is not None for room in rooms):
        if time.monotonic() > end:
            raise SystemExit("Work behind the pages does not end.")
        time.sleep(0.01)
    desk.writer.do(lambda connection: None).result()


def cookies(session: str, language: str) -> dict[str, str]:
    own = f"__Host-boca={session}; " if session else ""
    return {"Cookie": f"{own}__Host-boca-language={language}", "Origin": URL}


def told(answer: Any) -> str:
    """An answer as text: its status, where it leads, and what people can read of it."""
    kind = answer.headers.get("content-type", "")
    head = f"{answer.status_code} {kind} {answer.headers.get('location', '')}\n"
    if "pdf" in kind:
        from pypdf import PdfReader

        pages = PdfReader(io.BytesIO(answer.content)).pages
        return head + "\n".join(page.extract_text() for page in pages)
    if "spreadsheet" in kind:
        from openpyxl import load_workbook

        sheets = load_workbook(io.BytesIO(answer.content))
        return head + "\n".join(f"{sheet.title}: {row}" for sheet in sheets for row in sheet.values)
    # A line per tag, so that a difference is a line.
    return head + re.sub(r"(?<=>)(?=<(?!/))", "\n", answer.text)


def fetched(look: Any, stage: str, auction: str) -> list[Record]:
    """What somebody sees through the application, without a socket."""
    import httpx
    from run_apart import run_apart

    from boca.live.web.app import build
    from boca.live.web.limits import Limits, Rate

    much = Rate(1e9, 1e9)
    limits = Limits(much, much, much, much, much, much, uploads=much)

    async def apart() -> list[Record]:
        app = build(look.__self__.desk, URL, limits, has_mail=True)
        try:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
                records: list[Record] = await look(client, stage, auction)
                return records
        finally:
            app.state.site.rehearsals.close()

    made: list[Record] = run_apart(apart())
    return made


def records(root: Path) -> Iterator[Record]:
    """Pages of sales, purchases, exchanges and courses, and of setting one up."""
    for play in (sale, priced, purchase, exchange, courses, setting_up):
        with tempfile.TemporaryDirectory() as folder:
            yield from play(Path(folder) / "data")


def sale(folder: Path) -> Iterator[Record]:
    """The golden auction, round by round, with core payments."""
    from golden_auction import GoldenAuction
    from whole_auction import wait_until

    house = House.open(folder, "sale")
    golden = GoldenAuction(house.desk, house.desk.clock, "core")
    try:
        golden.draft()
        wait_until(house.desk, golden.auction, "open")
        house.enter_all()
        yield from house.shown("sale/first round", golden.auction)
        for stage, step in (("second round", golden.first_round),
                            ("last call", golden.second_round)):  # fmt: skip
            step()
            wait_until(house.desk, golden.auction, "open")
            yield from house.shown(f"sale/{stage}", golden.auction)
        golden.last_call()
        golden.end()
        yield from house.shown("sale/published", golden.auction)
    finally:
        house.desk.close()


def priced(folder: Path) -> Iterator[Record]:
    """A first round that asks for bundles at prices, with points and spending caps."""
    from live_server import market_text
    from whole_auction import wait_until

    from boca.live.auction import commands as cmd

    text = market_text(
        2,
        mechanism='"ml-cca"',
        num_initial="1",
        start_prices='{ hall = "5.00", kitchen = "2.00", chairs = "1.00" }',
        points="{ hall = 3, kitchen = 2, chairs = 1 }",
        spending_caps='{ "Club A" = "20.00", "Club B" = "99.00" }',
    )
    house = House.open(folder, "priced")
    try:
        auction = begun(house, text)
        yield from house.shown("priced/draft", auction)
        house.desk.command(house.boss, auction, cmd.Start("Zoe", True)).result()
        wait_until(house.desk, auction, "open")
        yield from house.shown("priced/open", auction)
    finally:
        house.desk.close()


def begun(house: House, text: str) -> str:
    """A draft to which everybody is invited, an auditor too."""
    desk = house.desk
    auction: str = desk.create(house.boss, text).result().auction
    state = desk.writer.state(auction)
    for bidder in range(len(state.setup[1].bidders)):
        desk.invite(house.boss, auction, bidder, f"person {bidder}")
    desk.invite(house.boss, auction, None, "the notary")
    house.enter_all()
    return auction


def purchase(folder: Path) -> Iterator[Record]:
    from other_markets import FREIGHT, cost_of

    yield from traded(folder, "purchase", FREIGHT, "core", cost_of)


def exchange(folder: Path) -> Iterator[Record]:
    from other_markets import FISHING, worth_of

    yield from traded(folder, "exchange", FISHING, "threshold", worth_of)


def traded(folder: Path, name: str, market: str, rule: str, truth: Any) -> Iterator[Record]:
    """A purchase or an exchange, from the draft to publication."""
    from other_markets import AUCTION
    from whole_auction import wait_until

    from boca.live.auction import commands as cmd
    from boca.live.auction.submission import Submission, ValueAnswer

    house = House.open(folder, name)
    desk = house.desk
    text = market + AUCTION.replace("PAYMENT", rule).replace(
        "close_early = true", "close_early = true\nround_minutes = [60, 60]"
    )
    try:
        auction = begun(house, text)
        yield from house.shown(f"{name}/draft", auction)
        desk.command(house.boss, auction, cmd.Start("Zoe", True)).result()
        number = 0
        while wait_until(desk, auction, "open", "stopped").phase == "open":
            yield from house.shown(f"{name}/round {number}", auction)
            state = desk.writer.state(auction)
            for i in range(len(state.books)):
                who = desk.people.who(house.sessions[auction, i])
                asked = [book.query for book in state.books[i].open]
                answers = tuple(ValueAnswer(q.id, str(truth(i, q.bundle))) for q in asked)
                sent = Submission(answers)
                ticks = tuple(w.id for w in desk.check(who, sent).warnings)
                key = f"{number} {i}"
                desk.submit(who, replace(sent, confirmed=ticks), key).result()
            number += 1
            desk.writer.do(lambda connection: None).result()
        yield from house.shown(f"{name}/stopped", auction)
        desk.command(house.boss, auction, cmd.Close()).result()
        wait_until(desk, auction, "decided")
        yield from house.shown(f"{name}/decided", auction)
        desk.command(house.boss, auction, cmd.Publish()).result()
        yield from house.shown(f"{name}/published", auction)
    finally:
        desk.close()


def courses(folder: Path) -> Iterator[Record]:
    """An allocation of courses, in which everything happens that can."""
    from course_play import NAMES, ZOE, opened, rate_all
    from golden_courses import GoldenCourses

    house = House.open(folder, "courses", mechanisms={})
    try:
        golden = GoldenCourses(house.desk, house.desk.clock)
        golden.auction = opened(house.desk, num_questions=5)
        house.desk.invite(ZOE, golden.auction, None, "the notary")
        house.enter_all()
        assert len(house.sessions) == len(NAMES) + 2
        yield from house.shown("courses/open", golden.auction)
        rate_all(house.desk, golden.auction)
        golden.prices()
        golden.answers()
        yield from house.shown("courses/answered", golden.auction)
        golden.end()
        yield from house.shown("courses/published", golden.auction)
    finally:
        house.desk.close()


def setting_up(folder: Path) -> Iterator[Record]:
    """Pages before there is an auction: drafts of every kind, and what is wrong with them."""
    house = House.open(folder, "setting up")
    try:
        yield from fetched(_Setting(house.desk, house.sessions["boss"]).up, "new", "")
    finally:
        house.desk.close()


@dataclass
class _Setting:
    desk: Any
    session: str

    async def up(self, client: Any, stage: str, auction: str) -> list[Record]:
        from boca.live.web.security import form_token

        records = []
        csrf = {"csrf": form_token(self.session)}
        for language in LANGUAGES:
            headers = cookies(self.session, language)
            await client.get("/", headers=headers)
            at_rest(self.desk)
            for page in ("", "new", "new/courses", "sessions", "nowhere"):
                answer = await client.get(f"/{page}", headers=headers)
                records.append((f"{stage}/{page}.{language}", told(answer)))
            answer = await client.get("/", headers=cookies("", language))
            records.append((f"{stage}/stranger.{language}", told(answer)))
            for pattern in ("sell", "buy", "exchange", "spectrum", "lots", "seats"):
                form = {**csrf, "pattern": pattern}
                answer = await client.post("/new/form", data=form, headers=headers)
                place = answer.headers["location"].rpartition("/")[0]
                for step in STEPS:
                    for query in ("", "?wrong=1") if step != "check" else ("",):
                        answer = await client.get(f"{place}/{step}{query}", headers=headers)
                        records.append(
                            (f"{stage}/{pattern}/{step}{query}.{language}", told(answer))
                        )
            for number, text in enumerate(WRONG):
                answer = await client.post("/new", data={**csrf, "text": text}, headers=headers)
                records.append((f"{stage}/wrong {number}.{language}", told(answer)))
        return records


GOOD = '[[goods]]\nname = "hall"\n[[bidders]]\nname = "Ann"\n'
WRONG = (
    "", "name = 1", "[[goods]]\nname = 3", GOOD + "[auction]\nmechanism = 'bocca'",
    GOOD + "[auction]\nnum_total = 0", GOOD + "[auction]\npayment_rule = 'offered'",
    GOOD.replace("goods", "lots").replace("bidders", "suppliers") + "[auction]\nreserve = 3",
    GOOD.replace("bidders", "participants") + "[auction]\npayment_rule = 'core'",
    GOOD + "at_most = -1", GOOD + 'forbidden = ["hal"]', GOOD + "[auction]\nround_minutes = [0]",
)  # fmt: skip
