"""
The one writer: a thread with a first-in-first-out queue and group commit.

For each command it decides, then commits durably, then changes memory, then answers. Whatever
waits in the queue shares one commit, which is what makes the disk's few syncs per second enough.
"""

import logging
import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from boca.core.errors import BocaError, InputError
from boca.core.message import msg
from boca.live.auction.commands import Command
from boca.live.auction.decide import decide
from boca.live.auction.events import Entry, Event, Proposed
from boca.live.auction.fold import fold, fold_all
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED, LiveState
from boca.live.clock import ServerClock, from_text, to_text
from boca.live.ledger import Record, check_chain
from boca.live.ledger.chain import FIRST, link
from boca.live.store import events as event_table
from boca.live.store.batch import CommitBatch, Done, Keys, QueuedCommand
from boca.live.store.database import Database, NoDatabase
from boca.live.store.events import Stored, to_entry
from boca.live.store.repetitions import digest_of, find_repetition, keys_in

T = TypeVar("T")
log = logging.getLogger("boca.server")
# Most commands that share one commit.
MOST_IN_BATCH = 200
# Auctions that have ended and are kept in memory.
MOST_CACHED = 20
# How far the clock may lie before the last record at the start.
CLOCK_TOLERANCE = timedelta(seconds=2)

Also = Callable[[Connection, Done], Any]
Listener = Callable[[str, LiveState, tuple[Entry, ...]], None]


def nothing(step: str) -> None:
    """Does nothing at a step; tests pass something that fails there."""


class Writer:
    """
    Owns the states of all auctions and the only connection that writes.

    Parameters
    ----------
    database
        Where records go.
    clock
        The server's time.
    draw
        Random bytes for salts; the system's unless a test wants the same ones twice.
    at_step
        Called with the name of each step on the way of a command.
    accept_clock
        Whether to start although the clock lies before the last record.
    """

    def __init__(
        self,
        database: Database,
        clock: ServerClock,
        draw: Callable[[int], bytes],
        at_step: Callable[[str], None] = nothing,
        accept_clock: bool = False,
    ):
        self.database, self.clock, self.draw, self.at_step = database, clock, draw, at_step
        self.states: dict[str, LiveState] = {}
        self.listeners: list[Listener] = []
        self.failure: str = ""
        # How often nothing could be stored and it went on.
        self.num_outages = 0
        # Auctions whose log does not hold -> what is wrong; nobody can use them.
        self.damaged: dict[str, str] = {}
        self.last_commit_seconds = 0.0
        # How far the clock lay before the last record at the start; 0 if it did not.
        self.seconds_behind = 0.0
        self._ended: dict[str, LiveState] = {}
        self._keys: Keys = {}
        self._can_recover = False
        self._queue: queue.SimpleQueue[QueuedCommand | None] = queue.SimpleQueue()
        self._load(accept_clock)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    # -- for everybody -----------------------------------------------------------------------

    def send(
        self,
        auction: str,
        command: Command,
        actor: str = "server",
        request: str | None = None,
        also: Also | None = None,
        credential: str | None = None,
    ) -> "Future[Done]":
        """
        Puts a command into the queue.

        Parameters
        ----------
        auction, command
            What to do where.
        actor
            Who wants it.
        request
            The sender's key: the same command with the same key is carried out once.
        also
            Work on the other tables in the same transaction; not done for a repetition.
        credential
            Id of the session or token that acts; the record of what needs two people names it.
        """
        future: Future[Done] = Future()
        self._put(QueuedCommand(future, auction, command, actor, request, also, credential))
        return future

    def do(self, work: Callable[[Connection], T]) -> "Future[T]":
        """Puts work on the other tables into the queue."""
        future: Future[T] = Future()
        self._put(QueuedCommand(future, also=work))
        return future

    def state(self, auction: str) -> LiveState | None:
        """The auction as it is on the disk; None if there is none."""
        state = self.states.get(auction) or self._ended.get(auction)
        return state or self._load_ended(auction)

    def try_again(self) -> None:
        """Looks whether a database that was gone is back; nothing happens otherwise."""
        if self.failure and self._can_recover:
            self._queue.put(QueuedCommand(Future(), also=lambda connection: None))

    def close(self, timeout: float = 10.0) -> None:
        """Empties the queue and ends the thread."""
        self._queue.put(None)
        self._thread.join(timeout)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not self.failure

    # -- loading -----------------------------------------------------------------------------

    def _load(self, accept_clock: bool) -> None:
        """Folds every auction that has not ended; memory changes once all of them are there."""
        with self.database.connect() as connection:
            kinds = event_table.last_kinds(connection)
        states: dict[str, LiveState] = {}
        last = ""
        for auction, kind in kinds.items():
            if kind not in ENDED:
                state = self._fold_if_whole(auction)
                if state is None:
                    continue
                assert state.at is not None
                last = max(last, to_text(state.at))
                states[auction] = state
        self.ids, self.states = list(kinds), states
        now = self.clock.now()
        if last > to_text(now + CLOCK_TOLERANCE):
            self.seconds_behind = (from_text(last) - now).total_seconds()
        if self.seconds_behind and not accept_clock:
            raise InputError(
                f"The machine's clock says {to_text(now)}, but the log goes on until {last}. Set "
                "the clock, or start with --accept-clock."
            )

    def _fold(self, auction: str) -> LiveState:
        """An auction from its log; the chain is checked on the way."""
        with self.database.connect() as connection:
            records = event_table.read(connection, auction)
        check_chain(records)
        self._keys |= keys_in(auction, records)
        return fold_all(auction, map(to_entry, records))

    def _fold_if_whole(self, auction: str) -> LiveState | None:
        """An auction from its log; None, and a word about it, if somebody has tampered with it."""
        try:
            return self._fold(auction)
        except (BocaError, LookupError, TypeError, ValueError, AttributeError) as error:
            if auction not in self.damaged:
                self.damaged[auction] = str(error) or type(error).__name__
                log.error(
                    "the log of auction %s is damaged (%s); the others go on without it. Check it "
                    "with boca admin check, and restore a backup",
                    auction,
                    self.damaged[auction],
                )
            return None

    def _load_ended(self, auction: str) -> LiveState | None:
        if auction not in self.ids or auction in self.damaged:
            return None
        state = self._fold_if_whole(auction)
        if state is None:
            return None
        self._ended[auction] = state
        while len(self._ended) > MOST_CACHED:
            self._ended.pop(next(iter(self._ended)), None)
        return state

    # -- the thread --------------------------------------------------------------------------

    def _put(self, item: QueuedCommand) -> None:
        self.at_step("queue")
        if self.failure:
            item.future.set_exception(_unavailable())
            return
        self._queue.put(item)

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            # Whoever waits is told before the process ends of it.
            self.failure, self._can_recover = f"{type(error).__name__}: {error}", False
            while not self._queue.empty():
                item = self._queue.get()
                if item is not None and item.future.set_running_or_notify_cancel():
                    item.future.set_exception(_unavailable())
            raise

    def _work(self) -> None:
        while True:
            first = self._queue.get()
            items = [first]
            while len(items) < MOST_IN_BATCH:
                try:
                    items.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            work = [item for item in items if item is not None]
            if work:
                self._process(work)
            if len(work) < len(items):
                return

    def _process(self, items: list[QueuedCommand]) -> None:
        """One batch: decide, commit, change memory, answer."""
        # Whoever has gone before its turn changes nothing; nobody can be taken back from here on.
        items = [item for item in items if item.future.set_running_or_notify_cancel()]
        batch = CommitBatch()
        if self.failure and not self._recover():
            self._refuse(items)
            return
        is_committing = False
        try:
            began = self.clock.now()
            with self.database.begin() as connection:
                for item in items:
                    self._decide(connection, item, batch)
                if batch.rows:
                    event_table.append(connection, batch.rows)
                self.at_step("before commit")
                is_committing = True
            self.last_commit_seconds = (self.clock.now() - began).total_seconds()
        except Exception as error:
            # Nothing of the batch is on the disk for certain, so nothing of it is answered as done.
            # The first line names the trouble; PostgreSQL's others quote what was to be stored.
            reason = str(getattr(error, "orig", None) or error).split("\n", 1)[0]
            self.failure = f"{type(error).__name__}: {reason}"
            # A database elsewhere may come back; what a disk has lost needs somebody to look.
            self._can_recover = isinstance(error, SQLAlchemyError) and not self.database.is_sqlite
            log.error("nothing can be stored: %s", self.failure)
            self._refuse(items, is_committing)
            return
        try:
            self.at_step("after commit")
            self._change_memory(batch)
            self.at_step("before answer")
        except BaseException:
            self._refuse(items, was_tried=True)
            raise
        for item, answer in batch.answers:
            if isinstance(answer, Exception):
                item.future.set_exception(answer)
            else:
                item.future.set_result(answer)
        self._tell(batch)
        self.at_step("after answer")

    def _recover(self) -> bool:
        """
        Goes on after the database was gone, from what is on its disk.

        Whether the commit that failed got there is not known, so memory is made again. The lock
        that keeps a second server out went with the connection, and is taken again first.
        """
        if not self._can_recover:
            return False
        try:
            self.database.reconnect()
            self._load(accept_clock=True)
        except (BocaError, SQLAlchemyError):
            return False
        self._ended.clear()
        self.failure, self._can_recover = "", False
        self.num_outages += 1
        log.warning("the database is back; the server goes on")
        return True

    def _decide(self, connection: Connection, item: QueuedCommand, batch: CommitBatch) -> None:
        """What one item changes; a refusal changes nothing and does not touch its neighbours."""
        savepoint = connection.begin_nested() if item.also else None
        try:
            if item.command is None:
                assert item.also is not None
                answer = item.also(connection)
            else:
                answer = self._carry_out(connection, item, batch)
            if savepoint:
                savepoint.commit()
            batch.answers.append((item, answer))
        except SQLAlchemyError:
            raise  # the database's own trouble concerns the whole batch
        except Exception as error:
            # A refusal, or a bug: either way this item changes nothing and the others go on.
            if savepoint:
                savepoint.rollback()
            if isinstance(error, InputError):
                error = Refusal("mistakes", error.message)
            batch.answers.append((item, error))

    def _carry_out(self, connection: Connection, item: QueuedCommand, batch: CommitBatch) -> Done:
        assert item.command is not None
        digest = digest_of(item.command)
        repeated = find_repetition(connection, item, digest, batch, self._keys)
        if repeated is not None:
            return repeated
        state = batch.states.get(item.auction) or self.state(item.auction)
        state = state or LiveState(item.auction)
        now = self.clock.now()
        self.at_step("decide")
        events = decide(state, item.command, now)
        self.at_step("decided")
        records = self._records(state, events, item, digest, now)
        entries = tuple(map(to_entry, records))
        after = state
        for entry in entries:
            after = fold(after, entry)
        done = Done(item.auction, records[0], entries)
        # Work on the other tables may refuse, so it comes before anything is noted.
        also = item.also(connection, done) if item.also else None
        batch.states[item.auction] = after
        batch.entries.setdefault(item.auction, []).extend(entries)
        for k, record in enumerate(records):
            with_key = k == 0 and item.request is not None
            batch.rows.append(
                Stored(record, item.actor if with_key else None, item.request if with_key else None)
            )
        batch.keys |= keys_in(item.auction, records)
        return Done(item.auction, records[0], entries, also=also)

    def _records(
        self,
        state: LiveState,
        events: Iterable[Event],
        item: QueuedCommand,
        digest: str,
        now: datetime,
    ) -> list[Record]:
        """Events as records that follow the state's last one."""
        records: list[Record] = []
        prev, seq = state.head or FIRST, state.seq
        at = to_text(max(now, state.at) if state.at else now)
        for k, event in enumerate(events):
            body = {"actor": item.actor, "salt": self.draw(16).hex(), **event.to_body()}
            needs_two = isinstance(event, Proposed) or getattr(event, "approves", None)
            if needs_two and item.credential is not None:
                body["credential"] = item.credential
            if k == 0 and item.request is not None:
                body |= {"request": item.request, "digest": digest}
            seq += 1
            record = link(prev, seq, at, item.auction, event.kind, body)
            prev = record.hash
            records.append(record)
        return records

    def _change_memory(self, batch: CommitBatch) -> None:
        self._keys |= batch.keys
        for auction, state in batch.states.items():
            if auction not in self.states and auction not in self.ids:
                self.ids.append(auction)
            if state.phase in ENDED:
                self._ended[auction] = state
                self.states.pop(auction, None)
            else:
                self.states[auction] = state

    def _tell(self, batch: CommitBatch) -> None:
        for auction, entries in batch.entries.items():
            for listener in list(self.listeners):
                try:
                    listener(auction, batch.states[auction], tuple(entries))
                except NoDatabase:
                    # What is told is on the disk; whoever wants to read there asks again.
                    log.warning("the database does not answer")

    def _refuse(self, items: list[QueuedCommand], was_tried: bool = False) -> None:
        for item in items:
            item.future.set_exception(_unavailable(was_tried))


def _unavailable(was_tried: bool = False) -> Refusal:
    """What senders are told; a commit whose answer never came may be on the disk all the same."""
    if was_tried:
        return Refusal(
            "unavailable",
            msg(
                "The server failed while it stored this, so that it is not certain whether it was "
                "taken. Look later whether it is there; an answer that is sent twice counts once."
            ),
        )
    return Refusal(
        "unavailable",
        msg("The server cannot store anything at the moment; nothing was taken. Try again later."),
    )
