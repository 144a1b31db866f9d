"""Every small lie that a server could tell in a log: one field of one record at a time."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golden_log import relinked

from boca.live.ledger import SigningKey

Path_ = tuple[str | int, ...]
# Random bytes that keep a seal from being guessed.
SALT = "salt"
GONE = object()


@dataclass(frozen=True)
class Forgery:
    """
    One change of one record.

    Parameters
    ----------
    number
        Of the record.
    field
        The kind of record and the path to what changes, places in lists left out; the kind alone
        where the record is left out.
    path, value
        Where, and what stands there then; GONE if nothing does.
    how
        In words.
    """

    number: int
    field: str
    path: Path_
    value: Any
    how: str

    def __str__(self) -> str:
        return f"record {self.number}: {self.field}: {self.how}"


def entries_of(path: Path) -> list[dict[str, Any]]:
    """Time, kind, body and hash of every record of a stored log."""
    entries = []
    for line in path.read_text().splitlines()[:-1]:
        value = json.loads(line)
        envelope = value["envelope"]
        entries.append(
            {
                "at": envelope["at"],
                "kind": envelope["kind"],
                "body": value["body"],
                "was": value["hash"],
            }
        )
    return entries


def forgeries(entries: list[dict[str, Any]]) -> Iterator[Forgery]:
    """Every field changed, emptied and taken away, and every record left out."""
    for number, entry in enumerate(entries):
        kind = entry["kind"]
        yield Forgery(number, kind, (), GONE, "left out")
        for path, value in _places(entry["body"]):
            words = [part for part in path if isinstance(part, str)]
            field = ".".join([kind, *words])
            for new, how in _others(value):
                yield Forgery(number, field, path, new, how)


def forged(entries: list[dict[str, Any]], forgery: Forgery, key: SigningKey) -> list[str]:
    """The log with one forgery, sealed and signed as if nothing had happened."""
    new = list(entries)
    if not forgery.path:
        del new[forgery.number]
        return relinked(new, key)
    entry = copy.deepcopy(entries[forgery.number])
    *above, last = forgery.path
    place = entry["body"]
    for part in above:
        place = place[part]
    if forgery.value is GONE:
        del place[last]
    else:
        place[last] = forgery.value
    # A head that was changed on purpose stays as it is.
    entry["keeps_head"] = forgery.path == ("head",)
    new[forgery.number] = entry
    return relinked(new, key)


def _places(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every field of a body, and of what is inside."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for name, item in inner:
        if name == SALT:
            continue
        yield (*path, name), item
        yield from _places(item, (*path, name))


def _others(value: Any) -> Iterator[tuple[Any, str]]:
    """Other values of a field: near ones, the weakest one, none at all."""
    yield GONE, "taken away"
    if value is not None:
        yield None, "null"
    if isinstance(value, bool):
        yield not value, f"{not value}"
    elif isinstance(value, int | float):
        yield value + 1, "one more"
        yield value - 1, "one less"
        if value not in (0, 1):
            yield type(value)(0), "zero"
    elif isinstance(value, str):
        yield f"{value}x", "another text"
        yield "", "an empty text"
        if len(value) == 64:
            yield "0" * 64, "another hash"
    elif isinstance(value, list) and value:
        yield [], "empty"
        if len(value) > 1:
            yield value[1:], "without the first"
            yield value[::-1], "turned round"
        yield [*value, value[0]], "the first twice"
    elif isinstance(value, dict) and value:
        yield {}, "empty"
    elif value is None:
        yield 1, "a number"
        yield "x", "a text"
