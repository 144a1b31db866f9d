"""Cells that hold several goods: what nobody can have, what excludes what, what somebody holds."""

import re
from collections.abc import Collection

# The word between two goods of which somebody can have one, in each of our languages.
OR = r"\s(?:or|oder|ou)\s"


def parts_of(text: str, mark: str) -> list[str]:
    """What stands between marks, or on lines of their own."""
    return [part.strip() for part in re.split(rf"[{mark}\n]", text) if part.strip()]


def goods_in(text: str, goods: Collection[str]) -> list[str]:
    """Goods of a list such as ``hall; kitchen``; commas will do if there is no semicolon."""
    if ";" in text or "\n" in text or text.strip() in goods:
        return parts_of(text, ";")
    return parts_of(text, ",")


def conflicts_in(text: str, goods: Collection[str]) -> list[list[str]]:
    """
    Sets of goods such as ``hall or kitchen; bar or stage``.

    A plus or commas will do as well, and so will the word in each of our languages; a word between
    two others is a mark only where a good is not called so.
    """
    return [_conflict(part, goods) for part in parts_of(text, ";")]


def _conflict(text: str, goods: Collection[str]) -> list[str]:
    """The goods of one set, between the first mark that there is."""
    for mark in (r"\+", ",") if text in goods else (r"\+", OR, ","):
        parts = [part.strip() for part in re.split(mark, text) if part.strip()]
        if len(parts) > 1:
            return parts
    return [text]


def holdings_in(text: str) -> dict[str, int]:
    """Copies by good, from ``hall 1; chairs 3``; the text has been checked."""
    return {name: int(copies) for name, copies in holdings(text)}


def holdings(text: str) -> list[tuple[str, str]]:
    """Name and copies of each part of what somebody holds, as typed."""
    parts = parts_of(text, ";" if ";" in text else ",")
    pairs = [part.rpartition(" ") for part in parts]
    return [(name.strip(), copies) for name, _, copies in pairs]


def people_in(text: str) -> list[str]:
    """Names of people, with commas, semicolons or lines between them."""
    return list(dict.fromkeys(parts_of(text, ",;")))
