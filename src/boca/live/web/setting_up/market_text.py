"""The form as the text of a market file, which is read like any other."""

from collections.abc import Callable, Iterable
from decimal import Decimal
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
    everybody = "every_supplier" if form.kind == "buy" else "every_bidder"
    file: dict[str, Any] = {
        "name": form.name,
        goods: [_good(row, form.kind) for row in form.goods],
        **({everybody: every} if every else {}),
        bidders: [_bidder(row, names, form.kind) for row in form.bidders],
        **(_buyers_rules(form, names) if form.kind == "buy" else {}),
        "auction": rules,
    }
    return tomli_w.dumps(file)


def _buyers_rules(form: Form, lots: list[str]) -> dict[str, Any]:
    """Rules that bind, and those of scenarios, as the tables of a file."""
    suppliers = [row["name"] for row in form.bidders]
    binding = [_award(row, suppliers, lots) for row in form.awards if not row.get("scenario")]
    scenarios: dict[str, list[dict[str, Any]]] = {}
    for row in form.awards:
        if row.get("scenario"):
            scenarios.setdefault(row["scenario"], []).append(_award(row, suppliers, lots))
    tables = {
        "rules": binding,
        "scenarios": [{"name": name, "rules": rules} for name, rules in scenarios.items()],
    }
    return {key: table for key, table in tables.items() if table}


def _award(row: Row, suppliers: list[str], lots: list[str]) -> dict[str, Any]:
    """One rule of the buyer's; shares are per cent in the form and parts of 1 in a file."""
    per_cent = Decimal(100 if row["counts"].startswith("share") else 1)
    bounds = {
        key: number(str(Decimal(row[key]) / per_cent))
        for key in ("at_least", "at_most")
        if row.get(key)
    }
    rule: dict[str, Any] = {row["counts"]: bounds}
    if row.get("title"):
        rule["name"] = row["title"]
    if row.get("who"):
        named = goods_in(row["who"], suppliers)
        rule["suppliers"] = named[0] if len(named) == 1 else named
    if row.get("lots"):
        rule["in_lots"] = goods_in(row["lots"], lots)
    return {**rule, **{key: True for key in ("each", "if_any") if row.get(key)}}


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
    if kind == "buy" and row.get("baseline"):
        block["baseline"] = number(row["baseline"])
    block |= {key: row[key] for key in ("group", "unit") if row.get(key)}
    if row.get("credits") and kind != "buy":
        block["credits"] = number(row["credits"])
    return block


def _bidder(row: Row, goods: list[str], kind: str) -> dict[str, Any]:
    block: dict[str, Any] = {"name": row["name"]}
    if row.get("type"):
        block["type"] = row["type"]
    if row.get("holds"):
        block["endowment"] = holdings_in(row["holds"])
    if kind == "buy" and row.get("incumbent"):
        block["incumbent"] = True
    if kind == "buy" and row.get("groups"):
        block["groups"] = goods_in(row["groups"], ())
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
                limits[name] = conflicts_in(text, goods)
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
