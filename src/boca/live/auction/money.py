"""Money as whole units: text in, text out, and payments that are exact integers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from boca.core.errors import InputError
from boca.core.message import Message, msg
from boca.core.wording import shortened

# The engine decides between bids that differ by one unit up to this value.
MOST_UNITS = 10**12
MOST_DIGITS = 30
# Language -> decimal mark and group mark.
MARKS = {"en": (".", ","), "de": (",", "."), "fr": (",", " ")}
# Spaces (also narrow and non-breaking ones) and apostrophes separate groups in every language.
NEUTRAL = " \u00a0\u202f\u2009'\u2019"
# What stands between the two ends of a range, in any of the languages.
BETWEEN = re.compile(r"\s*[-\u2013\u2014]\s*|\s+(?:to|bis|\u00e0)\s+")
DECIMAL_STRING = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")


class AmountError(InputError):
    """
    An amount that cannot be used.

    Parameters
    ----------
    found
        What is wrong with it.
    expected
        What to write instead.
    """

    def __init__(self, found: Message, expected: Message):
        super().__init__(msg("{found}; expected {expected}.", found=found, expected=expected))
        self.found, self.expected = found, expected


@dataclass(frozen=True)
class Money:
    """
    How amounts of one auction are read and written.

    Parameters
    ----------
    currency
        Shown beside amounts, such as ``EUR``.
    unit
        The smallest amount, as a decimal string such as ``0.01`` or ``1000``.
    language
        Decides decimal and group marks in what people type and read.
    """

    currency: str
    unit: str
    language: str = "en"

    def __post_init__(self) -> None:
        if not DECIMAL_STRING.fullmatch(self.unit) or Decimal(self.unit) == 0:
            raise InputError(
                f"The unit of money is '{self.unit}'; expected a positive decimal number in "
                'quotes, such as "0.01".'
            )
        if self.language not in MARKS:
            raise InputError(
                f"The language is '{self.language}'; expected one of {', '.join(MARKS)}."
            )

    @cached_property
    def size(self) -> Decimal:
        """The unit as a number."""
        return Decimal(self.unit)

    @cached_property
    def decimals(self) -> int:
        """Digits after the decimal mark that amounts are written with."""
        return len(self.unit.partition(".")[2])

    @property
    def step(self) -> int:
        """The unit as a number of its last decimals; scripts write amounts with it."""
        return int(self.size * 10**self.decimals)

    @property
    def mark(self) -> str:
        """The decimal mark."""
        return MARKS[self.language][0]

    @property
    def group(self) -> str:
        """What stands between groups of digits; a space does not break."""
        group = MARKS[self.language][1]
        return "\u00a0" if group == " " else group

    def parse(self, text: str) -> int:
        """
        Units from what a person typed, such as ``1'234.50``; InputError if it is not plain.

        Nothing is rounded and nothing is guessed: signs, exponents, groups that are not of three
        digits and amounts finer than the unit are refused, and where a mark can be read in two
        ways, the message gives both.
        """
        mark, group = MARKS[self.language]
        tidy = text.strip().strip(NEUTRAL)
        if tidy.endswith(self.currency):
            tidy = tidy[: -len(self.currency)].strip(NEUTRAL)
        if not tidy:
            raise AmountError(
                msg("The amount is empty"),
                msg("a number such as {example}", example=self._example()),
            )
        groups = re.escape(group + NEUTRAL)
        whole, point, fraction = tidy.partition(mark)
        plain = re.fullmatch(r"[0-9]+", whole, re.ASCII)
        grouped = re.fullmatch(rf"[0-9]{{1,3}}(?:([{groups}])[0-9]{{3}})(?:\1[0-9]{{3}})*", whole)
        digits_after = not point or re.fullmatch(r"[0-9]+", fraction, re.ASCII)
        if not (plain or grouped) or not digits_after:
            raise AmountError(
                msg("The amount '{text}' cannot be read", text=shortened(text.strip())),
                msg(
                    "digits, perhaps with '{mark}' before the decimals, such as {example}",
                    mark=mark,
                    example=self._example(),
                ),
            )
        digits = re.sub(rf"[{groups}]", "", whole)
        self._check_two_readings(text.strip(), digits, point, fraction)
        return self._units(text.strip(), digits, fraction)

    def parse_range(self, text: str) -> tuple[int, int]:
        """
        Least and most from what a person typed: an amount, or two with a dash or a word between.

        Amounts have no sign, so a dash can only part two of them.
        """
        return self._range(text, self.parse)

    def parse_decimal_range(self, text: str) -> tuple[int, int]:
        """The same from decimal strings, such as ``5.00-6.00``, as programs send it."""
        return self._range(text, self.parse_decimal)

    def _range(self, text: str, parse: Callable[[str], int]) -> tuple[int, int]:
        ends = ends_of(text) if isinstance(text, str) else (text,)
        if len(ends) != 2:
            units = parse(text)
            return units, units
        least, most = map(parse, ends)
        if least > most:
            raise AmountError(
                msg("The range '{text}' ends below its beginning", text=shortened(text.strip())),
                msg(
                    "the smaller amount first, such as {example}",
                    example=f"{self.figures(most)} - {self.figures(least)}",
                ),
            )
        return least, most

    def parse_decimal(self, text: str) -> int:
        """Units from a decimal string such as ``1234.50``, as programs send it."""
        if not isinstance(text, str) or not DECIMAL_STRING.fullmatch(text):
            raise AmountError(
                msg("The amount {text} cannot be read", text=shortened(repr(text))),
                msg('a decimal string such as "{example}"', example=self.decimal(150)),
            )
        whole, _, fraction = text.partition(".")
        return self._units(text, whole, fraction)

    def decimal(self, units: int) -> str:
        """An amount as a plain decimal string, for programs."""
        return f"{self.size * units:.{self.decimals}f}"

    def show(self, units: int) -> str:
        """An amount with grouped digits and currency, for people."""
        return f"{self.figures(units)} {self.currency}"

    def show_range(self, least: int, most: int | None) -> str:
        """A range with its currency; one amount where both ends are the same."""
        return f"{self.range_figures(least, most)} {self.currency}"

    def range_figures(self, least: int, most: int | None) -> str:
        """A range as it can also be typed, such as ``5.00 \u2013 6.00``."""
        if most is None or most == least:
            return self.figures(least)
        return f"{self.figures(least)} \u2013 {self.figures(most)}"

    def decimal_range(self, least: int, most: int | None) -> str:
        """A range as plain decimal strings, for programs."""
        end = "" if most is None or most == least else f"-{self.decimal(most)}"
        return self.decimal(least) + end

    def figures(self, units: int) -> str:
        """An amount with grouped digits, without the currency."""
        whole, _, fraction = self.decimal(abs(units)).partition(".")
        grouped = f"{int(whole):,}".replace(",", self.group)
        sign = "\u2212" if units < 0 else ""
        return sign + grouped + (self.mark + fraction if fraction else "")

    def _units(self, text: str, whole: str, fraction: str) -> int:
        # Very long numbers are refused before Python is asked to read them.
        if len(whole.lstrip("0")) > MOST_DIGITS or len(fraction) > MOST_DIGITS:
            raise AmountError(
                msg("The amount has too many digits"), msg("at most {n}", n=MOST_DIGITS)
            )
        units = Decimal(f"{whole}.{fraction or 0}") / self.size
        if units != int(units):
            raise AmountError(
                msg(
                    "The amount '{text}' is finer than the smallest unit {unit}",
                    text=text,
                    unit=f"{self.unit} {self.currency}",
                ),
                msg("a whole multiple of it"),
            )
        return int(units)

    def _check_two_readings(self, text: str, digits: str, point: str, fraction: str) -> None:
        """One to three digits, a mark and three digits: decimals here, thousands elsewhere."""
        if point and len(fraction) == 3 and self.decimals < 3 and 0 < len(digits) <= 3:
            mark = MARKS[self.language][0]
            raise InputError(
                msg(
                    "The amount '{text}' can be read in two ways: {first} or {second}. Write "
                    "{second} without a mark, or the decimals with at most {n} digits.",
                    text=text,
                    first=f"{digits}{mark}{fraction}",
                    second=f"{digits}{fraction}",
                    n=self.decimals,
                )
            )

    def _example(self) -> str:
        return self.figures(150 if self.decimals else 5)


def ends_of(text: str) -> tuple[str, ...]:
    """The two ends of a range as they were typed; the text itself if it is none."""
    ends = BETWEEN.split(text.strip())
    return tuple(ends) if len(ends) == 2 else (text,)


def vcg_terms(
    units: list[list[tuple[tuple[int, ...], int]]],
    allocation: list[tuple[int, ...]],
    allocations_without: dict[int, list[tuple[int, ...]]],
    reserve: list[int],
) -> dict[int, "Terms"]:
    """
    The VCG payment of every winner, in integers.

    Parameters
    ----------
    units
        What each bidder reported: bundles and values in units.
    allocation
        The bundle of each bidder.
    allocations_without
        For each winner, the best allocation to the others.
    reserve
        Reserve price of one copy of each good, in units.
    """
    values = [dict(rows) for rows in units]

    def surplus(bidder: int, bundle: tuple[int, ...]) -> int:
        if not any(bundle):
            return 0
        return values[bidder][bundle] - price(bundle, reserve)

    terms = {}
    for i, bundle in enumerate(allocation):
        if not any(bundle):
            continue
        with_bidder = sum(surplus(j, b) for j, b in enumerate(allocation) if j != i)
        without = sum(surplus(j, b) for j, b in enumerate(allocations_without[i]) if j != i)
        terms[i] = Terms(without, with_bidder, price(bundle, reserve))
    return terms


def price(bundle: tuple[int, ...], reserve: list[int]) -> int:
    """What the reserve prices of a bundle add up to."""
    return sum(count * units for count, units in zip(bundle, reserve, strict=True))


@dataclass(frozen=True)
class Terms:
    """
    The sums behind one VCG payment, in units.

    Parameters
    ----------
    others_without
        What the others could have had by themselves.
    others_with
        What they have.
    reserve
        Reserve prices of what the bidder receives.
    """

    others_without: int
    others_with: int
    reserve: int

    @property
    def payment(self) -> int:
        return self.others_without - self.others_with + self.reserve
