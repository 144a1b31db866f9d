"""A buyer's rules across suppliers, each in a sentence."""

from decimal import Decimal

from boca.core.rule import Rule
from boca.live.auction.views import Setup
from boca.live.web.texts import Texts


def rule_words(
    t: Texts, setup: Setup, rule: Rule, bidder: int | None = None, is_staff: bool = False
) -> str:
    """One rule in a sentence; to suppliers, others are counted and not named."""
    goods = setup.market.goods
    where = ""
    if rule.lots is not None:
        where = t("rule.where", lots=t.listing(goods[j].name for j in rule.lots))
    each = "_each" if rule.each else ""
    sentence = t(
        f"rule.{rule.counts}{each}",
        where=where,
        whom=_whom(t, setup, rule, bidder, is_staff),
        bound=_bound(t, setup, rule),
        any=t("rule.any") if rule.if_any else "",
    )
    return t("rule.named", title=rule.name, sentence=sentence) if rule.name else sentence


def _whom(t: Texts, setup: Setup, rule: Rule, bidder: int | None, is_staff: bool) -> str:
    if rule.who is None:
        return t("rule.every" if rule.each else "rule.all")
    names = [setup.market.bidders[i].name for i in rule.who]
    whom = t.listing(names) if is_staff else _group(t, rule.who, bidder)
    is_alone = len(rule.who) == 1
    return t("rule.each_of", whom=whom) if rule.each and not is_alone else whom


def _group(t: Texts, who: tuple[int, ...], bidder: int | None) -> str:
    """Some suppliers, who are counted and not named."""
    if who == (bidder,):
        return t("rule.you_alone")
    if bidder is None or bidder not in who:
        return t.count("rule.group" if bidder is None else "rule.you_out", len(who))
    return t("rule.you_in", n=len(who))


def _bound(t: Texts, setup: Setup, rule: Rule) -> str:
    parts = []
    for key, bound in (("at_least", rule.at_least), ("at_most", rule.at_most)):
        if bound is None:
            continue
        number = f"{bound:,g}"
        if rule.share:
            number = t(f"rule.of_{rule.counts}", n=rule.written(bound))
        elif rule.counts == "spend":
            number = setup.money.show(round(Decimal(str(bound)) / setup.money.size))
        parts.append(t(f"rule.{key}", n=number))
    return t("rule.both", least=parts[0], most=parts[1]) if len(parts) == 2 else parts[0]
