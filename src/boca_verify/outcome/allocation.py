"""V9 and V10: the allocation, against what was bid."""

from collections.abc import Sequence
from dataclasses import dataclass

from boca_verify.bodies import Bundle, Damaged, body_of
from boca_verify.outcome.bids import bids_of, check_own_award, check_own_trade
from boca_verify.outcome.optimum import CheckedBid, best_bids
from boca_verify.questions import LoggedBook
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted


@dataclass(frozen=True)
class DecidedOutcome:
    """
    What was decided, against the bids it must follow from.

    Parameters
    ----------
    setup
        Capacities, limits and reserve prices.
    bids
        What each bidder bid: bundle -> units.
    record
        The ``decided``.
    allocation
        A bundle per bidder.
    payments
        What each bidder pays, in units.
    """

    setup: LoggedSetup
    bids: tuple[dict[Bundle, int], ...]
    record: Record
    allocation: tuple[Bundle, ...]
    payments: tuple[int, ...]

    @property
    def winners(self) -> list[int]:
        return [i for i, bundle in enumerate(self.allocation) if any(bundle)]

    def value(self, bidder: int) -> int:
        """What a bidder bid for what it gets."""
        bundle = self.allocation[bidder]
        return self.bids[bidder][bundle] if any(bundle) else 0

    def reserve(self, bidder: int) -> int:
        """Reserve prices of what a bidder gets."""
        return self.setup.price(self.allocation[bidder])

    def surplus(self, bidder: int) -> int:
        """A bidder's bid above reserve prices."""
        return self.value(bidder) - self.reserve(bidder)

    @property
    def total(self) -> int:
        """Surplus of everybody."""
        return sum(self.surplus(i) for i in range(len(self.bids)))

    def accepted(self, absent: int | None = None) -> list[CheckedBid]:
        """The bids that were accepted, without those of an absent bidder."""
        return [
            CheckedBid(i, self.allocation[i], self.surplus(i)) for i in self.winners if i != absent
        ]

    def possible(self, absent: int | None = None) -> list[CheckedBid]:
        """Every bid that could be accepted, without those of an absent bidder."""
        return [
            CheckedBid(i, bundle, units - self.setup.price(bundle))
            for i, bids in enumerate(self.bids)
            for bundle, units in bids.items()
            if i != absent and any(bundle) and self.setup.allows(i, bundle)
        ]


def read_outcome(setup: LoggedSetup, books: Sequence[LoggedBook], record: Record) -> DecidedOutcome:
    """The outcome of a ``decided`` record; Damaged if it is none."""
    body = body_of(record)
    num = setup.num_bidders
    allocation = body.bundles("allocation", num, setup.num_goods)
    payments = body.wholes("payments", num)
    bids = tuple(bids_of(setup, i, book) for i, book in enumerate(books))
    return DecidedOutcome(setup, bids, record, allocation, payments)


def check_allocation(
    outcome: DecidedOutcome, records: tuple[Record, ...], is_rehearsal: bool
) -> Check:
    """V9: feasible, made of bids, above reserve prices, and told to everybody as it is."""
    problems = [*_problems(outcome, is_rehearsal), *_not_bid(outcome)]
    findings = [Finding(text, outcome.record.seq) for text in problems]
    findings += _about_results(outcome, records) if not findings else []
    winners = len(outcome.winners)
    sentence = (
        f"Of {counted(len(outcome.bids), 'bidder')}, {winners} {'gets' if winners == 1 else 'get'} "
        "something, and no good is given away more often than it exists."
    )
    return Check.of("V9", findings, sentence)


def check_allocation_alone(outcome: DecidedOutcome, is_rehearsal: bool) -> Check:
    """V9 where not all bids are open: whether the allocation is feasible."""
    findings = [Finding(text, outcome.record.seq) for text in _problems(outcome, is_rehearsal)]
    return Check.of("V9", findings, "The allocation is feasible; bids are sealed.", "partly")


def check_own_results(
    setup: LoggedSetup, books: Sequence[LoggedBook], records: tuple[Record, ...]
) -> Check:
    """V9 where the outcome is sealed: what somebody got, against its own bids."""
    results = [record for record in records if record.kind == "result" and record.body is not None]
    findings = []
    for record in results:
        try:
            _check_own_result(setup, books, record)
        except Damaged as damage:
            findings.append(Finding(damage.sentence, record.seq))
    if not results:
        return Check.of("V9", findings, "The outcome is sealed.", "sealed")
    sentence = f"The outcome is sealed but for {counted(len(results), 'result')}, for own bids."
    return Check.of("V9", findings, sentence, "partly")


def _check_own_result(setup: LoggedSetup, books: Sequence[LoggedBook], record: Record) -> None:
    body = body_of(record)
    bidder = body.whole("bidder", 0, setup.num_bidders - 1)
    if setup.kind == "buy":
        check_own_award(setup, books[bidder], bidder, body)
        return
    if setup.kind == "exchange":
        check_own_trade(setup, books[bidder], bidder, body)
        return
    bundle = body.bundle("bundle", setup.num_goods)
    units, payment, name = body.whole("units"), body.whole("payment"), setup.name(bidder)
    bid = bids_of(setup, bidder, books[bidder]).get(bundle) if any(bundle) else 0
    if bid is None or not setup.allows(bidder, bundle):
        raise Damaged(f"{name} gets {setup.words(bundle)}, for which it never bid.")
    if units != bid:
        raise Damaged(f"it says that {name} bid {setup.money(units)}; it bid {setup.money(bid)}.")
    if not setup.price(bundle) <= payment <= bid:
        least, most = setup.money(setup.price(bundle)), setup.money(bid)
        raise Damaged(f"{name} pays {setup.money(payment)}; expected {least} to {most}.")


def check_optimum(outcome: DecidedOutcome) -> Check:
    """V10: no allocation has a larger surplus."""
    best = best_bids(outcome.possible(), outcome.setup.full, outcome.accepted())
    setup, findings = outcome.setup, []
    total = setup.money(outcome.total)
    if best.surplus > outcome.total:
        better = "; ".join(
            f"{outcome.setup.name(bid.owner)}: {outcome.setup.words(bid.bundle)}"
            for bid in sorted(best.bids, key=lambda bid: bid.owner)
        )
        findings.append(
            Finding(
                f"its bids add up to {total}; {setup.money(best.surplus)} is possible: {better}.",
                outcome.record.seq,
            )
        )
    has_reserve = any(outcome.setup.reserve)
    what = "bids less reserve prices" if has_reserve else "bids"
    sentence = f"The {what} add up to {total}; SCIP proves that no more is possible."
    return Check.of("V10", findings, sentence)


def _problems(outcome: DecidedOutcome, is_rehearsal: bool) -> list[str]:
    """What is wrong with an allocation, in words."""
    setup = outcome.setup
    body = body_of(outcome.record)
    problems = []
    if body.text("rule") != setup.payment_rule:
        problems.append(f"it uses the rule '{body.text('rule')}', not '{setup.payment_rule}'.")
    if not body.has("verified_by") and not is_rehearsal:
        problems.append("no second solver agreed on it, which only a rehearsal may lack.")
    if any(n > LARGEST_COUNT for bundle in outcome.allocation for n in bundle):
        return [*problems, "it gives away more copies than there are."]
    return problems + [f"{problem}." for problem in setup.market.problems(outcome.allocation)]


def _not_bid(outcome: DecidedOutcome) -> list[str]:
    """Bundles that nobody bid for, or not enough."""
    setup, problems = outcome.setup, []
    for i in outcome.winners:
        bundle, name = outcome.allocation[i], setup.name(i)
        if bundle not in outcome.bids[i]:
            problems.append(f"{name} gets {setup.words(bundle)}, for which it never bid.")
        elif outcome.bids[i][bundle] < setup.price(bundle):
            problems.append(f"{name} gets {setup.words(bundle)} below the reserve price.")
    return problems


LARGEST_COUNT = 10**9


def _about_results(outcome: DecidedOutcome, records: tuple[Record, ...]) -> list[Finding]:
    rows = [
        (bundle, outcome.value(i), outcome.payments[i])
        for i, bundle in enumerate(outcome.allocation)
    ]
    return about_results(outcome.setup, outcome.record, rows, records)


def about_results(
    setup: LoggedSetup,
    decided: Record,
    rows: Sequence[tuple[Bundle, int, int]],
    records: tuple[Record, ...],
) -> list[Finding]:
    """
    Whether what everybody is told is what was decided; one result each.

    Parameters
    ----------
    setup, decided
        The rules, and the record that decides.
    rows
        Bundle, units and payment of everybody.
    records
        The log.
    """
    findings = []
    results = [record for record in records if record.kind == "result"]
    if len(results) != len(rows):
        findings.append(
            Finding(
                f"{len(results)} results follow; expected {len(rows)}, one per {setup.one}.",
                decided.seq,
            )
        )
    told: set[int] = set()
    for record in results:
        if record.body is None:
            continue
        try:
            body = body_of(record)
            bidder = body.whole("bidder", 0, len(rows) - 1)
            if bidder in told:
                raise Damaged(f"{setup.name(bidder)} has two results.")
            told.add(bidder)
            bundle, units, payment = rows[bidder]
            expected = {"bundle": list(bundle), "units": units, "payment": payment}
            for key, value in expected.items():
                if body.fields.get(key) != value:
                    raise Damaged(f"it tells {setup.name(bidder)} another {key} than was decided.")
        except Damaged as damage:
            findings.append(Finding(damage.sentence, record.seq))
    return findings
