"""A PostgreSQL that is gone for a while, at ten moments of a round: the server survives it."""

import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
import sqlalchemy as sa
from live_play import market_text
from real_postgres import INSTALL, Cluster, cluster, programs
from whole_auction import ZOE, counting_draw, drive, essence, open_desk

from boca.core.errors import InputError
from boca.live import watch
from boca.live.auction.commands import Announce
from boca.live.auction.refusal import Refusal
from boca.live.clock import ZERO, SystemClock
from boca.live.ledger import check_chain
from boca.live.store import events as event_table
from boca.live.store.database import Database, NoDatabase, set_meta

pytestmark = pytest.mark.kill

# Where the database is cut off, in the first round and after: steps of a command, of a child's
# work, "quiet" (nobody does anything; the server itself is the first to notice), and twice while
# the server is about to go on after an earlier cut.
MOMENTS = (
    "quiet",
    "queue",
    "decide",
    "decided",
    "before commit",
    "after commit",
    "before answer",
    "after answer",
    "plan start",
    "plan end",
    "decide start",
    "decide end",
    "reconnected",
    "giving time back",
)
AWAY_SECONDS = 0.3
# Longer than a round lasts, so that one whose time does not come back ends too early.
AWAY_MINUTES = 700
PATIENCE = 60.0


@pytest.fixture(scope="module")
def own_postgres():
    """A cluster that nobody else needs while it is away."""
    if programs() is None:
        pytest.skip(INSTALL)
    with cluster() as running:
        yield running


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    """The server looks for its database more often than in earnest."""
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(watch, "ALIVE_EVERY", timedelta())


class TurnedClock(SystemClock):
    """The machine's clock, which minutes can be added to."""

    def turn(self, **parts: float) -> None:
        self.start += timedelta(**parts)

    def jump(self) -> timedelta:
        return ZERO


@dataclass
class PowerCut:
    """
    Stops the database at one moment, and starts it again some minutes of the clock later.

    Parameters
    ----------
    postgres, clock
        What is stopped, and the time that goes by.
    moment
        One of ``MOMENTS``.
    """

    postgres: Cluster
    clock: TurnedClock
    moment: str
    num_to_come: int = 1
    is_armed: bool = False
    back: list[threading.Thread] = field(default_factory=list)

    def arm(self, desk):
        """Waits for the first round; what comes before it is not cut."""

        def look(auction, state, entries):
            if state.phase == "open" and not self.is_armed:
                self.is_armed = True
                if self.moment in ("quiet", "reconnected", "giving time back"):
                    self.num_to_come += self.moment != "quiet"
                    self.come()

        def cut_after(work, moment):
            def cut(*arguments):
                result = work(*arguments)
                self.at_step(moment)
                return result

            return cut

        desk.writer.listeners.append(look)
        desk.database.reconnect = cut_after(desk.database.reconnect, "reconnected")
        give_back = desk.watch.after_outage

        def after_outage():
            self.at_step("giving time back")
            give_back()

        desk.watch.after_outage = after_outage

    def at_step(self, step: str) -> None:
        if self.is_armed and step == self.moment and self.num_to_come:
            self.come()

    def come(self) -> None:
        self.num_to_come -= 1
        self.wait()
        self.postgres.stop()
        self.back.append(threading.Thread(target=self._come_back))
        self.back[-1].start()

    def _come_back(self) -> None:
        time.sleep(AWAY_SECONDS)
        self.clock.turn(minutes=AWAY_MINUTES)
        self.postgres.start()

    def wait(self) -> None:
        for thread in self.back:
            thread.join()


def play(desk, cut, ended):
    """An auction to its end, by people who send again whatever was not confirmed."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return drive(desk)
        except (Refusal, NoDatabase, AssertionError) as error:
            is_ours = isinstance(error, AssertionError) and not desk.writer.failure
            if is_ours or ended or time.monotonic() > end:
                raise
            time.sleep(0.02)


def confirmed_by(desk):
    """Hashes of the records that senders were told about, as they come."""
    hashes, send = [], desk.writer.send

    def noted(*arguments, **keys):
        future = send(*arguments, **keys)
        future.add_done_callback(
            lambda done: None if done.exception() else hashes.append(done.result().record.hash)
        )
        return future

    desk.writer.send = noted
    return hashes


def records_of(desk, auction):
    with desk.database.connect() as connection:
        return event_table.read(connection, auction)


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """How the auction ends where nothing goes wrong."""
    desk = open_desk(tmp_path_factory.mktemp("calm"), draw=counting_draw())
    try:
        return essence(drive(desk))
    finally:
        desk.close()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_database_away_for_minutes_is_survived(tmp_path, own_postgres, calm, moment):
    """Tests that nothing confirmed is lost, that every thread goes on, and that time comes back."""
    ended, before = [], threading.excepthook
    threading.excepthook = lambda arguments: ended.append(arguments.exc_value)
    clock = TurnedClock()
    cut = PowerCut(own_postgres, clock, moment)
    desk = open_desk(
        tmp_path, own_postgres.new_database(), clock=clock, draw=counting_draw(),
        at_step=cut.at_step,
    )  # fmt: skip
    try:
        confirmed = confirmed_by(desk)
        cut.arm(desk)
        state = play(desk, cut, ended)
        assert (cut.is_armed, cut.num_to_come) == (True, 0)
        cut.wait()
        wait_for(lambda: desk.health().is_well)
        records = records_of(desk, state.auction)
        check_chain(records)
        assert essence(state) == calm
        assert len(confirmed) >= 5
        assert set(confirmed) <= {record.hash for record in records}
        threads = (desk.writer._thread, desk.watch._thread, desk.worker._thread)
        assert [thread.is_alive() for thread in threads] == [True] * 3
        assert ended == []
        # No round ended before its time came back: everybody had answered in each.
        assert {r.body["unanswered"] == [] for r in records if r.kind == "round-closed"} == {True}
    finally:
        threading.excepthook = before
        cut.wait()
        desk.close()


def wait_for(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def test_what_is_being_stored_is_not_in_the_servers_log(tmp_path, own_postgres, caplog):
    """Tests that the message about a commit that fails quotes no value, in no driver's words."""
    desk = open_desk(tmp_path, own_postgres.new_database(), is_ticking=False, works=False)
    try:
        auction = desk.create(ZOE, market_text()).result().auction
        own_postgres.stop()
        with pytest.raises(Refusal, match="nothing was taken"):
            desk.command(ZOE, auction, Announce("a secret of 12.34")).result()
        assert "nothing can be stored" in caplog.text
        assert "12.34" not in caplog.text
    finally:
        own_postgres.start()
        desk.close()


def test_nobody_is_told_that_nothing_was_taken_where_nobody_knows(tmp_path, own_postgres):
    """Tests a commit whose answer never comes: it may be on the disk."""
    steps = {"before commit": lambda: None}
    desk = open_desk(
        tmp_path, own_postgres.new_database(), is_ticking=False, works=False,
        at_step=lambda step: steps.get(step, lambda: None)(),
    )  # fmt: skip
    try:
        auction = desk.create(ZOE, market_text()).result().auction
        steps["before commit"] = own_postgres.stop
        with pytest.raises(Refusal, match="not certain whether it was taken"):
            desk.command(ZOE, auction, Announce("hello")).result()
    finally:
        own_postgres.start()
        desk.close()


def test_every_word_for_a_database_that_is_gone_is_one(tmp_path, own_postgres):
    """Tests what drivers and pools say of a broken connection; a file's damage is another thing."""
    lost = ConnectionError("cut in the middle of an answer")
    words = [
        sa.exc.DatabaseError("SELECT 1", None, lost),
        sa.exc.InterfaceError("SELECT 1", None, lost),
        sa.exc.InternalError("SELECT 1", None, lost),
        sa.exc.IntegrityError("SELECT 1", None, lost, connection_invalidated=True),
        sa.exc.PendingRollbackError("roll back first"),
        sa.exc.TimeoutError("no connection is free"),
    ]
    for database in (Database(tmp_path, own_postgres.new_database()), Database(tmp_path / "file")):
        for word in words:
            expected = type(word)
            if not database.is_sqlite:
                expected = NoDatabase
            elif expected is sa.exc.DatabaseError:
                expected = InputError
            with pytest.raises(expected), database.connect():
                raise word
        with pytest.raises(sa.exc.IntegrityError), database.connect():
            raise sa.exc.IntegrityError("INSERT", None, lost)
        database.close()


def test_nothing_is_written_once_the_lock_is_lost(tmp_path, own_postgres):
    """Tests a database that was away between two commits: another server may hold the lock."""
    address = own_postgres.new_database()
    first = Database(tmp_path / "first", address)
    own_postgres.stop()
    own_postgres.start()
    second = Database(tmp_path / "second", address)
    for _ in range(2):  # the connection would come back by itself for the second one
        with pytest.raises(NoDatabase), first.begin() as connection:
            set_meta(connection, "note", "of the first")
    with pytest.raises(InputError, match="Another server"):
        first.reconnect()
    assert second.get_meta("note") is None
    second.close()
    first.reconnect()
    with first.begin() as connection:
        set_meta(connection, "note", "of the first")
    first.close()
