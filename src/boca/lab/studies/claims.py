"""
Who is doing which run of a folder.

A claim is a file that names its owner. Any number of processes, also on several machines that share
the folder, may claim runs; each run has at most one living owner.
"""

import contextlib
import json
import os
import secrets
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from boca.lab.studies.liveness import (
    HEARTBEAT_SECONDS,
    STALE_SECONDS,
    file_lock,
    heartbeat,
    is_dead,
    is_signature,
    signature,
)


class Claims:
    """
    The claims of one process on the runs of a folder.

    Parameters
    ----------
    path
        The folder of the claims, which all processes share.
    """

    def __init__(self, path: Path):
        self.path = path
        self._token = secrets.token_hex(8)
        self._held: set[str] = set()

    def take(self, key: str) -> bool:
        """
        Claims a run unless another living process has it.

        Creating the file is the claim, and only one process can create it. The lock around it is
        for taking over the claim of a dead process: of two that find it, the second must see the
        first one's new claim.
        """
        with file_lock(self.path / ".lock"):
            file = self._file(key)
            if file.exists() and not self._is_dead(file):
                return False
            file.unlink(missing_ok=True)
            # Written elsewhere first, so that a claim that can be seen is whole.
            new = self.path / f".new-{self._token}"
            new.write_text(json.dumps({"token": self._token, **signature()}))
            try:
                os.link(new, file)
            except FileExistsError:  # where the folder's file system knows no locks
                return False
            finally:
                new.unlink()
            self._held.add(key)
            return True

    def release(self, key: str) -> None:
        """Gives up a claim of this process."""
        self._held.discard(key)
        self._file(key).unlink(missing_ok=True)

    def release_all(self) -> None:
        """Gives up every claim of this process."""
        for key in list(self._held):
            self.release(key)

    @contextlib.contextmanager
    def heartbeat(self, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Inside, other machines see that this process lives."""
        with heartbeat(lambda: self._touch(list(self._held)), seconds):
            yield

    def _touch(self, keys: Iterable[str]) -> None:
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                os.utime(self._file(key))

    def _file(self, key: str) -> Path:
        return self.path / f"{key}.json"

    def _is_dead(self, file: Path) -> bool:
        try:
            owner = _read_owner(file)
        except FileNotFoundError:
            return True
        if owner is None:
            file.replace(file.with_name(f"{file.name}.broken"))
            warnings.warn(
                f"The claim '{file}' cannot be read, so nobody holds it. It was renamed to "
                f"{file.name}.broken; the run is done here.",
                stacklevel=2,
            )
            return True
        dead = is_dead(owner)
        return self._is_silent(file) if dead is None else dead

    def _is_silent(self, file: Path) -> bool:
        """Whether nobody has touched a claim for long, by the file system's own clock."""
        now_file = self.path / f".now-{self._token}"  # another machine's clock may differ from ours
        now_file.touch()
        try:
            return now_file.stat().st_mtime - file.stat().st_mtime > STALE_SECONDS
        except FileNotFoundError:
            return True
        finally:
            now_file.unlink(missing_ok=True)


def _read_owner(file: Path) -> Any:
    """Who made a claim; None if the file does not say."""
    try:
        owner = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None
    return owner if is_signature(owner) else None
