"""Bodies of records, read as if a stranger had written them."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NoReturn

from boca_verify.chain import MOMENT, is_moment
from boca_verify.records import Record

Bundle = tuple[int, ...]
LARGEST = 2**53 - 1
HEX = re.compile(r"[0-9a-f]{64}")


class Damaged(Exception):
    """
    A record that breaks a rule; ends the look at it.

    Parameters
    ----------
    sentence
        What is wrong.
    """

    def __init__(self, sentence: str):
        super().__init__(sentence)
        self.sentence = sentence


class Body:
    """
    The fields of a body, or of an object inside one; Damaged where one is not as expected.

    Parameters
    ----------
    fields
        The object.
    """

    def __init__(self, fields: Any):
        if not isinstance(fields, dict):
            raise Damaged(f"found {_shown(fields)}; expected an object.")
        self.fields: dict[str, Any] = fields

    def has(self, key: str) -> bool:
        return self.fields.get(key) is not None

    def text(self, key: str) -> str:
        value = self.fields.get(key)
        return value if isinstance(value, str) else self._wrong(key, "a text")

    def whole(self, key: str, least: int = 0, most: int = LARGEST) -> int:
        """A whole number in a range."""
        value = self.fields.get(key)
        if type(value) is not int or not least <= value <= most:
            self._wrong(key, f"a whole number from {least} to {most}")
        return value

    def number(self, key: str) -> float:
        value = self.fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(key, "a number")
        return float(value)

    def truth(self, key: str) -> bool:
        value = self.fields.get(key)
        return value if isinstance(value, bool) else self._wrong(key, "true or false")

    def choice(self, key: str, *choices: str) -> str:
        value = self.text(key)
        return value if value in choices else self._wrong(key, f"one of {', '.join(choices)}")

    def hash(self, key: str) -> str:
        value = self.text(key)
        return value if HEX.fullmatch(value) else self._wrong(key, "a hash")

    def moment(self, key: str) -> datetime:
        value = self.fields.get(key)
        if not is_moment(value):
            self._wrong(key, "a time such as 2026-11-16T09:00:00.000000Z")
        return moment(self.text(key))

    def bundle(self, key: str, num_goods: int) -> Bundle:
        """Copies of each good."""
        return self._counts(key, self.fields.get(key), num_goods)

    def bundles(self, key: str, num: int, num_goods: int) -> tuple[Bundle, ...]:
        """One bundle for each of ``num`` bidders."""
        rows = self.list(key)
        if len(rows) != num:
            self._wrong(key, f"{num} bundles")
        return tuple(self._counts(key, row, num_goods) for row in rows)

    def wholes(self, key: str, num: int) -> tuple[int, ...]:
        """``num`` whole numbers of at least 0."""
        return self._counts(key, self.fields.get(key), num)

    def amount(self, key: str) -> int:
        """A whole number of either sign."""
        return self.whole(key, -LARGEST)

    def amounts(self, key: str, num: int) -> tuple[int, ...]:
        """``num`` whole numbers of either sign."""
        rows = self.list(key)
        if len(rows) != num:
            self._wrong(key, f"{num} whole numbers")
        return tuple(Body({key: row}).amount(key) for row in rows)

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.list(key)
        if not all(isinstance(value, str) for value in values):
            self._wrong(key, "texts")
        return tuple(values)

    def list(self, key: str) -> list[Any]:
        value = self.fields.get(key)
        return value if isinstance(value, list) else self._wrong(key, "a list")

    def parts(self, key: str) -> Iterator["Body"]:
        """The objects of a list."""
        return map(Body, self.list(key))

    def part(self, key: str) -> "Body":
        """An object inside this one."""
        return Body(self.fields.get(key))

    def _counts(self, key: str, value: Any, num: int) -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) != num:
            self._wrong(key, f"{num} whole numbers")
        if any(type(n) is not int or not 0 <= n <= LARGEST for n in value):
            self._wrong(key, f"{num} whole numbers of at least 0")
        return tuple(value)

    def _wrong(self, key: str, expected: str) -> NoReturn:
        raise Damaged(f"'{key}' is {_shown(self.fields.get(key))}; expected {expected}.")


def body_of(record: Record) -> Body:
    """The open body of a record."""
    return Body(record.body)


@lru_cache(maxsize=10_000)
def moment(text: str) -> datetime:
    """A time of the log; all are UTC."""
    return datetime.strptime(text, MOMENT)


def moment_of(record: Record) -> datetime:
    """When a record was written."""
    return moment(record.at)


def clock(time: datetime) -> str:
    """A time in words."""
    return time.strftime("%Y-%m-%d %H:%M:%S.%f UTC")


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
