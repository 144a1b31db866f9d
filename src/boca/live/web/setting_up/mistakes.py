"""Everything that is wrong with a form, at once, in its own words and with the field of each."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.core.message import Message
from boca.core.wording import nearest, shortened
from boca.live.auction.hours import LEAST_OPEN, clock_minutes, clock_moment, zones
from boca.live.auction.kind import PAYMENT_RULES
from boca.live.auction.rules import (
    MOST_BIDDERS,
    MOST_COPIES,
    MOST_GOODS,
    MOST_PERSONS,
    MOST_POINTS,
    MOST_REPORTS,
    Rules,
)
from boca.live.web.setting_up.fitting import amount, misfits
from boca.live.web.setting_up.form import (
    COUNTED,
    NUMBER_FIELDS,
    NUMBERS,
    OFFERED,
    STEPS,
    USUAL,
    WHOLE,
    Row,
    SetupForm,
)
from boca.live.web.setting_up.lists import conflicts_in, goods_in, holdings, people_in
from boca.live.web.setting_up.numbers import written_number
from boca.live.web.texts import Texts
from boca.markets.limits_of_size import LARGEST_VALUE, MOST_LETTERS_OF_NAME

# Two goods for a form that has none yet.
EXAMPLE = "setup.conflicts_example"
# Names of columns in files of bids, which no good can have.
COLUMNS = ("bidder", "value")
LONGEST_PERSON = 80


@dataclass(frozen=True)
class SetupMistake:
    """
    One thing that has to be changed.

    Parameters
    ----------
    step, field
        Where: the page, and the field on it.
    sentence
        What was found and what was expected.
    """

    step: str
    field: str
    sentence: str


def mistakes_of(
    t: Texts, form: SetupForm, mechanisms: Mapping[str, Conduct], now: datetime
) -> list[SetupMistake]:
    """Every mistake of every step, first to last; a planned start does not lie before ``now``."""
    mistakes = _Reader(t, form, mechanisms, now).read()
    return sorted(mistakes, key=lambda mistake: STEPS.index(mistake.step))


def mistake_at(t: Texts, form: SetupForm, error: InputError) -> SetupMistake:
    """What reader and engine have against the form's file, with the field it is about."""
    place, message = error.place, error.message
    if place is None:
        return SetupMistake("check", "", t.read(message))
    what = t.read(error.detail)
    key = place.key
    if place.table == "auction":
        step, field = RULE_PLACES.get(key, ("rules", key))
        if isinstance(message, Message) and "least" in message.gaps:
            want = t("setup.want_more_questions", least=message.gaps["least"])
            text = t("sheet.found_text", text=form.rule(field))
            what = t("setup.found", found=text, want=want)
        label = t(f"new_rule.{field}") if field in OFFERED else key
        return SetupMistake(step, field, t("words.about", where=label, what=what))
    if place.table in ("rules", "scenarios"):
        return SetupMistake("rules", "awards-0-counts", t.read(message))
    step = "goods" if place.table in ("goods", "lots") else "bidders"
    field = {"capacity": "copies", "needed": "copies", "at_most": "price"}.get(key, key)
    if step == "bidders":
        field = "holds" if key == "endowment" else key
    is_for_all = place.table in ("every_bidder", "every_supplier")
    at = f"every-{field}" if is_for_all else f"{step}-{(place.row or 1) - 1}-{field}"
    return SetupMistake(step, at, t("words.about", where=place.words, what=what))


# Where keys of the rules stand that are not fields of their own.
RULE_PLACES = {
    "round_minutes": ("rules", "first_minutes"),
    "opening_hours": ("rules", "from"),
    "reserve": ("goods", "goods-0-price"),
    "start_prices": ("goods", "goods-0-start"),
    "points": ("goods", "goods-0-points"),
    "spending_caps": ("bidders", "bidders-0-spending_cap"),
    "eligibility": ("bidders", "bidders-0-eligibility"),
}


class _Reader:
    """One form on its way to a list of mistakes."""

    def __init__(self, t: Texts, form: SetupForm, mechanisms: Mapping[str, Conduct], now: datetime):
        self.t, self.form, self.mechanisms, self.now = t, form, mechanisms, now
        self.names = [row.get("name", "") for row in form.goods]

    def read(self) -> Iterator[SetupMistake]:
        yield from self._goods()
        yield from self._bidders()
        yield from self._rules()
        yield from self._misfits()
        if not self.form.auction:
            yield from self._people()

    def _mistake(self, step: str, field: str, where: str, found: str, want: str) -> SetupMistake:
        seen = (
            self.t("sheet.found_text", text=shortened(found)) if found else self.t("setup.nothing")
        )
        what = self.t("setup.found", found=seen, want=want)
        return SetupMistake(step, field, self.t("words.about", where=where, what=what))

    def _goods(self) -> Iterator[SetupMistake]:
        t, form = self.t, self.form
        if not form.name:
            want = t("setup.want_name")
            yield self._mistake("goods", "name", t("setup.name"), "", want)
        if not form.goods:
            want = t("setup.want_row")
            yield self._mistake("goods", "goods-0-name", t("setup.goods"), "", want)
        if len(form.goods) > MOST_GOODS:
            most = t("setup.want_most", n=MOST_GOODS)
            yield self._mistake(
                "goods", "goods-0-name", t("setup.goods"), str(len(form.goods)), most
            )
        needs_credits = any(row.get("credit_budget") for row in (form.every, *form.bidders))
        has_credits = any(row.get("credits") for row in form.goods)
        if form.kind != "buy" and form.goods and needs_credits and not has_credits:
            # Said once: whoever set a budget has not thought of credits yet.
            needs_credits, want = False, t("setup.want_credits")
            yield self._mistake("goods", "goods-0-credits", t("setup.credits"), "", want)
        names = ("start", "points") if form.kind == "sell" else ("start",)
        of_all = [name for name in names if any(row.get(name) for row in form.goods)]
        for number, row in enumerate(form.goods):
            yield from self._name("goods", number, self.names)
            yield from self._cell("goods", number, row, "copies", 1, MOST_COPIES, is_whole=True)
            if form.kind == "sell":
                yield from self._cell("goods", number, row, "points", 0, MOST_POINTS, is_whole=True)
            for name in ("price", "baseline", "credits", "start"):
                yield from self._cell("goods", number, row, name, 0, LARGEST_VALUE)
            for name in ("group", "unit"):
                text = row.get(name, "")
                if len(text) > MOST_LETTERS_OF_NAME or not text.isprintable():
                    most = t("setup.want_line", n=MOST_LETTERS_OF_NAME)
                    yield self._wrong("goods", number, row, name, most)
            if form.kind == "exchange" and row.get("price"):
                want = t("setup.want_no_price")
                yield self._wrong("goods", number, row, "price", want)
            if form.kind != "buy" and needs_credits and not row.get("credits"):
                yield self._wrong("goods", number, row, "credits", t("setup.want_credits"))
            for name in of_all:
                if not row.get(name):
                    yield self._wrong("goods", number, row, name, t(f"setup.want_{name}"))

    def _bidders(self) -> Iterator[SetupMistake]:
        t, form = self.t, self.form
        if not form.bidders:
            want = t("setup.want_row")
            yield self._mistake("bidders", "bidders-0-name", t("setup.bidders"), "", want)
        if len(form.bidders) > MOST_BIDDERS:
            most = t("setup.want_most", n=MOST_BIDDERS)
            yield self._mistake(
                "bidders", "bidders-0-name", t("setup.bidders"), str(len(form.bidders)), most
            )
        yield from self._limits("every", None, form.every)
        names = [row.get("name", "") for row in form.bidders]
        for number, row in enumerate(form.bidders):
            yield from self._name("bidders", number, names)
            yield from self._limits("bidders", number, row)
            if form.kind == "exchange":
                yield from self._holds(number, row)
            if form.kind == "sell":
                yield from self._of_sale(number, row)
        if form.kind == "exchange" and not any(row.get("holds") for row in form.bidders):
            where = t("setup.holds")
            yield self._mistake("bidders", "bidders-0-holds", where, "", t("setup.want_held"))

    def _of_sale(self, number: int, row: Row) -> Iterator[SetupMistake]:
        """What is wrong with a bidder's spending cap, and with its points."""
        cap, largest = row.get("spending_cap", ""), self.form.rule("max_value")
        if cap and not amount(cap):
            want = self.t("setup.want_amount")
            yield self._wrong("bidders", number, row, "spending_cap", want)
        elif cap and amount(largest) and Decimal(cap) > Decimal(largest):
            most = written_number(largest, self.t.language)
            want = self.t("setup.want_below_max", most=most)
            yield self._wrong("bidders", number, row, "spending_cap", want)
        if row.get("eligibility") and not any(good.get("points") for good in self.form.goods):
            want = self.t("setup.want_points_first")
            yield self._wrong("bidders", number, row, "eligibility", want)
        points = MOST_POINTS * MOST_COPIES * MOST_GOODS
        yield from self._cell("bidders", number, row, "eligibility", 0, points, is_whole=True)

    def _name(self, table: str, number: int, names: list[str]) -> Iterator[SetupMistake]:
        name = names[number]
        row = {"name": name}
        if not name:
            yield self._wrong(table, number, row, "name", self.t("setup.want_name"))
        elif name in names[:number]:
            first = names.index(name) + 1
            want = self.t("setup.want_other_name", row=first)
            yield self._wrong(table, number, row, "name", want)
        elif len(name) > MOST_LETTERS_OF_NAME or not name.isprintable():
            most = self.t("setup.want_line", n=MOST_LETTERS_OF_NAME)
            yield self._wrong(table, number, row, "name", most)
        elif table == "goods" and name in COLUMNS:
            yield self._wrong(table, number, row, "name", self.t("setup.want_no_column"))

    def _limits(self, table: str, number: int | None, row: Row) -> Iterator[SetupMistake]:
        """What is wrong with the limits of a bidder, or of everybody."""
        if self.form.kind == "buy" and row.get("credit_budget"):
            want = self.t("setup.want_no_credits")
            yield self._wrong(table, number, row, "credit_budget", want)
        for name in ("at_most", "at_most_of_each"):
            yield from self._cell(table, number, row, name, 0, 10**6, is_whole=True)
        yield from self._cell(table, number, row, "credit_budget", 0, LARGEST_VALUE)
        lists = [("forbidden", goods_in(row.get("forbidden", ""), self.names), 1)]
        lists += [
            ("conflicts", one, 2) for one in conflicts_in(row.get("conflicts", ""), self.names)
        ]
        for name, members, least in lists:
            if len(members) < least and row.get(name):
                example = example_of(self.t, self.names)
                want = self.t("setup.want_set", example=example)
                yield self._wrong(table, number, row, name, want)
                continue
            for good in members:
                if good not in self.names:
                    known = [one for one in self.names if one]
                    near = nearest(good, known)
                    key = "setup.want_good_near" if near else "setup.want_good"
                    want = self.t(key, good=shortened(good), **({"near": near} if near else {}))
                    yield self._wrong(table, number, row, name, want)
            if len(set(members)) < len(members):
                yield self._wrong(table, number, row, name, self.t("setup.want_once"))

    def _holds(self, number: int, row: Row) -> Iterator[SetupMistake]:
        seen: set[str] = set()
        for name, copies in holdings(row.get("holds", "")):
            is_count = copies.isascii() and copies.isdecimal() and len(copies) < 7
            if name not in self.names or name in seen or not is_count:
                yield self._wrong("bidders", number, row, "holds", self.t("setup.want_holds"))
                return
            seen.add(name)

    def _cell(
        self,
        table: str,
        number: int | None,
        row: Row,
        name: str,
        least: float,
        most: float,
        is_whole: bool = False,
    ) -> Iterator[SetupMistake]:
        """Whether a cell that is not empty holds a number."""
        if row.get(name) and not is_number(row[name], least, most, is_whole):
            key = "setup.want_whole" if is_whole else "setup.want_number"
            if most == LARGEST_VALUE and not is_whole:  # a bound of the machine, not of the matter
                key = "setup.want_number_from"
            want = self.t(key, least=self.t.figure(least), most=f"{most:.0f}")
            yield self._wrong(table, number, row, name, want)

    def _wrong(
        self, table: str, number: int | None, row: Row, name: str, want: str
    ) -> SetupMistake:
        """A mistake in a row of goods, of bidders, or of the limits of everybody."""
        t, label = self.t, self.t(f"setup.{name}")
        if number is None:
            return self._mistake(
                "bidders",
                f"every-{name}",
                t("setup.of_every", field=label),
                row.get(name, ""),
                want,
            )
        rows = self.form.goods if table == "goods" else self.form.bidders
        found = row.get(name, "")
        if name in NUMBER_FIELDS[table]:
            found = written_number(found, t.language)
        whose = rows[number].get("name") or t("setup.row", n=number + 1)
        where = t("setup.of", field=label, name=shortened(whose))
        return self._mistake(table, f"{table}-{number}-{name}", where, found, want)

    def _rules(self) -> Iterator[SetupMistake]:
        t, form = self.t, self.form
        for name in OFFERED:
            text, want = form.rule(name), ""
            if name in WHOLE and not is_number(text, *WHOLE[name], is_whole=True):
                least, most = WHOLE[name]
                want = t("setup.want_whole", least=least, most=most)
            elif name in NUMBERS and not is_number(text, *NUMBERS[name]):
                small, large = NUMBERS[name]
                want = t("setup.want_number", least=t.figure(small), most=f"{large:.0f}")
            elif name == "mechanism" and text not in self.mechanisms:
                want = t("setup.want_choice")
            elif name == "payment_rule":
                allowed = (USUAL, *PAYMENT_RULES[form.kind])  # type: ignore[index]
                want = "" if text in allowed else t("setup.want_choice")
            elif name in Rules.CHOICES and text not in Rules.CHOICES[name]:
                want = t("setup.want_choice")
            elif name in ("unit", "max_value") and not amount(text):
                want = t("setup.want_amount")
            elif name == "currency" and not text:
                want = t("setup.want_currency")
            elif name == "time_zone" and text not in zones():
                want = _want_zone(t, text)
            elif name == "starts_at" and text and clock_moment(text) is None:
                want = t("setup.want_moment")
            elif name == "starts_at" and text and self._has_passed(text):
                want = t("setup.want_future")
            if want:
                if name in NUMBER_FIELDS["rules"]:
                    text = written_number(text, t.language)
                yield self._mistake("rules", name, t(f"new_rule.{name}"), text, want)
        yield from self._hours()
        yield from self._sums()
        if form.kind == "buy":
            for number, row in enumerate(form.awards):
                yield from self._award(number, row)

    def _award(self, number: int, row: Row) -> Iterator[SetupMistake]:
        """What is wrong with a rule of the buyer's."""
        counts = row.get("counts", "")
        for name, want in self._of_award(row, counts):
            where = self.t("setup.of", field=self.t(f"setup.award_{name}"),
                           name=self.t("setup.award_row", n=number + 1))  # fmt: skip
            yield self._mistake("rules", f"awards-{number}-{name}", where, row.get(name, ""), want)

    def _of_award(self, row: Row, counts: str) -> Iterator[tuple[str, str]]:
        """Field and what was expected, for each mistake of a rule."""
        t, most = self.t, 100 if counts.startswith("share") else LARGEST_VALUE
        if counts not in COUNTED:
            yield "counts", t("setup.want_choice")
        bounds = [name for name in ("at_least", "at_most") if row.get(name)]
        if not bounds:
            yield "at_most", t("setup.want_bound")
        wrong = [name for name in bounds if not is_number(row[name], 0, most)]
        for name in wrong:
            key = "setup.want_number" if most == 100 else "setup.want_number_from"
            yield name, t(key, least="0", most=f"{most:.0f}")
        if len(bounds) == 2 and not wrong and float(row["at_least"]) > float(row["at_most"]):
            yield "at_least", t("setup.want_at_most", n=row["at_most"])
        suppliers = [one.get("name", "") for one in self.form.bidders]
        known = [*suppliers, *self.form.groups]
        named = goods_in(row.get("who", ""), known)
        groups = [name for name in named if name not in suppliers]
        for name in named:
            if name not in known or (groups and len(named) > 1):
                yield "who", t("setup.want_who", known=t.listing(known))
                break
        for name in goods_in(row.get("lots", ""), self.names):
            if name not in self.names:
                yield "lots", t("setup.want_lots", known=t.listing(self.names))
                break
        if counts.endswith("spend") and row.get("lots"):
            yield "lots", t("setup.want_no_lots")
        if counts == "winners" and row.get("each"):
            yield "each", t("setup.want_not_each")
        if row.get("if_any") and not (row.get("each") and row.get("at_least")):
            yield "if_any", t("setup.want_each_least")

    def _has_passed(self, start: str) -> bool:
        """Whether a planned start lies before now, by the clocks of the form's zone."""
        zone, local = self.form.rule("time_zone"), clock_moment(start)
        if local is None or zone not in zones():
            return False
        return local.replace(tzinfo=ZoneInfo(zone)) < self.now

    def _hours(self) -> Iterator[SetupMistake]:
        """Days and times of opening hours belong together."""
        t, form = self.t, self.form
        days, start, end = (form.rule(name) for name in ("days", "from", "to"))
        if not (days or start or end):
            return
        if not days:
            yield self._mistake("rules", "days", t("new_rule.days"), "", t("setup.want_days"))
        for name, text in (("from", start), ("to", end)):
            if clock_minutes(text) is None:
                yield self._mistake(
                    "rules", name, t(f"new_rule.{name}"), text, t("setup.want_time")
                )
        begins, ends = clock_minutes(start), clock_minutes(end)
        if begins is not None and ends is not None and ends - begins < LEAST_OPEN:
            want = t("setup.want_later", time=start, n=LEAST_OPEN)
            yield self._mistake("rules", "to", t("new_rule.to"), end, want)

    def _sums(self) -> Iterator[SetupMistake]:
        """Numbers that are right alone and wrong together."""
        t, form = self.t, self.form
        names = ("num_initial", "num_total", "push_bids")
        if not all(is_number(form.rule(name), *WHOLE[name], is_whole=True) for name in names):
            return
        first, total, own = (int(form.rule(name)) for name in names)
        if first > total:
            want = t("setup.want_at_most_total", n=total)
            yield self._mistake("rules", "num_initial", t("new_rule.num_initial"), str(first), want)
        if total + own > MOST_REPORTS:
            want = t("setup.want_at_most", n=MOST_REPORTS - total)
            yield self._mistake("rules", "push_bids", t("new_rule.push_bids"), str(own), want)

    def _misfits(self) -> Iterator[SetupMistake]:
        """Fields that are right alone and contradict each other."""
        t, form = self.t, self.form
        for misfit in misfits(form, self.mechanisms.get(form.rule("mechanism"))):
            gaps = {
                name: gap if isinstance(gap, str) else written_number(f"{gap:f}", t.language)
                for name, gap in misfit.gaps.items()
            }
            want = t(misfit.want, **gaps)
            if misfit.row is not None:
                rows = form.goods if misfit.table == "goods" else form.bidders
                row = rows[misfit.row]
                yield self._wrong(misfit.table, misfit.row, row, misfit.name, want)
                continue
            name, text = misfit.name, form.rule(misfit.name)
            if name not in NUMBER_FIELDS["rules"]:
                text = t.choice(name, text)
            yield self._mistake("rules", name, t(f"new_rule.{name}"), text, want)

    def _people(self) -> Iterator[SetupMistake]:
        t, form = self.t, self.form
        rows = [(f"bidders-{k}-people", row) for k, row in enumerate(form.bidders)]
        for field, row in (*rows, ("auditors", {"people": form.auditors})):
            names = people_in(row.get("people", ""))
            where = t("setup.of", field=t("setup.people"), name=shortened(row.get("name", "")))
            if field == "auditors":
                where = t("setup.auditors")
            for name in names:
                if "@" in name:
                    yield self._mistake("people", field, where, name, t("setup.want_person_name"))
                elif len(name) > LONGEST_PERSON or "/" in name or not name.isprintable():
                    want = t("setup.want_person", n=LONGEST_PERSON)
                    yield self._mistake("people", field, where, name, want)
            if form.rule("sealed_from_auctioneer") and len(names) > (field != "auditors"):
                # One link per bidder, and none for auditors, are the auctioneer's to make.
                key = "setup.want_nobody" if field == "auditors" else "setup.want_one_person"
                yield self._mistake("people", field, where, row.get("people", ""), t(key))
            elif len(names) > MOST_PERSONS:
                want = t("setup.want_most", n=MOST_PERSONS)
                yield self._mistake("people", field, where, str(len(names)), want)


def example_of(t: Texts, names: list[str]) -> str:
    """Two goods of which somebody can have one, by the names of the first that there are."""
    known = [name for name in names if name][:2]
    return t("words.or", many=known[0], last=known[1]) if len(known) == 2 else t(EXAMPLE)


def _want_zone(t: Texts, text: str) -> str:
    """What a time zone is like, and the zone of the city that was typed."""
    by_city = {zone.rpartition("/")[2]: zone for zone in sorted(zones())}
    near = nearest(text, by_city)
    return t("setup.want_zone_near", near=by_city[near]) if near else t("setup.want_zone")


def is_number(text: str, least: float, most: float, is_whole: bool = False) -> bool:
    """Whether a text is a plain number within bounds."""
    pattern = r"[0-9]{1,15}" if is_whole else r"[0-9]{1,15}(\.[0-9]{1,9})?"
    return bool(re.fullmatch(pattern, text)) and least <= float(text) <= most
