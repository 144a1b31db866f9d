"""The rules of an auction in plain words."""

import math
from dataclasses import dataclass

from boca.core.goods import Good, Limit
from boca.core.market import Market
from boca.live.auction.courses import CourseRules
from boca.live.auction.rules import Rules
from boca.live.auction.views import Setup
from boca.live.web.setting_up.buyers_rules import rule_words
from boca.live.web.setting_up.changes import acts_words, hours_words
from boca.live.web.texts import Texts
from boca.markets.limits import credits_of


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
    points
        Points of one copy of each good, for the activity rule; empty without it.
    credits
        Credits of one copy of each good, for budgets of credits; empty without them.
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
    points: tuple[int, ...] = ()
    credits: tuple[str, ...] = ()


def rules_words(
    t: Texts, setup: Setup, bidder: int | None = None, is_staff: bool = False
) -> RulesWords:
    """
    The rules for one reader.

    Parameters
    ----------
    t, setup
        Texts, rules and market.
    bidder
        Who reads; None for everybody else.
    is_staff
        Whether the reader knows everybody's name, so that rules may name suppliers.
    """
    rules, market = setup.rules, setup.market
    if isinstance(rules, CourseRules):
        return _courses(t, setup, rules, bidder)
    prices = _prices(rules, market)
    show = rules.money.show
    shown = [t("run.unknown") if units is None else show(units) for units in prices]
    limits = [] if bidder is None else t.limits(market.bidders[bidder])
    return RulesWords(
        goods=tuple(zip(market.goods, shown, strict=True)),
        has_reserve=any(units is not None for units in prices),
        limits=tuple(limits),
        sections=(
            *_held(t, setup, bidder),
            Chapter("rules.rounds", _rounds(t, rules)),
            *_activity(t, setup, bidder, is_staff),
            Chapter("rules.money", _money(t, rules)),
            *_caps(t, setup, bidder, is_staff),
            *_outcome(t, setup, bidder, is_staff),
            Chapter("rules.seen", _seen(t, rules)),
        ),
        mechanism=t.choice("mechanism", rules.mechanism),
        key=setup.public_key,
        points=rules.points_of(market),
        credits=tuple(t.figure(n) for n in credits_of(market, bidder)),
    )


def _courses(t: Texts, setup: Setup, rules: CourseRules, bidder: int | None) -> RulesWords:
    """The rules of an allocation of courses."""
    market = setup.market
    limits = () if bidder is None else market.bidders[bidder].limits
    minutes = t.minutes(rules.round_minutes[0])
    compared: tuple[str, ...] = ()
    if rules.num_questions:
        questions = t.count("course_rules.questions", rules.num_questions)
        compared = (questions, t("course_rules.answers"))
    return RulesWords(
        goods=tuple((good, "") for good in market.goods),
        has_reserve=False,
        limits=tuple(dict.fromkeys(_limit(t, market, limit) for limit in limits)),
        sections=(
            Chapter(
                "course_rules.how",
                tuple(t(f"course_rules.{key}") for key in ("market", "order", "truth")),
            ),
            Chapter(
                "course_rules.ask",
                (
                    t("course_rules.ratings"),
                    *compared,
                    t("course_rules.deadline", minutes=minutes),
                ),
            ),
            Chapter(
                "course_rules.seen",
                tuple(t(f"course_rules.{key}") for key in ("private", "published", "links")),
            ),
        ),
        mechanism=t("course_rules.method"),
        key=setup.public_key,
    )


def _limit(t: Texts, market: Market, limit: Limit) -> str:
    if limit.name == "max_courses":
        return t("course_rules.most_courses", n=f"{limit.bound:g}")
    if limit.name == "max_credits":
        return t("course_rules.most_credits", n=f"{limit.bound:g}")
    if limit.bound == 0:
        banned = [g.name for g, c in zip(market.goods, limit.coefficients, strict=True) if c]
        return t("course_rules.banned", courses=t.listing(banned))
    return t.read(limit.name)


def _prices(rules: Rules, market: Market) -> list[int | None]:
    """Reserve or at-most price of one copy of each good; None where there is none."""
    if market.sense == "buy":
        return rules.at_most_units(market)
    reserve = rules.reserve_units(market)
    return [*reserve] if any(reserve) else [None] * market.num_goods


def _held(t: Texts, setup: Setup, bidder: int | None) -> tuple[Chapter, ...]:
    """What a participant of an exchange holds now."""
    if setup.kind != "exchange" or bidder is None:
        return ()
    held = held_words(t, setup, bidder)
    return (Chapter("rules.holdings", (f"{held} {t('rules.keep_first')}",)),)


def held_words(t: Texts, setup: Setup, bidder: int) -> str:
    """What a participant holds now, in a sentence; empty but in an exchange."""
    if setup.kind != "exchange":
        return ""
    held = setup.market.endowments[bidder].tolist()
    if not any(held):
        return t("trade.hold_nothing")
    return t("trade.hold_now", held=t.bundle(held, setup.market, most=math.inf))


def _outcome(t: Texts, setup: Setup, bidder: int | None, is_staff: bool) -> tuple[Chapter, ...]:
    """Who gets what and what is paid, with an example where there is one for the rule."""
    rules, rule = setup.rules, setup.rules.payment_rule
    chapters: tuple[Chapter, ...]
    if setup.kind == "buy":
        chapters = (
            Chapter("rules.payments", _award(t, setup)),
            Chapter("rules.buyers_rules", _buyers_rules(t, setup, bidder, is_staff)),
        )
        has_example = rule != "offered"
    elif setup.kind == "exchange":
        proven = (t("rules.proven_bids"),) if rules.announces_prices else ()
        honest = () if rule == "vcg" else (t("rules.not_truthful"),)
        sentences = (t("rules.trade"), *proven, t(f"rules.trade_{rule}"), *honest)
        chapters = (Chapter("rules.payments", sentences),)
        has_example = rule in ("threshold", "proportional")
    else:
        suffix = _suffix(any(rules.reserve_units(setup.market)))
        return (
            Chapter("rules.payments", _payments(t, rules, bool(suffix))),
            Chapter("rules.example", (t(f"rules.example_text{suffix}"),)),
        )
    if has_example:
        chapters += (Chapter("rules.example", (t("rules.example_text"),)),)
    return chapters


def _award(t: Texts, setup: Setup) -> tuple[str, ...]:
    """Which award is made, and what suppliers are paid."""
    rules, market, rule = setup.rules, setup.market, setup.rules.payment_rule
    priced = [units is not None for units in rules.at_most_units(market)]
    some = "all" if all(priced) else "some" if any(priced) else "none"
    asks = any(row.at_least is not None for row in market.rules)
    honest = {"vcg": "not_honest" if asks else "honest", "core": "core_not_honest"}
    return (
        t("rules.award"),
        t(f"rules.at_most_{some}"),
        *((t("rules.proven_bids"),) if rules.announces_prices else ()),
        t(f"rules.paid_{rule}"),
        *((t(f"rules.{honest[rule]}"),) if rule in honest else ()),
        t("rules.no_award_offered" if rule == "offered" else "rules.no_award"),
    )


def _buyers_rules(t: Texts, setup: Setup, bidder: int | None, is_staff: bool) -> tuple[str, ...]:
    """The rules across suppliers, one by one; to suppliers, others are counted, not named."""
    rules = setup.market.rules
    if not rules:
        return t("rules.no_buyers_rules"), t("rules.compare")
    lead = f"{t('rules.buyers_rules_lead')} {t('rules.compare')}"
    return (lead, *(rule_words(t, setup, rule, bidder, is_staff) for rule in rules))


def _rounds(t: Texts, rules: Rules) -> tuple[str, ...]:
    """How the auction runs, as far as the rules say something about it."""
    first, later = (t.minutes(minutes) for minutes in rules.round_minutes)
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
    unanswered = t("points.unanswered" if rules.points else "rules.unanswered")
    sentences = [" ".join(asking), unanswered]
    if rules.announces_prices:
        sentences.insert(1, t("rules.at_prices"))
    if rules.close_early:
        sentences.append(t("rules.close_early"))
    start = rules.start_moment
    if start is not None:
        sentences.append(t("setup.rule_start", time=t.zoned(start, rules.zone)))
    if rules.opening_hours:
        sentences.append(t("setup.rule_hours", hours=hours_words(t, rules)))
    if rules.extensions:
        more = t.minutes(rules.extension_minutes)
        sentences.append(t("rules.extensions", minutes=more, n=rules.extensions))
    if rules.last_call_minutes:
        minutes = t.minutes(rules.last_call_minutes)
        sentences.append(t("rules.last_call", minutes=minutes))
    if rules.accept_rules:
        sentences.append(t("accept.rule"))
    if rules.approval:
        sentences.append(t("accept.rule_approval"))
    if rules.second_person:
        sentences.append(t("second.rule", acts=acts_words(t, rules)))
    pushes = t("rules.no_own_bids")
    if rules.push_bids:
        pushes = t.count("rules.own_bids", rules.push_bids)
    sentences.append(f"{pushes} {t(f'rules.corrections_{rules.corrections}')}")
    return tuple(sentences)


def _activity(t: Texts, setup: Setup, bidder: int | None, is_staff: bool) -> tuple[Chapter, ...]:
    """The activity rule, with the reader's own points; staff reads everybody's."""
    rules, market = setup.rules, setup.market
    if not rules.points:
        return ()
    if bidder is not None:
        first = [t("points.first_own", n=rules.first_eligibility(market, bidder))]
    else:
        first = [t("points.first")]
        rows = rules.eligibility.items() if is_staff else ()
        first += [t("points.first_of", bidder=name, n=n) for name, n in rows]
    final = [t("points.final")] if rules.corrections == "always" else []
    sentences = (t("points.rule"), *first, t("points.missing"), *final)
    return (Chapter("points.title", sentences),)


def _caps(t: Texts, setup: Setup, bidder: int | None, is_staff: bool) -> tuple[Chapter, ...]:
    """The reader's own spending cap; staff reads everybody's, and others how many there are."""
    rules, show = setup.rules, setup.money.show
    if not rules.spending_caps:
        return ()
    caps = {
        one.name: rules.cap_of(setup.market, place)
        for place, one in enumerate(setup.market.bidders)
    }
    amounts = {name: show(cap) for name, cap in caps.items() if cap is not None}
    if is_staff:
        said = [t("caps.of", bidder=name, amount=amount) for name, amount in amounts.items()]
    elif bidder is None:
        said = [t.count("caps.some", len(amounts))]
    else:
        own = amounts.get(setup.market.bidders[bidder].name)
        said = [t("caps.not_you") if own is None else t("caps.own", amount=own)]
    return (Chapter("caps.title", (*said, t("caps.public"))),)


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
    ranges = (t("range.rules"),) if rules.ranges else ()
    return amounts, *ranges, t(f"rules.monotone_{rules.monotone}")


def _seen(t: Texts, rules: Rules) -> tuple[str, ...]:
    until = t("rules.seen_sealed" if rules.sealed_from_auctioneer else "rules.seen_before")
    before = (until, t("rules.seen_others"))
    explained = t("rules.explain" if rules.explain_payments else "rules.no_explain")
    return " ".join(before), t(f"rules.seen_{rules.publish}"), explained
