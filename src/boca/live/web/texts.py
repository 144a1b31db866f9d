"""Sentences, numbers and moments in the reader's language."""

import re
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from boca.core.market import Bidder, Market
from boca.live.auction.kind import Kind, kind_of
from boca.live.auction.money import MARKS
from boca.live.auction.rules import Rules
from boca.live.auction.sentence import Sentence

FOLDER = Path(__file__).parent / "texts"
# Goods of a bundle that a sentence names; more make a wall.
MOST_NAMED = 6


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
        return self(f"{key}.{'one' if n == 1 else 'many'}", n=self.figure(n), **gaps)

    def figure(self, number: float) -> str:
        """A number with as many decimals as it needs."""
        return f"{number:g}".replace(".", MARKS[self.language][0])

    def decimal(self, number: float, digits: int = 1) -> str:
        """A number with so many decimals, and the mark of this language before them."""
        return f"{number:.{digits}f}".replace(".", MARKS[self.language][0])

    def choice(self, rule: str, choice: str) -> str:
        """A choice of a rule in words; a mechanism that a plug-in brings has its name alone."""
        key = f"new_choice.{rule}.{choice.replace(' ', '_')}"
        return choice if rule == "mechanism" and key not in self.sentences else self(key)

    def say(self, sentences: Iterable[Sentence]) -> str:
        """Sentences of the auction's own logic, in words."""
        return " ".join(self(sentence.key, **sentence.gaps) for sentence in sentences)

    def plain(self, text: str) -> str:
        """
        A sentence that the auction's own logic says in English, in this language.

        Such sentences stand in the section ``plain`` of every language, by the same keys; what
        stands in their gaps is said in this language, too, if it is known. Whatever is not there
        is left as it is.
        """
        if self.language == "en":
            return text
        for key, pattern in plain_patterns():
            found = pattern.fullmatch(text)
            if found:
                return self(
                    key, **{gap: self.plain(part) for gap, part in found.groupdict().items()}
                )
        return text

    def who(self, person: str, bidder: str) -> str:
        """Somebody and whom they act for; one name is enough where it is the same."""
        return person if person == bidder else self("frame.who", person=person, bidder=bidder)

    def limits(self, bidder: Bidder) -> list[str]:
        """What a bidder can receive, in words."""
        return [self.plain(name) for name in dict.fromkeys(one.name for one in bidder.limits)]

    def minutes(self, minutes: float) -> str:
        """A time in words; whole hours from two on are told as hours, whole days as days."""
        if minutes >= 2880 and minutes % 1440 == 0:
            return self.count("rules.days", minutes // 1440)
        if minutes >= 120 and minutes % 60 == 0:
            return self.count("rules.hours", minutes // 60)
        return self.count("rules.minutes", minutes)

    def listing(self, words: Iterable[str]) -> str:
        """Words as a list in a sentence: ``hall, kitchen and garden``."""
        *many, last = list(words) or [self("words.nothing")]
        if not many:
            return last
        return self("words.and", many=self("words.comma").join(many), last=last)

    def bundle(self, bundle: Iterable[int], market: Market, most: float = MOST_NAMED) -> str:
        """
        A bundle in a sentence: the names of its goods, with copies where a good has several.

        Parameters
        ----------
        bundle, market
            Copies of each good, and the goods.
        most
            Goods that are named; further ones are counted, since tables show them all.
        """
        counts = list(bundle)
        words = [
            self("words.copies", n=count, good=good.name) if good.capacity > 1 else good.name
            for good, count in zip(market.goods, counts, strict=True)
            if count
        ]
        more = len(words) - most
        if more > 1:
            words = [*words[: int(most)], self("words.more", n=int(more), copies=sum(counts))]
        return self.listing(words)

    def moment(self, at: datetime, seconds: bool = False) -> str:
        """A moment in UTC."""
        return self("frame.utc", time=self._time(at.astimezone(UTC), seconds))

    def zoned(self, at: datetime, zone: tzinfo) -> str:
        """A moment in the reader's zone, with the zone's short name."""
        local = at.astimezone(zone)
        return f"{self._time(local, False)} {local.tzname()}"

    def _time(self, at: datetime, seconds: bool) -> str:
        clock = at.strftime("%H:%M:%S" if seconds else "%H:%M")
        day = self("frame.first_day") if at.day == 1 else at.day
        return self(
            "frame.date", day=day, month=self.months[at.month - 1], year=at.year, time=clock
        )


@cache
def languages() -> dict[str, str]:
    """Language -> its own name, of those that have texts, English first."""
    paths = sorted(FOLDER.glob("*.toml"), key=lambda path: (path.stem != "en", path.stem))
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8"))["name"] for path in paths}


@cache
def plain_patterns() -> list[tuple[str, re.Pattern[str]]]:
    """The sentences of the section ``plain`` in English, as patterns that find their gaps."""
    patterns = []
    for key, sentence in load("en").sentences.items():
        if not key.startswith("plain."):
            continue
        parts = re.split(r"\{([a-z_]+)\}", sentence)
        # A gap that stands twice holds the same twice.
        seen: set[str] = set()
        text = ""
        for k, part in enumerate(parts):
            if k % 2 == 0:
                text += re.escape(part)
            else:
                text += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
                seen.add(part)
        patterns.append((key, re.compile(text, re.DOTALL)))
    # The longest first, so that a short sentence does not swallow a long one.
    return sorted(patterns, key=lambda item: -len(item[1].pattern))


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
    # A sentence that nobody has translated yet is said in English; a test finds it.
    sentences = {} if language == "en" else dict(load("en", kind).sentences)
    sentences |= flatten(table)
    if kind != "sell":
        own = (FOLDER / kind / f"{language}.toml").read_text(encoding="utf-8")
        sentences |= flatten(tomllib.loads(own))
    return Texts(language, sentences, table["months"])


def load_for(rules: Rules, market: Market, language: str = "") -> Texts:
    """The texts of one auction, in a language of the reader's choice or its own."""
    return load(language or rules.language, kind_of(market))


def flatten(table: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested tables as one, keys joined by dots."""
    sentences: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            sentences |= flatten(value, f"{prefix}{key}.")
        elif isinstance(value, str):
            sentences[prefix + key] = value
    return sentences
