"""The form for small markets: it makes the text of a market file, which is read like any other."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import tomli_w

from boca.core.errors import InputError
from boca.live.auction.kind import PAYMENT_RULES
from boca.live.auction.rules import Rules
from boca.live.web.texts import Texts

# Rules that the form offers, in its order; all others keep their defaults or need a file.
OFFERED = (
    "mechanism", "payment_rule", "num_initial", "num_per_round", "num_total", "currency", "unit",
    "max_value", "first_minutes", "later_minutes", "open_rounds", "close_early", "push_bids",
    "corrections", "last_call_minutes", "monotone", "publish", "explain_payments",
    "sealed_from_auctioneer", "listed",
)  # fmt: skip
# Left out of the file, so that the kind of auction decides.
USUAL = "usual"
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
        if name == "payment_rule":
            every = dict.fromkeys(rule for rules in PAYMENT_RULES.values() for rule in rules)
            choices = (USUAL, *every)
        kind = "choice" if choices else "text" if name in TEXTS else "number"
        rows.append(Field(name, kind, text, choices))
    return rows


def default_text(defaults: Rules, name: str) -> str:
    """A rule's default as its field shows it."""
    if name == "payment_rule":
        return USUAL
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
        elif name == "payment_rule" and text == USUAL:
            continue
        elif name == "mechanism" or name in Rules.CHOICES or name in TEXTS:
            rules[name] = text
    rules["round_minutes"] = [
        whole(typed.get(name, "").strip(), name) for name in ("first_minutes", "later_minutes")
    ]
    goods = [good(line) for line in lines(typed.get("goods", ""))]
    prices = {str(row["name"]): str(row.pop("price")) for row in goods if "price" in row}
    who = lines(typed.get("bidders", ""))
    market: dict[str, object] = {"name": typed.get("name", "").strip()}
    match typed.get("kind", "sell"):
        case "buy":
            market["lots"] = [lot(row, prices) for row in goods]
            market["suppliers"] = [{"name": line} for line in who]
        case "exchange":
            if prices:
                raise InputError(
                    f"goods: found a price of '{min(prices)}'; an exchange has none. Write name "
                    "and copies, and what participants hold beside their names."
                )
            market["goods"] = goods
            market["participants"] = [participant(line) for line in who]
        case _:
            market["goods"] = goods
            market["bidders"] = [{"name": line} for line in who]
            rules |= {"reserve": prices} if prices else {}
    return tomli_w.dumps({**market, "auction": rules})


def lines(text: str) -> list[str]:
    """The lines that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def good(line: str) -> dict[str, object]:
    """A good from a line such as ``chairs, 3`` or ``hall, 1, 30.00``."""
    name, *rest = (part.strip() for part in line.split(","))
    if len(rest) > 2:
        raise InputError(
            f"The line '{line[:60]}' of the goods has {len(rest) + 1} parts; expected a name, "
            "perhaps the number of copies, perhaps a price per copy, with commas between."
        )
    row: dict[str, object] = {"name": name}
    if rest:
        row["capacity"] = whole(rest[0], f"copies of '{name}'")
    if len(rest) == 2:
        row["price"] = rest[1]
    return row


def lot(row: Mapping[str, object], prices: Mapping[str, str]) -> dict[str, object]:
    """A lot that is bought, from a line of the same form: units needed, at-most price per unit."""
    name = str(row["name"])
    block: dict[str, object] = {"name": name, "needed": row.get("capacity", 1)}
    if name in prices:
        try:
            block["at_most"] = float(prices[name])
        except ValueError:
            raise InputError(
                f"price of '{name}': found '{prices[name][:20]}'; expected a number such as 30.00."
            ) from None
    return block


def participant(line: str) -> dict[str, object]:
    """Who takes part in an exchange, from a line such as ``Ann: chairs 3, hall 1``."""
    name, _, held = line.partition(":")
    endowment: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in held.split(","))):
        thing, _, number = part.rpartition(" ")
        if not thing or thing.strip() in endowment:
            raise InputError(
                f"The line '{line[:60]}' of the participants says '{part[:40]}'; expected each "
                "good once, with its copies: 'Ann: chairs 3, hall 1'."
            )
        endowment[thing.strip()] = whole(number, f"copies that '{name.strip()}' holds")
    block: dict[str, object] = {"name": name.strip()}
    return {**block, "endowment": endowment} if endowment else block


def whole(text: str, what: str) -> int:
    """A whole number of a field."""
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise InputError(f"{what}: found '{text[:20]}'; expected a whole number.")
    return int(text)
