"""
Core payments: nobody pays more than its bid, no group blocks, and the revenue is the least.

A group of bidders S blocks when it could offer the seller more than the seller gets: when the best
allocation to S, less the profits that its winners have now, is worth more than all payments. The
group with the most to offer is one more best allocation, with the winners' bids lowered by their
profits, so whether there is one is decided in exact integers.

Every group asks for a sum of payments of the winners outside it. The least revenue that fulfils
some of these demands is at most the least revenue of the core, and for any multipliers it is
bounded from below by a sum of rational numbers (weak duality), so "not above the least by more than
a unit per winner", the rounding that the rules allow, is proven exactly too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from boca_verify.errors import Undecided
from boca_verify.outcome.allocation import DecidedOutcome
from boca_verify.outcome.optimum import CheckedBid, Optimum, best_bids
from boca_verify.solver import Program
from boca_verify.verdict import Finding

# Parts of a unit in which groups are looked for at payments that are no whole numbers; halves,
# thirds and quarters are among them.
PARTS = 12
# By how much the unit of a correction is smaller than the one before, and the longest step in it.
REFINEMENT = 10_000
MOST_STEPS = 1e6
# Multipliers of demands are simple fractions up to what a solver can show.
LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True)
class GroupClaim:
    """
    What a group claims: winners outside it must pay at least so much together.

    Parameters
    ----------
    payers
        The winners outside the group.
    least
        Their smallest joint payment above reserve prices.
    """

    payers: frozenset[int]
    least: int


def core_findings(outcome: DecidedOutcome, best_without: dict[int, int]) -> Iterator[Finding]:
    """
    What is wrong with core payments.

    Parameters
    ----------
    outcome
        What was decided.
    best_without
        The largest surplus of the others, for every winner.
    """
    number, setup = outcome.record.seq, outcome.setup
    is_in_range = True
    for i in outcome.winners:
        payment, least, most = outcome.payments[i], outcome.reserve(i), outcome.value(i)
        if not least <= payment <= most:
            is_in_range = False
            yield Finding(
                f"{setup.name(i)} pays {setup.money(payment)}; expected {setup.money(least)} to "
                f"{setup.money(most)}, from reserve price to bid.",
                number,
            )
    if not is_in_range or not outcome.winners:
        return
    payments = {i: outcome.payments[i] - outcome.reserve(i) for i in outcome.winners}
    revenue = sum(payments.values())
    group = _most_blocking(outcome, payments)
    if group.surplus > revenue:
        names = ", ".join(setup.name(i) for i in sorted({bid.owner for bid in group.bids}))
        yield Finding(
            f"together, {names} could offer {setup.money(group.surplus)} above reserve prices; the "
            f"winners pay {setup.money(revenue)}.",
            number,
        )
        return
    lower = {i: best_without[i] - (outcome.total - outcome.surplus(i)) for i in outcome.winners}
    least_revenue = _least_revenue(outcome, lower, revenue)
    if least_revenue is not None:
        yield Finding(
            f"the winners pay {setup.money(revenue)} above reserve prices; "
            f"{setup.money(least_revenue)} is enough, and rounding up adds at most "
            f"{setup.money(allowance(outcome))}.",
            number,
        )


def allowance(outcome: DecidedOutcome) -> int:
    """
    How many units the revenue may be above the least: payments are rounded up to a unit each.

    The engine projects payments in floating point, so from 10^10 units on that part of the revenue
    is allowed on top.
    """
    return len(outcome.winners) + sum(outcome.payments) // 10**10


def _most_blocking(outcome: DecidedOutcome, payments: dict[int, int], parts: int = 1) -> Optimum:
    """
    The group with the most to offer at some payments.

    Parameters
    ----------
    outcome
        Bids and winners.
    payments
        Of the winners, above reserve prices, in parts of a unit.
    parts
        How many parts a unit has.
    """
    profits = {i: parts * outcome.surplus(i) - paid for i, paid in payments.items()}

    def lowered(bids: list[CheckedBid]) -> list[CheckedBid]:
        return [
            replace(bid, surplus=parts * bid.surplus - profits.get(bid.owner, 0)) for bid in bids
        ]

    start = [bid for bid in lowered(outcome.accepted()) if bid.surplus > 0]
    return best_bids(lowered(outcome.possible()), outcome.setup.full, start)


def _least_revenue(outcome: DecidedOutcome, lower: dict[int, int], revenue: int) -> int | None:
    """
    The least revenue of the core, if the revenue is more than a unit per winner above it.

    Parameters
    ----------
    outcome
        Bids and winners.
    lower
        VCG payments of the winners above reserve prices: nobody pays less.
    revenue
        What is paid above reserve prices.
    """
    upper = {i: outcome.surplus(i) for i in outcome.winners}
    surplus = {(bid.owner, bid.bundle): bid.surplus for bid in outcome.possible()}

    def claim(point: dict[int, int], parts: int) -> tuple[GroupClaim, bool]:
        group = _most_blocking(outcome, point, parts)
        members = {bid.owner for bid in group.bids}
        worth = sum(surplus[bid.owner, bid.bundle] for bid in group.bids)
        least = worth - sum(upper[i] for i in members if i in upper)
        payers = frozenset(outcome.winners) - members
        return GroupClaim(payers, least), group.surplus > sum(point.values())

    return least_payments(lower, upper, revenue, allowance(outcome), claim)


def least_payments(
    lower: dict[int, int],
    upper: dict[int, int],
    total: int,
    allowed: int,
    claim: Callable[[dict[int, int], int], tuple[GroupClaim, bool]],
) -> int | None:
    """
    The least sum that all groups ask for, if the sum is by more than is allowed above it.

    None if it is not: then the claims of some groups prove that.

    Parameters
    ----------
    lower, upper
        Between what everybody's part lies.
    total
        The sum that is looked at.
    allowed
        By how much it may be above the least.
    claim
        What the group asks for that misses most, and whether it misses anything, where everybody's
        part is given in fractions of a unit, and how many of these a unit has.
    """
    claims = list[GroupClaim]()
    while True:
        if total <= _proven(claims, lower, upper) + allowed:
            return None
        point = _cheapest(claims, lower, upper)
        further, is_missing = claim(point, PARTS)
        if not is_missing or further in claims:
            # Nothing more is asked for: this is the least sum, but for rounding to parts.
            least = ceil(Fraction(sum(point.values()), PARTS))
            return least if total > least + allowed else None
        claims.append(further)


def _proven(demands: list[GroupClaim], lower: dict[int, int], upper: dict[int, int]) -> Fraction:
    """A number that no revenue that fulfils the demands can be below; exact."""
    if not demands:
        return Fraction(sum(lower.values()))
    scale = max(1, *upper.values())
    program = Program(maximise=True)
    weights = [program.variable(demand.least / scale) for demand in demands]
    for i in lower:
        more = program.variable(lower[i] / scale)
        less = program.variable(-upper[i] / scale)
        wanting = [(w, 1.0) for w, d in zip(weights, demands, strict=True) if i in d.payers]
        program.row([*wanting, (more, 1.0), (less, -1.0)], 1.0, 1.0)
    point = _solved(program)
    raw = [Fraction(max(0.0, point[w])) for w in weights]
    simple = [weight.limit_denominator(LARGEST_DENOMINATOR) for weight in raw]
    return max(_bound(choice, demands, lower, upper) for choice in (raw, simple))


def _bound(
    weights: list[Fraction], demands: list[GroupClaim], lower: dict[int, int], upper: dict[int, int]
) -> Fraction:
    """The bound that some multipliers of the demands prove."""
    total = sum((w * d.least for w, d in zip(weights, demands, strict=True)), Fraction())
    for i in lower:
        rest = 1 - sum(
            (w for w, d in zip(weights, demands, strict=True) if i in d.payers), Fraction()
        )
        total += rest * (lower[i] if rest >= 0 else upper[i])
    return total


def _cheapest(
    demands: list[GroupClaim], lower: dict[int, int], upper: dict[int, int]
) -> dict[int, int]:
    """
    Payments with the least sum that fulfil the demands, in parts of a unit.

    A solver's answer is good to some digits. So what is still missing is computed exactly, and the
    same program is solved for the correction alone, in a smaller unit, until a part of a unit is
    large.
    """
    point = {i: PARTS * units for i, units in lower.items()}
    scale = PARTS * max(1, *upper.values())
    while True:
        steps = _correction(point, scale, demands, lower, upper)
        for i, step in steps.items():
            moved = point[i] + ceil(step * scale - Fraction(1, 1000))
            point[i] = min(PARTS * upper[i], max(PARTS * lower[i], moved))
        if scale <= REFINEMENT:
            return point
        scale = max(1, scale // REFINEMENT)


def _correction(
    point: dict[int, int],
    scale: int,
    demands: list[GroupClaim],
    lower: dict[int, int],
    upper: dict[int, int],
) -> dict[int, Fraction]:
    """By how many times the scale payments should change, to be the cheapest."""
    program = Program(maximise=False)
    column = {}
    for i, paid in point.items():
        least = max(-MOST_STEPS, (PARTS * lower[i] - paid) / scale)
        most = min(MOST_STEPS, (PARTS * upper[i] - paid) / scale)
        column[i] = program.variable(1.0, least, most)
    for demand in demands:
        missing = PARTS * demand.least - sum(point[i] for i in demand.payers)
        program.row([(column[i], 1.0) for i in sorted(demand.payers)], lower=missing / scale)
    steps = _solved(program)
    return {i: Fraction(steps[k]) for i, k in column.items()}


def _solved(program: Program) -> tuple[float, ...]:
    solution = program.solve()
    if solution.point is None:
        raise Undecided(f"The core program ended as '{solution.how}'.")
    return solution.point
