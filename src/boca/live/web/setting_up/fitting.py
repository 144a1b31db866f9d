"""What is right alone in a form and does not fit together: amounts, and what a method needs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from boca.core.conduct import Conduct
from boca.live.auction.activity import count_points
from boca.live.auction.money import MOST_UNITS
from boca.live.web.setting_up.form import Row, SetupForm


@dataclass(frozen=True)
class Misfit:
    """
    Two fields that contradict each other, told at the one that is more likely to change.

    Parameters
    ----------
    table, row, name
        Where: a field of a row of ``goods`` or ``bidders``, or of ``rules``, which have no row.
    want, gaps
        Key of the text that says what was expected, and what stands in its gaps.
    """

    table: str
    row: int | None
    name: str
    want: str
    gaps: dict[str, str | Decimal] = field(default_factory=dict)


def misfits(form: SetupForm, conduct: Conduct | None) -> Iterator[Misfit]:
    """
    Everything that does not fit together, among fields that can be read alone.

    Parameters
    ----------
    form
        What was typed.
    conduct
        What people meet in an auction by the method of the form; None if there is no such method.
    """
    yield from _amounts(form)
    if conduct is not None:
        yield from _method(form, conduct)
    yield from _starts(form)
    if form.kind == "sell":
        yield from _points(form)
    if form.kind == "buy":
        yield from _payments(form)


def _amounts(form: SetupForm) -> Iterator[Misfit]:
    """Amounts are whole multiples of the smallest one, and not too many of it."""
    unit = amount(form.rule("unit"))
    if not unit:
        return
    gaps: dict[str, str | Decimal] = {"unit": unit}
    prices = ("start",) if form.kind == "exchange" else ("price", "start")
    cells = [("goods", k, name, row) for k, row in enumerate(form.goods) for name in prices]
    if form.kind == "sell":
        cells += [("bidders", k, "spending_cap", row) for k, row in enumerate(form.bidders)]
    for table, number, name, row in cells:
        value = amount(row.get(name, ""))
        if value is not None and value % unit:
            yield Misfit(table, number, name, "setup.want_multiple", gaps)
    largest = amount(form.rule("max_value"))
    if largest is not None and largest % unit:
        yield Misfit("rules", None, "max_value", "setup.want_multiple", gaps)
    elif largest is not None and largest > MOST_UNITS * unit:
        yield Misfit(
            "rules", None, "max_value", "setup.want_fewer_units", {"most": MOST_UNITS * unit}
        )


def _method(form: SetupForm, conduct: Conduct) -> Iterator[Misfit]:
    """Prices to start from and points are for methods that announce prices, and some need them."""
    has_starts = any(row.get("start") for row in form.goods)
    if conduct.needs_start_prices and not has_starts:
        yield Misfit("rules", None, "mechanism", "setup.want_starts")
    if conduct.announces_prices:
        return
    if has_starts:
        yield Misfit("rules", None, "mechanism", "setup.want_prices_start")
    elif form.kind == "sell" and any(row.get("points") for row in form.goods):
        yield Misfit("rules", None, "mechanism", "setup.want_prices_points")


def _starts(form: SetupForm) -> Iterator[Misfit]:
    """Prices to start from are above 0 and within the values that can be reported."""
    largest = amount(form.rule("max_value"))
    for number, row in enumerate(form.goods):
        start = amount(row.get("start", ""))
        if start == 0:
            yield Misfit("goods", number, "start", "setup.want_above_0")
        elif start is not None and largest and start > largest:
            yield Misfit("goods", number, "start", "setup.want_below_max", {"most": largest})


def _points(form: SetupForm) -> Iterator[Misfit]:
    """Some good has points, and nobody has more than all copies of all goods have."""
    points = [_whole(row, "points", "") for row in form.goods]
    copies = [_whole(row, "copies", "1") for row in form.goods]
    if not points or None in points or None in copies:
        return
    total = count_points((n for n in copies if n), (n or 0 for n in points))
    if not total:
        yield Misfit("goods", 0, "points", "setup.want_some_points")
        return
    for number, row in enumerate(form.bidders):
        first = _whole(row, "eligibility", "0")
        if first is not None and first > total:
            most: dict[str, str | Decimal] = {"most": Decimal(total)}
            yield Misfit("bidders", number, "eligibility", "setup.want_below_points", most)


def _payments(form: SetupForm) -> Iterator[Misfit]:
    """Payments above offers need a price for every lot, and no rule that spending more widens."""
    if form.rule("payment_rule") == "offered":
        return
    missing = [row.get("name", "") for row in form.goods if not row.get("price")]
    binding = [row for row in form.awards if not row.get("scenario")]
    if missing:
        yield Misfit("rules", None, "payment_rule", "setup.want_prices", {"lot": missing[0]})
    elif any(one.get("counts") == "share_of_spend" for one in binding):
        yield Misfit("rules", None, "payment_rule", "setup.want_no_spend")


def amount(text: str) -> Decimal | None:
    """A plain amount; None if it is none, which is told elsewhere."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and value >= 0 else None


def _whole(row: Row, name: str, usual: str) -> int | None:
    """A whole number of a row; None if it is none, which is told elsewhere."""
    text = row.get(name, "") or usual
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
