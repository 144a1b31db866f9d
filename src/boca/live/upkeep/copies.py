"""Copies of logs, checked before anybody relies on them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.live.ledger import Broken, Record, check_chain
from boca.live.store.snapshots import Rows


@dataclass(frozen=True)
class CopiedAuction:
    """
    One auction in a copy.

    Parameters
    ----------
    auction
        Its id.
    num_records, head
        How far its log goes.
    public_key
        What its receipts are checked with.
    """

    auction: str
    num_records: int
    head: str
    public_key: str


def records_of(rows: Rows) -> dict[str, list[Record]]:
    """The logs in a copy, by auction."""
    logs: dict[str, list[Record]] = {}
    for row in sorted(rows["event"], key=lambda row: (row["auction"], row["seq"])):
        try:
            record = Record(json.loads(row["envelope"]), row["hash"], json.loads(row["body"]))
        except (ValueError, TypeError):
            raise InputError(
                f"Record {row['seq']} of auction '{row['auction']}' is not JSON; it was changed."
            ) from None
        logs.setdefault(row["auction"], []).append(record)
    return logs


def check_log(auction: str, records: Iterable[Record]) -> CopiedAuction:
    """Checks that records follow each other and match their seals (V1 and V2)."""
    log = list(records)
    try:
        head = check_chain(log)
    except Broken as broken:
        raise InputError(f"The log of auction '{auction}' does not hold: {broken}") from None
    return CopiedAuction(auction, len(log), head, public_key_of(log))


def public_key_of(log: list[Record]) -> str:
    """The key in an auction's first record; empty where there is none."""
    body: dict[str, Any] = (log[0].body if log else None) or {}
    return str(body.get("public_key", ""))
