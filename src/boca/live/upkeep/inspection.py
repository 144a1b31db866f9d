"""What an operator wants to know before an auction: is everything as it should be?"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from boca.core.errors import InputError
from boca.live.clock import SystemClock, from_text, to_text
from boca.live.ledger import SigningKey
from boca.live.store.database import Database
from boca.live.store.events import last_kinds, read
from boca.live.upkeep.copies import check_log
from boca.live.watch import LEAST_DISK_TO_START

MEGABYTE = 1_000_000
# How far the clock may lie before the last record.
CLOCK_TOLERANCE = timedelta(seconds=2)
SOLVER_SECONDS = 120


@dataclass(frozen=True)
class FolderFinding:
    """
    The result of one check.

    Parameters
    ----------
    name
        What was looked at.
    is_well
        Whether it is as it should be.
    sentence
        What was found, and what to do if it is not well.
    """

    name: str
    is_well: bool
    sentence: str


def inspect(
    data: Path, url: str | None = None, disk_free: Callable[[Path], int] | None = None
) -> Iterator[FolderFinding]:
    """
    Looks at a data folder, beside a running server or without one.

    Parameters
    ----------
    data, url
        Where the auctions are.
    disk_free
        Bytes that can be written below a folder; asks the system unless given.
    """
    yield _permissions(data)
    yield _disk((disk_free or _disk_free)(data))
    yield _first_solver()
    yield _second_solver()
    try:
        database = Database(data, url, exclusive=False)
    except InputError as error:
        yield FolderFinding("database", False, str(error))
        return
    try:
        # Opening it has looked at the settings already; others are refused there.
        yield FolderFinding("database", True, "A commit is on the disk before it is answered.")
        yield _clock(database)
        yield from _chains(database)
    finally:
        database.close()


def _permissions(data: Path) -> FolderFinding:
    open_paths = [path for path in (data, *data.iterdir()) if path.stat().st_mode & 0o077]
    if open_paths:
        names = ", ".join(f"'{path}'" for path in open_paths[:3])
        return FolderFinding(
            "permissions", False, f"Others can read {names}; run: chmod -R go= '{data}'."
        )
    return FolderFinding("permissions", True, "Only the owner can read the data folder.")


def _disk_free(data: Path) -> int:
    return shutil.disk_usage(data).free


def _disk(free: int) -> FolderFinding:
    is_well = free >= LEAST_DISK_TO_START
    need = f"at least {LEAST_DISK_TO_START // MEGABYTE} MB are needed to start an auction"
    text = f"{free // MEGABYTE:,} MB are free; {need}."
    return FolderFinding("disk", is_well, text if is_well else f"{text} Make room.")


def _clock(database: Database) -> FolderFinding:
    """The clock against the log, which is all that a machine without a network can look at."""
    now = SystemClock().now()
    last = database.get_meta("alive_at") or to_text(now)
    if from_text(last) > now + CLOCK_TOLERANCE:
        return FolderFinding(
            "clock", False, f"The clock says {to_text(now)}, but the server ran at {last}. Set it."
        )
    return FolderFinding(
        "clock", True, f"The clock says {to_text(now)}; compare it with another one."
    )


def _first_solver() -> FolderFinding:
    """Whether the child process can load the engine; what the server itself never does."""
    program = [sys.executable, "-c", "import boca.payments, boca.mechanism"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        program, capture_output=True, text=True, timeout=SOLVER_SECONDS, env=environment
    )
    if result.returncode:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        return FolderFinding("engine", False, f"The engine cannot be loaded: {last}.")
    return FolderFinding("engine", True, "Learning and solving can be loaded.")


def _second_solver() -> FolderFinding:
    if importlib.util.find_spec("pyscipopt") is None:
        return FolderFinding(
            "second solver",
            False,
            "SCIP is missing, so outcomes count in rehearsals only; "
            "run: pip install 'boca-assignment[scip]'.",
        )
    return FolderFinding("second solver", True, "SCIP can verify outcomes.")


def _chains(database: Database) -> Iterator[FolderFinding]:
    key = SigningKey.read(database.data / "receipts.key")
    with database.connect() as connection:
        auctions = list(last_kinds(connection))
    if not auctions:
        yield FolderFinding("logs", True, "There is no auction yet.")
    for auction in auctions:
        with database.connect() as connection:
            records = read(connection, auction)
        try:
            copy = check_log(auction, records)
        except InputError as error:
            yield FolderFinding(f"log {auction}", False, str(error))
            continue
        if copy.public_key != key.public:
            yield FolderFinding(
                f"log {auction}", False, "Its receipts belong to another key than receipts.key."
            )
        else:
            yield FolderFinding(
                f"log {auction}", True, f"{copy.num_records} records hold, head {copy.head}."
            )
