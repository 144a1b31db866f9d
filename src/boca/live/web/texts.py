"""Sentences, numbers and moments in the reader's language."""

import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from boca.core.market import Market
from boca.live.auction.kind import Kind, kind_of
from boca.live.auction.rules import Rules
from boca.live.auction.sentence import Sentence

FOLDER = Path(__file__).parent / "texts"


class Texts:
    """
    The sentences of one language, by key; a missing key is an error, never an empty page.

    Parameters
    ----------
    language
        Name of a file in ``texts/``, such as ``en``.
    sentences
        Key -> sentence with named gaps.
    months
        Names of the months.
    """

    def __init__(self, language: str, sentences: dict[str, str], months: list[str]):
        self.language = language
        self.sentences = sentences
        self.months = months

    def __call__(self, key: str, **gaps: Any) -> str:
        """The sentence of a key, its gaps filled."""
        return self.sentences[key].format(**gaps)

    def count(self, key: str, n: float, **gaps: Any) -> str:
        """The sentence for one or for many."""
        return self(f"{key}.{'one' if n == 1 else 'many'}", n=f"{n:g}", **gaps)

    def choice(self, rule: str, choice: str) -> str:
        """A choice of a rule in words; a mechanism that a plug-in brings has its name alone."""
        key = f"new_choice.{rule}.{choice.replace(' ', '_')}"
        return choice if rule == "mechanism" and key not in self.sentences else self(key)

    def say(self, sentences: Iterable[Sentence]) -> str:
        """Sentences of the auction's own logic, in words."""
        return " ".join(self(sentence.key, **sentence.gaps) for sentence in sentences)

    def listing(self, words: Iterable[str]) -> str:
        """Words as a list in a sentence: ``hall, kitchen and garden``."""
        *many, last = list(words) or [self("words.nothing")]
        if not many:
            return last
        return self("words.and", many=self("words.comma").join(many), last=last)

    def bundle(self, bundle: Iterable[int], market: Market) -> str:
        """A bundle by the names of its goods, with copies where a good has several."""
        counts = list(bundle)
        return self.listing(
            self("words.copies", n=count, good=good.name) if good.capacity > 1 else good.name
            for good, count in zip(market.goods, counts, strict=True)
            if count
        )

    def moment(self, at: datetime, seconds: bool = False) -> str:
        """A moment in UTC."""
        return self("frame.utc", time=self._time(at.astimezone(UTC), seconds))

    def zoned(self, at: datetime, zone: tzinfo) -> str:
        """A moment in the reader's zone, with the zone's short name."""
        local = at.astimezone(zone)
        return f"{self._time(local, False)} {local.tzname()}"

    def _time(self, at: datetime, seconds: bool) -> str:
        clock = at.strftime("%H:%M:%S" if seconds else "%H:%M")
        return f"{at.day} {self.months[at.month - 1]} {at.year}, {clock}"


@cache
def load(language: str, kind: Kind = "sell") -> Texts:
    """
    The texts of a language; English where there is no file for it.

    Parameters
    ----------
    language
        Such as ``en``.
    kind
        Purchases and exchanges replace some sentences of sales by their own, which stand in a
        folder of that name.
    """
    path = FOLDER / f"{language}.toml"
    if not path.exists():
        return load("en", kind)
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    sentences = flatten(table)
    if kind != "sell":
        own = (FOLDER / kind / f"{language}.toml").read_text(encoding="utf-8")
        sentences |= flatten(tomllib.loads(own))
    return Texts(language, sentences, table["months"])


def load_for(rules: Rules, market: Market) -> Texts:
    """The texts of one auction."""
    return load(rules.language, kind_of(market))


def flatten(table: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested tables as one, keys joined by dots."""
    sentences: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            sentences |= flatten(value, f"{prefix}{key}.")
        elif isinstance(value, str):
            sentences[prefix + key] = value
    return sentences
