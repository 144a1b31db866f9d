"""What every desk needs: the log, the clock, people, and who may do what."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from datetime import datetime
from pathlib import Path
from typing import Any

from boca.core.conduct import Conduct
from boca.core.errors import BocaError
from boca.core.message import joined, msg
from boca.live.auction.audience import Viewer, What, stirs
from boca.live.auction.commands import TakePrices
from boca.live.auction.engine_results import PriceResult
from boca.live.auction.events import Assigned, Decided, Entry, RoundClosed
from boca.live.auction.kind import Kind, kind_of
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import AuctionFile, read_auction_file
from boca.live.auction.seat_market import is_courses
from boca.live.auction.state import LiveState
from boca.live.clock import ServerClock, SystemClock, to_text
from boca.live.desk.proofs import Proofs
from boca.live.ledger import SigningKey, write_lines
from boca.live.people import People, Who
from boca.live.promises import done, refused, then
from boca.live.store import events as event_table
from boca.live.store.database import Database
from boca.live.store.writer import Writer, nothing
from boca.live.watch import DeadlineWatch
from boca.live.work.jobs import Worker
from boca.live.work.requests import can_compare

log = logging.getLogger("boca.server")
# Who somebody is, in a sentence.
ROLES = {
    "auctioneer": msg("auctioneer"),
    "auditor": msg("auditor"),
    "bidder": msg("bidder"),
}
NO_CHILDREN = "This server starts no child processes."


class Office:
    """
    What every desk needs: the log, the clock, people, and who may do what.

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
    mechanisms
        What people meet in an auction by each mechanism; the engine is asked unless given.
    """

    def __init__(
        self,
        data: Path,
        url: str | None = None,
        clock: ServerClock | None = None,
        draw: Callable[[int], bytes] = secrets.token_bytes,
        at_step: Callable[[str], None] = nothing,
        is_ticking: bool = True,
        works: bool = True,
        accept_clock: bool = False,
        make_worker: Callable[..., Worker] = Worker,
        mechanisms: dict[str, Conduct] | None = None,
    ):
        self.clock: ServerClock = clock or SystemClock()
        self.draw = draw
        self.database = Database(data, url)
        try:
            self.key = SigningKey.load(self.database.data / "receipts.key", draw(32))
            self.writer = Writer(self.database, self.clock, draw, at_step, accept_clock)
        except BaseException:
            self.database.close()
            raise
        self.people = People(self.writer, self.database, self.clock, draw)
        self.proofs: Proofs[list[str]] = Proofs(self._verify)
        self.comparisons: Proofs[LiveState] = Proofs(self._compare)
        self.watch = DeadlineWatch(
            self.writer, self.database, self.clock, self._on_back, self.people.note_revocations
        )
        self.worker = make_worker(self.writer.send, at_step) if works else None
        self._listeners: dict[int, tuple[str, Viewer, Callable[[What], None]]] = {}
        self._next_listener = 0
        self._pricing: set[str] = set()
        self._lock = threading.Lock()
        self._mechanisms = done(mechanisms) if mechanisms is not None else None
        self.watch.note_clock()
        self.watch.after_outage()
        self.writer.listeners.append(self._on_entries)
        if self.worker:
            self.worker.start(self.writer.states)
        if is_ticking:
            self.watch.start()

    def close(self) -> None:
        """Empties the queue, ends all children, gives back the lock."""
        self.watch.close()
        if self.worker:
            self.worker.close()
        self.writer.close()
        self.database.close()

    def now(self) -> datetime:
        """The server's time."""
        return self.clock.now()

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

    def state_of(self, auction: str) -> LiveState:
        """An auction with all its secrets; views are made through ``seen_by``."""
        state = self.writer.state(auction)
        if state is None and auction in self.writer.damaged:
            raise Refusal(
                "unavailable",
                msg(
                    "The log of auction {auction} is damaged, so that it cannot be used: "
                    "{damaged} Whoever runs the server has to restore it.",
                    auction=auction,
                    damaged=self.writer.damaged[auction],
                ),
            )
        if state is None:
            raise Refusal("not-found", msg("There is no such auction."))
        return state

    def kind_of(self, auction: str) -> Kind:
        """What happens in an auction, whose words depend on it; as in a sale if there is none."""
        state = self.writer.state(auction)
        return "sell" if state is None or state.market is None else kind_of(state.market)

    def need(self, who: Who, *roles: str, auction: str | None = None) -> None:
        """Raises unless somebody has one of the roles, in this auction if it is named."""
        if who.role not in roles:
            some = [ROLES[role] for role in roles]
            raise Refusal(
                "forbidden",
                msg("This is for the {role}.", role=some[0])
                if len(some) == 1
                else msg(
                    "This is for the {roles} or {role}.",
                    roles=joined(", ", some[:-1]),
                    role=some[-1],
                ),
            )
        if auction is not None and who.auction not in (None, auction):
            raise Refusal("not-found", msg("There is no such auction."))

    def need_all(self, who: Who) -> None:
        """Raises unless somebody is an auctioneer of the whole server, not of one auction."""
        self.need(who, "auctioneer")
        if not who.runs_all:
            raise Refusal("forbidden", msg("This is for auctioneers of the whole server."))

    def whole_log(self, auction: str) -> Iterator[str]:
        """The log with everything open, as it is exported."""
        with self.database.connect() as connection:
            records = event_table.read(connection, auction)
        return write_lines(records, to_text(self.clock.now()), self.key)

    def mechanisms(self) -> "Future[dict[str, Conduct]]":
        """What people meet in an auction by each mechanism; the engine is asked once."""
        with self._lock:
            asked = self._mechanisms
            if asked is None or (asked.done() and asked.exception() is not None):
                if self.worker is None:
                    return refused(Refusal("unavailable", NO_CHILDREN))
                asked = self._mechanisms = self.worker.mechanisms()
        # A future of its own for everybody who asks: a visitor who leaves cancels nobody else's.
        return then(asked, dict)

    def read(self, text: str) -> AuctionFile:
        """What the text of a market file says; an InputError says what is wrong with it."""
        return read_auction_file(text, self.mechanisms().result())

    def _verify(self, lines: list[str]) -> "Future[dict[str, Any]]":
        if self.worker is None:
            return refused(Refusal("unavailable", NO_CHILDREN))
        return self.worker.verify(lines, self.key.public)

    def _compare(self, state: LiveState) -> "Future[dict[str, Any]]":
        if self.worker is None:
            return refused(Refusal("unavailable", NO_CHILDREN))
        return self.worker.compare(state)

    def _price(self, auction: str, state: LiveState) -> None:
        """Has prices for questions about courses renewed, one run at a time; nobody waits."""
        is_wanted = is_courses(state.market) and state.phase == "open"
        if not is_wanted or not state.courses.needs_prices or self.worker is None:
            return
        with self._lock:
            if auction in self._pricing:
                return
            self._pricing.add(auction)

        def keep(done: "Future[PriceResult]") -> None:
            try:
                self.writer.send(auction, TakePrices(state.head, done.result())).result(60)
            except (BocaError, TimeoutError, CancelledError) as error:
                log.warning("prices of %s were not renewed: %s", auction, error)
            finally:
                with self._lock:
                    self._pricing.discard(auction)

        self.worker.price(state).add_done_callback(keep)

    def _on_back(self) -> None:
        """Starts the work again whose result could not be stored."""
        if self.worker:
            for auction, state in list(self.writer.states.items()):
                self.worker.look(auction, state)

    def _on_entries(self, auction: str, state: LiveState, entries: tuple[Entry, ...]) -> None:
        if self.worker:
            self.worker.look(auction, state)
            if any(isinstance(entry.event, Decided | Assigned) for entry in entries):
                self.proofs.of(auction, state.head, lambda: list(self.whole_log(auction)))
            closed = any(isinstance(entry.event, RoundClosed) for entry in entries)
            if closed and can_compare(state):
                self.comparisons.of(auction, state.plan_from, lambda: state)
            self._price(auction, state)
        with self._lock:
            listeners = list(self._listeners.values())
        for name, viewer, callback in listeners:
            if name == auction:
                for what in sorted(stirs(entries, viewer)):
                    callback(what)
