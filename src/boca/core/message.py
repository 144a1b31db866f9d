"""Sentences that stay values until somebody reads them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class Message(str):
    """
    An English sentence that remembers what stands in its gaps, so that it can be said in another
    language without being read back.

    It is its English text wherever a text is wanted: in a traceback, in a log, for a program.

    Parameters
    ----------
    text
        The sentence with named gaps; also the key of its translations.
    gaps
        What stands in them. A text is never translated, such as a name that somebody gave; a
        message is.
    plural
        The sentence for any number but one, which stands in the gap ``n``; empty where nothing is
        counted.
    """

    text: str
    gaps: dict[str, Any]
    plural: str

    def __new__(cls, text: str, gaps: Mapping[str, Any], plural: str = "") -> "Message":
        said = plural if plural and gaps["n"] != 1 else text
        message = super().__new__(cls, said.format(**gaps))
        message.text, message.gaps, message.plural = text, dict(gaps), plural
        return message

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.text, self.gaps, self.plural

    def having(self, **gaps: Any) -> "Message":
        """The same sentence with something else in those of the gaps that it has."""
        known = {name: gap for name, gap in gaps.items() if name in self.gaps}
        return Message(self.text, self.gaps | known, self.plural)

    def to_dict(self) -> dict[str, Any]:
        """The message as plain values, for JSON."""
        gaps = {
            name: gap.to_dict()
            if isinstance(gap, Message)
            else gap if isinstance(gap, int) else str(gap)
            for name, gap in self.gaps.items()
        }  # fmt: skip
        return {"text": self.text, "gaps": gaps, **({"plural": self.plural} if self.plural else {})}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Message":
        """The inverse of :meth:`to_dict`."""
        gaps = {
            name: cls.from_dict(gap) if isinstance(gap, Mapping) else gap
            for name, gap in data["gaps"].items()
        }
        return cls(data["text"], gaps, data.get("plural", ""))


def msg(text: str, /, **gaps: Any) -> Message:
    """A message; the text is a literal, so that it can be found for translators."""
    return Message(text, gaps)


def msgn(one: str, many: str, n: int, /, **gaps: Any) -> Message:
    """A message about one or many, whose number stands in the gap ``n``."""
    return Message(one, {"n": n, **gaps}, many)


def msgid(text: str) -> str:
    """Marks the text of messages that are made later, so that it can be found for translators."""
    return text


def joined(separator: str, parts: Iterable[str]) -> Message:
    """Some messages, or other texts, one after the other."""
    gaps = {f"part_{k}": part for k, part in enumerate(parts)}
    return Message(separator.join(f"{{{name}}}" for name in gaps), gaps)


@dataclass(frozen=True)
class Place:
    """
    Where something written stands that a message is about.

    Parameters
    ----------
    table
        Such as ``bidders`` for one of ``[[bidders]]``.
    key
        What of it.
    row
        Which one of several, from 1; None where there is one.
    words
        The table and the row in words, such as ``[[bidders]] number 1 ('Ada')``.
    """

    table: str
    key: str
    row: int | None = None
    words: str = ""


class Where(str):
    """The words for a place, which remember the place."""

    place: Place

    def __new__(cls, words: str, place: Place) -> "Where":
        where = super().__new__(cls, words)
        where.place = place
        return where

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.place
