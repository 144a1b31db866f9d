"""One database: connections that are durable or refused, the lock, the schema."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import sqlalchemy as sa
from sqlalchemy import Connection as Connection

from boca.core.errors import InputError, MissingExtra
from boca.core.files import read_text, write_atomically
from boca.live.store.tables import (
    POSTGRES_TRIGGERS,
    SCHEMA,
    SQLITE_TRIGGERS,
    meta,
    metadata,
)

# What lies in a data folder: the auctions, or where they are instead; and the key of receipts.
FILE, ADDRESS, KEY = "auctions.db", "database", "receipts.key"
# Any fixed number: PostgreSQL's name for the lock that one server holds.
ADVISORY_LOCK = 20_261_116
# What reading and writing raise while a database cannot be reached.
NoDatabase = sa.exc.OperationalError
# How else drivers and the pool of connections say it.
OTHER_WORDS = (
    sa.exc.InterfaceError,
    sa.exc.InternalError,
    sa.exc.PendingRollbackError,
    sa.exc.TimeoutError,
)


class Database:
    """
    A SQLite file in the data folder, or a PostgreSQL database by its address.

    Opening it makes the tables, takes the lock, and refuses settings that could lose a confirmed
    submission.

    Parameters
    ----------
    data
        The data folder; made if it is missing, readable by its owner alone.
    url
        ``postgresql+psycopg://...``; None for SQLite in the data folder.
    exclusive
        Whether to take the lock; programs that only read leave it.
    synchronous
        SQLite's setting; anything but FULL is refused, which a test relies on.
    """

    def __init__(
        self,
        data: Path,
        url: str | None = None,
        exclusive: bool = True,
        synchronous: str = "FULL",
    ):
        self.data = Path(data)
        self._make_folder()
        self.synchronous = synchronous
        self.is_sqlite = url is None
        self._lock_file: TextIO | None = None
        self._lock_connection: Connection | None = None
        if self.is_sqlite and (elsewhere := kept_elsewhere(self.data)):
            raise InputError(elsewhere)
        if self.is_sqlite and exclusive:
            self._lock_folder()
        try:
            self.engine = self._engine(url or f"sqlite:///{self.data / FILE}")
            if not self.is_sqlite and exclusive:
                self._lock_postgres()
            self._check_durability()
            self._make_schema()
            if url is not None and exclusive:
                self._note_address(url)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """
        One transaction that is durable once the block ends.

        A server writes to PostgreSQL through the connection that holds its lock: once that has
        ended, however quickly the database came back, nothing is written before the lock is taken
        again.
        """
        with self._reached():
            if self._lock_connection is None:
                with self.engine.begin() as connection:
                    yield connection
                return
            if self._lock_connection.invalidated:  # it would reconnect by itself, without the lock
                raise _gone("the connection that holds the lock has ended")
            with self._lock_connection.begin():
                yield self._lock_connection

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection to read with; it never waits for the writer."""
        with self._reached(), self.engine.connect() as connection:
            yield connection.execution_options(reads_only=True)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """
        One error for each trouble that a database can have by itself.

        NoDatabase where a PostgreSQL is gone, an InputError where a file of SQLite is not a
        database, or not a whole one.
        """
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            # Its descendants stand for conflicts and lost connections; what has no own name is
            # damage in a file, and a connection that ended in the middle of an answer elsewhere.
            is_nameless = type(error) is sa.exc.DatabaseError
            if self.is_sqlite and is_nameless:
                reason = getattr(error, "orig", error)
                raise InputError(
                    f"The database in '{self.data}' is damaged: {reason}. Restore a backup with "
                    "boca admin restore."
                ) from None
            is_cut = isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated
            if not self.is_sqlite and (is_nameless or is_cut or isinstance(error, OTHER_WORDS)):
                raise _gone(error) from error
            raise

    def reconnect(self) -> None:
        """New connections to a PostgreSQL that was gone; the lock must be free, and is taken."""
        self.engine.dispose()
        if self._lock_connection is not None:
            # The server has given up its side; there is nothing to end in an orderly way.
            self._lock_connection.invalidate()
            self._lock_connection.close()
            self._lock_connection = None
        self._lock_postgres()
        self._check_durability()

    def close(self) -> None:
        """Gives back the lock and all connections."""
        if self._lock_connection is not None:
            self._lock_connection.close()
            self._lock_connection = None
        if hasattr(self, "engine"):
            self.engine.dispose()
        if self._lock_file is not None:
            self._lock_file.close()
            self._lock_file = None

    def get_meta(self, name: str) -> str | None:
        """A value that the server keeps about itself."""
        with self.connect() as connection:
            row = connection.execute(sa.select(meta.c.value).where(meta.c.name == name)).first()
        return row[0] if row else None

    def _make_folder(self) -> None:
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.data.chmod(0o700)
        except OSError as error:
            raise InputError(
                f"The data folder '{self.data}' cannot be used: {error.strerror}. Name another one."
            ) from None

    def _note_address(self, url: str) -> None:
        """Leaves word in the folder, for whoever starts a server on it without the address."""
        address = sa.make_url(url).render_as_string(hide_password=True)
        path = self.data / ADDRESS
        write_atomically(path, f"{address}\n")
        path.chmod(0o600)

    def _lock_folder(self) -> None:
        path = self.data / "lock"
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._lock_file = os.fdopen(handle, "r+")
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock_file.close()
            self._lock_file = None
            raise InputError(
                f"Another server uses the data folder '{self.data}'; stop it first, or name "
                "another folder."
            ) from None

    def _lock_postgres(self) -> None:
        try:
            self._lock_connection = self.engine.connect()
        except sa.exc.OperationalError as error:
            raise _unreachable(error) from None
        # A session lock, not a transaction's: it is held until the connection ends.
        taken = self._lock_connection.execute(
            sa.text("SELECT pg_try_advisory_lock(:name)"), {"name": ADVISORY_LOCK}
        ).scalar()
        self._lock_connection.commit()
        if not taken:
            raise InputError("Another server uses this PostgreSQL database; stop it first.")

    def _engine(self, url: str) -> sa.Engine:
        try:
            # Connections to a database that was gone in between are found out before they are used.
            engine = sa.create_engine(
                url,
                pool_size=5,
                max_overflow=20,
                pool_pre_ping=not self.is_sqlite,
                # What people say is no part of the message about a statement that failed.
                hide_parameters=True,
            )
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "postgres", "A PostgreSQL database") from None
        except (sa.exc.ArgumentError, ValueError) as error:
            raise InputError(
                f"The database address cannot be read: {error}. Expected "
                "postgresql+psycopg://user@host/name."
            ) from None
        if self.is_sqlite:
            sa.event.listen(engine, "connect", self._prepare_sqlite)
            sa.event.listen(engine, "begin", _begin_immediate)
        elif engine.dialect.name != "postgresql":
            raise InputError(
                f"The database address is for '{engine.dialect.name}'; expected PostgreSQL, or "
                "leave it out for SQLite."
            )
        return engine

    def _prepare_sqlite(self, connection: Any, record: Any) -> None:
        """Pragmas hold for one connection, so each gets them again."""
        # SQLAlchemy starts transactions itself; see _begin_immediate.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={self.synchronous}")
        connection.execute("PRAGMA busy_timeout=10000")
        if sys.platform == "darwin":
            connection.execute("PRAGMA fullfsync=1")

    def _check_durability(self) -> None:
        """Refuses to start where a commit might not be on the disk."""
        try:
            with self._reached(), self.engine.connect() as connection:
                settings = self._durability(connection)
        except sa.exc.OperationalError as error:
            raise _unreachable(error) from None
        for name, value, expected in settings:
            if value not in expected:
                raise InputError(
                    f"The database has {name} = {value}; expected {' or '.join(expected)}, since "
                    "otherwise a confirmed submission could be lost. Change the setting."
                )

    def _durability(self, connection: Connection) -> list[tuple[str, str, tuple[str, ...]]]:
        def value(statement: str) -> str:
            return str(connection.exec_driver_sql(statement).scalar())

        if not self.is_sqlite:
            strict = ("on", "remote_write", "remote_apply")
            return [
                ("fsync", value("SHOW fsync"), ("on",)),
                ("full_page_writes", value("SHOW full_page_writes"), ("on",)),
                ("synchronous_commit", value("SHOW synchronous_commit"), strict),
            ]
        settings = [
            ("journal_mode", value("PRAGMA journal_mode"), ("wal",)),
            ("synchronous", value("PRAGMA synchronous"), ("2", "3")),
        ]
        if sys.platform == "darwin":
            settings.append(("fullfsync", value("PRAGMA fullfsync"), ("1",)))
        return settings

    def _make_schema(self) -> None:
        with self.begin() as connection:
            metadata.create_all(connection)
            triggers = SQLITE_TRIGGERS if self.is_sqlite else POSTGRES_TRIGGERS
            for trigger in triggers:
                connection.exec_driver_sql(trigger)
            schema = connection.execute(sa.select(meta.c.value).where(meta.c.name == "schema"))
            row = schema.first()
            if row is None:
                connection.execute(meta.insert().values(name="schema", value=str(SCHEMA)))
            elif row[0] != str(SCHEMA):
                raise InputError(_other_schema(row[0]))


def kept_elsewhere(data: Path) -> str:
    """What to do about a folder whose auctions are not in it; empty if they are, or it is new."""
    if (data / FILE).exists():
        return ""
    if (data / ADDRESS).exists():
        address = read_text(data / ADDRESS, "address of a database").strip()
        return f"The auctions of '{data}' are in the database {address}; add --db with its address."
    if (data / KEY).exists():
        return (
            f"The folder '{data}' has the key of a server and no auctions. If they are in "
            f"PostgreSQL, add --db with its address; if its file {FILE} was lost, restore a backup "
            "into a new folder with boca admin restore."
        )
    return ""


def _other_schema(schema: str) -> str:
    """What to do about a database that another version of boca has made."""
    known = f"The database has schema {schema}; this version of boca knows schema {SCHEMA}."
    if schema.isdecimal() and int(schema) > SCHEMA:
        return f"{known} Install a newer boca."
    return (
        f"{known} Serve it with the older boca that made it, or write each auction out with that "
        "one (boca admin export) and make a new folder of each log here (boca admin restore)."
    )


def _gone(reason: object) -> sa.exc.OperationalError:
    """The one error for a PostgreSQL that cannot be reached."""
    return NoDatabase(None, None, ConnectionError(str(reason)))


def _unreachable(error: sa.exc.OperationalError) -> InputError:
    """What to say where no connection comes about; drivers say why on several lines."""
    reason = " ".join(str(error.orig).split()).rstrip(".")
    return InputError(f"The database cannot be reached: {reason}. Check its address.")


def _begin_immediate(connection: Connection) -> None:
    """A write lock from the start, so that what is read in a transaction stays true in it."""
    is_reader = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if is_reader else "BEGIN IMMEDIATE")


def set_meta(connection: Connection, name: str, value: str) -> None:
    """Keeps a value that the server wants to find again."""
    changed = connection.execute(
        meta.update().where(meta.c.name == name).values(value=value)
    ).rowcount
    if not changed:
        connection.execute(meta.insert().values(name=name, value=value))
