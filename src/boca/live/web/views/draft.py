"""What somebody typed for one row and has not sent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from boca.core.errors import InputError
from boca.live.auction.money import Money


@dataclass(frozen=True)
class Draft:
    """
    What somebody typed for one row.

    Parameters
    ----------
    text
        The amount as typed.
    is_declined
        Whether the box for not answering is ticked.
    copies
        Copies of each good as typed, where a bundle is composed; else empty.
    wants_nothing
        Whether the box for wanting nothing at these prices is ticked.
    """

    text: str = ""
    is_declined: bool = False
    copies: tuple[str, ...] = ()
    wants_nothing: bool = False

    @property
    def has_copies(self) -> bool:
        """Whether anything but zeros was typed for copies."""
        return any(text not in ("", "0") for text in self.copies)

    @property
    def is_demand(self) -> bool:
        """Whether it says what is wanted at prices."""
        return self.wants_nothing or self.has_copies

    def to_text(self) -> str:
        """As it is stored; empty where there is nothing to keep."""
        if not (self.text or self.is_declined or self.is_demand):
            return ""
        return json.dumps(self.to_row())

    def to_row(self) -> list[object]:
        """As plain values."""
        if not self.is_demand:
            return [self.text, self.is_declined]
        return [self.text, self.is_declined, list(self.copies), self.wants_nothing]

    @classmethod
    def from_row(cls, row: Sequence[object]) -> "Draft":
        """The inverse of :meth:`to_row`, for values that anybody may have written."""
        text, is_declined, *demand = row
        copies, wants_nothing = demand or ((), False)
        texts = tuple(copies) if isinstance(copies, list | tuple) else (None,)
        is_plain = isinstance(text, str) and all(isinstance(n, str) for n in texts)
        if not (is_plain and isinstance(is_declined, bool) and isinstance(wants_nothing, bool)):
            raise ValueError("this is not a draft")
        return cls(text, is_declined, texts, wants_nothing)  # type: ignore[arg-type]

    @classmethod
    def from_text(cls, stored: str) -> "Draft":
        """The inverse of :meth:`to_text`."""
        return cls.from_row(json.loads(stored))


# Stands before a text that cannot be read in the language in which it was typed.
UNREADABLE = "?"


def respelled(draft: Draft, typed: Money, wanted: Money) -> Draft:
    """
    A draft in the notation of another language, so that an amount means the same in both.

    A text that cannot be read as it was typed is marked if it would mean something in the other
    notation: nobody's slip becomes an amount by being looked at in another language.
    """
    if typed.language == wanted.language or not draft.text:
        return draft
    try:
        return replace(draft, text=wanted.range_figures(*typed.parse_range(draft.text)))
    except InputError:
        pass
    text = draft.text.removeprefix(UNREADABLE)
    try:
        wanted.parse_range(text)
    except InputError:
        return replace(draft, text=text)
    return replace(draft, text=UNREADABLE + text)
