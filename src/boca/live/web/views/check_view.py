"""What the page before sending shows: every amount, and what looks odd."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boca.live.auction.events import Bundle
from boca.live.auction.views import Setup
from boca.live.auction.warnings import Warning
from boca.live.web.texts import Texts
from boca.live.web.views.basket import Basket


@dataclass(frozen=True)
class CheckRow:
    """
    One thing that will be sent.

    Parameters
    ----------
    key
        Of its draft.
    bundle, kind, amount, was
        In words; ``was`` is what counts now, for corrections.
    removable
        Whether it can be taken out here; answers are changed on their own page.
    note
        What a wanted bundle will count with.
    """

    key: str
    bundle: str
    kind: str
    amount: str
    was: str
    removable: bool
    note: str = ""


@dataclass(frozen=True)
class WarningRow:
    """
    One warning with its box.

    Parameters
    ----------
    id, field
        What a tick confirms, and the name of its box in the page.
    text
        The warning.
    needs_tick, is_ticked, error
        Whether it has to be confirmed, whether it was, and whether somebody forgot to.
    """

    id: str
    field: str
    text: str
    needs_tick: bool
    is_ticked: bool
    error: bool


def check_rows(
    t: Texts, setup: Setup, basket: Basket, bids: Mapping[Bundle, int]
) -> list[CheckRow]:
    """
    What will be sent, in words.

    Parameters
    ----------
    t, setup
        Texts, and how bundles and money are written.
    basket
        What will be sent.
    bids
        What would count for wanted bundles.
    """
    market, money = setup.market, setup.money
    rows = []
    for item in basket.items:
        is_demand = item.kind in ("demand", "again")
        amount = t("check.declined") if item.units is None else money.show(item.units)
        was, note = "", ""
        if item.kind == "correct" and item.was is not None:
            was = money.show(item.was)
        if is_demand:
            amount = t("check.costs", amount=amount) if any(item.bundle) else ""
            was = "" if item.was_bundle is None else t.bundle(item.was_bundle, market)
            if item.bundle in bids:
                is_price = bids[item.bundle] == item.units
                key = "check.counts_cost" if is_price else "check.counts"
                note = t(key, amount=money.show(bids[item.bundle]))
        is_unnamed = item.kind == "decline" and not any(item.bundle)
        rows.append(
            CheckRow(
                key=item.key,
                bundle=t("check.at_prices") if is_unnamed else t.bundle(item.bundle, market),
                kind=t(f"check.{item.kind}", query=item.query),
                amount=amount,
                was=was,
                removable=item.kind in ("push", "correct", "again"),
                note=note,
            )
        )
    return rows


def warning_rows(
    t: Texts,
    setup: Setup,
    warnings: Iterable[Warning],
    ticked: tuple[str, ...],
    is_asked: bool,
) -> list[WarningRow]:
    """The warnings, in words; ``is_asked``: a missing tick is a mistake by now."""
    return [
        WarningRow(
            id=warning.id,
            field=f"tick-{warning.id}",
            text=warning_words(t, setup, warning),
            needs_tick=warning.needs_tick,
            is_ticked=warning.id in ticked,
            error=is_asked and warning.needs_tick and warning.id not in ticked,
        )
        for warning in warnings
    ]


def warning_words(t: Texts, setup: Setup, warning: Warning) -> str:
    """A warning as a sentence with both amounts."""
    market, money = setup.market, setup.money
    other = "" if warning.other is None else t.bundle(warning.other, market)
    return t(
        f"warning.{warning.kind}",
        bundle=t.bundle(warning.bundle, market),
        amount=money.show(warning.units),
        other=other,
        other_amount=money.show(warning.other_units or 0),
        factor=f"{warning.factor or 0:g}",
    )
