"""Where runs are done: an engine takes runs and gives futures. This one uses local processes."""

import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from boca.core.errors import InputError
from boca.core.machine import num_processors
from boca.core.memory import available_gigabytes
from boca.lab.studies.run_spec import RunSpec
from boca.lab.studies.worker import Finished, perform_apart

# What one auction may need, generously.
GIGABYTES_PER_RUN = 2.0


class Engine(Protocol):
    """Does runs somewhere."""

    @property
    def num_workers(self) -> int:
        """Runs that can be under way at once, as far as is known now."""
        ...

    def submit(self, spec: RunSpec, log_file: Path) -> "Future[Finished]":
        """Starts a run as soon as there is room for it."""
        ...

    def close(self) -> None:
        """Ends whatever is still under way."""
        ...


class ProcessEngine:
    """
    Runs in processes of this machine, each with one thread.

    Parameters
    ----------
    num_workers
        Processes at once; as many as cores and memory allow if None.
    """

    def __init__(self, num_workers: int | None = None):
        if num_workers is not None and num_workers < 1:
            raise InputError(f"Received {num_workers} workers; expected at least 1.")
        self._num_workers = num_workers or default_workers()
        # Each thread only waits for the process of its run.
        self._pool = ThreadPoolExecutor(self._num_workers)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._closed = False

    @property
    def num_workers(self) -> int:
        return self._num_workers

    def submit(self, spec: RunSpec, log_file: Path) -> "Future[Finished]":
        return self._pool.submit(perform_apart, spec.to_dict(), str(log_file), self._started)

    def close(self) -> None:
        self._closed = True
        for process in self._processes:
            process.kill()
        self._pool.shutdown(cancel_futures=True)

    def _started(self, process: "subprocess.Popen[bytes]") -> None:
        self._processes = [old for old in self._processes if old.poll() is None] + [process]
        if self._closed:
            process.kill()


def default_workers() -> int:
    """As many processes as there are cores, and memory for."""
    return max(1, min(num_processors(), int(available_gigabytes() // GIGABYTES_PER_RUN)))
