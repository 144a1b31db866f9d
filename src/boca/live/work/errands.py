"""Work that no auction waits for: it has a child of its own, so that no auction waits behind it."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from boca.core.errors import BocaError, InputError
from boca.live.work.process import Child
from boca.live.work.results import Rubbish, check_exit, read_result


@dataclass(frozen=True)
class Errand:
    """
    Something to find out, which nobody repeats if it fails.

    Parameters
    ----------
    job, request
        What the child is asked.
    read
        Reads its result.
    seconds
        How long it may take.
    future
        Whoever wants it waits here; ends with an InputError if it could not be found out.
    """

    job: str
    request: dict[str, Any]
    read: Callable[[dict[str, Any]], Any]
    seconds: float
    future: "Future[Any]"


class Errands:
    """
    Errands of one kind, one at a time and first come first served.

    Parameters
    ----------
    program
        The child's program.
    """

    def __init__(self, program: Sequence[str]):
        self.program = program
        self._waiting: deque[Errand] = deque()
        self._child: Child | None = None
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._lock = threading.Lock()

    def send(self, errand: Errand) -> None:
        """Puts an errand into the queue; there is a thread only while there is something to do."""
        with self._lock:
            self._waiting.append(errand)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=errand.job, daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Ends the running child; whatever still waits ends with an error."""
        with self._lock:
            self._is_closing = True
            thread = self._thread
            if self._child is not None:
                self._child.kill()
        if thread is not None:
            thread.join(10)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                errand = self._waiting.popleft()
            if not errand.future.set_running_or_notify_cancel():
                continue  # whoever wanted it has gone
            try:
                errand.future.set_result(self._find_out(errand))
            except (BocaError, OSError) as error:
                errand.future.set_exception(
                    InputError(error.message, getattr(error, "place", None))
                    if isinstance(error, BocaError)
                    else InputError(str(error))
                )
            except Exception as error:
                # A bug, which whoever waits for it learns of; others' errands go on.
                errand.future.set_exception(error)

    def _find_out(self, errand: Errand) -> Any:
        with self._lock:
            if self._is_closing:
                raise Rubbish("The server is being stopped.")
            child = self._child = Child(errand.job, errand.request, self.program)
        try:
            ended = child.run(errand.seconds)
        finally:
            with self._lock:
                self._child = None
        check_exit(ended)
        return read_result(ended.output, errand.read)
