"""A real Dask scheduler with two workers, each in a process, as a user would start them."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Cluster:
    """A scheduler's address, and its two workers by name."""

    address: str
    workers: dict[str, subprocess.Popen]


@contextlib.contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that ends with the block; its log is in the folder."""
    file = folder / "scheduler.json"
    log = (folder / "dask.log").open("w")

    def start(program, *options):
        module = f"distributed.cli.{program}"
        command = [sys.executable, "-m", module, "--scheduler-file", str(file), "--no-dashboard"]
        return subprocess.Popen([*command, *options], stdout=log, stderr=log)

    processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline, (folder / "dask.log").read_text()
            time.sleep(0.1)
        workers = {
            name: start("dask_worker", "--nthreads", "1", "--no-nanny", "--name", name)
            for name in ("first", "second")
        }
        processes += workers.values()
        yield Cluster(json.loads(file.read_text())["address"], workers)
    finally:
        for process in processes:
            process.kill()
            process.wait()
        log.close()
