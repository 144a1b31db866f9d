"""One child process: JSON in, JSON out; it ends when its parent does."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PROGRAM = (sys.executable, "-m", "boca.live.work.child")
COURSES = (sys.executable, "-m", "boca.live.work.course_child")
# Lines of standard error that tell how far a child is begin with this mark.
STAGE = "stage: "
# How much of what a child says on its way is kept.
KEPT_STDERR = 4096
LOOKED_AT = 65536
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Ended:
    """
    How a child process ended.

    Parameters
    ----------
    output
        What it printed.
    code
        Its exit code; negative if a signal ended it.
    message
        The end of what it said on standard error.
    was_killed
        Whether we ended it, as it was not wanted any more.
    was_slow
        Whether we ended it, as it took too long.
    """

    output: bytes
    code: int
    message: str
    was_killed: bool = False
    was_slow: bool = False


class Child:
    """
    A running child process, in a process group of its own.

    Parameters
    ----------
    job
        ``plan``, ``decide`` or ``check``.
    request
        What it is given.
    program
        The program; tests pass others.
    """

    def __init__(self, job: str, request: dict[str, Any], program: Sequence[str] = PROGRAM):
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the child)
        self._request = json.dumps(request).encode() + b"\n"
        self._was_killed = self._was_slow = False
        self.process = subprocess.Popen(
            [*program, job],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
        )

    def run(self, time_limit: float | None) -> Ended:
        """Waits for the end; the child is killed after ``time_limit`` seconds."""
        timer = threading.Timer(time_limit, self._too_slow) if time_limit else None
        if timer:
            timer.start()
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            # Standard input stays open: its end tells the child that its parent is gone.
            try:
                process.stdin.write(self._request)
                process.stdin.flush()
            except OSError:
                pass  # it has ended already; its exit code says more
            output = process.stdout.read()
            code = process.wait()
        finally:
            if timer:
                timer.cancel()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()
        self._end_group()
        return Ended(output, code, self._last_words(), self._was_killed, self._was_slow)

    def kill(self) -> None:
        """Ends the child, since nobody wants its result."""
        self._was_killed = True
        self._end_group()

    def _too_slow(self) -> None:
        self._was_slow = True
        self._end_group()

    def _end_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def stages(self) -> list[str]:
        """What the child has said about how far it is, first to last; empty once it has ended."""
        try:
            # At a place of its own, so that reading does not move the child's end of the file.
            text = os.pread(self._stderr.fileno(), LOOKED_AT, 0)
        except ValueError:
            return []
        lines = text.decode("utf-8", "replace").splitlines()
        return [line.removeprefix(STAGE) for line in lines if line.startswith(STAGE)]

    def _last_words(self) -> str:
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(self._stderr.tell() - KEPT_STDERR, 0))
        text = self._stderr.read().decode("utf-8", "replace")
        self._stderr.close()
        lines = [line for line in text.splitlines() if not line.startswith(STAGE)]
        return "\n".join(lines).strip()
