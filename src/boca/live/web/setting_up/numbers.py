"""Numbers as people type them in their language, and as a market file has them."""

import re

from boca.live.auction.money import MARKS, NEUTRAL

PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?")


def plain_number(text: str, language: str) -> str:
    """
    A number as a file has it, from ``1,200.50`` or ``1.200,50``, whichever the language writes.

    What is not a number of that notation stays as it was typed, for the mistakes to name.
    """
    mark, group = MARKS[language]
    groups = re.escape(group + NEUTRAL)
    grouped = rf"[0-9]{{1,3}}(?:([{groups}])[0-9]{{3}})(?:\1[0-9]{{3}})*"
    whole, point, fraction = text.partition(mark)
    is_whole = re.fullmatch(rf"[0-9]+|{grouped}", whole, re.ASCII)
    if not is_whole or (point and not re.fullmatch(r"[0-9]+", fraction, re.ASCII)):
        return text
    digits = re.sub(rf"[{groups}]", "", whole)
    return f"{digits}.{fraction}" if point else digits


def written_number(text: str, language: str) -> str:
    """The inverse of :func:`plain_number`, without groups of digits."""
    return text.replace(".", MARKS[language][0]) if PLAIN.fullmatch(text) else text
