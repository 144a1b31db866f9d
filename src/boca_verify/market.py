"""A market as the log describes it: what there is, who takes part, and within which bounds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Literal

from boca_verify.bodies import Body, Bundle, Damaged
from boca_verify.wording import counted

Kind = Literal["sell", "buy", "exchange"]
Counted = Literal["winners", "lots", "units", "spend"]
# What a sum may exceed a limit by, for rounding: a billionth where limits are in ordinary units,
# and otherwise as much less or more.
ROUNDING = Fraction(1, 10**9)
ORDINARY = (Fraction(1, 2**11), Fraction(2**10))
# Into so many equal parts people divide a whole.
MOST_PARTS = 10**6
RULE_KEYS = {"counts", "at_least", "at_most", "who", "lots", "share", "each", "if_any", "name"}


@dataclass(frozen=True)
class LoggedGood:
    """A kind of thing, and how many copies there are, or are needed."""

    name: str
    capacity: int


@dataclass(frozen=True)
class LoggedLimit:
    """
    A linear limit on what one participant gets or supplies.

    Parameters
    ----------
    name
        For messages.
    coefficients, bound
        ``coefficients . bundle`` is at most ``bound``.
    """

    name: str
    coefficients: tuple[Fraction, ...]
    bound: Fraction

    def total(self, bundle: Bundle) -> Fraction:
        """What a bundle counts."""
        return sum((c * n for c, n in zip(self.coefficients, bundle, strict=True)), Fraction())

    def allows(self, bundle: Bundle) -> bool:
        """Whether a bundle is within it, but for rounding."""
        return self.total(bundle) <= self.bound + self._slack

    @cached_property
    def _slack(self) -> Fraction:
        size = self.bound or min((c for c in self.coefficients if c), default=Fraction(1))
        is_ordinary = ORDINARY[0] <= size < ORDINARY[1]
        return ROUNDING if is_ordinary else ROUNDING * size / 2**9


@dataclass(frozen=True)
class LoggedBidder:
    """Somebody who takes part, with limits and what it holds before an exchange."""

    name: str
    limits: tuple[LoggedLimit, ...]
    endowment: Bundle


@dataclass(frozen=True)
class LoggedRule:
    """
    A buyer's bound on what some suppliers are awarded together, or each of them.

    Parameters
    ----------
    counts
        ``winners``, ``lots``, ``units`` or ``spend``.
    at_least, at_most
        As they were written; None for no bound.
    who, lots
        Numbers of suppliers and lots; None for all.
    share
        Whether bounds are shares of the whole.
    each
        Whether it holds for each supplier by itself.
    if_any
        Whether the least holds only for suppliers that win something.
    name
        What the buyer calls it; may be empty.
    """

    counts: str
    at_least: float | None
    at_most: float | None
    who: tuple[int, ...] | None
    lots: tuple[int, ...] | None
    share: bool
    each: bool
    if_any: bool
    name: str

    @cached_property
    def bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """Least and most, exactly as people wrote them; None for no bound."""
        least, most = (
            None if bound is None else as_written(bound, self.share)
            for bound in (self.at_least, self.at_most)
        )
        return least, most

    def members(self, num: int) -> tuple[int, ...]:
        """Whom it is about."""
        return tuple(range(num)) if self.who is None else self.who

    @property
    def title(self) -> str:
        """Its name, or what it says in a few words."""
        if self.name:
            return self.name
        unit = "suppliers" if self.counts == "winners" else self.counts
        last = self.at_least if self.at_most is None else self.at_most
        if last == 1 and not self.share and self.counts != "spend":
            unit = unit.removesuffix("s")
        parts = [
            f"at {word} {100 * bound:g} %" if self.share else f"at {word} {bound:,g}"
            for word, bound in (("least", self.at_least), ("most", self.at_most))
            if bound is not None
        ]
        text = f"{' and '.join(parts)}{' of' if self.share else ''} {unit}"
        text += " each" if self.each else ""
        text += "" if self.who is None else f" of {counted(len(self.who), 'supplier')}"
        text += "" if self.lots is None else f" in {counted(len(self.lots), 'lot')}"
        return text + (" if any" if self.if_any else "")


@dataclass(frozen=True)
class LoggedMarket:
    """
    Goods and participants.

    Parameters
    ----------
    name
        What the market is called.
    kind
        Whether it sells, buys or exchanges.
    goods, bidders, rules
        In the order of the log.
    """

    name: str
    kind: Kind
    goods: tuple[LoggedGood, ...]
    bidders: tuple[LoggedBidder, ...]
    rules: tuple[LoggedRule, ...] = ()

    @property
    def num_goods(self) -> int:
        return len(self.goods)

    @property
    def num_bidders(self) -> int:
        return len(self.bidders)

    @cached_property
    def capacities(self) -> Bundle:
        """Copies of each good."""
        return tuple(good.capacity for good in self.goods)

    def allows(self, bidder: int, bundle: Bundle) -> bool:
        """Whether a bundle is within capacities and the bidder's limits."""
        within = all(n <= c for n, c in zip(bundle, self.capacities, strict=True))
        return within and all(limit.allows(bundle) for limit in self.bidders[bidder].limits)

    def problems(self, bundles: Sequence[Bundle]) -> Iterator[str]:
        """Every way in which not everybody can have its bundle, in words."""
        for j, good in enumerate(self.goods):
            total = sum(bundle[j] for bundle in bundles)
            # Of what is bought, more than is needed may be delivered.
            if self.kind != "buy" and total > good.capacity:
                yield (
                    f"good '{good.name}' is given away {total} times, but there are {good.capacity}"
                )
        for bidder, bundle in zip(self.bidders, bundles, strict=True):
            for limit in bidder.limits:
                if not limit.allows(bundle):
                    yield (
                        f"bidder '{bidder.name}' exceeds its limit '{limit.name}': "
                        f"{float(limit.total(bundle)):g} > {float(limit.bound):g}"
                    )


def as_written(number: float, is_share: bool = False) -> Fraction:
    """
    A number as people wrote it: 0.29 is 29 hundredths.

    Parameters
    ----------
    number
        What the log has.
    is_share
        Whether it is a part of a whole: then the double next to a third is a third.
    """
    simple = Fraction(float(number)).limit_denominator(MOST_PARTS)
    if is_share and float(simple) == number:
        return simple
    return Fraction(repr(float(number)))


def read_market(body: Body) -> LoggedMarket:
    """The market of a ``configured`` record; Damaged if it is none."""
    goods = tuple(
        LoggedGood(_name(good), good.whole("capacity", 1)) for good in body.parts("goods")
    )
    bidders = tuple(_bidder(row, len(goods)) for row in body.parts("bidders"))
    rules = tuple(map(_rule, body.parts("rules"))) if body.has("rules") else ()
    sense = body.choice("sense", "sell", "buy") if body.has("sense") else "sell"
    holds_any = any(any(bidder.endowment) for bidder in bidders)
    kind: Kind = "buy" if sense == "buy" else "exchange" if holds_any else "sell"
    market = LoggedMarket(_name(body), kind, goods, bidders, rules)
    for problem in _contradictions(market, sense == "buy" and holds_any):
        raise Damaged(f"its market cannot be one: {problem}.")
    return market


def _contradictions(market: LoggedMarket, buys_from_holders: bool) -> Iterator[str]:
    """What cannot be true of any market."""
    if not market.goods or not market.bidders:
        yield "there are no goods, or nobody takes part"
    for what, names in (
        ("good", [good.name for good in market.goods]),
        ("bidder", [bidder.name for bidder in market.bidders]),
    ):
        if len(set(names)) < len(names):
            yield f"more than one {what} has the same name"
    if buys_from_holders:
        yield "it buys, and suppliers hold something before"
    if market.rules and market.kind != "buy":
        yield "it has rules across suppliers, and does not buy"
    for j, good in enumerate(market.goods):
        held = sum(bidder.endowment[j] for bidder in market.bidders)
        if held > good.capacity:
            yield f"of '{good.name}', {held} copies are held and {good.capacity} exist"
    for bidder in market.bidders:
        if not all(limit.allows(bidder.endowment) for limit in bidder.limits):
            yield f"'{bidder.name}' holds more than its limits allow"
    for rule in market.rules:
        if max(rule.who or (0,)) >= market.num_bidders or max(rule.lots or (0,)) >= len(
            market.goods
        ):
            yield f"the rule '{rule.title}' is about somebody or something that is not there"


def _bidder(body: Body, num_goods: int) -> LoggedBidder:
    nothing = (0,) * num_goods
    held = body.fields.get("endowment") or []
    endowment = body.wholes("endowment", num_goods) if held else nothing
    limits = tuple(_limit(row, num_goods) for row in body.parts("limits"))
    return LoggedBidder(_name(body), limits, endowment)


def _limit(body: Body, num_goods: int) -> LoggedLimit:
    numbers = [_number(Body({"coefficients": n}), "coefficients") for n in
               body.list("coefficients")]  # fmt: skip
    bound = _number(body, "bound")
    if len(numbers) != num_goods:
        raise Damaged(f"a limit has {len(numbers)} coefficients; expected {num_goods}.")
    return LoggedLimit(_name(body), tuple(map(Fraction, numbers)), Fraction(bound))


def _name(body: Body) -> str:
    """A name, one line that can be printed anywhere, without terminal codes."""
    name = body.text("name")
    if not name.isprintable():
        raise Damaged(f"the name {name[:40]!r} is no line of text that can be shown.")
    return name


def _number(body: Body, key: str) -> float:
    """A finite number of at least 0."""
    number = body.number(key)
    if not isfinite(number) or number < 0:
        raise Damaged(f"'{key}' is {number}; expected a number of at least 0.")
    return number


def _rule(body: Body) -> LoggedRule:
    """A buyer's rule; Damaged if it says something that is not understood here."""
    if unknown := body.fields.keys() - RULE_KEYS:
        raise Damaged(f"a rule has '{min(unknown)[:40]}', which means nothing.")
    share, each, if_any = (body.has(key) and body.truth(key) for key in ("share", "each", "if_any"))
    least, most = (_number(body, key) if body.has(key) else None for key in ("at_least", "at_most"))
    who, lots = (_places(body, key) if body.has(key) else None for key in ("who", "lots"))
    rule = LoggedRule(
        body.choice("counts", "winners", "lots", "units", "spend"),
        least, most, who, lots, share, each, if_any,
        _name(body) if body.has("name") else "",
    )  # fmt: skip
    bounds = [bound for bound in (least, most) if bound is not None]
    is_possible = (
        bool(bounds)
        and bounds == sorted(bounds)
        and not (share and bounds[-1] > 1)
        and not (rule.counts == "winners" and (share or each))
        and not (rule.counts == "spend" and lots is not None)
        and not (if_any and (not each or least is None))
    )
    if not is_possible:
        raise Damaged(f"the rule '{rule.title}' contradicts itself.")
    return rule


def _places(body: Body, key: str) -> tuple[int, ...]:
    """Numbers of suppliers or lots; at least one."""
    places = body.list(key)
    if not places:
        raise Damaged(f"'{key}' of a rule is empty.")
    return tuple(Body({key: place}).whole(key) for place in places)
