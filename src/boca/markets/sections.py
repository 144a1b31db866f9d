"""Reading text, TOML and one TOML table at a time, with messages that name the place."""

import difflib
import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from boca.core.errors import InputError

# Far above any real market, far below where sums of copies could overflow.
LARGEST_WHOLE_NUMBER = 1_000_000
# Beyond this, sums of values lose their units in float64.
LARGEST_VALUE = 1e15


def read_text(path: Path, what: str) -> str:
    """
    The text of a file.

    Parameters
    ----------
    path
        Where the file is.
    what
        What the file is for, such as ``market file``; used in messages.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no {what} '{path}'; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder; name the {what} inside it.") from None
    except OSError as error:
        raise InputError(f"The {what} '{path}' cannot be read: {error.strerror}.") from None

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}, line {line}: found the byte 0x{data[error.start]:02x}, which is not UTF-8 "
            f"text. Save the {what} again with the encoding UTF-8."
        ) from None
    if not text.strip():
        raise InputError(f"The {what} '{path}' is empty; docs/market_files.md shows what it holds.")
    return text


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML market file."""
    text = read_text(path, "market file")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{path}: lists or tables are nested too deeply; flatten them.") from None
    except ValueError as error:  # tomllib's own error, and int() on absurdly long numbers
        raise InputError(
            f"{path}: this is not valid TOML: {error}. "
            "Text needs quotes, a list needs [ ] and commas, a key is given once."
        ) from None


def nearest(word: str, valid: Iterable[str]) -> str:
    """A hint that names the valid word meant by a misspelt one, or else all of them."""
    valid = list(valid)
    by_lower = {name.lower(): name for name in valid}
    close = difflib.get_close_matches(word.lower(), list(by_lower), n=1)
    if close:
        return f"did you mean '{by_lower[close[0]]}'?"
    return "expected one of " + ", ".join(f"'{name}'" for name in valid) + "."


def shown(value: Any) -> str:
    """What was found in a file, with its kind in words."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"the text '{value}'"
        case int() if abs(value) >= 10**18:
            # Not len(str(value)): Python refuses to write out very long numbers.
            return f"a number of about {round(value.bit_length() * math.log10(2))} digits"
        case int() | float():
            return f"the number {value}"
        case list():
            return "an empty list" if not value else f"a list of {len(value)}"
        case dict():
            return "a table with the keys " + (", ".join(list(value)[:8]) or "(none)")
        case _:
            return f"the date or time {value}"


@dataclass(frozen=True)
class Section:
    """
    One table of a market file, which knows where it stands.

    Parameters
    ----------
    file
        The market file.
    where
        The table's place in words, such as ``[[goods]] number 2 ('Toner')``.
    table
        Its keys and values.
    """

    file: Path
    where: str
    table: dict[str, Any]

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raises the one form that all mistakes at a key have."""
        raise InputError(f"{self.file}, {self.where}, key '{key}': {problem}")

    def only(self, *keys: str) -> "Section":
        """This section, if it has no other keys than these."""
        for key in self.table:
            if key not in keys:
                self.fail(key, f"found a key that means nothing here; {nearest(key, keys)}")
        return self

    def named(self, name: str) -> "Section":
        """This section with a name in its place, once the name is known."""
        return Section(self.file, f"{self.where} ('{name}')", self.table)

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def required(self, key: str, expected: str) -> Any:
        """The value at a key that must be there."""
        if key not in self.table:
            raise InputError(
                f"{self.file}, {self.where}: the key '{key}' is missing; add {expected}."
            )
        return self.table[key]

    def text(self, key: str, default: str | None = None) -> str:
        """Text that is not blank."""
        if default is not None and key not in self.table:
            return default
        expected = f'a name in quotes, such as {key} = "Ada"'
        value = self.required(key, expected)
        if not isinstance(value, str):
            self.fail(key, f"found {shown(value)}; expected {expected}.")
        if not value.strip() or value != value.strip() or not value.isprintable():
            self.fail(
                key,
                f"found the text {value!r}; expected one line of text without spaces around it.",
            )
        return value

    def whole(self, key: str, least: int, advice: str = "") -> int:
        """A whole number of at least ``least``."""
        value = self.table[key]
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(key, f"found {shown(value)}; expected a whole number without quotes.")
        if not least <= value <= LARGEST_WHOLE_NUMBER:
            wanted = f"at least {least}" if value < least else f"at most {LARGEST_WHOLE_NUMBER:,}"
            self.fail(key, f"found {shown(value)}; expected {wanted}.{advice and ' ' + advice}")
        return value

    def number(self, key: str, advice: str = "", negative: bool = False) -> float:
        """A finite number; below 0 only where ``negative`` says so."""
        value = self.required(key, "a number")
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(key, f"found {shown(value)}; expected a number without quotes.")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail(key, f"found {shown(value)}; expected a finite number.")
        if abs(number) > LARGEST_VALUE:
            self.fail(
                key,
                f"found {shown(value)}; expected at most {LARGEST_VALUE:g}. Use a larger unit.",
            )
        if number < 0 and not negative:
            self.fail(key, f"found {shown(value)}; expected at least 0.{advice and ' ' + advice}")
        return number

    def sections(self, key: str, example: str) -> list["Section"]:
        """The tables of a list, such as all ``[[goods]]``; at least one."""
        value = self.required(key, example)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(key, f"found {shown(value)}; expected {example}.")
        if not value:
            self.fail(key, f"found an empty list; expected {example}.")
        return [
            Section(self.file, f"[[{key}]] number {number}", table)
            for number, table in enumerate(value, 1)
        ]

    def section(self, key: str, example: str) -> "Section":
        """The table at a key."""
        value = self.required(key, example)
        if not isinstance(value, dict):
            self.fail(key, f"found {shown(value)}; expected {example}.")
        where = f"[{key}]" if self.where == TOP else f"{self.where}, {key}"
        return Section(self.file, where, value)

    def good(self, key: str, name: Any, goods: list[str]) -> int:
        """The index of a good that is named at a key."""
        if not isinstance(name, str):
            self.fail(key, f"found {shown(name)}; expected the name of a good in quotes.")
        if name not in goods:
            self.fail(
                key, f"found '{name}', which is no good of this market; {nearest(name, goods)}"
            )
        return goods.index(name)

    def goods(self, key: str, names: Any, goods: list[str], least: int = 1) -> list[int]:
        """The indices of goods that are listed at a key, each once."""
        if not isinstance(names, list):
            self.fail(key, f'found {shown(names)}; expected a list of goods, such as ["A", "B"].')
        found = [self.good(key, name, goods) for name in names]
        for name in names:
            if names.count(name) > 1:
                self.fail(key, f"found '{name}' twice in one list; name each good once.")
        if len(found) < least:
            count = "one good" if least == 1 else f"{least} goods"
            self.fail(key, f"found {shown(names)}; expected at least {count}, or leave it out.")
        return found


TOP = "at the top"
