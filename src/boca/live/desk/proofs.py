"""The last verification of each auction, run in a child process once it is decided."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from boca.core.errors import BocaError

# Verdicts of auctions that nobody looks at any more are forgotten, the oldest first.
MOST_KEPT = 50


@dataclass(frozen=True)
class LogProof:
    """
    How the verification of a log stands.

    Parameters
    ----------
    head
        Hash of the last record that was looked at.
    verdict
        As :meth:`boca_verify.Verdict.to_dict` writes it; None while it is under way or failed.
    error
        Why it could not be run; empty if it could.
    """

    head: str
    verdict: dict[str, Any] | None = None
    error: str = ""

    @property
    def is_running(self) -> bool:
        return self.verdict is None and not self.error


T = TypeVar("T")


class Proofs(Generic[T]):
    """
    The verdicts of all auctions, made when they are wanted; or comparisons of awards.

    Parameters
    ----------
    verify
        Starts a verification of the lines of a log, or a comparison.
    """

    def __init__(self, verify: Callable[[T], "Future[dict[str, Any]]"]):
        self.verify = verify
        self._proofs: dict[str, LogProof] = {}
        self._lock = threading.Lock()

    def last(self, auction: str) -> LogProof | None:
        """What is known of an auction, however old it is."""
        with self._lock:
            return self._proofs.get(auction)

    def of(self, auction: str, head: str, lines: Callable[[], T]) -> LogProof:
        """
        The verdict on a log, which is made unless the log is as it was.

        Parameters
        ----------
        auction, head
            Which log, and its last hash.
        lines
            Gives the log as it is exported, or the offers to compare.
        """
        with self._lock:
            before = self._proofs.get(auction)
            if before is not None and before.head == head:
                return before
            self._proofs[auction] = LogProof(head)
            while len(self._proofs) > MOST_KEPT:
                del self._proofs[next(iter(self._proofs))]
        try:
            future = self.verify(lines())
        except Exception:
            # It was not started, so that whoever asks next starts it.
            with self._lock:
                self._proofs.pop(auction, None)
            raise
        future.add_done_callback(lambda done: self._keep(auction, head, done))
        return self._proofs.get(auction, LogProof(head))

    def _keep(self, auction: str, head: str, done: "Future[dict[str, Any]]") -> None:
        try:
            proof = LogProof(head, done.result())
        except BocaError as error:
            proof = LogProof(head, error=str(error))
        with self._lock:
            if self._proofs.get(auction) == LogProof(head):
                self._proofs[auction] = proof
