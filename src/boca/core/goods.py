"""What there is to share out, and how much of it one bidder can be given."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from boca.core.errors import InputError
from boca.core.message import Message, msgid
from boca.core.wording import printable

# What a market file calls limits: at most so many copies in total, or of one good; none of some
# goods; only one copy of some goods; a budget of credits.
LimitKind = Literal["", "at_most", "at_most_of_each", "forbidden", "conflicts", "credit_budget"]


def check_name(name: str, what: str) -> None:
    """
    Raises unless a name is one line that can be printed anywhere, without terminal codes.

    Parameters
    ----------
    name
        What something is called.
    what
        What it is, such as ``good``.
    """
    if not isinstance(name, str) or not name.isprintable():
        raise InputError(
            f"Received {printable(repr(name))} as the name of a {what}; expected one line of text "
            "without control characters."
        )


@dataclass(frozen=True)
class Good:
    """
    One kind of thing that is shared out.

    Parameters
    ----------
    name
        What people call it. Must be one line of printable text.
    capacity
        How many identical copies there are. Must be positive.
    group
        What it is shown together with, such as a band or a region; empty for nothing.
    unit
        What one copy is, such as ``2 x 5 MHz`` or ``tonne``; empty where the name says it. Group
        and unit are for readers alone: nothing is computed from them.
    """

    name: str
    capacity: int = 1
    group: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        check_name(self.name, "good")
        check_name(self.group, "group of goods")
        check_name(self.unit, "unit of a good")
        if self.capacity < 1:
            raise InputError(
                f"Good '{self.name}' has capacity {self.capacity}; expected at least 1. "
                "Leave the good out if none can be given away."
            )

    def to_dict(self) -> dict[str, Any]:
        """The good as plain values; words for readers only where there are any."""
        words = {"group": self.group, "unit": self.unit}
        named = {key: text for key, text in words.items() if text}
        return {"name": self.name, "capacity": self.capacity, **named}


@dataclass(frozen=True)
class Limit:
    """
    A linear limit on one bidder's bundle: ``coefficients @ bundle <= bound``.

    Parameters
    ----------
    coefficients
        One number per good. Non-negative, so that a part of an allowed bundle is allowed.
    bound
        Largest allowed total. Non-negative, so that the empty bundle is allowed.
    name
        What the limit is about, for messages.
    kind
        The key of a market file that makes such a limit; empty for any other limit.
    """

    coefficients: tuple[float, ...]
    bound: float
    name: str = "limit"
    kind: LimitKind = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_name(self.name, "limit")
        if not np.isfinite([*self.coefficients, self.bound]).all():
            raise InputError(
                f"Limit '{self.name}' has an infinite or undefined number; expected finite ones. "
                "Leave out a limit that never binds."
            )
        if self.bound < 0 or any(c < 0 for c in self.coefficients):
            raise InputError(
                f"Limit '{self.name}' has a negative bound or coefficient; "
                "expected non-negative numbers, so that receiving nothing stays allowed."
            )


# The names of limits. Goods are listed as whoever wrote the market listed them.
WORDS: dict[LimitKind, str] = {
    "at_most": msgid("at most {n} in total"),
    "at_most_of_each": msgid("at most {n} of each"),
    "forbidden": msgid("none of {goods}"),
    "conflicts": msgid("only one of {goods}"),
    "credit_budget": msgid("at most {n} credits"),
}


def limit_of_goods(
    kind: LimitKind, members: Sequence[int], bound: float, goods: Sequence[Good]
) -> Limit:
    """At most ``bound`` copies in total of some goods, for a key of a market file."""
    coefficients = [0.0] * len(goods)
    for j in members:
        coefficients[j] = 1.0
    listed = ", ".join(goods[j].name for j in members)
    name = Message(WORDS[kind], {"goods": listed} if names_goods(kind) else {"n": f"{bound:.0f}"})
    return Limit(tuple(coefficients), float(bound), name, kind)


def budget_of_credits(credits: Sequence[float], budget: float) -> Limit:
    """Credits of all copies together stay within the budget."""
    name = Message(WORDS["credit_budget"], {"n": f"{budget:g}"})
    return Limit(tuple(credits), budget, name, "credit_budget")


def recognised(limit: Limit, goods: Sequence[Good]) -> Limit:
    """
    A limit that was written down by its numbers and its name, with its kind.

    The numbers say what it could be, and its name has to be the one that such a limit has; a limit
    of another name stays what it is.
    """
    if len(limit.coefficients) != len(goods):
        return limit  # the market refuses it
    members = [j for j, c in enumerate(limit.coefficients) if c]
    names = sorted(", ".join(goods[j].name for j in members).split(", "))
    is_plain = all(limit.coefficients[j] == 1 for j in members)
    could_be: dict[LimitKind, bool] = {
        "at_most": is_plain and len(members) == len(goods),
        "at_most_of_each": is_plain and len(members) == 1,
        "forbidden": is_plain and limit.bound == 0,
        "conflicts": is_plain and limit.bound == 1,
        "credit_budget": True,
    }
    for kind, is_possible in could_be.items():
        gaps = {"n": f"{limit.bound:g}" if kind == "credit_budget" else f"{limit.bound:.0f}"}
        if names_goods(kind):
            gaps = {"goods": limit.name.removeprefix(WORDS[kind].format(goods=""))}
            is_possible = is_possible and sorted(gaps["goods"].split(", ")) == names
        name = Message(WORDS[kind], gaps)
        if is_possible and name == limit.name:
            return replace(limit, name=name, kind=kind)
    return limit


def names_goods(kind: LimitKind) -> bool:
    """Whether such a limit is about which goods, not about how many."""
    return kind in ("forbidden", "conflicts")
