"""Sentences, numbers and moments in the reader's language."""

import tomllib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, tzinfo
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Any

from babel import Locale
from babel.dates import get_month_names
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from boca.core.market import Bidder, Market
from boca.core.message import Message
from boca.live.auction.kind import Kind, kind_of
from boca.live.auction.money import MARKS
from boca.live.auction.rules import Rules
from boca.live.auction.sentence import Sentence

FOLDER = Path(__file__).parent / "texts"
LOCALE = Path(__file__).parent / "locale"
# How the keys of sentences about one and about many end.
NUMBERS = ("one", "many")
# Goods of a bundle that a sentence names; more make a wall.
MOST_NAMED = 6


class Texts:
    """
    The sentences of one language, in the words of one kind of market.

    Sentences of pages have keys, since many of them are chosen by what they are about; a missing
    key is an error, never an empty page. What the code says comes as messages. Both are in the
    language's catalogue by their English text.

    Parameters
    ----------
    language
        Name of a folder in ``locale/``, such as ``en``.
    english
        The sentences of pages by key, with named gaps.
    catalog
        Translations.
    kind
        Whose own words are said.
    """

    def __init__(self, language: str, english: dict[str, str], catalog: Catalog, kind: Kind):
        self.language = language
        self.catalog = catalog
        self.kind = kind
        self.plural: Callable[[int], int] = c2py(catalog.plural_expr)
        self.months = [get_month_names(locale=language)[month] for month in range(1, 13)]
        self.sentences = {}
        self.counted: dict[str, tuple[str, ...]] = {}
        for key, text in english.items():
            name, _, number = key.rpartition(".")
            several = english.get(f"{name}.many")
            if number not in NUMBERS or several is None:
                self.sentences[key] = self._translated(text, key=key)[0]
            elif number == "one":
                forms = self._translated(text, several, name)
                self.counted[name] = forms
                self.sentences[key], self.sentences[f"{name}.many"] = forms[0], forms[-1]

    def __call__(self, key: str, **gaps: Any) -> str:
        """The sentence of a key, its gaps filled."""
        return self.sentences[key].format(**gaps)

    def count(self, key: str, n: float, **gaps: Any) -> str:
        """The sentence for one or for many."""
        form = self.counted[key][self.plural(int(n) if n == int(n) else 2)]
        return form.format(n=self.figure(n), **gaps)

    def _translated(self, text: str, many: str = "", key: str = "") -> tuple[str, ...]:
        """
        An English text in this language, in each of its numbers; English where nobody has
        translated it yet, which a test finds.
        """
        # A text that means two things, or that a kind of market has another word for.
        for context in (f"{self.kind}:{key}", key or self.kind, None):
            row = self.catalog.get(text, context)
            if row is not None and row.string:
                return tuple(row.string) if many else (str(row.string),)
        return (text, many) if many else (text,)

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

    def read(self, text: str) -> str:
        """
        What somebody is told, in this language and in the words of this kind of market.

        Messages in the gaps of a message are read as well. Whatever is no message is somebody's
        own words, and stays as it is.
        """
        if not isinstance(text, Message):
            return text
        gaps: dict[str, Any] = {
            gap: self.read(part) if isinstance(part, str) else part
            for gap, part in text.gaps.items()
        }
        forms = self._translated(text.text, text.plural)
        form = self.plural(gaps["n"]) if text.plural else 0
        return forms[form].format(**gaps)

    def who(self, person: str, bidder: str) -> str:
        """Somebody and whom they act for; one name is enough where it is the same."""
        return person if person == bidder else self("frame.who", person=person, bidder=bidder)

    def limits(self, bidder: Bidder) -> list[str]:
        """What a bidder can receive, in words."""
        return [self.read(name) for name in dict.fromkeys(one.name for one in bidder.limits)]

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
    """Language -> its own name, of those that have a catalogue, English first."""
    names = sorted((path.name for path in LOCALE.iterdir()), key=lambda name: (name != "en", name))
    return {name: str(Locale(name).get_display_name()).capitalize() for name in names}


@cache
def catalogue(language: str) -> Catalog:
    """
    What pages and the code say in a language, as translators know it.

    English has only what a kind of market says in words of its own.
    """
    path = LOCALE / language / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return read_po(file)


@cache
def english(kind: Kind) -> dict[str, str]:
    """Sentences of pages by key, as a kind of market says them."""
    rooms = ("",) if kind == "sell" else ("", kind)
    paths = [FOLDER / room / "en.toml" for room in rooms]
    tables = [flatten(tomllib.loads(path.read_text(encoding="utf-8"))) for path in paths]
    return {key: text for table in tables for key, text in table.items()}


@cache
def load(language: str, kind: Kind = "sell") -> Texts:
    """
    The texts of a language; English where there is no catalogue for it.

    Parameters
    ----------
    language
        Such as ``en``.
    kind
        Purchases and exchanges replace some sentences of sales by their own.
    """
    known = language if language in languages() else "en"
    return Texts(known, english(kind), catalogue(known), kind)


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
