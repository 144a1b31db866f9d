"""
What pages and API call. Views are plain values; commands return futures.

A command's future ends once the change is on the disk, or with a
:class:`boca.server.live.refusal.Refusal`. In ``async`` code: ``await asyncio.wrap_future(future)``.
"""

import secrets
import string
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import boca
from boca.core.market import Market
from boca.ledger import Record, SigningKey, write_lines
from boca.server.clock import Clock, SystemClock, to_text
from boca.server.live import commands as cmd
from boca.server.live.audience import PUBLIC, Viewer, What, is_sealed, may_open, seen_by, stirs
from boca.server.live.events import Channel, Entry, RoundOpened, Submitted
from boca.server.live.refusal import Refusal
from boca.server.live.rules import Rules, read_auction
from boca.server.live.state import LiveState, Phase, Taken
from boca.server.live.submission import Checked, Submission, check
from boca.server.live.views import (
    BidderView,
    Progress,
    PublicView,
    ResultView,
    Setup,
    bidder_view,
    progress,
    public_view,
    result_view,
    setup,
)
from boca.server.people import INVITATION, Link, People, Who
from boca.server.promises import refused, then
from boca.server.store import access as access_table
from boca.server.store import drafts as draft_table
from boca.server.store import events as event_table
from boca.server.store.access import Role
from boca.server.store.database import Database
from boca.server.store.writer import Done, Writer, nothing
from boca.server.watch import LEAST_DISK_TO_GO_ON, Watch
from boca.server.work.jobs import Worker
from boca.server.work.results import Preview

LETTERS = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class AuctionRow:
    """One line of the auctioneer's list."""

    auction: str
    name: str
    phase: Phase
    is_rehearsal: bool
    num_bidders: int
    num_joined: int
    deadline: datetime | None


@dataclass(frozen=True)
class Receipt:
    """
    Proof of a submission.

    Parameters
    ----------
    content
        The signed receipt as plain values; what "save as file" gives.
    taken
        The submission, for showing it.
    is_repetition
        Whether the same request was answered before.
    """

    content: dict[str, Any]
    taken: Taken
    is_repetition: bool = False

    @property
    def hash(self) -> str:
        hash_: str = self.content["hash"]
        return hash_


@dataclass(frozen=True)
class Health:
    """Whether the server can take submissions, and how it does."""

    is_well: bool
    writer: str
    disk_free: int
    last_commit_ms: float
    child: str
    clock_jump: float


class Desk:
    """
    The server without HTTP.

    Parameters
    ----------
    data
        The data folder.
    url
        A PostgreSQL address; None for SQLite in the data folder.
    clock, draw
        Time and random bytes; tests pass their own.
    at_step
        Called with the name of each step on a command's way; tests fail there.
    is_ticking
        Whether a thread looks at deadlines; tests call ``watch.tick`` by hand.
    works
        Whether child processes are started for slow work.
    accept_clock
        Whether to start although the clock lies before the last record.
    make_worker
        Makes the worker from the writer's ``send`` and ``at_step``; tests pass other programs.
    """

    def __init__(
        self,
        data: Path,
        url: str | None = None,
        clock: Clock | None = None,
        draw: Callable[[int], bytes] = secrets.token_bytes,
        at_step: Callable[[str], None] = nothing,
        is_ticking: bool = True,
        works: bool = True,
        accept_clock: bool = False,
        make_worker: Callable[..., Worker] = Worker,
    ):
        self.clock: Clock = clock or SystemClock()
        self.draw = draw
        self.database = Database(data, url)
        try:
            self.key = SigningKey.load(self.database.data / "receipts.key", draw(32))
            self.writer = Writer(self.database, self.clock, draw, at_step, accept_clock)
        except BaseException:
            self.database.close()
            raise
        self.people = People(self.writer, self.database, self.clock, draw)
        self.watch = Watch(self.writer, self.database, self.clock)
        self.worker = make_worker(self.writer.send, at_step) if works else None
        self._listeners: dict[int, tuple[str, Viewer, Callable[[What], None]]] = {}
        self._next_listener = 0
        self._lock = threading.Lock()
        self.watch.note_clock()
        self.watch.after_outage()
        self.writer.listeners.append(self._on_entries)
        if self.worker:
            self.worker.start(self.writer.states)
        if is_ticking:
            self.watch.start()

    def close(self) -> None:
        """Empties the queue, ends the child, gives back the lock."""
        self.watch.close()
        if self.worker:
            self.worker.close()
        self.writer.close()
        self.database.close()

    # -- the auctioneer --------------------------------------------------------------------------

    def auctions(self, who: Who) -> list[AuctionRow]:
        """All auctions, latest first, for the auctioneer; a participant's own one."""
        ids = reversed(self.writer.ids) if who.role == "auctioneer" else [who.auction or ""]
        rows = []
        for auction in ids:
            state = self.writer.state(auction)
            if state is None:
                continue
            joined = {p.bidder for p in state.persons if p.has_joined and p.bidder is not None}
            rows.append(
                AuctionRow(
                    auction,
                    state.name,
                    state.phase,
                    state.is_rehearsal,
                    len(state.books),
                    len(joined),
                    state.deadline,
                )
            )
        return rows

    def preview(self, text: str) -> "Future[Preview]":
        """
        Whether rules and market are good, looked at by the engine in a child process.

        Ends with an InputError that names line and key if they are not.
        """
        rules, market = read_auction(text)
        assert self.worker is not None, "this desk starts no child processes"
        return self.worker.preview(rules, market)

    def create(
        self,
        who: Who,
        text: str,
        request: str | None = None,
        is_rehearsal: bool = False,
        copied_from: str | None = None,
    ) -> "Future[Done]":
        """
        A new auction in draft from the text of a market file; ``Done.auction`` is its id.

        A mistake in the text is an InputError at once.
        """
        self._need(who, "auctioneer")
        rules, market = read_auction(text)
        return self._create(who, rules, market, request, is_rehearsal, copied_from)

    def copy(
        self, who: Who, auction: str, is_rehearsal: bool = True, request: str | None = None
    ) -> "Future[Done]":
        """A new auction with the same rules and market."""
        self._need(who, "auctioneer")
        rules, market = self._state(auction).setup
        return self._create(who, rules, market, request, is_rehearsal, auction)

    def configure(self, who: Who, auction: str, text: str) -> "Future[Done]":
        """Other rules or another market, while in draft."""
        self._need(who, "auctioneer")
        return self.writer.send(auction, cmd.Configure(*read_auction(text)), who.actor)

    def invite(
        self,
        who: Who,
        auction: str,
        bidder: int | None,
        person: str,
        request: str | None = None,
    ) -> "Future[Link]":
        """A one-time link for a person of a bidder; for an auditor if ``bidder`` is None."""
        self._need(who, "auctioneer")
        role: Role = "auditor" if bidder is None else "bidder"
        row, token = self.people.new_row(
            "invite", role, auction, bidder, person.strip(), INVITATION
        )
        done = self.writer.send(
            auction,
            cmd.Invite(person, row.id, bidder),
            who.actor,
            request,
            also=lambda connection, done: access_table.add(connection, row, token),
        )

        def link(done: Done) -> Link:
            if done.is_repetition:
                raise Refusal("conflict", "This link was made and shown before; make another one.")
            return Link(token, row.id, row.expires_at)

        return then(done, link)

    def revoke(self, who: Who, auction: str, access: str, reason: str) -> "Future[Done]":
        """Revokes a link, session or token of somebody in an auction."""
        self._need(who, "auctioneer")
        rows = {row.id: row for row in self.people.of_auction(auction)}
        if access not in rows:
            return refused(Refusal("not-found", "There is no such link or session."))
        now = self.clock.now()
        return self.writer.send(
            auction,
            cmd.Revoke(access, reason, rows[access].bidder),
            who.actor,
            also=lambda connection, done: access_table.mark(connection, access, "revoked_at", now),
        )

    def command(
        self, who: Who, auction: str, command: cmd.Command, request: str | None = None
    ) -> "Future[Done]":
        """
        Carries out a command of the auctioneer.

        One of Start, OpenRound, Extend, Pause, Resume, Stop, Close, Retry, Publish, Cancel and
        Announce of :mod:`boca.server.live.commands`.
        """
        self._need(who, "auctioneer")
        if not isinstance(command, AUCTIONEERS):
            return refused(Refusal("forbidden", "This is not a command of the auctioneer."))
        if isinstance(command, cmd.Start):
            self.watch.check_room()
        return self.writer.send(auction, command, who.actor, request)

    def progress(self, who: Who, auction: str) -> Progress:
        """The desk of auctioneer and auditor."""
        self._need(who, "auctioneer", "auditor", auction=auction)
        state = self._state(auction)
        sealed = is_sealed(state, who.viewer)
        return progress(seen_by(state, who.viewer), self.clock.now(), sealed)

    def enter_for(
        self,
        who: Who,
        auction: str,
        bidder: int,
        submission: Submission,
        reason: str,
        request: str | None = None,
        received: datetime | None = None,
    ) -> "Future[Receipt]":
        """The auctioneer submits for a bidder, with a reason that stands in the log."""
        self._need(who, "auctioneer")
        return self._submit(who, auction, bidder, submission, "operator", request, received, reason)

    def bidder_as_seen(self, who: Who, auction: str, bidder: int) -> BidderView:
        """A bidder's questions and reports as auctioneer or auditor may see them."""
        self._need(who, "auctioneer", "auditor", auction=auction)
        state = seen_by(self._state(auction), who.viewer)
        if not 0 <= bidder < len(state.books):
            raise Refusal("not-found", "There is no such bidder.")
        if is_sealed(self._state(auction), who.viewer):
            raise Refusal("forbidden", "Values are sealed until the outcome is decided.")
        return bidder_view(state, bidder, self.clock.now())

    # -- the bidder -------------------------------------------------------------------------------

    def bidder(self, who: Who) -> BidderView:
        """Everything that the bidder's pages show."""
        state, bidder = self._own(who)
        return bidder_view(state, bidder, self.clock.now())

    def check(self, who: Who, submission: Submission, channel: Channel = "page") -> Checked:
        """What a submission would do, with warnings and mistakes; changes nothing."""
        state, bidder = self._own(who)
        return check(state, bidder, submission, channel)

    def submit(
        self,
        who: Who,
        submission: Submission,
        request: str,
        received: datetime | None = None,
        channel: Channel = "page",
    ) -> "Future[Receipt]":
        """
        Takes a submission, all or nothing; the future ends once it is on the disk.

        Parameters
        ----------
        who
            The bidder's person.
        submission
            What was confirmed.
        request
            The sender's key, 8 to 64 letters, digits, ``_`` and ``-``: sent twice, taken once.
        received
            When the request had been read, by :meth:`now`; now unless given.
        channel
            ``api`` takes decimal strings, the others what people type.
        """
        _, bidder = self._own(who)
        assert who.auction is not None
        return self._submit(who, who.auction, bidder, submission, channel, request, received)

    def receipt(self, who: Who, hash_: str) -> Receipt:
        """One own receipt; not-found for anybody else's and for none alike."""
        state, bidder = self._own(who)
        for taken in state.books[bidder].submissions:
            if taken.hash == hash_:
                with self.database.connect() as connection:
                    record = event_table.read_one(connection, hash_)
                assert record is not None
                return self._receipt(record, taken)
        raise Refusal("not-found", "There is no such receipt.")

    def result(self, who: Who) -> ResultView | None:
        """How it ended for the bidder; None until that is published."""
        state, bidder = self._own(who)
        return result_view(state, bidder, self.clock.now())

    def drafts(self, who: Who) -> dict[str, str]:
        """What the bidder typed and did not send: query (or field) -> text."""
        _, bidder = self._own(who)
        assert who.auction is not None
        with self.database.connect() as connection:
            return draft_table.read(connection, who.auction, bidder)

    def save_drafts(self, who: Who, texts: dict[str, str]) -> "Future[None]":
        """Keeps what the bidder typed; an empty text removes a draft."""
        _, bidder = self._own(who)
        auction, now = who.auction, self.clock.now()
        assert auction is not None
        for name, text in texts.items():
            is_plain = name.isprintable() and "\x00" not in text and text.isprintable()
            if len(name) > 100 or len(text) > 200 or not is_plain:
                return refused(
                    Refusal("mistakes", "A draft is one line of at most 200 characters.")
                )
        return self.writer.do(lambda c: draft_table.save(c, auction, bidder, texts, now))

    # -- everybody ---------------------------------------------------------------------------------

    def now(self) -> datetime:
        """The server's time."""
        return self.clock.now()

    def setup(self, who: Who, auction: str) -> Setup:
        """Rules and market, for everybody who takes part."""
        self._need(who, "auctioneer", "auditor", "bidder", auction=auction)
        return setup(seen_by(self._state(auction), who.viewer))

    def public(self, auction: str, who: Who | None = None) -> PublicView:
        """What anybody sees, or a participant on the public page; not-found if it is not listed."""
        state = self._state(auction)
        takes_part = who is not None and (who.role == "auctioneer" or who.auction == auction)
        is_listed = state.rules is not None and state.rules.listed and not state.is_rehearsal
        if not (takes_part or is_listed or state.phase == "published"):
            raise Refusal("not-found", "There is no such auction.")
        return public_view(seen_by(state, PUBLIC), self.clock.now())

    def log(self, who: Who | None, auction: str) -> Iterator[str]:
        """
        The log as JSON lines, with the bodies that the viewer may open.

        Bidders and the public get it once it is published, auctioneer and auditor at any time.
        """
        state = self._state(auction)
        viewer = PUBLIC
        if who is not None and (who.role == "auctioneer" or who.auction == auction):
            viewer = who.viewer
        if not viewer.sees_all and state.phase != "published":
            raise Refusal("not-found", "The log is handed out once the outcome is published.")
        with self.database.connect() as connection:
            records = event_table.read(connection, auction)
        return write_lines(
            records, to_text(self.clock.now()), self.key, _opener(records, viewer, state)
        )

    def listen(
        self, auction: str, viewer: Viewer, callback: Callable[[What], None]
    ) -> Callable[[], None]:
        """
        Calls back, from the writer's thread, when a viewer should look at something again.

        Returns what ends the listening.
        """
        with self._lock:
            number = self._next_listener
            self._next_listener += 1
            self._listeners[number] = (auction, viewer, callback)

        def end() -> None:
            with self._lock:
                self._listeners.pop(number, None)

        return end

    def health(self) -> Health:
        """For the health page."""
        free = self.watch.disk_free()
        writer = self.writer.failure or ("running" if self.writer.is_alive else "stopped")
        return Health(
            self.writer.is_alive and free > LEAST_DISK_TO_GO_ON,
            "running" if writer == "running" else "stopped",
            free,
            1000 * self.writer.last_commit_seconds,
            self.worker.doing if self.worker else "off",
            self.watch.clock_jump,
        )

    # -- inside ------------------------------------------------------------------------------------

    def _on_entries(self, auction: str, state: LiveState, entries: tuple[Entry, ...]) -> None:
        if self.worker:
            self.worker.look(auction, state)
        with self._lock:
            listeners = list(self._listeners.values())
        for name, viewer, callback in listeners:
            if name == auction:
                for what in sorted(stirs(entries, viewer)):
                    callback(what)

    def _state(self, auction: str) -> LiveState:
        state = self.writer.state(auction)
        if state is None:
            raise Refusal("not-found", "There is no such auction.")
        return state

    def _own(self, who: Who) -> tuple[LiveState, int]:
        """The auction as the bidder may see it."""
        self._need(who, "bidder")
        assert who.auction is not None
        assert who.bidder is not None
        return seen_by(self._state(who.auction), who.viewer), who.bidder

    def _need(self, who: Who, *roles: str, auction: str | None = None) -> None:
        """Raises unless somebody has one of the roles, in this auction if it is named."""
        if who.role not in roles:
            raise Refusal("forbidden", f"This is for the {' or '.join(roles)}.")
        if auction is not None and who.auction not in (None, auction):
            raise Refusal("not-found", "There is no such auction.")

    def _create(
        self,
        who: Who,
        rules: Rules,
        market: Market,
        request: str | None,
        is_rehearsal: bool,
        copied_from: str | None,
    ) -> "Future[Done]":
        auction = "".join(LETTERS[byte % len(LETTERS)] for byte in self.draw(16))
        seed = int.from_bytes(self.draw(6), "big")
        command = cmd.Create(
            rules, market, seed, self.key.public, boca.__version__, is_rehearsal, copied_from
        )
        return self.writer.send(auction, command, who.actor, request)

    def _submit(
        self,
        who: Who,
        auction: str,
        bidder: int,
        submission: Submission,
        channel: Channel,
        request: str | None,
        received: datetime | None,
        reason: str | None = None,
    ) -> "Future[Receipt]":
        at = to_text(received or self.clock.now())
        command = cmd.Submit(bidder, submission, at, channel, reason)
        done = self.writer.send(
            auction,
            command,
            who.actor,
            request,
            also=lambda connection, done: draft_table.clear(connection, auction, bidder),
        )

        def receipt(done: Done) -> Receipt:
            entry = done.entries[0]
            assert isinstance(entry.event, Submitted)
            taken = Taken(entry.event, entry.hash, entry.seal, entry.at, entry.person)
            return self._receipt(done.record, taken, done.is_repetition)

        return then(done, receipt)

    def _receipt(self, record: Record, taken: Taken, is_repetition: bool = False) -> Receipt:
        """A signed receipt; the signature is the same every time it is made."""
        content = self.key.sign(
            {
                "v": 1,
                "auction": record.envelope["auction"],
                "bidder": taken.event.bidder,
                "person": taken.person,
                "received": taken.event.received,
                "at": record.at,
                "hash": record.hash,
                "seal": record.seal,
                "body": record.body,
            }
        )
        return Receipt(content, taken, is_repetition)


AUCTIONEERS = (
    cmd.Start,
    cmd.OpenRound,
    cmd.Extend,
    cmd.Pause,
    cmd.Resume,
    cmd.Stop,
    cmd.Close,
    cmd.Retry,
    cmd.Publish,
    cmd.Cancel,
    cmd.Announce,
)


def _opener(records: list[Record], viewer: Viewer, state: LiveState) -> Callable[[Record], bool]:
    """Whether a viewer may open a record's body."""
    entries = {record.hash: event_table.to_entry(record) for record in records}
    opened = max(
        (e.event.round for e in entries.values() if isinstance(e.event, RoundOpened)), default=-1
    )
    return lambda record: may_open(entries[record.hash].event, viewer, state, opened)
