"""
Finished runs on disk, and who is doing which of the others.

A folder holds ``grids/NAME.toml`` (what was planned), ``runs/KEY.json`` (one finished run each),
``claims/KEY.json`` (runs under way), ``failures/KEY.json`` and ``logs/KEY.log``. Any number of
processes, also on several machines that share the folder, may work on it.
"""

import contextlib
import fcntl
import json
import os
import platform
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.studies.grid import Grid, load_grid
from boca.studies.run_spec import RunSpec

# A claim on another machine whose owner has not touched it for so long is given up for dead.
STALE_SECONDS = 120.0
HEARTBEAT_SECONDS = 15.0


class Store:
    """
    A folder of runs.

    Parameters
    ----------
    path
        The folder; made if it is not there.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)
        self._token = secrets.token_hex(8)
        self._mine: set[str] = set()

    @classmethod
    def open(cls, path: Path | str) -> "Store":
        """A store that must exist already."""
        if not (Path(path) / "runs").is_dir():
            raise InputError(
                f"There are no runs in '{path}'; expected the folder of an experiment, which "
                "'boca experiment run FILE --out FOLDER' makes."
            )
        return cls(path)

    def create(self) -> None:
        """Makes the folders."""
        for name in ("runs", "claims", "failures", "logs", "grids"):
            (self.path / name).mkdir(parents=True, exist_ok=True)

    def plan(self, grid: Grid) -> None:
        """Remembers what was planned, for reports that say how much of it is done."""
        _write(self.path / "grids" / f"{grid.name}.toml", grid.to_toml())

    def planned(self) -> list[RunSpec]:
        """Every run of every grid that was started in this folder."""
        files = sorted((self.path / "grids").glob("*.toml"))
        return list(dict.fromkeys(spec for file in files for spec in load_grid(file).runs()))

    def run_file(self, key: str) -> Path:
        return self.path / "runs" / f"{key}.json"

    def log_file(self, key: str) -> Path:
        return self.path / "logs" / f"{key}.log"

    def failure_file(self, key: str) -> Path:
        return self.path / "failures" / f"{key}.json"

    def is_done(self, key: str) -> bool:
        """Whether the run's result is here."""
        return self.run_file(key).exists()

    def save(self, key: str, result: dict[str, Any]) -> None:
        """Stores a finished run, the whole of it or nothing, and forgets earlier failures."""
        _write(self.run_file(key), json.dumps(result, indent=1))
        self.failure_file(key).unlink(missing_ok=True)

    def read(self, key: str) -> dict[str, Any]:
        """One finished run."""
        return json.loads(self.run_file(key).read_text())

    def results(self) -> list[dict[str, Any]]:
        """All finished runs."""
        return [
            json.loads(path.read_text()) for path in sorted((self.path / "runs").glob("*.json"))
        ]

    def fail(self, key: str, failure: dict[str, Any]) -> None:
        """Remembers that a run did not succeed."""
        _write(self.failure_file(key), json.dumps(failure, indent=1))

    def failures(self) -> dict[str, dict[str, Any]]:
        """Runs that did not succeed when they were last tried, by key."""
        files = sorted((self.path / "failures").glob("*.json"))
        return {path.stem: json.loads(path.read_text()) for path in files}

    def claim(self, key: str) -> bool:
        """
        Takes a run for this process, unless it is done or another living process has it.

        Creating the file is the claim, and only one process can create it. The lock around it is
        for taking over the claim of a dead process: of two that find it, the second must see the
        first one's new claim.
        """
        with self._lock():
            file = self._claim_file(key)
            if self.is_done(key) or (file.exists() and not self._is_dead(file)):
                return False
            file.unlink(missing_ok=True)
            owner = {
                "token": self._token,
                "host": platform.node(),
                "pid": os.getpid(),
                "started": _process_start(os.getpid()),
            }
            try:
                with file.open("x") as out:
                    json.dump(owner, out)
            except FileExistsError:  # where the folder's file system knows no locks
                return False
            self._mine.add(key)
            return True

    def release(self, key: str) -> None:
        """Gives up a claim of this process."""
        self._mine.discard(key)
        self._claim_file(key).unlink(missing_ok=True)

    def release_all(self) -> None:
        """Gives up every claim of this process."""
        for key in list(self._mine):
            self.release(key)

    @contextlib.contextmanager
    def heartbeat(self, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Inside, other machines see that this process lives."""
        stop = threading.Event()

        def beat() -> None:
            while not stop.wait(seconds):
                self._touch(list(self._mine))

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _touch(self, keys: Iterable[str]) -> None:
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                os.utime(self._claim_file(key))

    def _claim_file(self, key: str) -> Path:
        return self.path / "claims" / f"{key}.json"

    def _is_dead(self, file: Path) -> bool:
        try:
            owner = json.loads(file.read_text())
        except FileNotFoundError:
            return True
        except json.JSONDecodeError:
            owner = {"host": ""}  # killed while writing it, or about to write it
        if owner["host"] == platform.node():
            return _process_start(owner["pid"]) != owner["started"]
        # Another machine's clock may differ from ours, so both times are the file system's.
        now_file = self.path / "claims" / f".now-{self._token}"
        now_file.touch()
        try:
            return now_file.stat().st_mtime - file.stat().st_mtime > STALE_SECONDS
        except FileNotFoundError:
            return True
        finally:
            now_file.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """A lock between processes that the system opens again when its holder dies."""
        with (self.path / "claims" / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _write(path: Path, text: str) -> None:
    """Writes a file, the whole of it or nothing."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def _process_start(pid: int) -> str:
    """When a process started, so that another one with its number is told apart; empty if none."""
    try:
        # Fields after the command, which may hold blanks and ends with the last bracket.
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if stat[0] == "Z" else stat[19]
    except OSError:
        pass
    if Path("/proc/self").exists():
        return ""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "alive"


def stamp() -> str:
    """The time now, as text that sorts."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
