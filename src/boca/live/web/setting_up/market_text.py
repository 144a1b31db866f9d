"""The form as the text of a market file, which is read like any other."""

from collections.abc import Callable, Iterable
from typing import Any

import tomli_w

from boca.live.auction.rules import Rules
from boca.live.web.setting_up.form import LIMITS, NUMBERS, OFFERED, TEXTS, TICKS, USUAL, WHOLE, Row
from boca.live.web.setting_up.form import SetupForm as Form
from boca.live.web.setting_up.lists import conflicts_in, goods_in, holdings_in

# What the tables of the two sides are called, and copies and prices of their goods.
BLOCKS = {
    "sell": ("goods", "bidders"),
    "buy": ("lots", "suppliers"),
    "exchange": ("goods", "participants"),
}


def market_text(form: Form) -> str:
    """The text of the market file that a form without mistakes stands for."""
    names = [row["name"] for row in form.goods]
    goods, bidders = BLOCKS[form.kind]
    rules = _rules(form)
    prices = _column(form.goods, "price", str)
    if form.kind == "sell":
        tables = {
            "reserve": prices,
            "points": _column(form.goods, "points", int),
            "spending_caps": _column(form.bidders, "spending_cap", str),
            "eligibility": _column(form.bidders, "eligibility", int),
        }
        rules |= {key: table for key, table in tables.items() if table}
    starts = _column(form.goods, "start", str)
    if starts:
        rules["start_prices"] = starts
    every = _limits(form.every, names)
    file: dict[str, Any] = {
        "name": form.name,
        goods: [_good(row, form.kind) for row in form.goods],
        **({"every_bidder": every} if every else {}),
        bidders: [_bidder(row, names) for row in form.bidders],
        "auction": rules,
    }
    return tomli_w.dumps(file)


def _column(rows: Iterable[Row], field: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """Name of a row -> what one of its cells says, as far as it says something."""
    return {row["name"]: read(row[field]) for row in rows if row.get(field)}


def _good(row: Row, kind: str) -> dict[str, Any]:
    block: dict[str, Any] = {"name": row["name"]}
    if row.get("copies"):
        block["needed" if kind == "buy" else "capacity"] = int(row["copies"])
    elif kind == "buy":
        block["needed"] = 1
    if kind == "buy" and row.get("price"):
        block["at_most"] = number(row["price"])
    if row.get("credits") and kind != "buy":
        block["credits"] = number(row["credits"])
    return block


def _bidder(row: Row, goods: list[str]) -> dict[str, Any]:
    block: dict[str, Any] = {"name": row["name"]}
    if row.get("type"):
        block["type"] = row["type"]
    if row.get("holds"):
        block["endowment"] = holdings_in(row["holds"])
    return {**block, **_limits(row, goods)}


def _limits(row: Row, goods: list[str]) -> dict[str, Any]:
    """The limits of a row, by their keys in a file."""
    limits: dict[str, Any] = {}
    for name in LIMITS:
        text = row.get(name, "")
        if not text:
            continue
        match name:
            case "forbidden":
                limits[name] = goods_in(text, goods)
            case "conflicts":
                limits[name] = conflicts_in(text)
            case "credit_budget":
                limits[name] = number(text)
            case _:
                limits[name] = int(text)
    return limits


def _rules(form: Form) -> dict[str, Any]:
    """The table ``[auction]``, without what has its default."""
    rules: dict[str, Any] = {}
    defaults = Rules()
    for name in OFFERED:
        text = form.rule(name)
        if name in TICKS:
            rules[name] = bool(text)
        elif name in WHOLE:
            rules[name] = int(text)
        elif name in NUMBERS and not name.endswith(("st_minutes", "er_minutes")):
            rules[name] = number(text)
        elif name in Rules.CHOICES or name == "mechanism" or (name in TEXTS and text):
            rules[name] = text
    minutes = [number(form.rule(name)) for name in ("first_minutes", "later_minutes")]
    days, start, end = (form.rule(name) for name in ("days", "from", "to"))
    for name in ("from", "to"):
        rules.pop(name, None)
    if rules["payment_rule"] == USUAL:
        del rules["payment_rule"]
    rules = {
        name: value
        for name, value in rules.items()
        if name == "payment_rule" or value != getattr(defaults, name)
    }
    if minutes != list(defaults.round_minutes):
        rules["round_minutes"] = minutes
    if form.rule("second_person"):
        rules["second_person"] = form.rule("second_person").split()
    if days:
        rules["opening_hours"] = {"days": days.split(), "from": start, "to": end}
    return rules


def number(text: str) -> int | float:
    """A number, whole where it can be."""
    value = float(text)
    return int(value) if value == int(value) else value
