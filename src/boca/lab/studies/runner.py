"""Does the runs of a grid that are not done yet, and keeps going when some of them fail."""

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any

from boca.lab.simulation.provenance import timestamp
from boca.lab.studies.engines import Engine
from boca.lab.studies.run_spec import RunSpec
from boca.lab.studies.store import Store
from boca.lab.studies.worker import Finished

ATTEMPTS = 2
# How often we look whether others have finished, given up or died.
POLL_SECONDS = 1.0


@dataclass(frozen=True)
class Failure:
    """
    A run that did not succeed.

    Parameters
    ----------
    spec
        The run.
    error
        The last line that it printed, or how it was killed.
    log
        Path of the file with everything it printed.
    """

    spec: RunSpec
    error: str
    log: str


@dataclass
class GridState:
    """
    How far a grid is.

    Parameters
    ----------
    specs
        Every run of the grid, by key.
    results
        Finished runs, by key, including those that were there before.
    running
        Runs under way in this process: the time at which each was submitted, by key.
    elsewhere
        Keys of runs that another process has claimed.
    failures
        Runs that failed for good, by key.
    num_workers
        Number of runs at once.
    num_before
        Number of runs that had been finished before this process started.
    """

    specs: dict[str, RunSpec]
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)
    failures: dict[str, Failure] = field(default_factory=dict)
    num_workers: int = 1
    num_before: int = 0

    @property
    def num_left(self) -> int:
        """Runs that are neither done nor failed nor running here."""
        return len(self.specs) - len(self.results) - len(self.failures) - len(self.running)

    def seconds_left(self) -> float | None:
        """An estimate from finished runs of the same domain and mechanism; None without any."""
        known: dict[tuple[str, str], list[float]] = {}
        for result in self.results.values():
            spec = result["spec"]
            known.setdefault((spec["domain"], spec["mechanism"]), []).append(result["seconds"])
        if not known:
            return None
        overall = [seconds for group in known.values() for seconds in group]
        total = 0.0
        for key, spec in self.specs.items():
            if key in self.results or key in self.failures:
                continue
            group = known.get((spec.domain, spec.setting.mechanism), overall)
            passed = time.time() - self.running[key] if key in self.running else 0.0
            total += max(0.0, sum(group) / len(group) - passed)
        return total / self.num_workers


class Listener:
    """Does nothing at every moment that a display may want to hear of."""

    def on_start(self, progress: GridState) -> None:
        """The grid is about to start."""

    def on_change(self, progress: GridState) -> None:
        """A run has started, or time has passed."""

    def on_finished(self, progress: GridState, key: str) -> None:
        """A run was stored, here or by another process."""

    def on_crash(self, progress: GridState, key: str, error: str, again: bool) -> None:
        """A run failed; ``again`` says whether it is tried once more."""


def run_grid(
    specs: Sequence[RunSpec],
    store: Store,
    engine: Engine,
    listener: Listener | None = None,
    poll_seconds: float = POLL_SECONDS,
) -> GridState:
    """
    Does every run that the store does not have.

    Runs that another process has claimed are left to it; should it die, they are done here. A run
    that crashes is tried once more; then it is a failure, and the grid goes on.

    Parameters
    ----------
    specs
        The runs, in the order in which they are started.
    store
        Folder that results go to.
    engine
        Engine that does the runs. It is not closed.
    listener
        Listener that hears of every event.
    poll_seconds
        Seconds between two looks at what other processes do.
    """
    listener = listener or Listener()
    store.create()
    store.adopt(specs)
    runner = _Runner(specs, store, engine, listener)
    with store.heartbeat():
        try:
            runner.run(poll_seconds)
        finally:
            store.release_all()
    return runner.progress


class _Runner:
    def __init__(self, specs: Sequence[RunSpec], store: Store, engine: Engine, listener: Listener):
        self.progress = GridState(
            {spec.key: spec for spec in specs}, num_workers=engine.num_workers
        )
        self._store, self._engine, self._listener = store, engine, listener
        self._futures: dict[Future[Finished], str] = {}
        self._attempts: dict[str, int] = {}
        self._old_failures = store.failures()

    def run(self, poll_seconds: float) -> None:
        self._look_around()
        self.progress.num_before = len(self.progress.results)
        self._listener.on_start(self.progress)
        while self._open():
            self._fill()
            self._listener.on_change(self.progress)
            if self._futures:
                done, _ = wait(self._futures, poll_seconds, FIRST_COMPLETED)
                for future in done:
                    self._collect(future)
            elif self._open():
                time.sleep(poll_seconds)
            self._look_around()

    def _open(self) -> list[str]:
        progress = self.progress
        return [
            k for k in progress.specs if k not in progress.results and k not in progress.failures
        ]

    def _fill(self) -> None:
        """Claims and starts runs while there is room."""
        self.progress.num_workers = room = max(1, self._engine.num_workers)
        self.progress.elsewhere.clear()
        for key in self._open():
            if len(self._futures) >= room:
                return
            if key in self.progress.running:
                continue
            if self._store.claim(key):
                self._start(key)
            elif not self._store.is_done(key):
                self.progress.elsewhere.add(key)

    def _start(self, key: str) -> None:
        self._attempts[key] = self._attempts.get(key, 0) + 1
        self.progress.running[key] = time.time()
        future = self._engine.submit(self.progress.specs[key], self._store.log_file(key))
        self._futures[future] = key

    def _collect(self, future: "Future[Finished]") -> None:
        key = self._futures.pop(future)
        error = future.exception()
        ended = Finished(None, f"{type(error).__name__}: {error}", "") if error else future.result()
        log = self._store.log_file(key)
        if ended.log:
            with log.open("a", encoding="utf-8") as file:
                file.write(ended.log)
        if ended.result is None and self._attempts[key] < ATTEMPTS:
            self._listener.on_crash(self.progress, key, ended.error, again=True)
            self._start(key)
            return
        del self.progress.running[key]
        if ended.result is not None:
            self._store.save(key, ended.result)
            self._store.release(key)
            self._finished(key, ended.result)
            return
        spec = self.progress.specs[key]
        self.progress.failures[key] = Failure(spec, ended.error, str(log))
        self._store.fail(
            key,
            {
                "spec": spec.to_dict(),
                "attempts": self._attempts[key],
                "error": ended.error,
                "log": str(log),
                "finished": timestamp(),
            },
        )
        self._store.release(key)
        self._listener.on_crash(self.progress, key, ended.error, again=False)

    def _look_around(self) -> None:
        """Takes in what other processes have finished or given up since we looked last."""
        waiting = [key for key in self._open() if key not in self.progress.running]
        failures = self._store.failures() if waiting else {}
        for key in waiting:
            result = self._store.read(key)
            if result is not None:
                self._finished(key, result)
            elif key in failures and failures[key] != self._old_failures.get(key):
                failure = failures[key]
                spec = self.progress.specs[key]
                self.progress.failures[key] = Failure(spec, failure["error"], failure["log"])

    def _finished(self, key: str, result: dict[str, Any]) -> None:
        self.progress.results[key] = result
        self._listener.on_finished(self.progress, key)
