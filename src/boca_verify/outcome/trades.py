"""V9 to V11 of an exchange: the trades, that none gain more, and what everybody pays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from boca_verify.bodies import Body, Bundle, body_of
from boca_verify.errors import Undecided
from boca_verify.outcome.bids import bids_of
from boca_verify.outcome.options import Choice, Option, best_choice
from boca_verify.outcome.terms import Explained, about_terms
from boca_verify.questions import LoggedBook
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

LARGEST_COUNT = 10**9
RULES = {
    "threshold": "VCG discounts less one amount that is the same for all",
    "proportional": "the same share of every VCG discount",
    "small": "small VCG discounts in full first",
    "vcg": "VCG discounts in full",
}


@dataclass(frozen=True)
class DecidedTrades:
    """
    What was decided, against the values it must follow from.

    Parameters
    ----------
    setup
        Goods with all copies, limits, and who holds what before.
    values
        What each participant has said: bundle -> units of money.
    record
        The ``decided``.
    holdings
        What everybody holds afterwards.
    payments
        What everybody pays, in units; negative for what is received.
    """

    setup: LoggedSetup
    values: tuple[dict[Bundle, int], ...]
    record: Record
    holdings: tuple[Bundle, ...]
    payments: tuple[int, ...]

    def held(self, i: int) -> Bundle:
        """What a participant holds before."""
        return self.setup.market.bidders[i].endowment

    def keeps(self, i: int) -> int | None:
        """The value of that; None if it was never said."""
        held = self.held(i)
        return self.values[i].get(held) if any(held) else 0

    def value(self, i: int) -> int:
        """The value of what a participant holds afterwards, as far as it is known."""
        bundle = self.holdings[i]
        return self.values[i].get(bundle, 0) if any(bundle) else 0

    def gain(self, i: int) -> int:
        """What a participant gains by its trade."""
        if self.holdings[i] == self.held(i):
            return 0
        return self.value(i) - (self.keeps(i) or 0)

    @property
    def traders(self) -> list[int]:
        return [i for i, bundle in enumerate(self.holdings) if bundle != self.held(i)]

    @property
    def total(self) -> int:
        """What all gain together."""
        return sum(self.gain(i) for i in range(len(self.values)))

    def options(self, without: int | None = None) -> list[Option]:
        """What everybody may hold; an absent participant keeps what it has."""
        options = []
        for i, own in enumerate(self.values):
            held, keeps = self.held(i), self.keeps(i)
            worth: dict[Bundle, int] = {held: 0}
            if keeps is not None and i != without:
                worth |= {(0,) * len(held): -keeps} if any(held) else {}
                worth |= {
                    bundle: units - keeps
                    for bundle, units in own.items()
                    if bundle != held and any(bundle) and self.setup.allows(i, bundle)
                }
            options += [Option(i, gain, bundle, bundle) for bundle, gain in worth.items()]
        return options

    def best(self, without: int | None = None) -> Choice:
        """The trades that gain most."""
        best = best_choice(self.options(without), self.setup.full)
        if best is None:
            raise Undecided("No trades were found, not even that everybody keeps what it has.")
        return best


def read_trades(setup: LoggedSetup, books: Sequence[LoggedBook], record: Record) -> DecidedTrades:
    """The trades of a ``decided`` record; Damaged if it has none."""
    body = body_of(record)
    num = setup.num_bidders
    return DecidedTrades(
        setup,
        tuple(bids_of(setup, i, book) for i, book in enumerate(books)),
        record,
        body.bundles("allocation", num, setup.num_goods),
        body.amounts("payments", num),
    )


def trade_problems(trades: DecidedTrades, is_rehearsal: bool, knows_values: bool) -> list[str]:
    """What is wrong with trades, in words."""
    setup, body = trades.setup, body_of(trades.record)
    problems = []
    if body.text("rule") != setup.payment_rule:
        problems.append(f"it pays by the rule '{body.text('rule')}', not '{setup.payment_rule}'.")
    if not body.has("verified_by") and not is_rehearsal:
        problems.append("no second solver agreed on it, which only a rehearsal may lack.")
    return problems + holding_problems(trades, knows_values)


def holding_problems(trades: DecidedTrades, knows_values: bool) -> list[str]:
    """What is wrong with who holds what, in words."""
    setup, problems = trades.setup, list[str]()
    if any(n > LARGEST_COUNT for bundle in trades.holdings for n in bundle):
        return [*problems, "more copies are held than there are."]
    problems += [f"{problem}." for problem in setup.market.problems(trades.holdings)]
    for i in trades.traders if knows_values else ():
        bundle, name = trades.holdings[i], setup.name(i)
        if trades.keeps(i) is None:
            problems.append(f"{name} trades without having said what keeping is worth to it.")
        elif any(bundle) and bundle not in trades.values[i]:
            problems.append(f"{name} holds {setup.words(bundle)}, which it never valued.")
    return problems


def check_trades(trades: DecidedTrades, is_rehearsal: bool, findings: list[Finding]) -> Check:
    """V9: feasible and made of values; ``findings`` are about what was told."""
    number = trades.record.seq
    found = [Finding(text, number) for text in trade_problems(trades, is_rehearsal, True)]
    found += findings if not found else []
    sentence = (
        f"Of {counted(len(trades.values), 'participant')}, {len(trades.traders)} trade, and "
        "nothing is held more often than it exists."
    )
    return Check.of("V9", found, sentence)


def check_gain(trades: DecidedTrades) -> Check:
    """V10: no trades gain more."""
    best, money, findings = trades.best(), trades.setup.money, []
    if best.worth > trades.total:
        better = "; ".join(
            f"{trades.setup.name(o.owner)}: {trades.setup.words(o.bundle)}"
            for o in sorted(best.options, key=lambda option: option.owner)
        )
        findings.append(
            Finding(
                f"all gain {money(trades.total)}; {money(best.worth)} is possible: {better}.",
                trades.record.seq,
            )
        )
    sentence = f"All gain {money(trades.total)}; SCIP proves that no trades gain more."
    return Check.of("V10", findings, sentence)


def check_trade_payments(trades: DecidedTrades, records: tuple[Record, ...]) -> Check:
    """V11: what everybody pays, and the sums that explain it."""
    setup, total = trades.setup, trades.total
    without = {i: trades.best(without=i).worth for i in trades.traders}
    full = [total - without[i] if i in without else 0 for i in range(len(trades.values))]
    kept = discounts(setup.payment_rule, full, total)
    findings = []
    for i, paid in enumerate(trades.payments):
        expected = trades.gain(i) - kept[i]
        if paid != expected:
            findings.append(
                Finding(
                    f"{setup.name(i)} pays {setup.money(paid)}; its trade is worth "
                    f"{setup.money(trades.gain(i))} to it, of which the rule leaves it "
                    f"{setup.money(kept[i])}, so it should pay {setup.money(expected)}.",
                    trades.record.seq,
                )
            )
    findings += about_terms(
        setup,
        records,
        "traders",
        {i: _explained(trades, i, gain) for i, gain in without.items()},
        "those who trade",
    )
    rest = sum(trades.payments)
    left = (
        "nothing is left over"
        if not rest
        else (
            f"{setup.money(rest)} are left over"
            if rest > 0
            else f"{setup.money(-rest)} come from outside"
        )
    )
    traders = counted(len(trades.traders), "participant")
    sentence = f"{traders} trade: {RULES[setup.payment_rule]}; {left}."
    return Check.of("V11", findings, sentence)


def discounts(rule: str, full: Sequence[int], total: int) -> list[int]:
    """
    What everybody keeps of its gain, in whole units.

    Parameters
    ----------
    rule
        How the gain is shared out.
    full
        VCG discounts.
    total
        What all gain together.
    """
    if rule == "vcg" or sum(full) <= total:
        return list(full)
    if rule == "small":
        kept, left = [0] * len(full), total
        for i in sorted(range(len(full)), key=lambda i: (full[i], i)):
            kept[i] = min(full[i], left)
            left -= kept[i]
        return kept
    if rule == "proportional":
        exact = [Fraction(units * total, sum(full)) for units in full]
    else:
        cut = _cut(full, total)
        exact = [max(Fraction(0), units - cut) for units in full]
    kept = [share.numerator // share.denominator for share in exact]
    # Units that rounding leaves go to the largest fractions, of equal ones to the first.
    order = sorted(range(len(full)), key=lambda i: (kept[i] - exact[i], i))
    for i in order[: total - sum(kept)]:
        kept[i] += 1
    return kept


def _cut(full: Sequence[int], total: int) -> Fraction:
    """
    The amount C with sum max(0, D - C) = total.

    The sum falls with C and is linear between two of the D, so C lies in the first piece at whose
    lower end the sum is large enough.
    """
    ends = [0, *sorted(set(full))]
    for low, high in reversed(list(pairwise(ends))):
        if sum(max(0, units - low) for units in full) >= total:
            above = [units for units in full if units >= high]
            return Fraction(sum(above) - total, len(above))
    return Fraction(0)


def _explained(trades: DecidedTrades, i: int, gain: int) -> Explained:
    """What stands behind a participant's payment."""
    setup = trades.setup

    def alternative(row: Body) -> str:
        holdings = row.bundles("allocation_without", setup.num_bidders, setup.num_goods)
        named = replace(trades, holdings=holdings)
        if holdings[i] != trades.held(i):
            return "it trades there."
        problems = holding_problems(named, True)
        if problems:
            return problems[0]
        gains = f"all gain {setup.money(named.total)} there, at best {setup.money(gain)}."
        return "" if named.total == gain else gains

    return Explained(
        {"value": trades.value(i), "keeps": trades.keeps(i), "gain_without": gain},
        {"keeps": trades.keeps(i), "more": trades.total - gain},
        alternative,
    )
