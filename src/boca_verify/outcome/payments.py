"""V11: what winners pay, by the VCG or the core rule, and what they were told about it."""

from collections.abc import Iterator

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.outcome.allocation import DecidedOutcome
from boca_verify.outcome.core_payments import core_findings
from boca_verify.outcome.optimum import CheckedBid, Optimum, best_bids
from boca_verify.outcome.terms import Explained, about_terms
from boca_verify.records import Record
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted


def check_payments(outcome: DecidedOutcome, records: tuple[Record, ...]) -> Check:
    """V11: every payment, and the sums that explain it."""
    without = {i: best_without(outcome, i, records) for i in outcome.winners}
    findings = [*payment_findings(outcome, without), *_about_terms(outcome, without, records)]
    total = outcome.setup.money(sum(outcome.payments))
    rule = RULES[outcome.setup.payment_rule]
    sentence = f"{counted(len(outcome.winners), 'winner').capitalize()}, {total} in all: {rule}."
    return Check.of("V11", findings, sentence)


RULES = {
    "vcg": "what each winner's presence costs the others",
    "core": "so much that no group could offer more, and as little as that takes",
}


def payment_findings(outcome: DecidedOutcome, without: dict[int, Optimum]) -> Iterator[Finding]:
    """
    What is wrong with the payments.

    Parameters
    ----------
    outcome
        What was decided.
    without
        The best allocation to the others, for every winner.
    """
    yield from _losers_pay(outcome)
    if outcome.setup.payment_rule == "vcg":
        yield from _vcg_findings(outcome, without)
    else:
        yield from core_findings(outcome, {i: best.surplus for i, best in without.items()})


def best_without(outcome: DecidedOutcome, bidder: int, records: tuple[Record, ...] = ()) -> Optimum:
    """The best allocation to the others, looked for from the one that the log names."""
    possible = outcome.possible(absent=bidder)
    start = outcome.accepted(absent=bidder)
    named = _named_without(outcome, bidder, possible, records)
    if sum(bid.surplus for bid in named) > sum(bid.surplus for bid in start):
        start = named
    return best_bids(possible, outcome.setup.full, start)


def _named_without(
    outcome: DecidedOutcome, bidder: int, possible: list[CheckedBid], records: tuple[Record, ...]
) -> list[CheckedBid]:
    """The bids of the others' allocation in ``justified``; none if it is not one."""
    for row in _justifications(records):
        try:
            if row.whole("bidder") == bidder:
                return _named_bids(outcome, bidder, possible, row) or []
        except Damaged:
            return []
    return []


def _named_bids(
    outcome: DecidedOutcome, bidder: int, possible: list[CheckedBid], row: Body
) -> list[CheckedBid] | None:
    """The bids of the others' allocation that a row names; None if it is not one."""
    setup = outcome.setup
    rows = row.bundles("allocation_without", setup.num_bidders, setup.num_goods)
    known = {(bid.owner, bid.bundle): bid for bid in possible}
    given = [sum(column) for column in zip(*rows, strict=True)]
    is_feasible = all(n <= c for n, c in zip(given, setup.full, strict=True))
    bids = [known.get((i, bundle)) for i, bundle in enumerate(rows) if any(bundle)]
    return [bid for bid in bids if bid] if is_feasible and all(bids) else None


def _justifications(records: tuple[Record, ...]) -> Iterator[Body]:
    for record in records:
        if record.kind == "justified" and record.body is not None:
            try:
                yield from list(body_of(record).parts("winners"))
            except Damaged:
                return


def _losers_pay(outcome: DecidedOutcome) -> Iterator[Finding]:
    for i, payment in enumerate(outcome.payments):
        if payment and i not in outcome.winners:
            name = outcome.setup.name(i)
            yield Finding(
                f"{name} gets nothing and pays {outcome.setup.money(payment)}.", outcome.record.seq
            )


def vcg_payment(outcome: DecidedOutcome, bidder: int, without: Optimum) -> int:
    """What the others lose by a winner's presence, and the reserve prices of what it gets."""
    others = outcome.total - outcome.surplus(bidder)
    return without.surplus - others + outcome.reserve(bidder)


def _vcg_findings(outcome: DecidedOutcome, without: dict[int, Optimum]) -> Iterator[Finding]:
    for i, best in without.items():
        expected = vcg_payment(outcome, i, best)
        if outcome.payments[i] != expected:
            money = outcome.setup.money
            others = outcome.total - outcome.surplus(i)
            yield Finding(
                f"{outcome.setup.name(i)} pays {money(outcome.payments[i])}; the others could have "
                f"{money(best.surplus)} without it and have {money(others)}, so it should pay "
                f"{money(expected)}.",
                outcome.record.seq,
            )


def _about_terms(
    outcome: DecidedOutcome, without: dict[int, Optimum], records: tuple[Record, ...]
) -> Iterator[Finding]:
    """Whether ``justified`` and ``result`` explain the payments as they are."""
    explained = {i: _explained(outcome, i, best) for i, best in without.items()}
    return about_terms(outcome.setup, records, "winners", explained, "the winners")


def _explained(outcome: DecidedOutcome, bidder: int, best: Optimum) -> Explained:
    shared: dict[str, int | None] = {
        "others_without": best.surplus,
        "others_with": outcome.total - outcome.surplus(bidder),
        "reserve": outcome.reserve(bidder),
    }

    def alternative(row: Body) -> str:
        bids = _named_bids(outcome, bidder, outcome.possible(absent=bidder), row)
        if bids is None:
            return "no allocation of the others' bids."
        surplus = sum(bid.surplus for bid in bids)
        money = outcome.setup.money
        right = f"its bids add up to {money(surplus)}, the best ones to {money(best.surplus)}."
        return right if surplus != best.surplus else ""

    return Explained(
        {"value": outcome.value(bidder), **shared},
        {**shared, "vcg_payment": vcg_payment(outcome, bidder, best)},
        alternative,
    )
