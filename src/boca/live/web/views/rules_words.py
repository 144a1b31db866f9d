"""The rules of an auction in plain words."""

from dataclasses import dataclass

from boca.core.market import Good
from boca.live.auction.rules import Rules
from boca.live.auction.views import Setup
from boca.live.web.texts import Texts


@dataclass(frozen=True)
class Chapter:
    """Some sentences with a title, given by its key."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class RulesWords:
    """
    Everything on the page of rules.

    Parameters
    ----------
    goods, has_reserve
        What is shared out, with the reserve price of one copy, and whether there is one.
    limits
        What the reader can receive.
    sections
        The rules, sentence by sentence.
    mechanism, key
        For readers who check: the method, and the key that signs receipts.
    """

    goods: tuple[tuple[Good, str], ...]
    has_reserve: bool
    limits: tuple[str, ...]
    sections: tuple[Chapter, ...]
    mechanism: str
    key: str


def rules_words(t: Texts, setup: Setup, bidder: int | None = None) -> RulesWords:
    """The rules for one reader; ``bidder`` is None for the public."""
    rules, market = setup.rules, setup.market
    reserve = rules.reserve_units(market)
    goods = tuple(zip(market.goods, map(rules.money.show, reserve), strict=True))
    limits = () if bidder is None else market.bidders[bidder].limits
    return RulesWords(
        goods=goods,
        has_reserve=any(reserve),
        limits=tuple(dict.fromkeys(limit.name for limit in limits)),
        sections=(
            Chapter("rules.rounds", _rounds(t, rules)),
            Chapter("rules.money", _money(t, rules)),
            Chapter("rules.payments", _payments(t, rules, any(reserve))),
            Chapter("rules.example", (t(f"rules.example_text{_suffix(any(reserve))}"),)),
            Chapter("rules.seen", _seen(t, rules)),
        ),
        mechanism=t.choice("mechanism", rules.mechanism),
        key=setup.public_key,
    )


def _rounds(t: Texts, rules: Rules) -> tuple[str, ...]:
    """How the auction runs, as far as the rules say something about it."""
    first, later = (t.count("rules.minutes", minutes) for minutes in rules.round_minutes)
    if rules.conduct.has_own_pace:
        asking = [
            t("rules.own_pace", first=first, later=later),
            t("rules.total", total=rules.num_total),
        ]
    else:
        asking = [t.count("rules.initial", rules.num_initial, minutes=first)]
        if rules.num_total > rules.num_initial:
            asking += [
                t.count("rules.later", rules.num_per_round, minutes=later),
                t("rules.total", total=rules.num_total),
            ]
    asking.append(t("rules.by_hand" if rules.open_rounds == "by hand" else "rules.auto"))
    sentences = [" ".join(asking), t("rules.unanswered")]
    if rules.announces_prices:
        sentences.insert(1, t("rules.at_prices"))
    if rules.close_early:
        sentences.append(t("rules.close_early"))
    if rules.extensions:
        more = t.count("rules.minutes", rules.extension_minutes)
        sentences.append(t("rules.extensions", minutes=more, n=rules.extensions))
    if rules.last_call_minutes:
        minutes = t.count("rules.minutes", rules.last_call_minutes)
        sentences.append(t("rules.last_call", minutes=minutes))
    pushes = t("rules.no_own_bids")
    if rules.push_bids:
        pushes = t.count("rules.own_bids", rules.push_bids)
    sentences.append(f"{pushes} {t(f'rules.corrections_{rules.corrections}')}")
    return tuple(sentences)


def _suffix(has_reserve: bool) -> str:
    """Sentences that differ with reserve prices have keys that say so."""
    return "_reserve" if has_reserve else ""


def _payments(t: Texts, rules: Rules, has_reserve: bool) -> tuple[str, ...]:
    """Who receives what, and what it costs."""
    suffix = _suffix(has_reserve)
    payment = t(f"rules.{rules.payment_rule}{suffix}")
    if rules.announces_prices:
        return t(f"rules.allocation_prices{suffix}"), t("rules.proven_bids"), payment
    return t(f"rules.allocation{suffix}"), payment


def _money(t: Texts, rules: Rules) -> tuple[str, ...]:
    money = rules.money
    amounts = t(
        "rules.amounts",
        currency=rules.currency,
        unit=money.show(1),
        max=money.show(rules.most_units),
    )
    return amounts, t(f"rules.monotone_{rules.monotone}")


def _seen(t: Texts, rules: Rules) -> tuple[str, ...]:
    until = t("rules.seen_sealed" if rules.sealed_from_auctioneer else "rules.seen_before")
    before = (until, t("rules.seen_others"))
    explained = t("rules.explain" if rules.explain_payments else "rules.no_explain")
    return " ".join(before), t(f"rules.seen_{rules.publish}"), explained
