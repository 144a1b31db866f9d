"""V9 to V11 of a purchase: the award, that none is cheaper, and what suppliers are paid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from boca_verify.bodies import Body, Bundle, body_of
from boca_verify.errors import Undecided
from boca_verify.market import LoggedRule
from boca_verify.outcome.bids import bids_of
from boca_verify.outcome.buyers_rules import counted_in, promises
from boca_verify.outcome.core_payments import GroupClaim, least_payments
from boca_verify.outcome.options import Choice, Option, best_choice
from boca_verify.outcome.terms import Explained, about_terms
from boca_verify.questions import LoggedBook
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

RULES = {
    "offered": "as offered",
    "vcg": "its offer and what the award would cost more without it, up to the at-most prices",
    "core": "as much as no group could underbid",
}


@dataclass(frozen=True)
class DecidedAward:
    """
    What was decided, against the offers it must follow from.

    Parameters
    ----------
    setup
        Needs, limits, the buyer's rules and at-most prices.
    offers
        What each supplier offers: bundle -> units of money.
    record
        The ``decided``.
    supplied
        A bundle per supplier.
    outside
        Units of each lot that are bought elsewhere.
    payments
        What each supplier is paid, in units.
    """

    setup: LoggedSetup
    offers: tuple[dict[Bundle, int], ...]
    record: Record
    supplied: tuple[Bundle, ...]
    outside: Bundle
    payments: tuple[int, ...]

    @property
    def winners(self) -> list[int]:
        return [i for i, bundle in enumerate(self.supplied) if any(bundle)]

    def offer(self, supplier: int) -> int:
        """What a supplier asks for what it supplies."""
        bundle = self.supplied[supplier]
        return self.offers[supplier][bundle] if any(bundle) else 0

    @property
    def outside_cost(self) -> int:
        pairs = zip(self.outside, self.setup.at_most, strict=True)
        return sum(n * (units or 0) for n, units in pairs)

    @property
    def cost(self) -> int:
        """What everything costs."""
        return sum(self.offer(i) for i in range(len(self.offers))) + self.outside_cost

    def most(self, supplier: int) -> int | None:
        """What a supplier's lots cost outside; None where they cannot be had there."""
        pairs = list(zip(self.supplied[supplier], self.setup.at_most, strict=True))
        if any(n and units is None for n, units in pairs):
            return None
        return sum(n * (units or 0) for n, units in pairs)

    @cached_property
    def program(self) -> "AwardProgram":
        return AwardProgram(self.setup, self.offers)


class AwardProgram:
    """
    All awards that offers permit, as options.

    Parameters
    ----------
    setup, offers
        As in :class:`DecidedAward`.
    """

    def __init__(self, setup: LoggedSetup, offers: Sequence[dict[Bundle, int]]):
        self.setup = setup
        self.num = len(offers)
        self.promises = [p for rule in setup.market.rules for p in promises(rule, setup)]
        self.joint = [promise for promise in self.promises if not promise.is_alone]
        self.most_spend = sum(max(own.values(), default=0) for own in offers) + sum(
            need * (units or 0) for need, units in zip(setup.full, setup.at_most, strict=True)
        )
        nothing = (0,) * setup.num_goods
        self.options: list[Option] = []
        for i, own in enumerate(offers):
            rows = {nothing: 0, **{b: c for b, c in own.items() if any(b) and setup.allows(i, b)}}
            for bundle, cost in rows.items():
                if self._is_allowed_alone(i, bundle, cost):
                    self.options.append(Option(i, -cost, self._uses(i, bundle, cost), bundle))
        self._add_outside()
        self.bounds = [-n for n in setup.full]
        self.bounds += [bound for promise in self.joint for bound in promise.bounds()]

    def _is_allowed_alone(self, supplier: int, bundle: Bundle, cost: int) -> bool:
        """Whether the rules for each supplier by itself permit one offer."""
        return all(
            promise.is_kept(counted_in(promise.rule, self.setup, bundle, cost), any(bundle), 0)
            for promise in self.promises
            if promise.is_alone and supplier in promise.who
        )

    def _uses(self, supplier: int, bundle: Bundle, cost: int) -> tuple[int, ...]:
        uses = [-min(n, need) for n, need in zip(bundle, self.setup.full, strict=True)]
        for promise in self.joint:
            is_in = supplier in promise.who
            amount = counted_in(promise.rule, self.setup, bundle, cost) if is_in else 0
            uses += promise.uses(amount, is_in and not any(bundle), cost, self.most_spend)
        return tuple(uses)

    def _add_outside(self) -> None:
        """Units from elsewhere: numbers whose sums are all numbers up to the need."""
        owner = self.num
        for j, (need, units) in enumerate(zip(self.setup.full, self.setup.at_most, strict=True)):
            left, step = need, 1
            while units is not None and left > 0:
                part = min(step, left)
                for n in (0, part):
                    uses = [-n if k == j else 0 for k in range(self.setup.num_goods)]
                    for promise in self.joint:
                        uses += promise.uses(0, False, n * units, self.most_spend)
                    self.options.append(Option(owner, -n * units, tuple(uses)))
                left, step, owner = left - part, 2 * step, owner + 1

    def cheapest(
        self, without: int | None = None, dearer: dict[int, int] | None = None, parts: int = 1
    ) -> Choice | None:
        """
        The cheapest award; its worth is minus the cost. None if there is none.

        Parameters
        ----------
        without
            A supplier that supplies nothing.
        dearer
            What is added to every offer of a supplier, in parts of a unit.
        parts
            How many parts a unit has.
        """
        options = [
            Option(
                option.owner,
                parts * option.worth - (dearer or {}).get(option.owner, 0) * any(option.bundle),
                option.uses,
                option.bundle,
            )
            for option in self.options
            if option.owner != without or not any(option.bundle)
        ]
        owners = {option.owner for option in options}
        if not owners >= set(range(self.num)):
            return None
        return best_choice(options, self.bounds)


def read_award(setup: LoggedSetup, books: Sequence[LoggedBook], record: Record) -> DecidedAward:
    """The award of a ``decided`` record; Damaged if it is none."""
    body = body_of(record)
    num = setup.num_bidders
    return DecidedAward(
        setup,
        tuple(bids_of(setup, i, book) for i, book in enumerate(books)),
        record,
        body.bundles("allocation", num, setup.num_goods),
        body.wholes("outside", setup.num_goods),
        body.wholes("payments", num),
    )


def award_problems(award: DecidedAward, is_rehearsal: bool, knows_offers: bool) -> list[str]:
    """What is wrong with an award, in words."""
    setup, body = award.setup, body_of(award.record)
    problems = []
    if body.text("rule") != setup.payment_rule:
        problems.append(f"it pays by the rule '{body.text('rule')}', not '{setup.payment_rule}'.")
    if not body.has("verified_by") and not is_rehearsal:
        problems.append("no second solver agreed on it, which only a rehearsal may lack.")
    return problems + coverage_problems(award, knows_offers)


def coverage_problems(award: DecidedAward, knows_offers: bool) -> list[str]:
    """What is wrong with who supplies what, in words."""
    setup, problems = award.setup, list[str]()
    for i in award.winners:
        bundle, name = award.supplied[i], setup.name(i)
        if not setup.allows(i, bundle):
            problems.append(f"{name} supplies {setup.words(bundle)}, which its limits forbid.")
        elif knows_offers and bundle not in award.offers[i]:
            problems.append(f"{name} supplies {setup.words(bundle)}, which it never offered.")
    for j, need in enumerate(setup.full):
        lot, bought = setup.market.goods[j].name, sum(row[j] for row in award.supplied)
        if award.outside[j] and setup.at_most[j] is None:
            problems.append(f"'{lot}' is bought outside, where it has no price.")
        if bought + award.outside[j] < need:
            problems.append(f"of '{lot}', {bought + award.outside[j]} of {need} units are covered.")
    if knows_offers and not problems:
        problems += [
            f"it breaks the rule '{rule.title}'."
            for rule in setup.market.rules
            if not _keeps(award, rule)
        ]
    return problems


def _keeps(award: DecidedAward, rule: LoggedRule) -> bool:
    """Whether an award keeps to a rule, counted in whole numbers."""
    setup = award.setup
    amounts = [
        counted_in(rule, setup, bundle, award.offer(i)) for i, bundle in enumerate(award.supplied)
    ]
    return all(
        promise.is_kept(
            sum(amounts[i] for i in promise.who),
            any(any(award.supplied[i]) for i in promise.who),
            award.cost,
        )
        for promise in promises(rule, setup)
    )


def check_award(award: DecidedAward, is_rehearsal: bool, findings: list[Finding]) -> Check:
    """V9: covered, made of offers, within all rules; ``findings`` are about what was told."""
    found = [Finding(text, award.record.seq) for text in award_problems(award, is_rehearsal, True)]
    found += findings if not found else []
    rules = award.setup.market.rules
    kept = f"; {counted(len(rules), 'rule')} of the buyer kept" if rules else ""
    sentence = f"{len(award.winners)} of {len(award.offers)} suppliers win; all lots covered{kept}."
    return Check.of("V9", found, sentence)


def check_cheapest(award: DecidedAward) -> Check:
    """V10: no award costs less."""
    best = award.program.cheapest()
    money, findings = award.setup.money, []
    if best is None:
        raise Undecided("No award was found, not even the one that was decided.")
    if -best.worth < award.cost:
        rows = [o for o in best.options if o.owner < len(award.offers) and any(o.bundle)]
        cheaper = "; ".join(
            f"{award.setup.name(o.owner)}: {award.setup.words(o.bundle)}"
            for o in sorted(rows, key=lambda option: option.owner)
        )
        findings.append(
            Finding(
                f"it costs {money(award.cost)}; {money(-best.worth)} is possible: "
                f"{cheaper or 'everything from outside'}.",
                award.record.seq,
            )
        )
    sentence = f"Everything costs {money(award.cost)}; SCIP proves that no award costs less."
    return Check.of("V10", findings, sentence)


def check_paid(award: DecidedAward, records: tuple[Record, ...]) -> Check:
    """V11: what suppliers are paid, and the sums that explain it."""
    setup = award.setup
    without: dict[int, int | None] = {}
    if setup.payment_rule != "offered":
        for i in award.winners:
            best = award.program.cheapest(without=i)
            without[i] = None if best is None else -best.worth
    findings = [
        *_payment_findings(award, without),
        *about_terms(
            setup,
            records,
            "suppliers",
            {i: _explained(award, i, cost) for i, cost in without.items()},
            "the suppliers",
        ),
    ]
    total = setup.money(sum(award.payments))
    rule = RULES[setup.payment_rule]
    winners = counted(len(award.winners), "supplier").capitalize()
    return Check.of("V11", findings, f"{winners}, {total} in all: {rule}.")


def _payment_findings(award: DecidedAward, without: dict[int, int | None]) -> Iterator[Finding]:
    setup, number, money = award.setup, award.record.seq, award.setup.money
    for i, paid in enumerate(award.payments):
        name, offer = setup.name(i), award.offer(i)
        if i not in award.winners:
            if paid:
                yield Finding(f"{name} supplies nothing and is paid {money(paid)}.", number)
            continue
        if setup.payment_rule == "offered":
            if paid != offer:
                yield Finding(f"{name} is paid {money(paid)}; it offered {money(offer)}.", number)
            continue
        cost = without[i]
        if cost is None:
            yield Finding(
                f"{name} is paid {money(paid)}, although no award exists without it, so that the "
                "rule of payment has no limit.",
                number,
            )
        elif setup.payment_rule == "vcg":
            expected = vcg_payment(award, i, cost)
            if paid != expected:
                yield Finding(
                    f"{name} is paid {money(paid)}; it offered {money(offer)}, and without it "
                    f"everything would cost {money(cost)} instead of {money(award.cost)}, so it "
                    f"should be paid {money(expected)}.",
                    number,
                )
    if setup.payment_rule == "core" and all(cost is not None for cost in without.values()):
        yield from _core_findings(award, {i: cost or 0 for i, cost in without.items()})


def vcg_payment(award: DecidedAward, supplier: int, cost_without: int) -> int:
    """The offer and what the award costs more without the supplier, up to at-most prices."""
    offer, most = award.offer(supplier), award.most(supplier)
    paid = offer + cost_without - award.cost
    return paid if most is None else min(paid, max(offer, most))


def _core_findings(award: DecidedAward, without: dict[int, int]) -> Iterator[Finding]:
    """
    What is wrong with core payments.

    With D what VCG pays above offers and y = D less what is paid above them, groups ask for sums
    of y, and the least sum of y is the most that no group could underbid.
    """
    setup, number, money = award.setup, award.record.seq, award.setup.money
    gains = {i: cost - award.cost for i, cost in without.items()}
    profits = {i: award.payments[i] - award.offer(i) for i in award.winners}
    for i, profit in profits.items():
        if not 0 <= profit <= gains[i]:
            yield Finding(
                f"{setup.name(i)} is paid {money(award.payments[i])}; expected "
                f"{money(award.offer(i))} to {money(award.offer(i) + gains[i])}.",
                number,
            )
            return
    group, room = _most_blocking(award, profits)
    asked = sum(profit for i, profit in profits.items() if i not in group)
    if asked > room:
        names = ", ".join(setup.name(i) for i in sorted(group)) or "what is bought outside"
        yield Finding(
            f"together, {names} would do with {money(asked - room)} less than what is paid.", number
        )
        return

    def claim(point: dict[int, int], parts: int) -> tuple[GroupClaim, bool]:
        """What the group asks that blocks most, and whether it does."""
        members, space = _most_blocking(
            award, {i: parts * gains[i] - y for i, y in point.items()}, parts
        )
        out = frozenset(award.winners) - members
        least = sum(gains[i] for i in out) - space
        return GroupClaim(out, least), sum(point[i] for i in out) < parts * least

    kept_back = sum(gains.values()) - sum(profits.values())
    allowance = len(award.winners) + sum(award.payments) // 10**10
    least = least_payments(dict.fromkeys(gains, 0), gains, kept_back, allowance, claim)
    if least is not None:
        yield Finding(
            f"suppliers are paid {money(sum(profits.values()))} above their offers; no group could "
            f"object to {money(sum(gains.values()) - least)}, and rounding down takes at most "
            f"{money(allowance)}.",
            number,
        )


def _most_blocking(
    award: DecidedAward, profits: dict[int, int], parts: int = 1
) -> tuple[set[int], int]:
    """The group that could underbid most at some profits, and what it costs more than all."""
    best = award.program.cheapest(dearer=profits, parts=parts)
    assert best is not None, "the award itself is one"
    members = {o.owner for o in best.options if o.owner < len(award.offers) and any(o.bundle)}
    dearer = sum(profits.get(i, 0) for i in members)
    return members, (-best.worth - dearer) // parts - award.cost


def _explained(award: DecidedAward, supplier: int, cost: int | None) -> Explained:
    """What stands behind a supplier's payment; nothing where there is no award without it."""
    if cost is None:
        return Explained({}, {}, lambda row: "there is none.")
    money = award.setup.money

    def alternative(row: Body) -> str:
        setup = award.setup
        supplied = row.bundles("allocation_without", setup.num_bidders, setup.num_goods)
        outside = row.wholes("outside_without", setup.num_goods)
        named = replace(award, supplied=supplied, outside=outside)
        if any(supplied[supplier]):
            return "it supplies something there."
        problems = coverage_problems(named, True)
        if problems:
            return problems[0]
        costs = f"it costs {money(named.cost)}, the cheapest one {money(cost)}."
        return "" if named.cost == cost else costs

    return Explained(
        {"offer": award.offer(supplier), "cost_without": cost},
        {"more": cost - award.cost, "most": award.most(supplier)},
        alternative,
    )
