"""
Finished runs on disk.

A folder holds ``grids/NAME.toml`` (what was planned), ``runs/KEY.json`` (one finished run each),
``claims/KEY.json`` (runs under way), ``failures/KEY.json`` and ``logs/KEY.log``. Any number of
processes, also on several machines that share the folder, may work on it.
"""

import contextlib
import json
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import read_text, write_atomically
from boca.lab.studies.claims import Claims
from boca.lab.studies.grid import Grid, load_grid
from boca.lab.studies.liveness import HEARTBEAT_SECONDS
from boca.lab.studies.result_file import read_result
from boca.lab.studies.run_spec import RunSpec


class Store:
    """
    A folder of runs.

    Parameters
    ----------
    path
        The folder; :meth:`create` makes it.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)
        self._claims = Claims(self.path / "claims")

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
        write_atomically(self.path / "grids" / f"{grid.name}.toml", grid.to_toml())

    def grids(self) -> list[Grid]:
        """What was planned, one grid for each name."""
        grids = []
        for file in sorted((self.path / "grids").glob("*.toml")):
            try:
                grid = load_grid(file)
                grid.runs()  # finds mechanisms that do not exist
                grids.append(grid)
            except InputError as error:
                _set_aside(file, error)
        return grids

    def planned(self) -> list[RunSpec]:
        """Every run of every grid that was started in this folder."""
        return list(dict.fromkeys(spec for grid in self.grids() for spec in grid.runs()))

    def run_file(self, key: str) -> Path:
        """Where the result of a run is, or will be."""
        return self.path / "runs" / f"{key}.json"

    def log_file(self, key: str) -> Path:
        """Where what a run prints goes."""
        return self.path / "logs" / f"{key}.log"

    def failure_file(self, key: str) -> Path:
        """Where it says why a run did not succeed."""
        return self.path / "failures" / f"{key}.json"

    def is_done(self, key: str) -> bool:
        """Whether the run's result is here."""
        return self.run_file(key).exists()

    def adopt(self, specs: Iterable[RunSpec]) -> None:
        """Finds runs under the names that they had before parts had versions, and renames them."""
        for spec in specs:
            former = [key for key in spec.former_keys if self.is_done(key)]
            if former and not self.is_done(spec.key):
                result = self.read(former[0])
                if result is not None:
                    self.save(spec.key, {**result, "key": spec.key})
                    self.run_file(former[0]).unlink(missing_ok=True)

    def save(self, key: str, result: dict[str, Any]) -> None:
        """Stores a finished run, the whole of it or nothing, and forgets earlier failures."""
        write_atomically(self.run_file(key), json.dumps(result, indent=1))
        self.failure_file(key).unlink(missing_ok=True)

    def read(self, key: str) -> dict[str, Any] | None:
        """One finished run; None if its file is not here or, being broken, was set aside."""
        return self._read(self.run_file(key)) if self.is_done(key) else None

    def results(self) -> list[dict[str, Any]]:
        """All finished runs. Broken files are set aside with a warning."""
        stored = [self._read(path) for path in sorted((self.path / "runs").glob("*.json"))]
        return [result for result in stored if result is not None]

    def fail(self, key: str, failure: dict[str, Any]) -> None:
        """Remembers that a run did not succeed."""
        write_atomically(self.failure_file(key), json.dumps(failure, indent=1))

    def failures(self) -> dict[str, dict[str, Any]]:
        """Runs that did not succeed when they were last tried, by key."""
        failures = {}
        for path in sorted((self.path / "failures").glob("*.json")):
            try:
                failures[path.stem] = _read_failure(path)
            except InputError as error:
                _set_aside(path, error)
        return failures

    def claim(self, key: str) -> bool:
        """Takes a run for this process, unless it is done or another living process has it."""
        if self.is_done(key) or not self._claims.take(key):
            return False
        if self.is_done(key):  # finished by another process a moment ago
            self.release(key)
            return False
        return True

    def release(self, key: str) -> None:
        """Gives up a claim of this process."""
        self._claims.release(key)

    def release_all(self) -> None:
        """Gives up every claim of this process."""
        self._claims.release_all()

    @contextlib.contextmanager
    def heartbeat(self, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Inside, other machines see that this process lives."""
        with self._claims.heartbeat(seconds):
            yield

    def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            return read_result(path)
        except InputError as error:
            _set_aside(path, error)
            return None


def _read_failure(path: Path) -> dict[str, Any]:
    try:
        failure = json.loads(read_text(path, "record of a failed run"))
    except (ValueError, RecursionError):
        failure = None
    if not isinstance(failure, dict) or not {"error", "log"} <= failure.keys():
        raise InputError(f"The record of a failed run '{path}' has no 'error' and 'log'.")
    return failure


def _set_aside(path: Path, error: InputError) -> None:
    """Renames a file that cannot be used, so that the rest can, and says so."""
    aside = path.with_name(f"{path.name}.broken")
    try:
        path.rename(aside)
        what = f"It was renamed to {aside.name}"
    except OSError:  # a folder that we may only read
        what = "It is left out"
    warnings.warn(f"{error} {what}; everything else is used.", stacklevel=2)
