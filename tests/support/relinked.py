"""A log in memory whose bodies are changed, sealed again and signed with the true key."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from logged_play import KEY, LoggedPlay

from boca.live.ledger import FIRST
from boca.live.ledger.chain import link
from boca.live.ledger.lines import write_lines
from boca_verify import Verdict, verify

Rows = list[dict[str, Any]]


def verdict_of(
    play: LoggedPlay, change: Callable[[Rows], None] | None = None, sealed: tuple[str, ...] = ()
) -> Verdict:
    """
    The verdict about a log, perhaps a forged one.

    Parameters
    ----------
    play
        The true auction.
    change
        Changes rows with ``kind``, ``at`` and ``body`` in place.
    sealed
        Kinds of records whose bodies are not told.
    """
    rows = [
        {"kind": r.kind, "at": r.envelope["at"], "body": copy.deepcopy(r.body)}
        for r in play.records
    ]
    if change is not None:
        change(rows)
    prev, records = FIRST, []
    for number, row in enumerate(rows):
        for name in ("configured", "from", "head", "approves", "proposal"):
            _follow(row["body"], name, play, records)
        record = link(prev, number, row["at"], "test", row["kind"], row["body"])
        records.append(record)
        prev = record.hash
    told = [replace(record, body=None) if record.kind in sealed else record for record in records]
    return verify(list(write_lines(told, rows[-1]["at"], KEY)))


def _follow(body: dict[str, Any], name: str, play: LoggedPlay, records: list[Any]) -> None:
    """A hash of an earlier record becomes the hash that the record has now."""
    for old, new in zip(play.records, records, strict=False):
        if body.get(name) == old.hash:
            body[name] = new.hash
