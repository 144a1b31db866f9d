"""The log can grow and nothing else."""

import pytest
import sqlalchemy as sa
from hand_clock import HandClock
from live_play import market_text, read
from sqlalchemy.exc import DBAPIError

from boca.live.auction import commands as cmd
from boca.live.store.database import Database
from boca.live.store.writer import Writer


@pytest.fixture
def database(tmp_path, url):
    database = Database(tmp_path, url)
    writer = Writer(database, HandClock(), lambda size: bytes(size))
    rules, market = read(market_text())
    writer.send("a", cmd.Create(rules, market, 7, "00", "0")).result(10)
    writer.close()
    yield database
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = '{}'",
        "UPDATE event SET seq = seq + 10 WHERE seq = 0",
        "DELETE FROM event",
        "DELETE FROM event WHERE seq = 2",
    ],
)
def test_records_cannot_be_changed_or_deleted(database, statement):
    """Tests the triggers, with the rights of the server itself."""
    with pytest.raises(DBAPIError, match="append-only"), database.begin() as connection:
        connection.execute(sa.text(statement))
    with database.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM event")).scalar() == 3


def test_postgres_refuses_truncate_too(database):
    """Tests the short cut that only PostgreSQL has."""
    if database.is_sqlite:
        pytest.skip("SQLite has no TRUNCATE")
    with pytest.raises(DBAPIError, match="append-only"), database.begin() as connection:
        connection.execute(sa.text("TRUNCATE event"))


def test_number_is_taken_once(database):
    """Tests that a second record with the same number is refused by the table itself."""
    statement = "INSERT INTO event SELECT auction, seq, at, kind, envelope, body, 'x', actor, "
    with pytest.raises(DBAPIError), database.begin() as connection:
        connection.execute(sa.text(statement + "request FROM event WHERE seq = 0"))
