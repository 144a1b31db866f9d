"""One table of a TOML file at a time, with messages that name the place."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from boca.core.errors import InputError
from boca.core.message import Place, Where
from boca.core.wording import did_you_mean, shortened
from boca.markets.found import as_count, as_name, as_value, shown
from boca.markets.limits_of_size import LARGEST_VALUE, MOST_SQUARED_DOTS, check_size

TOP = "at the top"


def parse_toml(text: str, source: str) -> "Section":
    """
    The tables of a TOML text.

    Parameters
    ----------
    text
        The content of a file.
    source
        Where it comes from, for messages.
    """
    if not text.strip():
        raise InputError(f"{source} is empty; docs/market_files.md shows what a market file holds.")
    _check_dots(text, source)
    try:
        return Section(source, TOP, tomllib.loads(text))
    except RecursionError:
        raise InputError(
            f"{source}: lists or tables are nested too deeply; flatten them."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{source}: this is not valid TOML: {shortened(str(error), 200)}. "
            "Text needs quotes, a list needs [ ] and commas, a key is given once."
        ) from None
    except ValueError:  # int() refuses absurdly long numbers
        raise InputError(
            f"{source}: a number has thousands of digits; expected at most {LARGEST_VALUE:g}."
        ) from None


def _check_dots(text: str, source: str) -> None:
    """Refuses keys of hundreds of parts before the parser spends minutes on them."""
    total = 0
    for line in text.split("\n"):
        if line.count(".") < 2 or line.lstrip().startswith("#"):
            continue
        total += sum(part.count(".") ** 2 for part in re.split(r"[=,{}\[\]]", line))
        if total > MOST_SQUARED_DOTS:
            raise InputError(
                f"{source}: keys have too many dots, as in 'a.b.c.d'; write tables in brackets."
            )


@dataclass(frozen=True)
class Section:
    """
    One table of a market file, which knows where it stands.

    Parameters
    ----------
    source
        The market file.
    where
        The table's place in words, such as ``[[goods]] number 2 ('Toner')``.
    table
        Its keys and values.
    name
        What the table is called, such as ``goods``.
    row
        Which one of several it is, from 1.
    """

    source: str
    where: str
    table: dict[str, Any]
    name: str = ""
    row: int | None = None

    def place(self, key: str) -> Where:
        """A key of this table, in words."""
        words = f"{self.source}, {self.where}, key '{shortened(key)}'"
        return Where(words, Place(self.name, key, self.row, self.where))

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raises the one form that all mistakes at a key have."""
        raise InputError.at(self.place(key), problem)

    def only(self, keys: tuple[str, ...]) -> "Section":
        """This section, if it has no other keys than these."""
        for key in self.table:
            if key not in keys:
                self.fail(key, f"found a key that means nothing here; {did_you_mean(key, keys)}")
        return self

    def named(self, name: str) -> "Section":
        """This section with a name in its place, once the name is known."""
        return replace(self, where=f"{self.where} ('{shortened(name)}')")

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def required(self, key: str, expected: str) -> Any:
        """The value at a key that must be there."""
        if key not in self.table:
            raise InputError(
                f"{self.source}, {self.where}: the key '{key}' is missing; add {expected}.",
                self.place(key).place,
            )
        return self.table[key]

    def text(self, key: str, default: str | None = None) -> str:
        """Text that is not blank, on one line."""
        if default is not None and key not in self.table:
            return default
        value = self.required(key, f'a name in quotes, such as {key} = "Ada"')
        return as_name(value, "", self.place(key))

    def whole(self, key: str, least: int, advice: str = "") -> int:
        """A whole number of at least ``least``."""
        return as_count(self.table[key], "", self.place(key), least, advice=advice)

    def number(self, key: str, advice: str = "", negative: bool = False) -> float:
        """A finite number; below 0 only where ``negative`` says so."""
        value = self.required(key, "a number")
        return as_value(value, "", self.place(key), negative, advice)

    def sections(self, key: str, example: str, most: int) -> list["Section"]:
        """The tables of a list, such as all ``[[goods]]``; from one to ``most``."""
        value = self.required(key, example)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(key, f"found {shown(value)}; expected {example}.")
        if not value:
            self.fail(key, f"found an empty list; expected {example}.")
        check_size(len(value), most, f"blocks [[{key}]]", f"{self.source}, {self.where}")
        return [
            Section(self.source, f"[[{key}]] number {number}", table, key, number)
            for number, table in enumerate(value, 1)
        ]

    def named_sections(self, key: str, example: str, most: int) -> dict[str, "Section"]:
        """The tables of a list by their names, such as all ``[[goods]]``."""
        sections: dict[str, Section] = {}
        for section in self.sections(key, example, most):
            name = section.text("name")
            if name in sections:
                section.fail(
                    "name", f"found '{name}', the name of an earlier block; give each its own name."
                )
            sections[name] = section.named(name)
        return sections

    def section(self, key: str, example: str) -> "Section":
        """The table at a key."""
        value = self.required(key, example)
        if not isinstance(value, dict):
            self.fail(key, f"found {shown(value)}; expected {example}.")
        where = f"[{key}]" if self.where == TOP else f"{self.where}, {key}"
        return Section(self.source, where, value, key)

    def good(self, key: str, name: Any, goods: Mapping[str, int]) -> int:
        """The index of a good that is named at a key."""
        if not isinstance(name, str):
            self.fail(key, f"found {shown(name)}; expected the name of a good in quotes.")
        if name not in goods:
            self.fail(
                key,
                f"found '{shortened(name)}', which is no good of this market; "
                f"{did_you_mean(name, goods)}",
            )
        return goods[name]

    def goods(self, key: str, names: Any, goods: Mapping[str, int], least: int = 1) -> list[int]:
        """
        The indices of goods that are listed at a key, each once.

        Parameters
        ----------
        key
            Where the list stands.
        names
            The list.
        goods
            Index of every good by its name.
        least
            How many goods the list must have.
        """
        if not isinstance(names, list):
            self.fail(key, f'found {shown(names)}; expected a list of goods, such as ["A", "B"].')
        indices: dict[int, None] = {}
        for name in names:
            index = self.good(key, name, goods)
            if index in indices:
                self.fail(key, f"found '{name}' twice in one list; name each good once.")
            indices[index] = None
        if len(indices) < least:
            count = "one good" if least == 1 else f"{least} goods"
            self.fail(key, f"found {shown(names)}; expected at least {count}, or leave it out.")
        return list(indices)
