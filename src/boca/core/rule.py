"""Rules across participants, as buyers state them: at most three suppliers, nobody above 40 %."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from boca.core.errors import InputError
from boca.core.settings import check_choice, check_keys, check_number, expect
from boca.core.wording import counted

Counted = Literal["winners", "lots", "units", "spend"]
# Into so many equal parts people divide a whole.
MOST_PARTS = 10**6
KEYS = ("counts", "at_least", "at_most", "who", "lots", "share", "each", "if_any", "name")


@dataclass(frozen=True)
class Rule:
    """
    A bound on what some participants are awarded together, or each of them.

    An offer that supplies more units of a lot than are needed counts with those that are needed.

    Parameters
    ----------
    counts
        What is counted: ``winners`` (participants that supply anything of the lots), ``lots``,
        ``units``, or ``spend`` (the cost of their offers).
    at_least, at_most
        The bounds; None for no bound. One of them is needed.
    who
        Indices of the participants; None for everybody.
    lots
        Indices of the lots; None for all. Spend is of whole offers, so it takes no lots.
    share
        Whether bounds are shares between 0 and 1: of the lots, of the units needed in them, or of
        what is spent in all, the outside option included.
    each
        Whether the rule holds for each participant by itself instead of for all together.
    if_any
        Whether ``at_least`` holds only for participants that win something; needs ``each``.
    name
        How messages and tables call it; made from the rest if empty.
    """

    counts: Counted
    at_least: float | None = None
    at_most: float | None = None
    who: tuple[int, ...] | None = None
    lots: tuple[int, ...] | None = None
    share: bool = False
    each: bool = False
    if_any: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        check_choice(get_args(Counted), counts=self.counts)
        named = (("at_least", self.at_least), ("at_most", self.at_most))
        bounds: dict[str, float] = {name: bound for name, bound in named if bound is not None}
        if not bounds:
            raise InputError("A rule has no bound; expected at_least, at_most or both.")
        check_number(**bounds)
        for name, bound in bounds.items():
            most = 1.0 if self.share else np.inf
            expect(self, 0 <= bound <= most and np.isfinite(bound), name, self._bound_in_words)
        if self.at_least is not None and self.at_most is not None:
            expect(self, self.at_least <= self.at_most, "at_least", f"at most {self.at_most:g}")
        if self.counts == "winners" and (self.share or self.each):
            raise InputError(
                "A rule about winners has a share or holds for each; expected a number of winners "
                "among all of them."
            )
        if self.counts == "spend" and self.lots is not None:
            raise InputError(
                "A rule about spend names lots; offers have one price for all their lots. Use "
                "units instead, or leave the lots out."
            )
        if self.if_any and (not self.each or self.at_least is None):
            raise InputError("A rule with if_any needs each, and a bound at_least.")
        for field in ("who", "lots"):
            places = getattr(self, field)
            if places is not None:
                expect(self, len(places) > 0 and min(places) >= 0, field, "some indices from 0 on")

    @cached_property
    def bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """Least and most, exactly as they were written; None for no bound."""
        named = (self.at_least, self.at_most)
        least, most = (None if b is None else as_written(b, self.share) for b in named)
        return least, most

    @property
    def _bound_in_words(self) -> str:
        return "a share from 0 to 1" if self.share else "a number of at least 0"

    @property
    def title(self) -> str:
        """Its name, or what it says in a few words, which name nobody."""
        return self.titled((), ())

    def titled(self, suppliers: Sequence[str], lots: Sequence[str]) -> str:
        """
        Its name, or what it says in a few words.

        Parameters
        ----------
        suppliers, lots
            Names of all of them, for rules about a few; without names they are counted.
        """
        if self.name:
            return self.name
        unit: str = "suppliers" if self.counts == "winners" else self.counts
        last = self.at_least if self.at_most is None else self.at_most
        if last == 1 and not self.share and self.counts != "spend":
            unit = unit.removesuffix("s")
        bounds = [
            f"at {word} {self.written(bound)}"
            for word, bound in (("least", self.at_least), ("most", self.at_most))
            if bound is not None
        ]
        each = " each" if self.each else ""
        some = "" if self.who is None else f" of {_few(self.who, suppliers, 'supplier')}"
        where = "" if self.lots is None else f" in {_few(self.lots, lots, 'lot')}"
        any_ = " if any" if self.if_any else ""
        of = " of" if self.share else ""
        return f"{' and '.join(bounds)}{of} {unit}{each}{some}{where}{any_}"

    def written(self, bound: float) -> str:
        """A bound as people write it."""
        return f"{100 * bound:g} %" if self.share else f"{bound:,g}"

    def members(self, num_participants: int) -> tuple[int, ...]:
        """Whom it is about."""
        return tuple(range(num_participants)) if self.who is None else self.who

    def amounts(self, bundles: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """
        What each offer counts, ``(num_offers,)``.

        Parameters
        ----------
        bundles
            What is supplied, no more than needed, ``(num_offers, num_lots)``.
        costs
            Of the offers, ``(num_offers,)``.
        """
        held = bundles if self.lots is None else bundles[:, list(self.lots)]
        if self.counts == "spend":
            return np.asarray(costs, dtype=float)
        if self.counts == "units":
            return np.asarray(held.sum(axis=1))
        is_held = held > 0
        return np.asarray(is_held.any(axis=1) if self.counts == "winners" else is_held.sum(axis=1))

    def whole(self, needed: np.ndarray) -> int:
        """What shares of lots and units are shares of."""
        part = needed if self.lots is None else needed[list(self.lots)]
        return int(part.sum()) if self.counts == "units" else len(part)

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain values; what is not set is left out."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in KEYS}
        for name in ("who", "lots"):
            plain[name] = None if plain[name] is None else list(plain[name])
        unset: tuple[Any, ...] = (None, "")
        return {
            name: value
            for name, value in plain.items()
            if value is not False and value not in unset
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Rule":
        """The inverse of :meth:`to_dict`."""
        check_keys(data, KEYS, "key of a rule")
        places = [name for name in ("who", "lots") if name in data]
        return cls(**data | {name: tuple(data[name]) for name in places})


def as_written(number: float, is_share: bool = False) -> Fraction:
    """
    A number as people wrote it: 0.29 is 29 hundredths.

    Parameters
    ----------
    number
        What they wrote.
    is_share
        Whether it is a part of a whole: then the float next to a third is a third.
    """
    simple = Fraction(float(number)).limit_denominator(MOST_PARTS)
    if is_share and float(simple) == number:
        return simple
    return Fraction(repr(float(number)))


def _few(places: Sequence[int], names: Sequence[str], noun: str) -> str:
    """Up to three names, or how many there are."""
    if not names or len(places) > 3:
        return counted(len(places), noun)
    few = [names[place] for place in places]
    return " and ".join([", ".join(few[:-1]), few[-1]] if few[:-1] else few)
