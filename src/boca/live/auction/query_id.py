"""Ids of questions, and how people call a question: by its round and its number."""

import re
from collections.abc import Callable

QUERY_ID = re.compile(r"\br(\d{1,6})-b\d{1,6}-q(\d{1,6})\b")
# Some sentences say what an id is; its name says so by itself.
NAMED_ID = re.compile(rf"(?:\bquestion )?{QUERY_ID.pattern}")


def round_and_number(query: str) -> tuple[int, int] | None:
    """Round and number of a question, both counted from 1; None if this is not an id."""
    match = QUERY_ID.fullmatch(query)
    return (int(match[1]) + 1, int(match[2])) if match else None


def in_place_of_ids(text: str, name: Callable[[int, int], str]) -> str:
    """A text with the name of each question, by round and number, in place of its id."""
    return NAMED_ID.sub(lambda match: name(int(match[1]) + 1, int(match[2])), text)
