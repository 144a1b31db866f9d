"""The rules of one auction: the table ``[auction]`` of a market file, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.wording import did_you_mean, shortened
from boca.live.auction.activity import count_points
from boca.live.auction.hours import (
    DAYS,
    LEAST_OPEN,
    OpeningHours,
    clock_minutes,
    clock_moment,
    zones,
)
from boca.live.auction.kind import PAYMENT_RULES, kind_of
from boca.live.auction.money import MARKS, MOST_UNITS, Money
from boca.markets import MarketFile, read_market
from boca.markets.offer_file import LotsFile, read_lots
from boca.markets.sections import Section, parse_toml

# What one server carries, measured; larger auctions are refused.
MOST_BIDDERS, MOST_GOODS, MOST_COPIES, MOST_QUERIES, MOST_REPORTS = 100, 100, 1000, 200, 400
MOST_PERSONS = 10
LONGEST_MINUTES = 60 * 24 * 60
# What can need two auctioneers.
ACTS = ("close", "publish", "entry", "link", "auditor")
# Points of one copy of a good.
MOST_POINTS = 1_000_000
# Rules of sales, as a message calls what they hold.
SALES_ONLY = {"ranges": "ranges", "spending_caps": "spending caps", "points": "points"}


@dataclass(frozen=True)
class Rules:
    """
    How an auction runs; frozen once it has started.

    Parameters
    ----------
    mechanism
        Name of a preset.
    num_initial, num_per_round, num_total
        Queries per bidder: in round 0, in each later round, in the whole auction.
    payment_rule
        One of :data:`boca.live.auction.kind.PAYMENT_RULES`.
    currency, unit, language
        How amounts are written.
    max_value
        The largest value that can be reported, a decimal string.
    reserve
        Good -> price of one copy below which it is not sold, decimal strings.
    at_most
        Lot -> price of one unit above which nothing is bought from suppliers, decimal strings; for
        purchases. A lot without one has to be covered by offers.
    start_prices
        Good -> price of one copy that is announced first, decimal strings; for presets that
        announce prices.
    round_minutes
        Length of round 0, and of each later round.
    open_rounds
        Whether rounds open by themselves once planned.
    close_early
        Whether a round ends once every query is answered or declined.
    extensions, extension_minutes
        How often a bidder with open queries at the deadline gets more time, and how much.
    push_bids
        Reports per bidder that nobody asked for.
    corrections
        Which reports can be changed while a round is open: none, those of the round, or all.
    last_call_minutes
        Length of a final round without queries; 0 for none.
    monotone
        Whether "more is worth less" is a warning or refused.
    typo_factor
        From which factor on a value looks like a slip of digits.
    publish
        What everybody learns in the end.
    explain_payments
        Whether a winner is told the sums behind its payment.
    show_reasons
        Whether the reason for a query includes the model's estimate.
    sealed_from_auctioneer
        Whether values and queries are hidden from the auctioneer until decided.
    listed
        Whether the public sees name, phase and rules before publication.
    solve_seconds
        Time for each winner determination while planning.
    conduct
        What people meet in an auction by the mechanism; told by the mechanism, not by the file.
    starts_at
        When the auction starts by itself, such as ``2026-11-20T09:00``, by the clocks of the time
        zone; not before. Empty if the auctioneer starts it.
    time_zone
        An IANA name, for ``starts_at`` and the opening hours.
    second_person
        Acts of the auctioneer that another auctioneer has to do as well before they count: some of
        :data:`ACTS`.
    approval
        Whether a submission counts once a second person of the bidder has confirmed it.
    accept_rules
        Whether bidders have to accept the rules before they send something.
    opening_hours
        Days of the week, and from when to when on them: ``{"days": ["mon", "tue"], "from": "09:00",
        "to": "17:00"}``. Rounds open and end within them, and their time counts only there. Empty
        for any time.
    ranges
        Whether a value may be given as a range, which the last questions narrow where it matters;
        for sales.
    spending_caps
        Bidder -> the most that it may ever have to pay, decimal strings; for sales. A bidder wins
        one of its bids and pays at most that one, so no bid of a capped bidder is larger.
    points
        Good -> points of one copy, whole numbers; for sales that announce prices. They limit what
        can be chosen: see :mod:`boca.live.auction.activity`. Empty for no such rule.
    eligibility
        Bidder -> points that it may choose at the first announced prices; all points if left out.
    """

    mechanism: str = "boca"
    num_initial: int = 10
    num_per_round: int = 3
    num_total: int = 25
    payment_rule: str = "vcg"
    currency: str = "EUR"
    unit: str = "0.01"
    max_value: str = "1000000.00"
    reserve: dict[str, str] = field(default_factory=dict)
    start_prices: dict[str, str] = field(default_factory=dict)
    round_minutes: tuple[float, float] = (60, 20)
    open_rounds: Literal["auto", "by hand"] = "auto"
    close_early: bool = False
    extensions: int = 0
    extension_minutes: float = 10
    push_bids: int = 10
    corrections: Literal["never", "round", "always"] = "round"
    last_call_minutes: float = 0
    monotone: Literal["warn", "require"] = "warn"
    typo_factor: float = 5
    publish: Literal["own", "outcome", "all"] = "own"
    explain_payments: bool = True
    show_reasons: Literal["words", "numbers"] = "words"
    sealed_from_auctioneer: bool = False
    listed: bool = False
    language: str = "en"
    solve_seconds: float = 10
    conduct: Conduct = field(default_factory=Conduct)
    at_most: dict[str, str] = field(default_factory=dict)
    starts_at: str = ""
    time_zone: str = "UTC"
    opening_hours: dict[str, Any] = field(default_factory=dict)
    second_person: tuple[str, ...] = ()
    approval: bool = False
    accept_rules: bool = False
    ranges: bool = False
    spending_caps: dict[str, str] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    eligibility: dict[str, int] = field(default_factory=dict)

    # Rules that earlier versions did not have: left out of the log where they say nothing.
    LATER: ClassVar[tuple[str, ...]] = (
        "at_most", "starts_at", "time_zone", "opening_hours", "ranges", "second_person",
        "approval", "accept_rules", "spending_caps", "points", "eligibility",
    )  # fmt: skip
    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {
        "payment_rule": ("vcg", "core"),
        "open_rounds": ("auto", "by hand"),
        "corrections": ("never", "round", "always"),
        "monotone": ("warn", "require"),
        "publish": ("own", "outcome", "all"),
        "show_reasons": ("words", "numbers"),
        "language": tuple(MARKS),
    }

    @property
    def money(self) -> Money:
        """How amounts are read and written."""
        return Money(self.currency, self.unit, self.language)

    @property
    def most_units(self) -> int:
        """The largest value, in units."""
        return self.money.parse_decimal(self.max_value)

    def cap_of(self, market: Market, bidder: int) -> int | None:
        """The spending cap of a bidder, in units; None if it has none."""
        cap = self.spending_caps.get(market.bidders[bidder].name)
        return None if cap is None else self.money.parse_decimal(cap)

    def most_of(self, market: Market, bidder: int) -> int:
        """The largest bid of a bidder, in units: its spending cap, or the largest value."""
        cap = self.cap_of(market, bidder)
        return self.most_units if cap is None else cap

    def points_of(self, market: Market) -> tuple[int, ...]:
        """Points of one copy of each good; empty without them."""
        return tuple(self.points[good.name] for good in market.goods) if self.points else ()

    def first_eligibility(self, market: Market, bidder: int) -> int:
        """Points that a bidder may choose at the first announced prices."""
        everything = count_points(market.capacities.tolist(), self.points_of(market))
        return self.eligibility.get(market.bidders[bidder].name, everything)

    @property
    def choice_corrections(self) -> Literal["never", "round", "always"]:
        """Which choices at announced prices can be changed; points make earlier rounds final."""
        return "round" if self.points and self.corrections == "always" else self.corrections

    def read_value(self, text: str, is_decimal: bool = False) -> tuple[int, int]:
        """Least and most of a value as people type it, or as programs send it."""
        money = self.money
        if self.ranges:
            return money.parse_decimal_range(text) if is_decimal else money.parse_range(text)
        units = money.parse_decimal(text) if is_decimal else money.parse(text)
        return units, units

    @property
    def announces_prices(self) -> bool:
        """Whether bidders are also asked which bundle they want at announced prices."""
        return self.conduct.announces_prices

    @property
    def num_rounds(self) -> int:
        """The largest number of rounds with queries, round 0 included."""
        if self.conduct.has_own_pace or self.ranges:
            return self.num_total
        return 1 + (self.num_total - self.num_initial) // self.num_per_round

    def most_questions(self, round_number: int) -> int:
        """The largest number of questions to one bidder in a round."""
        if self.conduct.has_own_pace:
            return self.num_total
        return self.num_per_round if round_number else self.num_initial

    def reserve_units(self, market: Market) -> list[int]:
        """Reserve price of one copy of each good, in units."""
        money = self.money
        return [money.parse_decimal(self.reserve.get(good.name, "0")) for good in market.goods]

    def at_most_units(self, market: Market) -> list[int | None]:
        """Price of one unit of each lot outside, in units of money; None where there is none."""
        money, prices = self.money, self.at_most
        return [
            money.parse_decimal(prices[good.name]) if good.name in prices else None
            for good in market.goods
        ]

    def start_units(self, market: Market) -> list[int]:
        """Price of one copy of each good that is announced first, in units; empty if not set."""
        money = self.money
        if not self.start_prices:
            return []
        return [money.parse_decimal(self.start_prices[good.name]) for good in market.goods]

    def minutes(self, round_number: int) -> float:
        """Length of a round."""
        return self.round_minutes[min(round_number, 1)]

    @property
    def zone(self) -> ZoneInfo:
        """Whose clocks the planned start and the opening hours go by."""
        return ZoneInfo(self.time_zone)

    @property
    def hours(self) -> OpeningHours | None:
        """The opening hours; None for any time."""
        if not self.opening_hours:
            return None
        start, end = (clock_minutes(self.opening_hours[key]) for key in ("from", "to"))
        assert start is not None, "opening hours are checked when they are read"
        assert end is not None, "opening hours are checked when they are read"
        days = tuple(DAYS.index(day) for day in self.opening_hours["days"])
        return OpeningHours(days, start, end, self.zone)

    @property
    def start_moment(self) -> datetime | None:
        """The planned start, in UTC; None if there is none."""
        if not self.starts_at:
            return None
        local = datetime.fromisoformat(self.starts_at)
        return local.replace(tzinfo=self.zone).astimezone(UTC)

    def later(self, moment: datetime, time: timedelta) -> datetime:
        """When some time has passed since a moment, as far as it counts."""
        return moment + time if self.hours is None else self.hours.after(moment, time)

    def time_between(self, moment: datetime, later: datetime) -> timedelta:
        """How much time between two moments counts; none if the second is not later."""
        if later <= moment:
            return timedelta()
        return later - moment if self.hours is None else self.hours.between(moment, later)

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain values, for the log."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for f in fields(self):
            if f.name in self.LATER and values[f.name] in ({}, f.default):
                del values[f.name]
        minutes = list(self.round_minutes)
        if self.second_person:
            values["second_person"] = list(self.second_person)
        return {**values, "round_minutes": minutes, "conduct": self.conduct.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Rules":
        """The inverse of :meth:`to_dict`."""
        first, later = data["round_minutes"]
        told = data.get("conduct")
        conduct = Conduct.from_dict(told) if told else former_conduct(data["mechanism"])
        acts = tuple(data.get("second_person", ()))
        plain = {**data, "round_minutes": (first, later), "second_person": acts}
        return cls(**{**plain, "conduct": conduct})


def former_conduct(mechanism: str) -> Conduct:
    """What mechanisms were like whose logs do not tell it; later ones tell it themselves."""
    return Conduct(
        announces_prices=mechanism in ("hybrid", "ml-cca", "mlhca"),
        needs_start_prices=mechanism in ("ml-cca", "mlhca"),
        has_own_pace=mechanism in ("local", "hybrid", "ml-cca", "mlhca"),
        learns=mechanism != "random",
    )


@dataclass(frozen=True)
class BuyersNotes:
    """
    What a buyer compares awards by, which binds nobody and suppliers are not told.

    Parameters
    ----------
    baseline
        Lot -> what one unit costs today, decimal strings; lots of which it is not known are left
        out.
    groups
        Name of a group -> places of its suppliers.
    scenarios
        Name of a scenario -> its rules as plain values, on top of those that bind.
    """

    baseline: dict[str, str] = field(default_factory=dict)
    groups: dict[str, list[int]] = field(default_factory=dict)
    scenarios: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.baseline or self.groups or self.scenarios)


@dataclass(frozen=True)
class AuctionFile:
    """Rules, market and, for a purchase, the buyer's own notes, as one file tells them."""

    rules: Rules
    market: Market
    notes: BuyersNotes = field(default_factory=BuyersNotes)


def read_auction(
    text: str, mechanisms: Mapping[str, Conduct], name: str = "market file"
) -> tuple[Rules, Market]:
    """Rules and market; see :func:`read_auction_file`."""
    file = read_auction_file(text, mechanisms, name)
    return file.rules, file.market


def read_auction_file(
    text: str, mechanisms: Mapping[str, Conduct], name: str = "market file"
) -> AuctionFile:
    """
    What the text of a market file says; the first mistake is an InputError.

    Parameters
    ----------
    text
        TOML: a market, in which values, bids and offers are not read, and perhaps a table
        ``[auction]``. With lots and suppliers it buys.
    mechanisms
        What people meet in an auction by each mechanism that can be chosen.
    name
        How messages call the text.
    """
    top = parse_toml(text, name)
    notes = BuyersNotes()
    file: MarketFile | LotsFile
    if "lots" in top or "suppliers" in top:
        file = read_lots(text, name, extra_tables=("auction",))
        notes = _notes(file)
    else:
        file = read_market(text, name, extra_tables=("auction",))
    section = file.tables.get("auction", Section(name, "[auction]", {}, "auction"))
    rules = read_rules(section, file, mechanisms)
    check_size(rules, file.market)
    return AuctionFile(rules, file.market, notes)


def _notes(file: LotsFile) -> BuyersNotes:
    return BuyersNotes(
        _by_name(file.market, file.baseline.tolist()),
        {name: list(members) for name, members in file.groups.items()},
        {name: [rule.to_dict() for rule in rules] for name, rules in file.scenarios.items()},
    )


def _by_name(market: Market, prices: list[float]) -> dict[str, str]:
    """Prices that are finite as decimal strings, by the names of their goods."""
    return {
        good.name: format(Decimal(repr(price)), "f")
        for good, price in zip(market.goods, prices, strict=True)
        if isfinite(price)
    }


def read_rules(
    section: Section, file: MarketFile | LotsFile, mechanisms: Mapping[str, Conduct]
) -> Rules:
    """
    The rules of a table ``[auction]``; keys that are left out have their defaults.

    Reserve prices may also stand at the goods of the market file, but not in both places.
    """
    market = file.market
    kind = kind_of(market)
    own = ("conduct", "at_most") if kind == "sell" else ("conduct", "at_most", "reserve")
    section.only(tuple(f.name for f in fields(Rules) if f.name not in own))
    goods = [good.name for good in market.goods]
    values: dict[str, Any] = {key: _read(section, key, market) for key in section.table}
    values.setdefault("payment_rule", PAYMENT_RULES[kind][0])
    if isinstance(file, LotsFile):
        values["at_most"] = _by_name(market, file.at_most.tolist())
        if values["payment_rule"] != "offered":
            _check_at_most(section, values, market)
    else:
        at_goods = {
            good: price
            for good, price in _by_name(market, file.reserve.tolist()).items()
            if Decimal(price)
        }
        if at_goods and kind != "sell":
            section.fail(
                "reserve", f"found a reserve price of '{min(at_goods)}'; an exchange has none."
            )
        both = sorted(at_goods.keys() & values.get("reserve", {}).keys())
        if both:
            section.fail("reserve", f"found '{both[0]}', whose block gives a reserve price too.")
        values["reserve"] = {**at_goods, **values.get("reserve", {})}
    mechanism = values.get("mechanism", Rules.mechanism)
    _check_choice(section, "mechanism", mechanism, tuple(mechanisms))
    rules = Rules(**{**values, "conduct": mechanisms[mechanism]})
    _check_money(rules, section)
    _check_start(rules, section, goods)
    _check_caps(rules, section)
    _check_points(rules, section, market)
    for key, what in SALES_ONLY.items():
        if getattr(rules, key) and kind != "sell":
            section.fail(key, f"found {what}; they are for sales alone. Leave the key out.")
    if rules.num_initial > rules.num_total:
        section.fail(
            "num_initial",
            f"found {rules.num_initial}; expected at most num_total, which is {rules.num_total}.",
        )
    return rules


def _check_at_most(section: Section, values: Mapping[str, Any], market: Market) -> None:
    """Payments above offers are limited by at-most prices, which every lot then needs."""
    rule = values["payment_rule"]
    missing = [good.name for good in market.goods if good.name not in values["at_most"]]
    if missing:
        section.fail(
            "payment_rule",
            f"found '{rule}', and the lot '{missing[0]}' has no at-most price; whoever alone can "
            'supply it could be paid anything. Give every lot at_most, or pay "offered".',
        )
    if any(row.counts == "spend" and row.share for row in market.rules):
        section.fail(
            "payment_rule",
            f"found '{rule}', and a rule about shares of spend, which makes it worth buying more "
            'to enlarge the whole; state it as share_of_units, or pay "offered".',
        )


def _read(section: Section, key: str, market: Market) -> Any:
    """The checked value of one key."""
    goods = [good.name for good in market.goods]
    match key:
        case "payment_rule":
            rule = section.text(key)
            _check_choice(section, key, rule, PAYMENT_RULES[kind_of(market)])
            return rule
        case _ if key in Rules.CHOICES:
            value = section.text(key)
            _check_choice(section, key, value, Rules.CHOICES[key])
            return value
        case "num_initial" | "num_per_round":
            return section.whole(key, least=1)
        case "num_total":
            number = section.whole(key, least=1)
            if number > MOST_QUERIES:
                section.fail(key, f"found {number}; expected at most {MOST_QUERIES}.")
            return number
        case "extensions" | "push_bids":
            number = section.whole(key, least=0)
            if number > MOST_QUERIES:
                section.fail(key, f"found {number}; expected at most {MOST_QUERIES}.")
            return number
        case "mechanism" | "currency" | "unit" | "max_value":
            return section.text(key)
        case "starts_at":
            return _starts_at(section)
        case "time_zone":
            zone = section.text(key)
            if zone not in zones():
                section.fail(
                    key, f'found \'{zone}\'; expected a name such as "Europe/Berlin" or "UTC".'
                )
            return zone
        case "opening_hours":
            return _opening_hours(section)
        case "second_person":
            acts = section.table[key]
            if not isinstance(acts, list) or any(act not in ACTS for act in acts):
                section.fail(
                    key, f"found {acts!r:.60}; expected a list of some of {', '.join(ACTS)}."
                )
            return tuple(act for act in ACTS if act in acts)
        case "round_minutes":
            return _round_minutes(section)
        case "extension_minutes":
            return _minutes(section, key, section.number(key))
        case "last_call_minutes":
            minutes = section.number(key)
            return minutes and _minutes(section, key, minutes)
        case "typo_factor":
            factor = section.number(key)
            if factor <= 1:
                section.fail(key, f"found {factor:g}; expected more than 1, such as 5.")
            return factor
        case "solve_seconds":
            seconds = section.number(key)
            if not 0 < seconds <= 3600:
                section.fail(key, f"found {seconds:g}; expected more than 0 and at most 3600.")
            return seconds
        case "reserve" | "start_prices":
            return _prices(section, key, goods)
        case "spending_caps":
            table = _by_bidder(section, key, market, 'amounts, such as { Ann = "500.00" }')
            return {name: table.text(name) for name in table.table}
        case "eligibility":
            table = _by_bidder(section, key, market, "points, such as { Ann = 12 }")
            return {name: table.whole(name, least=0) for name in table.table}
        case "points":
            table = _by_good(section, key, goods, "points of one copy, such as { hall = 3 }")
            return {good: table.whole(good, least=0) for good in table.table}
        case _:
            value = section.table[key]
            if not isinstance(value, bool):
                section.fail(key, f"found {value!r}; expected true or false.")
            return value


def _starts_at(section: Section) -> str:
    """A day and a time, without a zone."""
    text = section.text("starts_at")
    local = clock_moment(text)
    if local is None:
        section.fail(
            "starts_at",
            f"found '{text}'; expected a day and a time by the clocks of time_zone, such as "
            '"2026-11-20T09:00".',
        )
    return local.strftime("%Y-%m-%dT%H:%M")


def _opening_hours(section: Section) -> dict[str, Any]:
    """Days of the week, and from when to when on them."""
    key = "opening_hours"
    example = '{ days = ["mon", "tue"], from = "09:00", to = "17:00" }'
    table = section.section(key, example).only(("days", "from", "to"))
    days = table.required("days", 'days = ["mon", "tue"]')
    if not isinstance(days, list) or not days or any(day not in DAYS for day in days):
        section.fail(key, f"found the days {days!r}; expected a list of some of {', '.join(DAYS)}.")
    times = {name: clock_minutes(table.text(name)) for name in ("from", "to")}
    for name, minutes in times.items():
        if minutes is None:
            found = table.text(name)
            section.fail(key, f"found {name} = '{found}'; expected a time such as \"09:00\".")
    start, end = times["from"], times["to"]
    if start is None or end is None or start >= end:
        section.fail(key, "found 'to' at or before 'from'; expected a later time.")
    if end - start < LEAST_OPEN:
        section.fail(
            key,
            f"found {end - start} minutes between 'from' and 'to'; expected {LEAST_OPEN} or more.",
        )
    ordered = [day for day in DAYS if day in days]
    return {"days": ordered, "from": table.text("from"), "to": table.text("to")}


def _check_choice(section: Section, key: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        words = ", ".join(f'"{choice}"' for choice in choices)
        section.fail(key, f"found '{value}'; expected one of {words}.")


def _minutes(section: Section, key: str, number: float) -> float:
    """A positive number of minutes, at most sixty days."""
    if not 0 < number <= LONGEST_MINUTES:
        section.fail(
            key, f"found {number:g}; expected more than 0 and at most {LONGEST_MINUTES} minutes."
        )
    return int(number) if number == int(number) else number


def _round_minutes(section: Section) -> tuple[float, float]:
    value = section.table["round_minutes"]
    numbers = isinstance(value, list) and len(value) == 2
    if not numbers or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value):
        section.fail(
            "round_minutes",
            f"found {value!r}; expected two numbers, such as [60, 20]: the first round, each later "
            "round.",
        )
    first, later = (_minutes(section, "round_minutes", float(v)) for v in value)
    return first, later


def _prices(section: Section, key: str, goods: list[str]) -> dict[str, str]:
    table = _by_good(section, key, goods, 'prices of one copy, such as { hall = "3.00" }')
    return {good: table.text(good) for good in table.table}


def _by_good(section: Section, key: str, goods: list[str], example: str) -> Section:
    """A table whose keys are goods."""
    table = section.section(key, example)
    for good in table.table:
        section.good(key, good, {name: j for j, name in enumerate(goods)})
    return table


def _by_bidder(section: Section, key: str, market: Market, example: str) -> Section:
    """A table whose keys are bidders."""
    table = section.section(key, example)
    names = [bidder.name for bidder in market.bidders]
    for name in table.table:
        if name not in names:
            hint = did_you_mean(name, names)
            section.fail(key, f"found '{shortened(name)}', which is not a bidder; {hint}")
    return table


def _check_money(rules: Rules, section: Section) -> None:
    """Amounts of the rules are whole multiples of the unit, and not too large."""
    key = "unit"
    try:
        money = rules.money
        key = "max_value"
        most = money.parse_decimal(rules.max_value)
        key = "reserve"
        for amount in rules.reserve.values():
            money.parse_decimal(amount)
        key = "at_most"
        for amount in rules.at_most.values():
            if money.parse_decimal(amount) > MOST_UNITS:
                section.fail(key, f"found {amount}; expected at most {MOST_UNITS:,} units.")
        key = "start_prices"
        for amount in rules.start_prices.values():
            money.parse_decimal(amount)
        key = "spending_caps"
        for amount in rules.spending_caps.values():
            money.parse_decimal(amount)
    except InputError as error:
        section.fail(key, error.message)
    if not 0 < most <= MOST_UNITS:
        section.fail(
            "max_value",
            f"found {rules.max_value} with the unit {rules.unit}, which is {most:,} units; "
            f"expected at least one and at most {MOST_UNITS:,} units. Choose a larger unit.",
        )


def _check_start(rules: Rules, section: Section, goods: list[str]) -> None:
    """Prices to start from are there for every good where they are needed, and only there."""
    key = "start_prices"
    if not rules.start_prices:
        if rules.conduct.needs_start_prices:
            section.fail(
                "mechanism",
                f"found '{rules.mechanism}', which begins with prices that rise; expected "
                f'start_prices too, such as start_prices = {{ "{goods[0]}" = "1.00" }}.',
            )
        return
    if not rules.announces_prices:
        section.fail(key, f"found prices; '{rules.mechanism}' announces none. Leave them out.")
    missing = [good for good in goods if good not in rules.start_prices]
    if missing:
        section.fail(key, f"found no price of '{missing[0]}'; expected one for every good.")
    for good, amount in rules.start_prices.items():
        if not 0 < rules.money.parse_decimal(amount) <= rules.most_units:
            section.fail(
                key,
                f"found {amount} for '{good}'; expected more than 0 and at most max_value.",
            )


def _check_caps(rules: Rules, section: Section) -> None:
    """Spending caps leave something to bid, and say something."""
    for name, amount in rules.spending_caps.items():
        if not 0 < rules.money.parse_decimal(amount) <= rules.most_units:
            section.fail(
                "spending_caps",
                f"found {amount} for '{name}'; expected more than 0 and at most max_value, which "
                f"is {rules.max_value}.",
            )


def _check_points(rules: Rules, section: Section, market: Market) -> None:
    """Points are there for every good, where prices are announced, and nobody has more of them."""
    if not rules.points:
        if rules.eligibility:
            section.fail("eligibility", "found points of bidders; expected points of goods too.")
        return
    if not rules.announces_prices:
        section.fail("points", f"found points; '{rules.mechanism}' announces no prices.")
    missing = [good.name for good in market.goods if good.name not in rules.points]
    if missing:
        section.fail("points", f"found no points of '{missing[0]}'; expected some for every good.")
    for name, points in rules.points.items():
        if points > MOST_POINTS:
            section.fail(
                "points", f"found {points} for '{name}'; expected at most {MOST_POINTS:,}."
            )
    total = count_points(market.capacities.tolist(), rules.points_of(market))
    if not total:
        section.fail("points", "found 0 for every good; expected more for one of them.")
    for name, points in rules.eligibility.items():
        if points > total:
            section.fail(
                "eligibility",
                f"found {points} for '{name}'; expected at most {total}, the points of all copies "
                "of all goods.",
            )


def check_size(rules: Rules, market: Market) -> None:
    """Raises InputError for an auction beyond the documented limits."""
    buys = market.sense == "buy"
    for what, number, most in (
        ("suppliers" if buys else "bidders", market.num_bidders, MOST_BIDDERS),
        ("lots" if buys else "goods", market.num_goods, MOST_GOODS),
        (
            "units of one lot" if buys else "copies of one good",
            int(market.capacities.max()),
            MOST_COPIES,
        ),
        ("reports per bidder", rules.num_total + rules.push_bids, MOST_REPORTS),
    ):
        if number > most:
            raise InputError(
                f"The market '{market.name}' has {number} {what}; a live auction takes at most "
                f"{most}. Make it smaller."
            )
