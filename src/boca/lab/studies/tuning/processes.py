"""
Which processes work on a study, and which of them are dead.

Optuna's journal has no heartbeat, and that of its databases fails trials without telling whose they
were. Here every process leaves its name in the study and a number that grows while it lives. A
process of the same machine is looked up in the system, so that its death is noticed at once; one of
another machine is given up when its number has not grown for some time by our own clock, whatever
its clock says.
"""

import contextlib
import os
import platform
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from optuna.study import Study

from boca.lab.studies.claims import process_start

HEARTBEAT_SECONDS = 15.0
STALE_SECONDS = 120.0
PREFIX = "process "


class Processes:
    """
    This process and the others that work on a study.

    Parameters
    ----------
    study
        The study.
    stale_seconds
        Seconds of silence after which a process of another machine counts as dead.
    """

    def __init__(self, study: Study, stale_seconds: float = STALE_SECONDS):
        self.token = secrets.token_hex(6)
        self._study = study
        self._stale_seconds = stale_seconds
        self._beat = 0
        # What was last heard of others, and when, by our clock.
        self._heard: dict[str, tuple[Any, float]] = {}
        self._sign()

    def is_dead(self, token: str | None, sign: str) -> bool:
        """
        Whether nobody works on a trial any more.

        Parameters
        ----------
        token
            Its owner; None if it has not said who it is, such as when it was killed before.
        sign
            A name for the trial, to measure how long it has had no owner.
        """
        if token == self.token:
            return False
        name = PREFIX + token if token is not None else sign
        record = self._study.user_attrs.get(PREFIX + token) if token is not None else None
        if isinstance(record, Mapping) and record.get("host") == platform.node():
            started = process_start(int(record["pid"]))
            if started is not None:
                return bool(started != record["started"])
        return self._is_silent(name, record)

    @contextlib.contextmanager
    def heartbeat(self, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Inside, other machines see that this process lives."""
        stop = threading.Event()

        def beat() -> None:
            while not stop.wait(seconds):
                self._sign()

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _sign(self) -> None:
        self._beat += 1
        record = {
            "host": platform.node(),
            "pid": os.getpid(),
            "started": process_start(os.getpid()),
            "beat": self._beat,
        }
        self._study.set_user_attr(PREFIX + self.token, record)

    def _is_silent(self, name: str, record: Any) -> bool:
        now = time.monotonic()
        last, since = self._heard.get(name, (None, now))
        if name not in self._heard or last != record:
            self._heard[name] = (record, now)
            return False
        return now - since > self._stale_seconds
