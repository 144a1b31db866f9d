"""Where in a market file a mistake is: messages name table and key, people look for lines."""

import re
from dataclasses import dataclass

HEADER = re.compile(r"\s*\[+\s*([^\[\]]+?)\s*\]+")
TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")
TABLE = r"\[+(?P<table>[\w.-]+)\]+(?: number (?P<number>\d+))?"
PLACE = re.compile(rf"{TABLE}[^,]*, key '(?P<key>[^']+)'")
AT_TOP = re.compile(r"at the top, key '(?P<key>[^']+)'")


@dataclass(frozen=True)
class MistakeLine:
    """A line of a market file, counted from 1, and what stands there."""

    number: int
    text: str


def mistake_line(text: str, message: str) -> MistakeLine | None:
    """The line that a message is about; None where it names no place."""
    rows = text.splitlines()
    if told := TOML_LINE.search(message):
        number = int(told[1])
    elif place := PLACE.search(message):
        number = find_key(rows, place["table"], int(place["number"] or 1), place["key"])
    elif place := AT_TOP.search(message):
        number = find_key(rows, "", 1, place["key"])
    else:
        return None
    if not 1 <= number <= len(rows):
        return None
    return MistakeLine(number, rows[number - 1].strip()[:120])


def find_key(rows: list[str], table: str, count: int, key: str) -> int:
    """The line of a key in the count-th table of a name; 0 if it is not there."""
    here, seen = "", 1 if not table else 0
    pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
    for number, row in enumerate(rows, 1):
        if header := HEADER.match(row):
            here = header[1]
            seen += here == table
        elif here == table and seen == count and pattern.match(row):
            return number
    return 0
