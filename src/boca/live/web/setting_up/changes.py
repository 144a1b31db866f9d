"""What differs between two configurations of a draft, in words: old and new."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from boca.core.market import Bidder, Market
from boca.live.auction.rules import Rules
from boca.live.auction.views import Setup
from boca.live.web.setting_up.buyers_rules import rule_words
from boca.live.web.setting_up.form import OFFERED, text_of
from boca.live.web.texts import Texts

# Told with goods or bidders, or by the mechanism.
ELSEWHERE = (
    "reserve", "at_most", "start_prices", "conduct", "points", "spending_caps", "eligibility",
)  # fmt: skip


@dataclass(frozen=True)
class ChangeWords:
    """
    One thing that was changed.

    Parameters
    ----------
    what
        A good, a bidder or a rule.
    old, new
        What it was and what it is; a text for nothing where there was or is none.
    """

    what: str
    old: str
    new: str


def changes(
    t: Texts, before: tuple[Rules, Market], after: tuple[Rules, Market]
) -> list[ChangeWords]:
    """Everything that differs, goods first, then bidders and rules."""
    (old_rules, old), (new_rules, new) = before, after
    rows = []
    if old.name != new.name:
        rows.append(ChangeWords(t("setup.name"), old.name, new.name))
    rows += _goods(t, before, after)
    rows += _bidders(t, before, after)
    rows += _rules(t, old_rules, new_rules)
    rows += _buyers_rules(t, before, after)
    if not rows and before != after:
        rows.append(ChangeWords(t("setup.change_else"), "", ""))
    return rows


def _goods(
    t: Texts, before: tuple[Rules, Market], after: tuple[Rules, Market]
) -> Iterator[ChangeWords]:
    """Goods by name: copies and prices; the order, if nothing else differs."""
    was, now = _good_words(t, *before), _good_words(t, *after)
    none = t("setup.change_none")
    for name in dict.fromkeys((*was, *now)):
        old, new = was.get(name, none), now.get(name, none)
        if old != new:
            yield ChangeWords(t("setup.change_good", name=name), old, new)
    if was == now and list(was) != list(now):
        yield ChangeWords(t("setup.change_order"), t.listing(was), t.listing(now))


def _good_words(t: Texts, rules: Rules, market: Market) -> dict[str, str]:
    """Name -> copies and prices of a good."""
    words = {}
    for good in market.goods:
        parts = [t.count("setup.change_copies", good.capacity)]
        if good.unit:
            parts.append(t("setup.change_unit", unit=good.unit))
        if good.group:
            parts.append(t("setup.change_group", group=good.group))
        price = {**rules.reserve, **rules.at_most}.get(good.name)
        if price:
            parts.append(t("setup.change_price", amount=f"{price} {rules.currency}"))
        if good.name in rules.start_prices:
            amount = f"{rules.start_prices[good.name]} {rules.currency}"
            parts.append(t("setup.change_start", amount=amount))
        if rules.points:
            parts.append(t("setup.change_points", n=rules.points[good.name]))
        words[good.name] = t.listing(parts)
    return words


def _bidders(
    t: Texts, before: tuple[Rules, Market], after: tuple[Rules, Market]
) -> Iterator[ChangeWords]:
    """Bidders by their place, since people act for the bidder at a place."""
    none = t("setup.change_none")
    (old_rules, old), (new_rules, new) = before, after
    for place in range(max(old.num_bidders, new.num_bidders)):
        was = old.bidders[place] if place < old.num_bidders else None
        now = new.bidders[place] if place < new.num_bidders else None
        name = (was or now).name  # type: ignore[union-attr]
        if was is None or now is None or was.name != now.name:
            yield ChangeWords(
                t("setup.change_bidder", n=place + 1),
                was.name if was else none,
                now.name if now else none,
            )
        old_words = _limits(t, was, old, old_rules) if was else t("rules.no_limits")
        new_words = _limits(t, now, new, new_rules) if now else t("rules.no_limits")
        if old_words != new_words:
            yield ChangeWords(t("setup.change_limits", name=name), old_words, new_words)


def _limits(t: Texts, bidder: Bidder, market: Market, rules: Rules) -> str:
    """What a bidder can receive and pay, and what it holds."""
    names = t.limits(bidder)
    if bidder.name in rules.spending_caps:
        amount = f"{rules.spending_caps[bidder.name]} {rules.currency}"
        names.append(t("setup.change_cap", amount=amount))
    if bidder.name in rules.eligibility:
        names.append(t("setup.change_eligibility", n=rules.eligibility[bidder.name]))
    if any(bidder.endowment):
        names.append(t("setup.change_holds", what=t.bundle(bidder.endowment, market)))
    return t.listing(names) if names else t("rules.no_limits")


def _buyers_rules(
    t: Texts, before: tuple[Rules, Market], after: tuple[Rules, Market]
) -> Iterator[ChangeWords]:
    """Rules across suppliers that were or are there."""
    was, now = (
        [rule_words(t, Setup(rules, market, rules.money, "", ""), rule, None, is_staff=True)
         for rule in market.rules]
        for rules, market in (before, after)
    )  # fmt: skip
    none = t("setup.change_none")
    yield from (ChangeWords(t("setup.awards"), one, none) for one in was if one not in now)
    yield from (ChangeWords(t("setup.awards"), none, one) for one in now if one not in was)


def _rules(t: Texts, old: Rules, new: Rules) -> Iterator[ChangeWords]:
    for name in (f.name for f in fields(Rules) if f.name not in ELSEWHERE):
        was, now = getattr(old, name), getattr(new, name)
        if was == now:
            continue
        if name == "round_minutes":
            for key, one, other in zip(("first_minutes", "later_minutes"), was, now, strict=True):
                if one != other:
                    yield ChangeWords(t(f"new_rule.{key}"), text_of(one), text_of(other))
        elif name == "second_person":
            yield ChangeWords(t("new_rule.second_person"), acts_words(t, old), acts_words(t, new))
        elif name == "opening_hours":
            yield ChangeWords(t("setup.hours"), hours_words(t, old), hours_words(t, new))
        else:
            label = t(f"new_rule.{name}") if name in OFFERED else name
            yield ChangeWords(label, _value(t, name, was), _value(t, name, now))


def _value(t: Texts, name: str, value: object) -> str:
    """A rule's value in words."""
    if isinstance(value, bool):
        return t("setup.yes" if value else "setup.no")
    if name == "mechanism" or name in Rules.CHOICES:
        return t.choice(name, str(value))
    return text_of(value) or t("setup.change_none")


def acts_words(t: Texts, rules: Rules) -> str:
    """Acts that need two auctioneers, in words."""
    words = [t(f"second.{act}") for act in rules.second_person]
    return t.listing(words) if words else t("setup.change_none")


def hours_words(t: Texts, rules: Rules) -> str:
    """Opening hours in words: days, from, to and zone."""
    hours = rules.opening_hours
    if not hours:
        return t("setup.any_time")
    days = t.listing(t(f"setup.day_{day}") for day in hours["days"])
    return t("setup.hours_words", days=days, start=hours["from"], end=hours["to"],
             zone=rules.time_zone)  # fmt: skip
