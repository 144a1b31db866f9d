"""One file with everything: database, key, and a signed list of what it holds."""

import io
import json
import os
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boca
from boca.core.errors import InputError
from boca.core.wording import shortened
from boca.live.clock import SystemClock, to_text
from boca.live.ledger import SigningKey, canonical, check_signature
from boca.live.store.database import Database
from boca.live.store.snapshots import (
    Rows,
    rows_of_dump,
    rows_of_sqlite,
    snapshot_postgres,
    snapshot_sqlite,
)
from boca.live.upkeep.copies import CopiedAuction, check_log, records_of

FORMAT = 1
CONTENTS, KEY = "backup.json", "receipts.key"
SQLITE, POSTGRES = "auctions.db", "auctions.dump"
MOST_BYTES = 20_000_000_000


@dataclass(frozen=True)
class Backup:
    """
    A backup that was read and checked.

    Parameters
    ----------
    made_at
        When, by the server's machine.
    key
        The private key of receipts.
    rows
        The tables.
    auctions
        What it holds.
    """

    made_at: str
    key: SigningKey
    rows: Rows
    auctions: tuple[CopiedAuction, ...]


def write_backup(data: Path, url: str | None, path: Path) -> Backup:
    """
    Writes a backup while the server runs, reads it again, and checks every log in it.

    Parameters
    ----------
    data
        The data folder.
    url
        Address of a PostgreSQL database; None for SQLite in the data folder.
    path
        The new file; an old one is never written over.
    """
    if path.exists():
        raise InputError(f"There is a file '{path}' already; choose another name.")
    database = Database(data, url, exclusive=False)
    try:
        key = SigningKey.read(database.data / KEY)
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=path.parent) as folder:
            archive = Path(folder) / "backup.tar"
            _pack(database, url, key, Path(folder), archive)
            backup = read_backup(archive)
            archive.rename(path)
    except OSError as error:
        raise InputError(
            f"The backup '{path}' cannot be written: {error.strerror or error}. Make room or "
            "choose another place."
        ) from None
    finally:
        database.close()
    return backup


def _pack(database: Database, url: str | None, key: SigningKey, folder: Path, path: Path) -> None:
    name = SQLITE if url is None else POSTGRES
    snapshot = folder / name
    if url is None:
        snapshot_sqlite(database, snapshot)
    else:
        snapshot_postgres(url, snapshot)
    logs = records_of(_rows(name, snapshot))
    contents = {
        "format": FORMAT,
        "boca": boca.__version__,
        "made_at": to_text(SystemClock().now()),
        "database": name,
        "heads": {auction: log[-1].hash for auction, log in logs.items()},
    }
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        with tarfile.open(fileobj=file, mode="w") as archive:
            _add(archive, CONTENTS, canonical(key.sign(contents)).encode())
            _add(archive, KEY, key.private_hex().encode())
            archive.add(snapshot, name, filter=_nobody)
        file.flush()
        os.fsync(file.fileno())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    part = tarfile.TarInfo(name)
    part.size, part.mode = len(content), 0o600
    archive.addfile(part, io.BytesIO(content))


def _nobody(part: tarfile.TarInfo) -> tarfile.TarInfo:
    """A part without the names of this machine's users."""
    part.uid = part.gid = 0
    part.uname = part.gname = ""
    part.mode = 0o600
    return part


def is_backup(path: Path) -> bool:
    """Whether a file is a backup, as opposed to an export."""
    try:
        return tarfile.is_tarfile(path)
    except OSError as error:
        raise InputError(f"Cannot read '{path}': {error.strerror or error}.") from None


def read_backup(path: Path) -> Backup:
    """Reads a backup and checks it: chains, seals, and the signed list of heads (V1 to V3)."""
    try:
        with tarfile.open(path) as archive:
            contents = json.loads(_part(archive, CONTENTS))
            key = SigningKey.from_seed(bytes.fromhex(_part(archive, KEY).decode()))
            if contents.get("format") != FORMAT:
                raise InputError(_other_format(contents))
            rows = _unpacked(archive, contents["database"])
    except (tarfile.TarError, ValueError, KeyError, EOFError) as error:
        raise InputError(f"'{path}' is not a backup that can be read: {error}.") from None
    auctions = tuple(check_log(auction, log) for auction, log in records_of(rows).items())
    _check_heads(contents, key, auctions)
    return Backup(contents["made_at"], key, rows, auctions)


def _check_heads(
    contents: dict[str, Any], key: SigningKey, auctions: tuple[CopiedAuction, ...]
) -> None:
    if not check_signature(contents, key.public):
        raise InputError("The backup's list of heads is not signed by its own key; it was changed.")
    heads = {copy.auction: copy.head for copy in auctions}
    if heads != contents["heads"]:
        raise InputError("The backup does not hold the logs that it lists; it was changed.")
    for copy in auctions:
        if copy.public_key != key.public:
            raise InputError(
                f"Auction '{copy.auction}' has receipts of another key than the backup's."
            )


def _unpacked(archive: tarfile.TarFile, name: str) -> Rows:
    """The tables of the archive's database."""
    if name not in (SQLITE, POSTGRES):
        raise KeyError(name)
    with tempfile.TemporaryDirectory(prefix="boca-") as folder:
        snapshot = Path(folder) / name
        snapshot.write_bytes(_part(archive, name))
        return _rows(name, snapshot)


def _rows(name: str, snapshot: Path) -> Rows:
    return rows_of_sqlite(snapshot) if name == SQLITE else rows_of_dump(snapshot)


def _other_format(contents: dict[str, Any]) -> str:
    """What to do about a backup that another version of boca has made."""
    number, maker = contents.get("format"), shortened(str(contents.get("boca")))
    known = f"The backup has format {number!r}, by boca {maker}; this version knows {FORMAT}."
    if type(number) is int and number > FORMAT:
        return f"{known} Install a newer boca."
    return f"{known} Restore it with the boca that made it."


def _part(archive: tarfile.TarFile, name: str) -> bytes:
    """One part by its exact name; nothing is ever unpacked to a place that the archive names."""
    part = archive.getmember(name)
    file = archive.extractfile(part)
    if file is None or part.size > MOST_BYTES:
        raise KeyError(name)
    return file.read()
