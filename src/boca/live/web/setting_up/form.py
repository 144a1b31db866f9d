"""What somebody has typed so far: a table of goods, a table of bidders, and the rules."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace

from boca.live.auction.hours import DAYS
from boca.live.auction.kind import PAYMENT_RULES
from boca.live.auction.rules import ACTS, SALES_ONLY, Rules
from boca.live.web.setting_up.lists import goods_in
from boca.live.web.setting_up.numbers import plain_number, written_number
from boca.markets.offer_file import INCUMBENTS

Row = dict[str, str]

STEPS = ("goods", "bidders", "rules", "people", "check")
LIMITS = ("at_most", "at_most_of_each", "credit_budget", "forbidden", "conflicts")
GOOD_FIELDS = (
    "name", "group", "unit", "copies", "price", "baseline", "credits", "start", "points",
)  # fmt: skip
# What only bidders of a sale have, and only suppliers.
SALE_FIELDS = ("spending_cap", "eligibility")
SUPPLIER_FIELDS = ("incumbent", "groups")
BIDDER_FIELDS = ("name", "holds", *LIMITS, *SALE_FIELDS, *SUPPLIER_FIELDS, "type", "people")
# A rule of the buyer's: what is counted, its bounds, and for whom and where it holds.
AWARD_FIELDS = (
    "counts", "at_least", "at_most", "each", "if_any", "who", "lots", "scenario", "title",
)  # fmt: skip
COUNTED = (
    "winners", "share_of_units", "units", "share_of_lots", "lots", "share_of_spend", "spend",
)  # fmt: skip
# Cells that are there in every row, so that they alone make none.
ALWAYS = {"type", "counts"}
# Columns of the tables that can be left out, and those that are at first.
OPTIONAL = {
    "goods": ("group", "unit", "baseline", "credits", "start", "points"),
    "bidders": (*LIMITS, *SALE_FIELDS, *SUPPLIER_FIELDS),
}
HIDDEN = ("credits", "start", "points", "credit_budget", "eligibility")
# Rows that a page offers beyond those that say something.
SPARE_ROWS = 3
LONGEST_CELL = 1000
# Left out of the file, so that the kind of auction decides.
USUAL = "usual"
# Rules by the part of the page on which they stand.
PARTS: dict[str, tuple[str, ...]] = {
    "questions": (
        "mechanism", "num_initial", "num_per_round", "num_total", "push_bids", "show_reasons",
    ),
    "time": (
        "first_minutes", "later_minutes", "open_rounds", "close_early", "extensions",
        "extension_minutes", "last_call_minutes",
    ),
    "hours": ("starts_at", "time_zone", "days", "from", "to"),
    "answers": (
        "currency", "unit", "max_value", "language", "corrections", "monotone", "typo_factor",
        "ranges",
    ),
    "two": ("second_person", "approval", "accept_rules"),
    "outcome": (
        "payment_rule", "publish", "explain_payments", "sealed_from_auctioneer", "listed",
        "solve_seconds",
    ),
}  # fmt: skip
OFFERED = tuple(name for names in PARTS.values() for name in names)
TEXTS = ("currency", "unit", "max_value", "starts_at", "time_zone", "from", "to")
# Whole numbers, and numbers, with the least and the most that is taken.
WHOLE = {
    "num_initial": (1, 200),
    "num_per_round": (1, 200),
    "num_total": (1, 200),
    "push_bids": (0, 200),
    "extensions": (0, 200),
}
NUMBERS = {
    "first_minutes": (0.01, 86400),
    "later_minutes": (0.01, 86400),
    "extension_minutes": (0.01, 86400),
    "last_call_minutes": (0, 86400),
    "typo_factor": (1.01, 1e6),
    "solve_seconds": (0.01, 3600),
}
# What holds numbers in each table and among the rules; people write them as their language does.
NUMBER_FIELDS: dict[str, Collection[str]] = {
    "goods": ("copies", "price", "baseline", "credits", "start", "points"),
    "bidders": ("at_most", "at_most_of_each", "credit_budget", "spending_cap", "eligibility"),
    "awards": ("at_least", "at_most"),
    "rules": (*WHOLE, *NUMBERS, "unit", "max_value"),
}
# Rules of which several things can be ticked.
SEVERAL = {"days": DAYS, "second_person": ACTS}
TICKS = tuple(f.name for f in fields(Rules) if f.type == "bool" or f.type is bool)


@dataclass(frozen=True)
class RuleField:
    """
    One rule in the form.

    Parameters
    ----------
    name
        Of the rule, and of its field.
    kind
        ``choice``, ``tick``, ``several``, ``number`` or ``text``.
    text
        What it holds; for a tick, ``yes`` or nothing.
    choices
        What can be chosen.
    """

    name: str
    kind: str
    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetupForm:
    """
    The whole form, as typed; nothing in it needs to be right.

    Parameters
    ----------
    kind
        ``sell``, ``buy`` or ``exchange``.
    name
        Of the auction.
    goods, bidders
        A row each, with the texts of :data:`GOOD_FIELDS` and :data:`BIDDER_FIELDS`.
    every
        Limits that hold for everybody.
    rules
        Texts of the rules that differ from their defaults, or were looked at.
    auditors
        Names of people who see everything and can do nothing.
    awards
        Rules of a buyer, with the texts of :data:`AWARD_FIELDS`.
    more
        Columns beyond the usual ones that are shown.
    without
        Usual columns that are not shown.
    auction
        The draft that is edited; empty for a new auction.
    """

    kind: str = "sell"
    name: str = ""
    goods: tuple[Row, ...] = ()
    bidders: tuple[Row, ...] = ()
    every: Row = field(default_factory=dict)
    rules: Row = field(default_factory=dict)
    auditors: str = ""
    auction: str = ""
    awards: tuple[Row, ...] = ()
    more: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps of the form; people of a draft are invited on a page of their own."""
        return tuple(step for step in STEPS if step != "people" or not self.auction)

    def rule(self, name: str) -> str:
        """The text of a rule; its default if nobody looked at it."""
        return self.rules.get(name, default_text(name))

    def to_text(self) -> str:
        """The form as it is kept."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "SetupForm":
        """The inverse of :meth:`to_text`."""
        kept = json.loads(text)
        data = {one.name: kept[one.name] for one in fields(cls) if one.name in kept}
        for key in ("goods", "bidders", "awards", "more", "without"):
            data[key] = tuple(data.get(key, ()))
        return cls(**data)

    @property
    def limits(self) -> tuple[str, ...]:
        """Limits that bidders can have; lots have no credits."""
        return tuple(name for name in LIMITS if self.kind != "buy" or name != "credit_budget")

    @property
    def good_fields(self) -> tuple[str, ...]:
        """Columns of goods."""
        lacks = {"sell": ("baseline",), "buy": ("credits", "points")}
        without = lacks.get(self.kind, ("price", "baseline", "points"))
        return tuple(name for name in GOOD_FIELDS if name not in without)

    @property
    def bidder_fields(self) -> tuple[str, ...]:
        """Columns of bidders."""
        if self.kind == "exchange":
            return ("name", "holds", *self.limits)
        more = SUPPLIER_FIELDS if self.kind == "buy" else SALE_FIELDS
        return ("name", *self.limits, *more)

    @property
    def groups(self) -> list[str]:
        """Groups of suppliers that rules can name."""
        named = [name for row in self.bidders for name in goods_in(row.get("groups", ""), ())]
        if any(row.get("incumbent") for row in self.bidders):
            named.append(INCUMBENTS)
        return list(dict.fromkeys(named))

    def shows(self, column: str) -> bool:
        """Whether a column of a table is shown: as chosen, or if it says something."""
        rows = (*self.goods, *self.bidders)
        if any(row.get(column) for row in rows):
            return True
        return column in self.more if column in HIDDEN else column not in self.without

    def written(self, language: str) -> "SetupForm":
        """The form with its numbers in the notation of a language."""

        def written(table: str, row: Row) -> Row:
            return _with_numbers(table, row, lambda text: written_number(text, language))

        return replace(
            self,
            goods=tuple(written("goods", row) for row in self.goods),
            bidders=tuple(written("bidders", row) for row in self.bidders),
            awards=tuple(written("awards", row) for row in self.awards),
            every=written("bidders", self.every),
            rules=written("rules", {name: self.rule(name) for name in OFFERED}),
        )

    def with_step(
        self, step: str, typed: Mapping[str, list[str]], language: str = "en"
    ) -> "SetupForm":
        """The form with what was typed into one step, with numbers as a language writes them."""
        texts = {name: values[0][:LONGEST_CELL].strip() for name, values in typed.items()}

        def plain(table: str, row: Row) -> Row:
            return _with_numbers(table, row, lambda text: plain_number(text, language))

        def rows(table: str, names: Iterable[str]) -> dict[int, Row]:
            typed_here = typed_rows(table, names, texts)
            return {number: plain(table, row) for number, row in typed_here.items()}

        form = self._with_columns(step, typed)
        match step:
            case "goods":
                kind = texts.get("kind", "")
                return replace(
                    form,
                    kind=kind if kind in PAYMENT_RULES else self.kind,
                    name=texts.get("name", self.name),
                    goods=tuple(rows("goods", GOOD_FIELDS).values()),
                )
            case "bidders":
                shown = [name for name in BIDDER_FIELDS if name != "people"]
                every = {name: texts.get(f"every-{name}", "") for name in LIMITS}
                return replace(
                    form,
                    bidders=self._with_people(rows("bidders", shown)),
                    every=plain("bidders", every),
                )
            case "rules":
                rules = {name: texts.get(name, "") for name in OFFERED}
                for name, choices in SEVERAL.items():
                    rules[name] = " ".join(one for one in typed.get(name, []) if one in choices)
                awards = tuple(rows("awards", AWARD_FIELDS).values())
                return replace(self, rules=plain("rules", rules), awards=awards)
            case "people":
                people = tuple(
                    {**row, "people": texts.get(f"bidders-{number}-people", "")}
                    for number, row in enumerate(self.bidders)
                )
                return replace(self, bidders=people, auditors=texts.get("auditors", ""))
            case _:
                return self

    def _with_columns(self, step: str, typed: Mapping[str, list[str]]) -> "SetupForm":
        """The form with the columns that are ticked; pages without ticks change nothing."""
        if step not in OPTIONAL or "columns-of" not in typed:
            return self
        ticked, here = typed.get("columns", []), OPTIONAL[step]
        more = [name for name in here if name in HIDDEN and name in ticked]
        without = [name for name in here if name not in HIDDEN and name not in ticked]
        return replace(
            self,
            more=(*(name for name in self.more if name not in here), *more),
            without=(*(name for name in self.without if name not in here), *without),
        )

    def _with_people(self, rows: Mapping[int, Row]) -> tuple[Row, ...]:
        """
        Rows of bidders with their people, who are named on a page of their own.

        They stay with the name of their bidder, or, if it was renamed, with its row.
        """
        before = {row.get("name", ""): row.get("people", "") for row in self.bidders}
        names = {row.get("name", "") for row in rows.values()}
        kept = []
        for number, row in rows.items():
            people = before.get(row.get("name", ""), "")
            if row.get("name", "") not in before and number < len(self.bidders):
                was = self.bidders[number]
                people = was.get("people", "") if was.get("name", "") not in names else ""
            kept.append({**row, "people": people} if people else row)
        return tuple(kept)

    def rule_fields(self, part: str, mechanisms: Iterable[str]) -> list[RuleField]:
        """The rules of one part of the page, as they stand."""
        rows = []
        for name in PARTS[part]:
            if name in SALES_ONLY and self.kind != "sell":
                continue
            choices = tuple(mechanisms) if name == "mechanism" else Rules.CHOICES.get(name, ())
            if name == "payment_rule":
                choices = (USUAL, *PAYMENT_RULES[self.kind])  # type: ignore[index]
            kind = "choice" if choices else "text" if name in TEXTS else "number"
            kind = "tick" if name in TICKS else "several" if name in SEVERAL else kind
            rows.append(RuleField(name, kind, self.rule(name), SEVERAL.get(name, choices)))
        return rows


def typed_rows(table: str, names: Iterable[str], texts: Mapping[str, str]) -> dict[int, Row]:
    """The rows of a table that say something, by their numbers and in that order."""
    wanted = set(names)
    rows: dict[int, Row] = {}
    for key, text in texts.items():
        start, _, rest = key.partition("-")
        number, _, name = rest.partition("-")
        is_number = number.isascii() and number.isdecimal() and len(number) < 5
        if start == table and is_number and name in wanted and text:
            rows.setdefault(int(number), {})[name] = text
    return {number: rows[number] for number in sorted(rows) if set(rows[number]) - ALWAYS}


def _with_numbers(table: str, row: Row, change: Callable[[str], str]) -> Row:
    """A row of a table, or the rules, with each number changed."""
    numbers = NUMBER_FIELDS[table]
    return {name: change(text) if name in numbers else text for name, text in row.items()}


def default_text(name: str) -> str:
    """A rule's default as its field shows it."""
    if name in ("first_minutes", "later_minutes"):
        return f"{Rules.round_minutes[name == 'later_minutes']:g}"
    special = {"payment_rule": USUAL, "days": "", "from": "", "to": "", "second_person": ""}
    if name in special:
        return special[name]
    return text_of(getattr(Rules(), name))


def text_of(value: object) -> str:
    """A plain value of a rule as a field shows it."""
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.12g}" if isinstance(value, float | int) else str(value)
