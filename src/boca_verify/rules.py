"""V5: the rules and the market, as far as checks need them, fixed when the auction starts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from boca_verify.bodies import Body, Bundle, Damaged, body_of, clock, moment_of
from boca_verify.hours import LoggedHours, read_hours, read_start
from boca_verify.market import LoggedMarket, read_market
from boca_verify.places import LoggedPlaces
from boca_verify.records import Record
from boca_verify.verdict import Check, Finding

# Mechanisms that choose the number of questions in a round by themselves, within the budget, in
# logs that do not tell it.
OWN_PACE = ("local", "hybrid", "ml-cca", "mlhca")
# How payments can be computed in each kind of market.
PAYMENT_RULES = {
    "sell": ("vcg", "core"),
    "buy": ("vcg", "core", "offered"),
    "exchange": ("threshold", "proportional", "small", "vcg"),
}
# Units of money beyond these are nonsense: larger than any sum, finer than any coin.
MOST_MONEY, LEAST_DIGITS = 10**15, 15


@dataclass(frozen=True)
class LoggedSetup:
    """
    What an auction's rules say.

    Parameters
    ----------
    market
        Goods with capacities, bidders with limits.
    mechanism, payment_rule, corrections, monotone, publish
        As in the rules.
    has_own_pace
        Whether the mechanism chooses the number of questions in a round, within the budget.
    num_initial, num_per_round, num_total, push_bids, extensions
        How many of each, per bidder.
    round_minutes, extension_minutes, last_call_minutes
        How long.
    close_early
        Whether a round ends once everything is answered.
    most_units
        The largest value.
    currency, unit
        What money is called, and the smallest amount of it.
    reserve
        Price of one copy of each good, in units.
    at_most
        In a purchase: price of one unit of each lot outside, in units of money; None where there is
        none.
    starts_at, hours
        The planned start and the opening hours; None where there are none.
    accept_rules
        Whether bidders have to accept the rules before they send something.
    ranges
        Whether values may be ranges.
    caps
        Spending cap of each bidder, in units; None where there is none.
    points, eligibility
        Points of one copy of each good, and what each bidder may choose at the first prices; empty
        without the activity rule.
    explains
        Whether everybody is told the sums behind its own payment.
    """

    market: LoggedMarket
    mechanism: str
    has_own_pace: bool
    payment_rule: str
    corrections: str
    monotone: str
    publish: str
    num_initial: int
    num_per_round: int
    num_total: int
    push_bids: int
    extensions: int
    round_minutes: tuple[float, float]
    extension_minutes: float
    last_call_minutes: float
    close_early: bool
    most_units: int
    currency: str
    unit: Decimal
    reserve: tuple[int, ...]
    at_most: tuple[int | None, ...] = ()
    starts_at: datetime | None = None
    hours: LoggedHours | None = None
    accept_rules: bool = False
    ranges: bool = False
    caps: tuple[int | None, ...] = ()
    points: tuple[int, ...] = ()
    eligibility: tuple[int, ...] = ()
    explains: bool = True

    @property
    def kind(self) -> str:
        """Whether it sells, buys or exchanges."""
        return self.market.kind

    @property
    def one(self) -> str:
        """What one of those who answer is called."""
        return {"buy": "supplier", "exchange": "participant"}.get(self.kind, "bidder")

    @property
    def num_goods(self) -> int:
        return self.market.num_goods

    @property
    def num_bidders(self) -> int:
        return self.market.num_bidders

    @property
    def full(self) -> Bundle:
        """All copies of all goods."""
        return self.market.capacities

    def name(self, bidder: int) -> str:
        return self.market.bidders[bidder].name

    def allows(self, bidder: int, bundle: Bundle) -> bool:
        """Whether a bundle is within capacities and the bidder's limits."""
        return self.market.allows(bidder, bundle)

    def most_questions(self, round_number: int) -> int:
        """The largest number of questions to one bidder in a round."""
        if self.has_own_pace:
            return self.num_total
        return self.num_per_round if round_number else self.num_initial

    def most_of(self, bidder: int) -> int:
        """The largest bid of a bidder."""
        cap = self.caps[bidder] if self.caps else None
        return self.most_units if cap is None else cap

    def points_of(self, bundle: Bundle) -> int:
        """The points of a bundle; 0 without the activity rule."""
        return sum(n * points for n, points in zip(bundle, self.points, strict=False))

    def price(self, bundle: Bundle) -> int:
        """What the reserve prices of a bundle add up to."""
        return sum(n * units for n, units in zip(bundle, self.reserve, strict=True))

    def money(self, units: int) -> str:
        """An amount as people write it."""
        decimals = max(0, -int(self.unit.as_tuple().exponent))
        return f"{self.unit * units:,.{decimals}f} {self.currency}"

    def words(self, bundle: Bundle) -> str:
        """A bundle by the names of its goods."""
        goods = zip(bundle, self.market.goods, strict=True)
        return ", ".join(f"{n} x {good.name}" for n, good in goods if n) or "nothing"


def read_setup(record: Record) -> LoggedSetup:
    """The setup of a ``configured`` record; Damaged if it is none."""
    body = body_of(record)
    rules = body.part("rules")
    market = read_market(body.part("market"))
    unit = _amount(rules.text("unit"))
    if not unit.is_finite() or not 0 < unit < MOST_MONEY or unit.adjusted() < -LEAST_DIGITS:
        raise Damaged(f"the unit of money is {unit}; expected a small positive number.")
    first, later = (_positive(rules, "round_minutes", minutes) for minutes in _two(rules))
    most = _units(rules.text("max_value"), unit)
    points = _points(rules, market)
    return LoggedSetup(
        market=market,
        mechanism=rules.text("mechanism"),
        has_own_pace=_own_pace(rules),
        payment_rule=rules.choice("payment_rule", *PAYMENT_RULES[market.kind]),
        corrections=rules.choice("corrections", "never", "round", "always"),
        monotone=rules.choice("monotone", "warn", "require"),
        publish=rules.choice("publish", "own", "outcome", "all"),
        num_initial=rules.whole("num_initial", 1),
        num_per_round=rules.whole("num_per_round", 1),
        num_total=rules.whole("num_total", 1),
        push_bids=rules.whole("push_bids"),
        extensions=rules.whole("extensions"),
        round_minutes=(first, later),
        extension_minutes=rules.number("extension_minutes"),
        last_call_minutes=rules.number("last_call_minutes"),
        close_early=rules.truth("close_early"),
        most_units=most,
        currency=rules.text("currency"),
        unit=unit,
        reserve=_reserve(rules.part("reserve"), market, unit),
        at_most=_at_most(rules, market, unit),
        starts_at=read_start(rules),
        hours=read_hours(rules),
        accept_rules=rules.has("accept_rules") and rules.truth("accept_rules"),
        ranges=rules.has("ranges") and rules.truth("ranges"),
        caps=_caps(rules, market, unit, most),
        points=points,
        eligibility=_eligibility(rules, market, points),
        explains=not rules.has("explain_payments") or rules.truth("explain_payments"),
    )


def _at_most(rules: Body, market: LoggedMarket, unit: Decimal) -> tuple[int | None, ...]:
    """At-most prices of a purchase."""
    if not rules.has("at_most"):
        return (None,) * market.num_goods
    table = rules.part("at_most")
    names = [good.name for good in market.goods]
    unknown = table.fields.keys() - set(names)
    if unknown:
        raise Damaged(f"there is an at-most price of '{min(unknown)}', which is not a lot.")
    return tuple(_units(table.text(n), unit) if table.has(n) else None for n in names)


def _caps(rules: Body, market: LoggedMarket, unit: Decimal, most: int) -> tuple[int | None, ...]:
    """Spending caps of the bidders of a sale."""
    if not rules.has("spending_caps"):
        return (None,) * market.num_bidders
    table = rules.part("spending_caps")
    names = _bidders(table, market, "a spending cap")
    caps = tuple(_units(table.text(n), unit) if table.has(n) else None for n in names)
    if market.kind != "sell":
        raise Damaged("there are spending caps, which are for sales.")
    for name, cap in zip(names, caps, strict=True):
        if cap is not None and not 0 < cap <= most:
            raise Damaged(f"the spending cap of {name} is not between 0 and the largest value.")
    return caps


def _points(rules: Body, market: LoggedMarket) -> tuple[int, ...]:
    """Points of one copy of each good; empty without the activity rule."""
    if not rules.has("points"):
        return ()
    table = rules.part("points")
    names = [good.name for good in market.goods]
    if table.fields.keys() != set(names):
        raise Damaged("the points of the activity rule are not those of all goods of the market.")
    is_priced = rules.has("conduct") and rules.part("conduct").truth("announces_prices")
    if market.kind != "sell" or not is_priced:
        raise Damaged("there are points, which are for sales that announce prices.")
    return tuple(table.whole(name) for name in names)


def _eligibility(rules: Body, market: LoggedMarket, points: tuple[int, ...]) -> tuple[int, ...]:
    """What each bidder may choose at the first prices; all points unless the rules say less."""
    if not rules.has("eligibility"):
        table = Body({})
    elif points:
        table = rules.part("eligibility")
    else:
        raise Damaged("there is eligibility of bidders, and there are no points.")
    names = _bidders(table, market, "eligibility")
    pairs = zip(market.capacities, points, strict=False)
    everything = sum(copies * number for copies, number in pairs)
    return tuple(
        table.whole(name, 0, everything) if table.has(name) else everything for name in names
    )


def _bidders(table: Body, market: LoggedMarket, what: str) -> list[str]:
    """Names of all bidders; Damaged if a table names anybody else."""
    names = [bidder.name for bidder in market.bidders]
    unknown = table.fields.keys() - set(names)
    if unknown:
        raise Damaged(f"there is {what} of '{min(unknown)}', who is not a bidder.")
    return names


def _own_pace(rules: Body) -> bool:
    """Whether the mechanism chose the number of questions; once, its name alone told this."""
    if rules.has("conduct"):
        return rules.part("conduct").truth("has_own_pace")
    return rules.text("mechanism") in OWN_PACE


def final_setup(records: tuple[Record, ...]) -> LoggedSetup | None:
    """The rules under which the auction ran; None if they are sealed or cannot be read."""
    configured = [r for r in records if r.envelope.get("kind") == "configured"]
    if not configured or configured[-1].body is None:
        return None
    try:
        return read_setup(configured[-1])
    except Damaged:
        return None


def check_rules(records: tuple[Record, ...]) -> Check:
    """V5: ``started`` names the last configuration, and none comes later."""
    findings = list(_about_rules(records))
    kinds = {record.kind for record in records}
    if "started" not in kinds:
        return Check.of("V5", findings, "The auction has not started.", "nothing")
    needed = [record for record in records if record.kind in ("configured", "started")]
    configured = [record for record in needed if record.kind == "configured"]
    if configured and all(record.body is not None for record in needed):
        last = configured[-1]
        start = last.hash[:12]
        sentence = f"The rules are those of record {last.seq}, whose hash begins with {start}."
        return Check.of("V5", findings, sentence)
    return Check.of("V5", findings, "Not all records about the rules are open.", "partly")


def _about_rules(records: tuple[Record, ...]) -> Iterator[Finding]:
    last: Record | None = None
    has_started = False
    places = LoggedPlaces()
    for record in records:
        try:
            places.see(record)
            if record.kind == "configured":
                if has_started:
                    yield Finding("the rules were changed after the start.", record.seq)
                elif record.body is not None:
                    read_setup(record)
                last = record
            elif record.kind == "started":
                has_started = True
                if last is None:
                    yield Finding("no rules stand before it.", record.seq)
                named = body_of(record).hash("configured") if record.body is not None else ""
                if named and (last is None or named != last.hash):
                    yield Finding("it names other rules than the last ones before it.", record.seq)
                _check_start(record, last, records)
            elif record.kind == "published" and record.body is not None:
                opened, setup = body_of(record).text("opened"), final_setup(records)
                if setup is not None and opened != setup.publish:
                    yield Finding(
                        f"it opens '{opened}'; the rules say '{setup.publish}'.", record.seq
                    )
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)


def _check_start(record: Record, last: Record | None, records: tuple[Record, ...]) -> None:
    """Damaged if an auction started before its planned start."""
    clock_jumped = any(one.kind == "clock-jumped" for one in records)
    is_rehearsal = (records[0].body or {}).get("is_rehearsal") is True
    if last is None or last.body is None or clock_jumped or is_rehearsal:
        return
    planned = read_setup(last).starts_at
    if planned is not None and moment_of(record) < planned:
        raise Damaged(
            f"the auction started at {clock(moment_of(record))}, before its planned start "
            f"{clock(planned)}."
        )


def _two(rules: Body) -> list[Any]:
    values = rules.list("round_minutes")
    if len(values) != 2:
        raise Damaged("'round_minutes' are not two numbers.")
    return values


def _positive(rules: Body, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise Damaged(f"'{key}' holds {value!r}; expected positive numbers.")
    return float(value)


def _amount(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise Damaged(f"'{text[:40]}' is not an amount.") from None


def _units(text: str, unit: Decimal) -> int:
    """An amount of money as a whole number of units."""
    units = _amount(text) / unit
    if not units.is_finite() or units < 0 or units != int(units):
        raise Damaged(f"the amount {text[:40]} is not a whole number of units of {unit}.")
    return int(units)


def _reserve(table: Body, market: LoggedMarket, unit: Decimal) -> tuple[int, ...]:
    names = [good.name for good in market.goods]
    unknown = table.fields.keys() - set(names)
    if unknown:
        raise Damaged(
            f"there is a reserve price of '{min(unknown)}', which is not a good of the market."
        )
    return tuple(_units(table.text(n), unit) if table.has(n) else 0 for n in names)
