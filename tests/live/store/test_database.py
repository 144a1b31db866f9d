"""A database that could lose a confirmed submission is refused."""

import stat

import pytest
import sqlalchemy as sa
from real_postgres import INSTALL, cluster, programs

from boca.core.errors import BocaError, InputError
from boca.live.store.database import Database, set_meta
from boca.live.store.tables import meta


def test_opens_twice_one_after_the_other(tmp_path, url):
    """Tests that tables, triggers and schema number are made once."""
    for _ in range(2):
        database = Database(tmp_path, url)
        assert database.get_meta("schema") == "1"
        database.close()


def test_second_server_on_the_same_data_is_refused(tmp_path, url):
    """Tests the lock: two writers would break the chain."""
    first = Database(tmp_path, url)
    with pytest.raises(InputError, match="Another server"):
        Database(tmp_path, url)
    first.close()
    Database(tmp_path, url).close()


def test_data_folder_is_private(tmp_path):
    """Tests that other users of the machine cannot look inside."""
    Database(tmp_path / "data").close()
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


@pytest.mark.parametrize("setting", ["NORMAL", "OFF"])
def test_sqlite_that_does_not_sync_is_refused(tmp_path, setting):
    """Tests that the server will not start without a sync for every commit."""
    with pytest.raises(InputError, match="synchronous"):
        Database(tmp_path, synchronous=setting)
    Database(tmp_path).close()  # the lock was given back


@pytest.mark.parametrize("setting", ["fsync=off", "synchronous_commit=off", "full_page_writes=off"])
def test_postgres_that_does_not_sync_is_refused(tmp_path, setting):
    """Tests the same on a real PostgreSQL with each dangerous setting."""
    if programs() is None:
        pytest.skip(INSTALL)
    with cluster(setting) as running, pytest.raises(InputError, match=setting.split("=")[0]):
        Database(tmp_path, running.new_database())


@pytest.mark.parametrize(
    ("schema", "word", "other"),
    [("2", "newer", "older"), ("0", "older", "newer"), ("x", "older", "newer")],
)
def test_another_schema_is_refused(tmp_path, url, schema, word, other):
    """Tests that nothing is written into what is not known, and what to do about it."""
    database = Database(tmp_path, url)
    with database.begin() as connection:
        set_meta(connection, "schema", schema)
    database.close()
    with pytest.raises(InputError, match=word) as told:
        Database(tmp_path, url)
    assert other not in str(told.value)


@pytest.mark.parametrize("address", ["mysql://x/y", "nonsense", "sqlite:///elsewhere.db"])
def test_other_addresses_are_one_sentence(tmp_path, address):
    """Tests addresses that nothing here can open."""
    with pytest.raises(BocaError) as error:
        Database(tmp_path, address)
    assert "\n" not in str(error.value)


def test_meta_is_replaced(tmp_path, url):
    """Tests the table of the server's own notes."""
    database = Database(tmp_path, url)
    for value in ("a", "b"):
        with database.begin() as connection:
            set_meta(connection, "note", value)
    assert database.get_meta("note") == "b"
    with database.connect() as connection:
        rows = connection.execute(sa.select(meta).where(meta.c.name == "note")).all()
    assert len(rows) == 1
    database.close()


def test_readers_do_not_wait_for_the_writer(tmp_path, url):
    """Tests that pages are shown while a commit is under way, and see what was there before."""
    database = Database(tmp_path, url)
    with database.begin() as writing:
        set_meta(writing, "note", "new")
        assert database.get_meta("note") is None
    assert database.get_meta("note") == "new"
    database.close()


@pytest.mark.parametrize("damage", ["no database", "cut"])
def test_a_damaged_file_is_one_sentence(tmp_path, damage):
    """Tests a file that is no database, and one whose end is missing: no traceback."""
    Database(tmp_path).close()
    path = tmp_path / "auctions.db"
    content = path.read_bytes()
    path.write_bytes(b"hello " * 1_000 if damage == "no database" else content[: len(content) // 2])

    with pytest.raises(InputError, match=r"is damaged: .* Restore a backup"):
        Database(tmp_path).get_meta("schema")


def test_a_database_that_nobody_answers_for_is_one_sentence(tmp_path):
    """Tests a PostgreSQL address where nothing listens, with the lock that a server takes."""
    pytest.importorskip("psycopg")

    with pytest.raises(InputError, match=r"cannot be reached: .* Check its address\.$") as told:
        Database(tmp_path, "postgresql+psycopg://x@127.0.0.1:9/x")

    assert "\n" not in str(told.value)


def test_a_folder_whose_auctions_are_elsewhere_says_so(tmp_path, postgres):
    """Tests that nobody serves an empty house instead, and that no password is written down."""
    address = postgres.new_database().replace("boca@", "boca:secret@")
    data = tmp_path / "data"
    Database(data, address).close()
    for exclusive in (True, False):
        with pytest.raises(InputError, match=r"are in the database postgresql.*add --db") as told:
            Database(data, exclusive=exclusive)
        assert "secret" not in str(told.value)
    assert not (data / "auctions.db").exists()
    assert stat.S_IMODE((data / "database").stat().st_mode) == 0o600
    Database(data, address).close()
    # A folder of an older boca has no such word, but a key.
    (data / "database").unlink()
    (data / "receipts.key").write_text("ab" * 32)
    with pytest.raises(InputError, match=r"no auctions\. If they are in PostgreSQL, add --db"):
        Database(data)
