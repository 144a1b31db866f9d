"""Connections that send nothing, or hardly anything, are closed."""

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

# Seconds in which the head of a request must have come.
HEAD_SECONDS = 15.0


class PatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """
    Uvicorn's protocol with an end to its patience.

    Uvicorn closes a connection that is silent between two requests, and waits for ever for the
    first one, or for the rest of one that comes byte by byte.
    """

    head_seconds = HEAD_SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        if self._timer is None and self._is_idle():
            self._wait_for_head()
        super().data_received(data)
        if not self._is_idle():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._timer = self.loop.call_later(self.head_seconds, self._lose_patience)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _lose_patience(self) -> None:
        self._timer = None
        if self._is_idle():
            self.transport.close()
