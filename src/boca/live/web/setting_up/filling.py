"""A form filled from rules and market: a pattern, a market file, a draft that is edited."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from itertools import takewhile
from pathlib import Path

from boca.core.goods import Limit
from boca.core.market import Bidder, Market
from boca.core.rule import Rule
from boca.live.auction.kind import PAYMENT_RULES, kind_of
from boca.live.auction.rules import AuctionFile, Rules
from boca.live.web.setting_up.form import LIMITS, OFFERED, USUAL, Row, SetupForm, text_of
from boca.markets.limits import credits_of
from boca.markets.offer_file import INCUMBENTS

PATTERNS = ("spectrum", "lots", "seats")
FOLDER = Path(__file__).parent / "patterns"


@cache
def pattern_text(name: str) -> str:
    """The market file of a pattern."""
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def form_of(file: AuctionFile, auction: str = "") -> SetupForm | None:
    """
    The form that stands for rules and market; None if a form cannot say all of it.

    Parameters
    ----------
    file
        Rules and market.
    auction
        The draft that they come from; empty for a new auction.
    """
    rules, market = file.rules, file.market
    kind = kind_of(market)
    if kind == "courses":
        return None
    common = _common(market.bidders)
    try:
        every = _cells(common, market)
        rows = [_cells(bidder.limits[len(common) :], market) for bidder in market.bidders]
    except ValueError:
        return None
    prices = rules.at_most if kind == "buy" else rules.reserve
    credits = credits_of(market)
    notes = file.notes
    goods = tuple(
        _filled(
            name=good.name,
            group=good.group,
            unit=good.unit,
            baseline=notes.baseline.get(good.name, ""),
            copies=str(good.capacity),
            price=prices.get(good.name, ""),
            credits=text_of(credits[j]) if credits else "",
            start=rules.start_prices.get(good.name, ""),
            points=text_of(rules.points[good.name]) if rules.points else "",
        )
        for j, good in enumerate(market.goods)
    )
    first = {name: text_of(points) for name, points in rules.eligibility.items()}
    bidders = tuple(
        _filled(
            name=bidder.name,
            type=bidder.type,
            holds=_holds(bidder, market),
            spending_cap=rules.spending_caps.get(bidder.name, ""),
            eligibility=first.get(bidder.name, ""),
            incumbent="yes" if i in notes.groups.get(INCUMBENTS, ()) else "",
            groups="; ".join(
                name for name, who in notes.groups.items() if i in who and name != INCUMBENTS
            ),
            **row,
        )
        for i, (bidder, row) in enumerate(zip(market.bidders, rows, strict=True))
    )
    texts = _rule_texts(rules, kind)
    awards = tuple(_award(rule, file) for rule in market.rules)
    for name, several in notes.scenarios.items():
        awards += tuple({**_award(Rule.from_dict(one), file), "scenario": name} for one in several)
    return SetupForm(kind, market.name, goods, bidders, every, texts, "", auction, awards)


def _award(rule: Rule, file: AuctionFile) -> Row:
    """A rule of the buyer's as its row shows it."""
    goods, groups = file.market.goods, file.notes.groups
    who = ""
    if rule.who is not None:
        named = [name for name, members in groups.items() if tuple(members) == rule.who]
        who = named[0] if named else "; ".join(file.market.bidders[i].name for i in rule.who)
    per_cent = 100 if rule.share else 1
    bounds = {
        key: "" if bound is None else plain_text(Decimal(repr(bound)) * per_cent)
        for key, bound in (("at_least", rule.at_least), ("at_most", rule.at_most))
    }
    return _filled(
        counts=f"share_of_{rule.counts}" if rule.share else rule.counts,
        each="yes" if rule.each else "",
        if_any="yes" if rule.if_any else "",
        who=who,
        lots="" if rule.lots is None else "; ".join(goods[j].name for j in rule.lots),
        title=rule.name,
        **bounds,
    )


def plain_text(number: Decimal) -> str:
    """A number in digits, without zeros behind it."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _filled(**texts: str) -> Row:
    return {name: text for name, text in texts.items() if text}


def _rule_texts(rules: Rules, kind: str) -> Row:
    """The rules as their fields show them."""
    hours = rules.opening_hours
    special = {
        "first_minutes": text_of(rules.round_minutes[0]),
        "later_minutes": text_of(rules.round_minutes[1]),
        "days": " ".join(hours.get("days", ())),
        "from": hours.get("from", ""),
        "to": hours.get("to", ""),
        "second_person": " ".join(rules.second_person),
    }
    texts = {
        name: special[name] if name in special else text_of(getattr(rules, name))
        for name in OFFERED
    }
    if rules.payment_rule == PAYMENT_RULES[kind][0]:  # type: ignore[index]
        texts["payment_rule"] = USUAL
    return texts


def _common(bidders: Sequence[Bidder]) -> tuple[Limit, ...]:
    """Limits that stand first for everybody, as those of ``[every_bidder]`` do."""
    columns = zip(*(bidder.limits for bidder in bidders), strict=False)
    return tuple(column[0] for column in takewhile(lambda c: len(set(c)) == 1, columns))


def _cells(limits: Sequence[Limit], market: Market) -> Row:
    """The cells that make some limits, in their order; a ValueError if there are none."""
    cells: dict[str, list[str]] = {}
    order = []
    for limit in limits:
        if not limit.kind:
            raise ValueError(limit.name)
        key = limit.kind
        order.append(LIMITS_IN_FILE.index(key))
        members = [market.goods[j].name for j, c in enumerate(limit.coefficients) if c]
        match key:
            case "forbidden":
                text = "; ".join(members)
            case "conflicts":
                text = " + ".join(members)
            case _:
                text = text_of(limit.bound)
        cells.setdefault(key, []).append(text)
    once = [key for key, texts in cells.items() if key != "conflicts" and len(set(texts)) > 1]
    if once or order != sorted(order):
        raise ValueError("a table of a file has each limit once, in one order")
    return {key: "; ".join(dict.fromkeys(texts)) for key, texts in cells.items()}


# The order in which a file's limits are read.
LIMITS_IN_FILE = ("at_most", "at_most_of_each", "forbidden", "conflicts", "credit_budget")
assert set(LIMITS_IN_FILE) == set(LIMITS)


def _holds(bidder: Bidder, market: Market) -> str:
    """What a participant holds before."""
    pairs = zip(market.goods, bidder.endowment, strict=False)
    return "; ".join(f"{good.name} {copies}" for good, copies in pairs if copies)
