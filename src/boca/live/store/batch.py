"""What waits in the writer's queue, what shares one commit, and what is answered."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from boca.live.auction.commands import Command
from boca.live.auction.events import Entry
from boca.live.auction.state import LiveState
from boca.live.ledger import Record
from boca.live.store.events import Stored

# Auction, actor and the sender's key -> hash of the record that the command caused first.
Keys = dict[tuple[str, str, str], str]


@dataclass(frozen=True)
class Done:
    """
    A command that was carried out and is on the disk.

    Parameters
    ----------
    auction
        Where.
    record
        The first record that it caused, with its body.
    entries
        Everything that it caused; only the first entry if it is a repetition.
    is_repetition
        Whether the same command with the same key was carried out before.
    also
        What the accompanying work returned.
    """

    auction: str
    record: Record
    entries: tuple[Entry, ...]
    is_repetition: bool = False
    also: Any = None


@dataclass
class QueuedCommand:
    """One thing to do: a command with its key, or work on the other tables, or both."""

    future: "Future[Any]"
    auction: str = ""
    command: Command | None = None
    actor: str = "server"
    request: str | None = None
    also: Callable[..., Any] | None = None
    credential: str | None = None


@dataclass
class CommitBatch:
    """What one transaction is about to change."""

    states: dict[str, LiveState] = field(default_factory=dict)
    rows: list[Stored] = field(default_factory=list)
    keys: Keys = field(default_factory=dict)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    answers: list[tuple[QueuedCommand, Any]] = field(default_factory=list)
