"""
One record of a log: a link of a chain that seals what was said.

The envelope is public; its hash stands in the next one. The body is handed out beside it or not,
and belongs to it if its hash is the seal in the envelope.
"""

from dataclasses import dataclass
from typing import Any

# Of the format, in every envelope.
VERSION = 1
# What the first record has in place of the hash before.
FIRST = "0" * 64
KEYS = {"at", "auction", "kind", "prev", "seal", "seq", "v"}


@dataclass(frozen=True)
class Record:
    """
    One link of the chain, as it was read.

    Parameters
    ----------
    envelope
        Number, time, kind, hash before, and the seal of the body.
    hash
        What the log says is the envelope's.
    body
        What was sealed; None where it is not opened.
    """

    envelope: dict[str, Any]
    hash: str
    body: dict[str, Any] | None = None

    @property
    def seq(self) -> int:
        seq: int = self.envelope["seq"]
        return seq

    @property
    def kind(self) -> str:
        kind: str = self.envelope["kind"]
        return kind

    @property
    def at(self) -> str:
        at: str = self.envelope["at"]
        return at

    @property
    def seal(self) -> str:
        seal: str = self.envelope["seal"]
        return seal
