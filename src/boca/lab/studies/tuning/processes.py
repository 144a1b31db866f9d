"""
Which processes work on a study, and which of them are dead.

Optuna's journal has no heartbeat, and that of its databases fails trials without telling whose they
were. Here every process leaves its name in the study and a number that grows while it lives. A
process of the same machine is looked up in the system, so that its death is noticed at once; one of
another machine is given up when its number has not grown for some time by our own clock, whatever
its clock says.
"""

import contextlib
import secrets
import time
from collections.abc import Iterator
from typing import Any

from optuna.study import Study

from boca.lab.studies.liveness import (
    HEARTBEAT_SECONDS,
    STALE_SECONDS,
    heartbeat,
    is_dead,
    signature,
)

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
        dead = is_dead(record)
        return self._is_silent(name, record) if dead is None else dead

    @contextlib.contextmanager
    def heartbeat(self, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Inside, other machines see that this process lives."""
        with heartbeat(self._sign, seconds):
            yield

    def _sign(self) -> None:
        self._beat += 1
        record = {**signature(), "beat": self._beat}
        self._study.set_user_attr(PREFIX + self.token, record)

    def _is_silent(self, name: str, record: Any) -> bool:
        now = time.monotonic()
        last, since = self._heard.get(name, (None, now))
        if name not in self._heard or last != record:
            self._heard[name] = (record, now)
            return False
        return now - since > self._stale_seconds
