"""A child process that stays: a line of JSON in, a line out, while people wait for the answer."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from boca.core.errors import InputError
from boca.live.work.process import ONE_THREAD

PROGRAM = (sys.executable, "-m", "boca.live.work.course_child", "ask")
# A question takes some milliseconds, and the program a second or two to start.
SECONDS = 20.0


class Asker:
    """
    Answers requests one after the other, by a program that is started with the first one.

    A program that dies, hangs or prints rubbish is started again with the next request; the one
    under way ends with an InputError.

    Parameters
    ----------
    program
        What is started; tests pass others.
    seconds
        How long one answer may take.
    """

    def __init__(self, program: Sequence[str] = PROGRAM, seconds: float = SECONDS):
        self.program, self.seconds = program, seconds
        self._queue: queue.SimpleQueue[tuple[dict[str, Any], Future[dict[str, Any]]] | None] = (
            queue.SimpleQueue()
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._is_closing = False

    def ask(self, request: dict[str, Any]) -> "Future[dict[str, Any]]":
        """The answer to one request, later."""
        future: Future[dict[str, Any]] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="asker", daemon=True)
                self._thread.start()
        self._queue.put((request, future))
        return future

    def warm(self) -> None:
        """Starts the program, which takes a while, before anybody waits for it."""
        if self._process is None:
            self.ask({"is_warming": True})

    def close(self) -> None:
        """Ends program and thread; whatever still waits ends with an error."""
        with self._lock:
            thread, self._is_closing = self._thread, True
        if thread is not None:
            self._queue.put(None)
            self._end()
            thread.join(10)

    def _run(self) -> None:
        while not (self._is_closing and self._queue.empty()):
            item = self._queue.get()
            if item is None:
                continue
            request, future = item
            if not future.set_running_or_notify_cancel():
                continue  # whoever wanted it has gone
            try:
                if self._is_closing:
                    raise InputError("The server is being stopped.")
                future.set_result(self._answer(request))
            except (InputError, OSError, ValueError) as error:
                self._end()
                future.set_exception(InputError(f"The question could not be made: {error}"))
            except Exception as error:
                # A bug, which whoever waits for it learns of; others' questions go on.
                self._end()
                future.set_exception(error)
        self._end()

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self.seconds, self._end)
        timer.start()
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise InputError("the program ended.")
        answer = json.loads(line)
        if not isinstance(answer, dict) or "refused" in answer:
            raise InputError(str(answer)[:200])
        return answer

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self.program,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD},
                start_new_session=True,
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
