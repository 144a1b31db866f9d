"""The form for small markets: it makes the text of a market file, which is read like any other."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import tomli_w

from boca.core.errors import InputError
from boca.live.auction.rules import Rules
from boca.live.web.texts import Texts

# Rules that the form offers, in its order; all others keep their defaults or need a file.
OFFERED = (
    "mechanism", "payment_rule", "num_initial", "num_per_round", "num_total", "currency", "unit",
    "max_value", "first_minutes", "later_minutes", "open_rounds", "close_early", "push_bids",
    "corrections", "last_call_minutes", "monotone", "publish", "explain_payments",
    "sealed_from_auctioneer", "listed",
)  # fmt: skip
TEXTS = ("currency", "unit", "max_value")
WHOLE = ("num_initial", "num_per_round", "num_total", "push_bids")
TICKS = tuple(f.name for f in fields(Rules) if f.type == "bool" or f.type is bool)


@dataclass(frozen=True)
class Field:
    """
    One rule in the form.

    Parameters
    ----------
    name
        Of the rule, and of its field.
    kind
        ``choice``, ``tick``, ``number`` or ``text``.
    text
        What it holds; for a tick, ``yes`` or nothing.
    choices
        What can be chosen.
    """

    name: str
    kind: str
    text: str
    choices: tuple[str, ...] = ()


def form_fields(mechanisms: Iterable[str], typed: Mapping[str, str] | None = None) -> list[Field]:
    """The rules with their defaults, or with what was typed."""
    defaults = Rules()
    rows = []
    for name in OFFERED:
        if name in TICKS:
            is_on = getattr(defaults, name) if typed is None else name in typed
            rows.append(Field(name, "tick", "yes" if is_on else ""))
            continue
        text = default_text(defaults, name) if typed is None else typed.get(name, "")
        choices = tuple(mechanisms) if name == "mechanism" else Rules.CHOICES.get(name, ())
        kind = "choice" if choices else "text" if name in TEXTS else "number"
        rows.append(Field(name, kind, text, choices))
    return rows


def default_text(defaults: Rules, name: str) -> str:
    """A rule's default as its field shows it."""
    if name in ("first_minutes", "later_minutes"):
        return f"{defaults.round_minutes[name == 'later_minutes']:g}"
    value = getattr(defaults, name)
    return f"{value:g}" if isinstance(value, float | int) else str(value)


def with_label(t: Texts, message: str) -> str:
    """A message about a key of the file, with the name of the field that a form has for it."""
    for name in OFFERED:
        if re.search(rf"key '{name}'|^{name}:", message):
            return t("new.in_field", message=message, field=t(f"new_rule.{name}"))
    return message


def market_text(typed: Mapping[str, str]) -> str:
    """The text of the market file that a filled-in form stands for."""
    rules: dict[str, object] = {}
    for name in OFFERED:
        text = typed.get(name, "").strip()
        if name in TICKS:
            rules[name] = name in typed
        elif name in WHOLE or name == "last_call_minutes":
            rules[name] = whole(text, name)
        elif name == "mechanism" or name in Rules.CHOICES or name in TEXTS:
            rules[name] = text
    rules["round_minutes"] = [
        whole(typed.get(name, "").strip(), name) for name in ("first_minutes", "later_minutes")
    ]
    goods = [good(line) for line in lines(typed.get("goods", ""))]
    reserve = {str(row["name"]): row.pop("reserve") for row in goods if "reserve" in row}
    if reserve:
        rules["reserve"] = reserve
    market = {
        "name": typed.get("name", "").strip(),
        "goods": goods,
        "bidders": [{"name": line} for line in lines(typed.get("bidders", ""))],
        "auction": rules,
    }
    return tomli_w.dumps(market)


def lines(text: str) -> list[str]:
    """The lines that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def good(line: str) -> dict[str, object]:
    """A good from a line such as ``chairs, 3`` or ``hall, 1, 30.00``."""
    name, *rest = (part.strip() for part in line.split(","))
    if len(rest) > 2:
        raise InputError(
            f"The line '{line[:60]}' of the goods has {len(rest) + 1} parts; expected a name, "
            "perhaps the number of copies, perhaps a reserve price per copy, with commas between."
        )
    row: dict[str, object] = {"name": name}
    if rest:
        row["capacity"] = whole(rest[0], f"copies of '{name}'")
    if len(rest) == 2:
        row["reserve"] = rest[1]
    return row


def whole(text: str, what: str) -> int:
    """A whole number of a field."""
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise InputError(f"{what}: found '{text[:20]}'; expected a whole number.")
    return int(text)
