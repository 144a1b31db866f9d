"""What the server does by itself: deadlines, outages, a full disk, a clock that was moved."""

import logging
import shutil
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction.decide.rounds import opens_by_itself
from boca.live.auction.decide.setting_up import PLANNED, starts_by_itself
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED
from boca.live.clock import ServerClock, from_text, to_text
from boca.live.store.database import Database, NoDatabase, set_meta
from boca.live.store.writer import Writer

log = logging.getLogger("boca.server")
# Requests that arrived before the deadline may be this long on their way to the queue.
CLOSING_GRACE = timedelta(seconds=1)
ALIVE_EVERY = timedelta(seconds=5)
LOOK_SECONDS = 0.5
MOST_OPEN = 10
LEAST_DISK_TO_START = 500_000_000
LEAST_DISK_TO_GO_ON = 100_000_000


class DeadlineWatch:
    """
    Looks at the time and the disk.

    Parameters
    ----------
    writer, database
        Whose auctions, and on which disk.
    clock
        The server's time.
    on_back
        Called once a database that was gone is back.
    also
        Called every few seconds while the database is there.
    """

    def __init__(
        self,
        writer: Writer,
        database: Database,
        clock: ServerClock,
        on_back: Callable[[], None] = lambda: None,
        also: Callable[[], None] = lambda: None,
    ):
        self.on_back, self.also = on_back, also
        self.writer, self.database, self.clock = writer, database, clock
        self.clock_jump = 0.0
        self._alive_at: datetime | None = None
        self._outages_seen = writer.num_outages
        self._is_blind = False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begins to look twice a second."""
        self._thread.start()

    def close(self) -> None:
        """Looks no more."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def tick(self) -> None:
        """One look; tests with a clock of their own call it by hand."""
        now = self.clock.now()
        if self.writer.failure:
            # Nobody can answer, so no round ends; rounds get the time back once it is over.
            self.writer.try_again()
            return
        # The writer may have gone on between two looks, so it counts.
        outages = self.writer.num_outages
        if outages != self._outages_seen:
            self.after_outage()
            self.on_back()
            self._outages_seen = outages
        for auction, state in list(self.writer.states.items()):
            if state.phase == "open" and state.deadline and now > state.deadline + CLOSING_GRACE:
                self.writer.send(auction, cmd.CloseRound(state.round))
            elif opens_by_itself(state, now):
                self.writer.send(auction, cmd.OpenRound())
            elif starts_by_itself(state, now) and self._has_room():
                self.writer.send(auction, cmd.Start(PLANNED))
        jump = self.clock.jump().total_seconds()
        if jump:
            self.clock_jump = jump
            for auction in list(self.writer.states):
                self.writer.send(auction, cmd.ClockJump(jump))
        if self._alive_at is None or now - self._alive_at >= ALIVE_EVERY:
            self._alive_at = now
            self.writer.do(lambda c: set_meta(c, "alive_at", to_text(now)))
            self._pause_if_full()
            self.also()

    def after_outage(self) -> None:
        """Gives open rounds back the time that the server was down; pauses restored ones."""
        alive = self.database.get_meta("alive_at") or ""
        restored = self.database.get_meta("restored") or ""
        for auction, state in list(self.writer.states.items()):
            if state.phase == "open" and state.at is not None:
                # The log itself may be younger than the last sign of life.
                last = max(alive, to_text(state.at))
                if restored or from_text(last) < self.clock.now():
                    self.writer.send(auction, cmd.Outage(last, restored)).result()
        if restored:
            self.writer.do(lambda c: set_meta(c, "restored", "")).result()

    def note_clock(self) -> None:
        """Notes in every log that the server was started with a clock before its last record."""
        if self.writer.seconds_behind:
            self.clock_jump = -self.writer.seconds_behind
            for auction in list(self.writer.states):
                self.writer.send(auction, cmd.ClockJump(self.clock_jump)).result()

    def check_room(self) -> None:
        """Raises a Refusal if no further auction can be started."""
        running = [s for s in self.writer.states.values() if s.phase not in ("draft", *ENDED)]
        if len(running) >= MOST_OPEN:
            raise Refusal(
                "conflict",
                msg("{most} auctions are running; end one of them first.", most=MOST_OPEN),
            )
        if self.disk_free() < LEAST_DISK_TO_START:
            raise Refusal("unavailable", msg("The server's disk is almost full; make room first."))

    def _has_room(self) -> bool:
        """Whether a further auction can be started."""
        try:
            self.check_room()
        except Refusal:
            return False
        return True

    def disk_free(self) -> int:
        """Bytes that can still be written."""
        return shutil.disk_usage(self.database.data).free

    def _pause_if_full(self) -> None:
        if self.disk_free() > LEAST_DISK_TO_GO_ON:
            return
        for auction, state in list(self.writer.states.items()):
            if state.phase == "open":
                self.writer.send(auction, cmd.Pause("the server's disk is almost full"))

    def _run(self) -> None:
        while True:
            self._look()
            if self._closing.wait(LOOK_SECONDS):
                return

    def _look(self) -> None:
        """One look that a database which is gone cannot end: it is repeated in half a second."""
        try:
            self.tick()
            self._is_blind = False
        except (Refusal, NoDatabase) as error:
            if not self._is_blind:
                log.warning("the database does not answer, and is looked for again: %s",
                            type(error).__name__)  # fmt: skip
            self._is_blind = True
