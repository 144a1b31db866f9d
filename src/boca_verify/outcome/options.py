"""
The best choice of exactly one option for everybody, in exact integers.

An option has a worth and uses rows, whole numbers of either sign; the uses of a row add up to at
most its bound. Counted from the least that its owner can use, every use is at least 0, and a row is
a good with what is left of the bound as its copies. Every option is worth K more than it is,
counted from the owner's least worth, with K above all differences together: so accepting one more
option is always better, and a best set of bids has one of everybody if there is such a set.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from boca_verify.bodies import Bundle
from boca_verify.outcome.optimum import CheckedBid, best_bids

# Copies beyond which a row is told to the solver in larger units, rounded so that nothing possible
# becomes impossible; whether a set of options really fits is then added up here.
MOST_COPIES = 10**6


@dataclass(frozen=True)
class Option:
    """
    One thing that a participant may take.

    Parameters
    ----------
    owner
        Whose it is.
    worth
        In units of money, of either sign.
    uses
        Of each row.
    bundle
        What it means, for messages.
    """

    owner: int
    worth: int
    uses: tuple[int, ...]
    bundle: Bundle = ()


@dataclass(frozen=True)
class Choice:
    """One option for everybody: the best that there is, and what all are worth together."""

    worth: int
    options: tuple[Option, ...]


def best_choice(
    options: Sequence[Option], bounds: Sequence[int], start: Sequence[Option] = ()
) -> Choice | None:
    """
    The best choice, proven; None if nobody can choose so that all rows hold.

    Parameters
    ----------
    options
        What there is to choose from.
    bounds
        Most of each row.
    start
        A choice that is known; any, but a good one saves work.
    """
    owners = sorted({option.owner for option in options})
    own = {i: [option for option in options if option.owner == i] for i in owners}
    rows = range(len(bounds))
    least = {i: [min(o.uses[r] for o in own[i]) for r in rows] for i in owners}
    most = {i: [max(o.uses[r] for o in own[i]) for r in rows] for i in owners}
    room = [bounds[r] - sum(least[i][r] for i in owners) for r in rows]
    if any(left < 0 for left in room):
        return None
    # Rows that hold whatever is chosen are left out.
    kept = [r for r in rows if sum(most[i][r] - least[i][r] for i in owners) > room[r]]
    divisors = {r: max(1, room[r] // MOST_COPIES) for r in kept}
    floor = {i: min(o.worth for o in own[i]) for i in owners}
    extra = 1 + sum(max(o.worth for o in own[i]) - floor[i] for i in owners)

    def bid(option: Option) -> CheckedBid:
        i = option.owner
        uses = tuple((option.uses[r] - least[i][r]) // divisors[r] for r in kept)
        return CheckedBid(i, uses, option.worth - floor[i] + extra)

    # Rows in larger units are rows of money, in which options of one worth are alike.
    meaning: dict[CheckedBid, Option] = {}
    for option in options:
        meaning.setdefault(bid(option), option)

    def fits(accepted: Sequence[CheckedBid]) -> bool:
        chosen = [meaning[checked] for checked in accepted]
        return all(sum(o.uses[r] - least[o.owner][r] for o in chosen) <= room[r] for r in kept)

    known = [bid(option) for option in start]
    if known and not fits(known):
        known = []
    capacities = tuple(room[r] // divisors[r] for r in kept)
    best = best_bids(list(meaning), capacities, known, fits)
    chosen = tuple(meaning[checked] for checked in best.bids)
    if len(chosen) < len(owners):
        return None
    return Choice(sum(option.worth for option in chosen), chosen)
