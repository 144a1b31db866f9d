"""The writer: first in, first out; on the disk before anybody is told."""

import threading
from concurrent.futures import wait

import pytest
import sqlalchemy as sa
from hand_clock import START, HandClock
from live_play import market_text, read

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.fold import fold_all
from boca.live.auction.refusal import Refusal
from boca.live.ledger import check_chain
from boca.live.store import events as event_table
from boca.live.store.database import Database
from boca.live.store.events import to_entry
from boca.live.store.writer import Writer

RULES, MARKET = read(market_text())
CREATE = cmd.Create(RULES, MARKET, 7, "00", "0")


@pytest.fixture
def database(tmp_path, url):
    database = Database(tmp_path, url)
    yield database
    database.close()


def writer_on(database, **options):
    return Writer(database, HandClock(), lambda size: bytes(size), **options)


def records(database, auction="a"):
    with database.connect() as connection:
        return event_table.read(connection, auction)


def test_memory_is_the_fold_of_the_disk(database):
    """Tests that a second writer finds exactly what the first one had."""
    first = writer_on(database)
    first.send("a", CREATE).result(10)
    for text in ("one", "two"):
        first.send("a", cmd.Announce(text)).result(10)
    state = first.state("a")
    first.close()
    assert fold_all("a", map(to_entry, records(database))) == state
    second = writer_on(database)
    assert second.state("a") == state
    assert check_chain(records(database)) == state.head
    second.close()


def test_order_of_the_queue_is_the_order_of_the_log(database):
    """Tests many senders at once: each one's commands stay in order, and none is lost."""
    writer = writer_on(database)
    writer.send("a", CREATE).result(10)
    futures = []

    def send(name):
        futures.extend(writer.send("a", cmd.Announce(f"{name} {k}")) for k in range(20))

    threads = [threading.Thread(target=send, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait(futures, 30)
    assert all(future.exception() is None for future in futures)
    texts = [note.text for note in writer.state("a").announcements]
    for name in "xyz":
        assert [t for t in texts if t[0] == name] == [f"{name} {k}" for k in range(20)]
    writer.close()


def test_what_waits_shares_one_commit(database):
    """Tests group commit: commands that queue up behind a slow one are committed together."""
    steps, gate = [], threading.Event()

    def at_step(step):
        if step == "before commit":
            steps.append(step)
            if len(steps) == 2:
                gate.wait(10)

    writer = writer_on(database, at_step=at_step)
    writer.send("a", CREATE).result(10)
    futures = [writer.send("a", cmd.Announce(f"{k}")) for k in range(30)]
    gate.set()
    wait(futures, 30)
    assert len(writer.state("a").announcements) == 30
    assert len(steps) <= 4  # the creation, the first announcement, the rest
    writer.close()


def test_refusal_leaves_its_neighbours_alone(database):
    """Tests a batch with a good command, a bad one and a good one."""
    gate = threading.Event()
    writer = writer_on(database, at_step=lambda step: gate.wait(10) if step == "decide" else None)
    created = writer.send("a", CREATE)
    futures = [writer.send("a", cmd.Announce(text)) for text in ("one", "", "three")]
    gate.set()
    created.result(10)
    wait(futures, 10)
    assert isinstance(futures[1].exception(), Refusal)
    assert [note.text for note in writer.state("a").announcements] == ["one", "three"]
    writer.close()


def test_refused_side_work_takes_the_command_along(database):
    """Tests that an invitation without its link is not in the log either."""

    def fails(connection, done):
        connection.execute(sa.text("INSERT INTO meta VALUES ('x', 'y')"))
        raise Refusal("conflict", "no")

    writer = writer_on(database)
    writer.send("a", CREATE).result(10)
    with pytest.raises(Refusal):
        writer.send("a", cmd.Invite("ann", "id", 0), also=fails).result(10)
    assert database.get_meta("x") is None
    assert not writer.state("a").persons
    writer.send("a", cmd.Announce("goes on")).result(10)
    writer.close()


def test_failed_commit_answers_everybody_and_changes_nothing(database):
    """Tests a full disk: nothing in memory, nothing on the disk, and no further writing."""
    is_full = threading.Event()

    def at_step(step):
        if step == "before commit" and is_full.is_set():
            raise OSError("No space left on device")

    writer = writer_on(database, at_step=at_step)
    writer.send("a", CREATE).result(10)
    before = writer.state("a")
    is_full.set()
    futures = [writer.send("a", cmd.Announce("x")) for _ in range(3)]
    for future in futures:
        with pytest.raises(Refusal, match="cannot store"):
            future.result(10)
    is_full.clear()
    with pytest.raises(Refusal, match="cannot store"):
        writer.send("a", cmd.Announce("y")).result(10)
    assert writer.state("a") is before
    assert not writer.is_alive
    assert len(records(database)) == 3
    writer.close()


def test_bug_in_one_command_does_not_stop_the_writer(database):
    """Tests that an unexpected error reaches its sender alone."""

    def breaks(connection):
        raise ZeroDivisionError

    writer = writer_on(database)
    with pytest.raises(ZeroDivisionError):
        writer.do(breaks).result(10)
    writer.send("a", CREATE).result(10)
    writer.close()


def test_whoever_goes_away_during_a_commit_stops_nobody_else(database):
    """Tests a sender that gives up while its command is being stored: the next one is answered."""
    is_committing, may_commit = threading.Event(), threading.Event()

    def at_step(step):
        if step == "before commit":
            is_committing.set()
            may_commit.wait(10)

    writer = writer_on(database, at_step=at_step)
    gone = writer.send("a", CREATE)
    assert is_committing.wait(10)
    gone.cancel()
    may_commit.set()

    writer.send("a", cmd.Announce("still here")).result(10)
    assert len(records(database)) == 4
    writer.close()


def test_clock_before_the_log_is_refused_at_the_start(database):
    """Tests a machine whose clock was set back; it can be overridden."""
    writer = writer_on(database)
    writer.send("a", CREATE).result(10)
    writer.close()
    early = HandClock(START.replace(year=2025))
    with pytest.raises(InputError, match="clock"):
        Writer(database, early, lambda size: bytes(size))
    writer = Writer(database, early, lambda size: bytes(size), accept_clock=True)
    writer.send("a", cmd.Announce("x")).result(10)
    assert writer.state("a").at == START  # times in the log never go back
    writer.close()


def test_ended_auctions_are_folded_when_somebody_looks(database):
    """Tests that a published or cancelled auction costs no memory until asked for."""
    writer = writer_on(database)
    writer.send("a", CREATE).result(10)
    writer.send("a", cmd.Cancel("rain")).result(10)
    assert "a" not in writer.states
    writer.close()
    writer = writer_on(database)
    assert not writer.states
    assert writer.state("a").phase == "cancelled"
    assert writer.state("no such auction") is None
    with pytest.raises(Refusal):
        writer.send("a", cmd.Announce("x")).result(10)
    writer.close()
