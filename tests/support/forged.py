"""
Every field of every record of a log, changed by itself, removed, or made as weak as it can be.

What comes out is sealed and signed by the server's own key: the log of an operator who lies about
one thing. A name is the kind of a record and the way to the field, such as
``submitted.reports.units``; places in lists are left out. ``submitted`` alone is the record itself.
Rules that later ones replace are called ``draft``.
"""

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from boca.live.clock import from_text, to_text

Entries = list[dict[str, Any]]
HASH = re.compile(r"[0-9a-f]{64}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
# What removes a field.
NOTHING = object()
# How often one field is forged, at most, and where: at its first places in the log, and its last.
MOST_PLACES = 2


@dataclass(frozen=True)
class Forgery:
    """
    One lie.

    Parameters
    ----------
    name
        Of the field.
    record, path
        Where it stands.
    value
        What stands there now; ``NOTHING`` removes it.
    """

    name: str
    record: int
    path: tuple[str | int, ...]
    value: Any

    def __str__(self) -> str:
        shown = "removed" if self.value is NOTHING else repr(self.value)
        return f"{self.name} (record {self.record}): {shown}"

    def of(self, entries: Entries) -> Entries:
        """The log with this lie; the records given stay as they are."""
        forged = list(entries)
        if not self.path:
            del forged[self.record]
            return forged
        forged[self.record] = place = copy.deepcopy(forged[self.record])
        place["keeps_head"] = True
        for part in self.path[:-1]:
            place = place[part]
        if self.value is NOTHING:
            del place[self.path[-1]]
        else:
            place[self.path[-1]] = self.value
        return forged


def forgeries(entries: Entries, skip: Callable[[str], bool]) -> Iterator[Forgery]:
    """
    All lies about one field, by the fields' names.

    Parameters
    ----------
    entries
        Time ``at``, ``kind`` and ``body`` of every record.
    skip
        Whether a name is left out.
    """
    last = max(k for k, entry in enumerate(entries) if entry["kind"] == "configured")
    places: dict[str, list[tuple[int, tuple[str | int, ...], Any]]] = {}
    for number, entry in enumerate(entries):
        is_draft = entry["kind"] == "configured" and number < last
        kind = "draft" if is_draft else entry["kind"]
        places.setdefault(kind, []).append((number, (), None))
        places.setdefault("at", []).append((number, ("at",), entry["at"]))
        for path, value in _fields(entry["body"], ("body",)):
            name = ".".join([kind, *(part for part in path[1:] if isinstance(part, str))])
            places.setdefault(name, []).append((number, path, value))
    for name, found in places.items():
        if skip(name):
            continue
        for number, path, value in [*found[: MOST_PLACES - 1], *found[-1:]][:MOST_PLACES]:
            others = lies(value) if path else [NOTHING]
            for other in others[:-1] if name == "at" else others:
                yield Forgery(name, number, path, other)


def _fields(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value inside a body, lists and objects as a whole and in their parts."""
    if len(path) > 1:
        yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _fields(item, (*path, key))
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _fields(item, (*path, place))


def lies(value: Any) -> list[Any]:
    """What somebody could write instead: another value, the weakest one, or nothing."""
    others: list[Any]
    match value:
        case bool():
            others = [not value]
        case int() | float():
            others = [value + 1, 0] if value else [value + 1]
        case str() if TIME.fullmatch(value):
            others = [to_text(from_text(value) + timedelta(hours=1))]
        case str() if HASH.fullmatch(value):
            others = ["0" * 64]
        case str():
            others = [value + "x", ""] if value else ["x"]
        case list():
            others = [[], value[:-1], [*value, value[-1]]] if value else [[0]]
        case dict():
            others = [{}] if value else [{"x": 1}]
        case _:
            others = [0]
    return [other for k, other in enumerate(others) if other not in others[:k]] + [NOTHING]
