"""
Runs commands in forked copies of one warm process, each with a watchdog.

Everything is imported once; a copy starts in milliseconds, so that thousands of inputs take
minutes. The warm process itself runs no command and starts no thread, which is what makes copying
it safe.
"""

import contextlib
import importlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hostile_inputs.case import Case, Outcome, Verdict

POLL_SECONDS = 0.01
LOADED_LATE = (
    "highspy",
    "jax.numpy",
    "optuna",
    "uvicorn",
    "fastapi",
    "matplotlib.pyplot",
    "optax",
    "rich.table",
    "scipy.stats",
)
PATIENCE = 5.0
MOST_PRINTED = 1_000_000  # bytes of each stream that are kept


@dataclass(frozen=True)
class Limits:
    """
    When a command is stopped.

    Parameters
    ----------
    seconds
        Processor time that is allowed. Of wall-clock time, on a machine that is perhaps busy with
        other things, ``PATIENCE`` times as much.
    memory
        Resident memory that is allowed, in bytes.
    """

    seconds: float = 60.0
    memory: int = 1_000_000_000


@dataclass
class _Running:
    number: int
    case: Case
    process: int
    folder: Path
    start: float
    was_stopped: Verdict | None = None
    was_told: bool = False
    peak_memory: int = 0


def warm_up() -> None:
    """Imports all commands and the packages they load late, so that copies need not."""
    from boca.cli.main import SUBCOMMANDS

    for name in SUBCOMMANDS:
        importlib.import_module(f"boca.cli.{name}")
    for name in LOADED_LATE:
        importlib.import_module(name)


def run_all(
    cases: Iterable[Case], templates: Path, limits: Limits, jobs: int
) -> Iterator[tuple[int, Case, Outcome]]:
    """
    Runs cases, several at once, and gives their outcomes as they come.

    Parameters
    ----------
    cases
        What to run.
    templates
        Folder of the folders that cases ask to have copied.
    limits
        When a command is stopped.
    jobs
        How many run at once.
    """
    waiting = iter(enumerate(cases))
    running: list[_Running] = []
    is_left = True
    while running or is_left:
        while is_left and len(running) < jobs:
            number, case = next(waiting, (-1, None))
            if case is None:
                is_left = False
            else:
                running.append(_start(number, case, templates))
        for item in list(running):
            outcome = _look(item, limits)
            if outcome is not None:
                running.remove(item)
                shutil.rmtree(item.folder, ignore_errors=True)
                yield item.number, item.case, outcome
        time.sleep(POLL_SECONDS)


def prepare(case: Case, folder: Path, templates: Path) -> None:
    """Writes a case's files into its working folder."""
    for name in case.templates:
        shutil.copytree(templates / name, folder / name)
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)


def _start(number: int, case: Case, templates: Path) -> _Running:
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    # One folder deeper, so that what goes to ".." stays in a folder of this case.
    work = folder / "a" / "b"
    work.mkdir(parents=True)
    prepare(case, work, templates)
    process = os.fork()
    if process == 0:
        _be_the_command(case, work, folder)
    return _Running(number, case, process, folder, time.monotonic())


def _be_the_command(case: Case, work: Path, folder: Path) -> None:
    """Runs the command in this copy of the process and ends it."""
    code = 1
    try:
        os.setsid()
        os.chdir(work)
        os.environ["COLUMNS"] = "100"
        for stream, name in ((0, os.devnull), (1, folder / "output"), (2, folder / "errors")):
            flags = os.O_RDONLY if stream == 0 else os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(name, flags, 0o600), stream)
        sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
        sys.stderr = open(2, "w", errors="backslashreplace")  # noqa: SIM115
        from boca.cli.main import main

        main(list(case.words))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:  # a bug, which is what we are here to see
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                code = code or 1
        os._exit(code & 0xFF)


def _look(item: _Running, limits: Limits) -> Outcome | None:
    """The outcome of a command that has ended; one that takes too much is ended."""
    ended, status, usage = os.wait4(item.process, os.WNOHANG)
    waited = time.monotonic() - item.start
    if ended == 0:
        item.peak_memory = max(item.peak_memory, _resident(item.process))
        if not item.was_told and waited > (item.case.seconds_to_live or float("inf")):
            item.was_told = True
            os.kill(item.process, signal.SIGTERM)
        if item.was_stopped is None:
            if item.peak_memory > limits.memory:
                _stop(item, Verdict.memory)
            elif waited > limits.seconds and (
                _processor_seconds(item.process) > limits.seconds
                or waited > PATIENCE * limits.seconds
            ):
                _stop(item, Verdict.time)
        return None

    _end_group(item.process)  # what it started itself
    unit = 1 if sys.platform == "darwin" else 1024
    peak_memory = max(item.peak_memory, usage.ru_maxrss * unit)
    if item.was_stopped is None and peak_memory > limits.memory:
        item.was_stopped = Verdict.memory
    return Outcome(
        os.waitstatus_to_exitcode(status),
        waited if item.was_stopped is Verdict.time else usage.ru_utime + usage.ru_stime,
        peak_memory,
        _printed(item.folder / "output"),
        _printed(item.folder / "errors"),
        item.was_stopped,
        item.case.result_codes + ((-signal.SIGTERM,) if item.was_told else ()),
    )


def _stop(item: _Running, reason: Verdict) -> None:
    item.was_stopped = reason
    _end_group(item.process)


def _end_group(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _resident(process: int) -> int:
    """Resident memory in bytes; 0 where the system does not say, or the process has ended."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * resource.getpagesize()


def _processor_seconds(process: int) -> float:
    """Processor time so far; infinite where the system does not say, so that the clock decides."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
    except (OSError, IndexError, ValueError):
        return float("inf")
    return ticks / os.sysconf("SC_CLK_TCK")


def _printed(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST_PRINTED).decode(errors="replace")
    except FileNotFoundError:
        return ""
