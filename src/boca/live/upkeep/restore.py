"""A new data folder from a backup, or from the full log of one auction."""

from pathlib import Path

from boca.core.errors import InputError
from boca.core.files import read_text, write_atomically
from boca.live.ledger import Record, SigningKey, canonical, check_signature, read_lines
from boca.live.store.database import Database
from boca.live.store.snapshots import Rows, fill
from boca.live.upkeep.backup import KEY, is_backup, read_backup
from boca.live.upkeep.copies import CopiedAuction, check_log


def restore(
    path: Path, data: Path, url: str | None = None, key_file: Path | None = None
) -> tuple[CopiedAuction, ...]:
    """
    Makes a new data folder; what is in it.

    Open rounds come up paused when the server starts. A full log brings neither links nor
    sessions: new ones are issued.

    Parameters
    ----------
    path
        A backup, or a full log as ``boca admin export`` and ``boca admin pull`` write it.
    data
        The new folder; must be missing or empty.
    url
        Address of an empty PostgreSQL database; None for SQLite in the folder.
    key_file
        The key of receipts, for a full log; a backup has its own.
    """
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise InputError(f"'{data}' is not empty; restore into a new folder.")
    if path.exists() and not path.is_file():
        raise InputError(
            f"'{path}' is not a file; expected a backup, or the full log of an auction."
        )
    if is_backup(path):
        backup = read_backup(path)
        key, rows, auctions = backup.key, backup.rows, backup.auctions
        origin = f"a backup of {backup.made_at}"
    else:
        key, rows, auctions = _read_log(path, key_file)
        origin = "the log of an auction"
    database = Database(data, url)
    try:
        fill(database, rows, origin)
        write_atomically(data / KEY, key.private_hex())
    finally:
        database.close()
    for file in data.iterdir():
        file.chmod(0o600)
    return auctions


def _read_log(
    path: Path, key_file: Path | None
) -> tuple[SigningKey, Rows, tuple[CopiedAuction, ...]]:
    """The rows of a full log that holds, and the key that it was signed with."""
    log = read_lines(read_text(path, "log").splitlines(keepends=True))
    if not log.records:
        raise InputError(f"'{path}' holds no record.")
    for record in log.records:
        if record.body is None:
            raise InputError(
                f"Record {record.seq} of '{path}' is sealed; expected the full log, as an auditor "
                "gets it."
            )
    name = str(log.records[0].envelope.get("auction"))
    copy = check_log(name, log.records)
    if log.head is not None and (
        log.head.get("head") != copy.head or not check_signature(log.head, copy.public_key)
    ):
        raise InputError(f"The last line of '{path}' does not sign the record before it.")
    if key_file is None:
        raise InputError(
            "A log does not hold the key that its receipts are signed with; give the file "
            f"{KEY} of the old data folder or of a backup with --key."
        )
    key = SigningKey.read(key_file)
    if key.public != copy.public_key:
        raise InputError(
            f"The key in '{key_file}' is not the one in the log's first record; find the right one."
        )
    return key, {"event": [_row(record) for record in log.records]}, (copy,)


def _row(record: Record) -> dict[str, object]:
    """A record as the table of events has it."""
    body = record.body or {}
    has_key = "request" in body
    return {
        "auction": record.envelope["auction"],
        "seq": record.seq,
        "at": record.at,
        "kind": record.kind,
        "envelope": canonical(record.envelope),
        "body": canonical(body),
        "hash": record.hash,
        "actor": body["actor"] if has_key else None,
        "request": body["request"] if has_key else None,
    }
