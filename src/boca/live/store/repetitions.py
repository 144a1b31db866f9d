"""The same command with the same key is carried out once, however often it is sent."""

from collections.abc import Iterable

from sqlalchemy import Connection

from boca.core.message import msg
from boca.live.auction.commands import Command, Create, Start
from boca.live.auction.refusal import Refusal
from boca.live.ledger import Record, canonical, sha256
from boca.live.plain import to_plain
from boca.live.store import events as event_table
from boca.live.store.batch import CommitBatch, Done, Keys, QueuedCommand
from boca.live.store.events import to_entry

# Fields of commands that the server fills in; a repetition differs in them.
FILLED_IN = {"received", "seed", "access", "public_key", "version", "sender"}


def digest_of(command: Command) -> str:
    """
    The same for the same content, whatever the server adds to it.

    Who acts is a part of the key. Only digests of :class:`Start` have always had it as well.
    """
    left_out = FILLED_IN if isinstance(command, Start) else FILLED_IN | {"who"}
    content = {name: value for name, value in to_plain(command).items() if name not in left_out}
    return sha256(canonical({"command": type(command).__name__, **content}))


def keys_in(auction: str, records: Iterable[Record]) -> Keys:
    """The keys that the records of an auction were sent with."""
    keys: Keys = {}
    for record in records:
        body = record.body or {}
        if "request" in body and "digest" in body:
            keys[auction, body["actor"], body["request"]] = record.hash
    return keys


def find_repetition(
    connection: Connection, item: QueuedCommand, digest: str, batch: CommitBatch, keys: Keys
) -> Done | None:
    """
    The answer of the same command with the same key; a refusal if only the key is the same.

    Parameters
    ----------
    connection
        To read the record that the command caused.
    item, digest
        The command, and what it says.
    batch, keys
        Where its key may be known from: commands of the same commit, and of all before.
    """
    if item.request is None:
        return None
    key = (item.auction, item.actor, item.request)
    known = batch.keys.get(key) or keys.get(key)
    record: Record | None
    if known is not None:
        record = next((row.record for row in batch.rows if row.record.hash == known), None)
        record = record or event_table.read_one(connection, known)
    elif isinstance(item.command, Create):
        # A new auction has a new id, so the key is looked for in all of them.
        record = event_table.created_by(connection, item.actor, item.request)
    else:
        return None
    if record is None:
        return None
    assert record.body is not None
    if record.body["digest"] != digest:
        raise Refusal(
            "conflict", msg("This key was used for something else; use a new key for each request.")
        )
    return Done(record.envelope["auction"], record, (to_entry(record),), is_repetition=True)
