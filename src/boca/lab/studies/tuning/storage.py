"""Where studies are kept: Optuna's journal file, made safe against processes that are killed."""

import contextlib
import os
from pathlib import Path

import optuna
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.study import Study

from boca.core.errors import InputError
from boca.lab.studies.liveness import file_lock
from boca.lab.studies.tuning.setup import TuningSetup

optuna.logging.set_verbosity(optuna.logging.ERROR)

SQLITE_SECONDS = 60

SETUP = "setup"  # under which a study says what it is about


class SystemLock(JournalFileOpenLock):
    """
    A lock that the system opens again when its holder dies.

    Optuna's own locks are files that a killed process leaves behind, and others wait 30 seconds
    for them. Whoever gets this one also removes a last line that was never finished (a full disk,
    a power cut): the next line would be appended to it, and Optuna could not read the file again.

    Parameters
    ----------
    path
        The journal.
    """

    def __init__(self, path: Path):
        super().__init__(str(path))
        self._path = path
        self._held = contextlib.ExitStack()

    def acquire(self) -> bool:
        """Waits for the lock."""
        lock = self._path.with_name(f"{self._path.name}.lock")
        self._held.enter_context(file_lock(lock))
        remove_unfinished_line(self._path)
        return True

    def release(self) -> None:
        """Gives the lock back."""
        self._held.close()


def remove_unfinished_line(path: Path) -> None:
    """Cuts off what follows the last line break of a file."""
    with path.open("r+b") as file:
        size = end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 4096)
            file.seek(start)
            block = file.read(end - start)
            place = block.rfind(b"\n")
            if place >= 0:
                end = start + place + 1
                break
            end = start
        if end < size:
            file.truncate(end)


def open_storage(place: str) -> BaseStorage:
    """
    Opens or makes a storage.

    Parameters
    ----------
    place
        Path of a journal file, or the URL of a database such as ``sqlite:///study.db``.
    """
    if "://" in place:
        return _database(place)
    path = Path(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.touch()
        lock = SystemLock(path)
        lock.acquire()  # which repairs
        lock.release()
        return JournalStorage(JournalFileBackend(str(path), lock_obj=lock))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"The journal '{place}' cannot be used: {error}. Choose another --out."
        ) from None


def _database(url: str) -> BaseStorage:
    # By itself SQLite gives up after five seconds when others write.
    patient = {"connect_args": {"timeout": SQLITE_SECONDS}} if url.startswith("sqlite") else None
    try:
        return RDBStorage(url, engine_kwargs=patient)
    except Exception as error:  # each database has errors of its own
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"The database '{url}' cannot be used: {reason}. Check the URL.") from None


def open_study(storage: BaseStorage, name: str, setup: TuningSetup, where: str) -> Study:
    """
    The study of a name; made if there is none, refused if it is about something else.

    Parameters
    ----------
    storage
        Where studies are kept.
    name
        Of the study.
    setup
        What it should be about.
    where
        The storage in words, for messages.
    """
    try:
        study = optuna.create_study(storage=storage, study_name=name, load_if_exists=True)
    except (ValueError, KeyError) as error:
        raise InputError(f"The study '{name}' in '{where}' cannot be read: {error}.") from None
    stored = study.user_attrs.get(SETUP)
    if stored is None:
        study.set_user_attr(SETUP, setup.to_dict())
        stored = study.user_attrs[SETUP]
    setup.check_same(stored, where)
    return study
