"""
Which process is alive, for grids and for searches: one protocol, two places to keep it.

Whoever takes a piece of work signs it: machine, process, and when the process started. A process
of the same machine is looked up in the system, so that its death is noticed at once. One of another
machine shows that it lives by a heartbeat, and is given up for dead after some silence; where the
signature is kept says how silence is measured.
"""

import contextlib
import fcntl
import os
import platform
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

HEARTBEAT_SECONDS = 15.0
STALE_SECONDS = 120.0  # eight heartbeats: a busy machine misses one, a living one not all of them


def signature() -> dict[str, Any]:
    """What this process signs its work with."""
    pid = os.getpid()
    return {"host": platform.node(), "pid": pid, "started": process_start(pid)}


def is_signature(owner: Any) -> bool:
    """Whether a value is what a process signs with."""
    if not isinstance(owner, Mapping) or not {"host", "pid", "started"} <= owner.keys():
        return False
    return type(owner["pid"]) is int


def is_dead(owner: Any) -> bool | None:
    """Whether the process of a signature is dead; None if only its silence can tell."""
    if not is_signature(owner) or owner["host"] != platform.node():
        return None
    return bool(process_start(owner["pid"]) != owner["started"])


@contextlib.contextmanager
def heartbeat(beat: Callable[[], None], seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
    """Inside, a thread of its own calls ``beat`` again and again."""
    stop = threading.Event()

    def go_on() -> None:
        while not stop.wait(seconds):
            beat()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """
    Inside, no other process holds the lock of this path.

    Parameters
    ----------
    path
        A file that serves no other purpose. Its folder must exist.
    """
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the system opens it again when its holder dies
        yield


def process_start(pid: int) -> str:
    """
    When a process of this machine started, so that another one with its number is told apart.

    Empty if there is no such process; ``alive`` where the system does not tell the time.
    """
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
    except (PermissionError, OverflowError):
        pass
    return "alive"
