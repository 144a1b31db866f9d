"""
One run in a process of its own: ``python -m boca.lab.studies.worker``.

Each run has its own process, so that a crash, a leak or a kill costs that run alone, and numerical
libraries can be told how many threads to use before they are imported.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boca.core.files import write_atomically
from boca.core.plugins import load_plugins
from boca.lab.simulation.provenance import provenance, timestamp
from boca.lab.simulation.simulated_auction import simulate
from boca.lab.simulation.source import source_fingerprint
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.run_spec import RunSpec

# One thread each: on a machine full of runs, more threads only get in each other's way.
THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
LOG_TAIL = 4000


@dataclass(frozen=True)
class Finished:
    """
    How the process of a run ended.

    Parameters
    ----------
    result
        Everything that a result file holds; None if the run failed.
    error
        The last line that it printed, or how it was killed; empty if it did not fail.
    log
        The end of everything it printed; empty if that is in a file of this machine already.
    """

    result: dict[str, Any] | None
    error: str
    log: str


def perform(spec: RunSpec) -> dict[str, Any]:
    """Does a run in this process; everything a result file holds."""
    started, source = timestamp(), source_fingerprint()
    domain, params, setup = spec.setup.load(), spec.params(), spec.setup
    simulation = simulate(
        domain,
        params,
        published_start=setup.published_start,
        stop_when_efficient=setup.stop_when_efficient,
    )
    result = {
        "key": spec.key,
        "spec": spec.to_dict(),
        "auction": params.to_dict(),
        **simulation.to_dict(),
        "num_queries": max(simulation.state.num_asked),
        "market_hash": market_hash(spec.domain),
        "parts": spec.parts,
        "source": source,
        **provenance(),
        "started": started,
        "finished": timestamp(),
    }
    as_read_again: dict[str, Any] = json.loads(json.dumps(result))  # lists, no tuples
    return as_read_again


def perform_apart(
    spec: dict[str, Any],
    log_file: str | None = None,
    on_start: Callable[[subprocess.Popen[bytes]], None] = lambda process: None,
) -> Finished:
    """
    Does a run in a process of its own, and waits for it.

    Parameters
    ----------
    spec
        The run as plain values, so that it can be sent to another machine.
    log_file
        File for what the run prints; a temporary one if None.
    on_start
        Called with the process, for whoever may want to end it.
    """
    with tempfile.TemporaryDirectory(prefix="boca-run-") as folder:
        result_file = Path(folder) / "result.json"
        log_path = Path(log_file) if log_file else Path(folder) / "log"
        with log_path.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "boca.lab.studies.worker"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **THREADS},
                # An interrupt from the keyboard is for the runner, which then ends its runs.
                start_new_session=True,
            )
        on_start(process)
        assert process.stdin is not None
        try:
            task = json.dumps({"spec": spec, "result": str(result_file)})
            # The pipe stays open: when this process dies, however it dies, the run sees its end.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(task.encode() + b"\n")
                process.stdin.flush()
            code = process.wait()
        finally:
            process.kill()
            process.wait()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        text = log_path.read_text(errors="replace")[-LOG_TAIL:]
        rest = "" if log_file else text
        if code == 0 and result_file.exists():
            return Finished(json.loads(result_file.read_text()), "", rest)
        lines = text.strip().splitlines()
        error = f"killed by signal {-code}" if code < 0 else lines[-1] if lines else f"code {code}"
        return Finished(None, error, rest)


def main() -> None:
    """Reads a task from the standard input, does it, and writes its result."""
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    load_plugins()
    spec = RunSpec.from_dict(task["spec"])
    began = time.perf_counter()
    print(f"{timestamp()} {spec.title} starts, process {os.getpid()}", flush=True)
    result = perform(spec)
    write_atomically(task["result"], json.dumps(result))
    print(f"{timestamp()} {spec.title} ends after {time.perf_counter() - began:.1f} s", flush=True)


def _end_with_parent() -> None:
    """Ends this process when the one that started it is gone: its end of the pipe closes."""
    sys.stdin.read()
    os._exit(3)


if __name__ == "__main__":
    main()
