"""A whole database in one file, made while the server writes; and its rows back again."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from boca.core.errors import InputError
from boca.live.store.database import Database, set_meta
from boca.live.store.tables import access, address, draft, event, mail, meta, token

# In the order in which they are filled.
TABLES = {table.name: table for table in (event, access, draft, address, mail, token, meta)}
Rows = dict[str, list[dict[str, Any]]]
# pg_dump's text of a table: its columns, then one line per row.
COPY = re.compile(r'^COPY (?:\w+\.)?"?(\w+)"? \((.*)\) FROM stdin;$')
ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\v": "\v",
           "\\\\": "\\"}  # fmt: skip
MOST_ROWS = 1000  # per statement


def snapshot_sqlite(database: Database, path: Path) -> None:
    """A consistent copy of a SQLite database, by its own backup; the server goes on writing."""
    with (
        closing(sqlite3.connect(database.data / "auctions.db")) as source,
        closing(sqlite3.connect(path)) as copy,
    ):
        source.backup(copy)
        # One file that is complete by itself, without a journal beside it.
        copy.execute("PRAGMA journal_mode=DELETE")


def snapshot_postgres(url: str, path: Path) -> None:
    """A consistent dump of a PostgreSQL database, by pg_dump; the server goes on writing."""
    address = sa.make_url(url)
    # The password goes through the environment: arguments can be seen by everybody.
    password = {"PGPASSWORD": str(address.password)} if address.password else {}
    plain = address.set(drivername="postgresql", password=None)
    shown = plain.render_as_string(hide_password=False)
    _run(
        ["pg_dump", "--format=custom", "--no-owner", f"--file={path}", f"--dbname={shown}"],
        password,
    )


def rows_of_sqlite(path: Path) -> Rows:
    """All rows of a copied SQLite database."""
    rows: Rows = {}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if verdict != "ok":
                raise InputError(f"The copied database is damaged: {verdict}.")
            present = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = {row[0] for row in present}
            for name, table in TABLES.items():
                if name not in names:  # a copy from before there was such a table
                    continue
                columns = ", ".join(column.name for column in table.columns)
                found = connection.execute(f"SELECT {columns} FROM {name}")
                rows[name] = [dict(row) for row in found]
    except sqlite3.DatabaseError as error:
        raise InputError(f"The copied database cannot be read: {error}.") from None
    return rows


def rows_of_dump(path: Path) -> Rows:
    """All rows of a PostgreSQL dump, read without a database."""
    text = _run(["pg_restore", "--data-only", "--no-owner", "--file=-", str(path)], {})
    rows: Rows = {name: [] for name in TABLES}
    lines = iter(text.split("\n"))
    for line in lines:
        heading = COPY.match(line)
        if heading is None or heading[1] not in TABLES:
            continue
        columns = [name.strip(' "') for name in heading[2].split(",")]
        for line_of_row in iter(lambda: next(lines), "\\."):
            values = map(_value, line_of_row.split("\t"))
            rows[heading[1]].append(dict(zip(columns, values, strict=True)))
    for row in rows["event"]:
        row["seq"] = int(row["seq"])
    for name in ("access", "draft"):
        for row in rows[name]:
            row["bidder"] = None if row["bidder"] is None else int(row["bidder"])
    for row in rows["mail"]:
        row["attempts"] = int(row["attempts"])
    return rows


def fill(database: Database, rows: Rows, restored: str) -> None:
    """
    Puts rows into an empty database.

    Parameters
    ----------
    database
        Fresh; with auctions in it, it is refused.
    rows
        By table.
    restored
        What the rows are a copy of, in words; the server pauses open rounds at its next start.
    """
    with database.begin() as connection:
        if connection.execute(sa.select(event.c.auction).limit(1)).first():
            raise InputError(
                "The database holds auctions already; restore into an empty one, so that nothing "
                "is mixed up."
            )
        connection.execute(meta.delete())
        for name, table in TABLES.items():
            for part in _parts(rows.get(name, [])):
                connection.execute(table.insert(), part)
        set_meta(connection, "restored", restored)


def _parts(rows: list[dict[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    return (rows[k : k + MOST_ROWS] for k in range(0, len(rows), MOST_ROWS))


def _value(text: str) -> str | None:
    if text == "\\N":
        return None
    return re.sub(r"\\.", lambda match: ESCAPES.get(match[0], match[0][1:]), text)


def _run(command: list[str], environment: dict[str, str]) -> str:
    """The output of one of PostgreSQL's own programs."""
    if shutil.which(command[0]) is None:
        raise InputError(
            f"{command[0]} is missing; install PostgreSQL's client programs, at least as new as "
            "the database."
        )
    # C.UTF-8: messages in English, texts as they are.
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C.UTF-8", "PGCLIENTENCODING": "UTF8", **environment},
    )
    if result.returncode:
        last = result.stderr.strip().splitlines()[-1:] or ["no message"]
        raise InputError(f"{command[0]} failed: {last[0]}.")
    return result.stdout
