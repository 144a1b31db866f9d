"""
Shares that no group of others blocks: the largest, and of these the nearest to D. Exactly.

With V(S) the best without a deal of everybody outside S, a group S blocks if those outside keep
more than V - V(S): S and whoever sells, buys or has the goods would all do better by themselves.
There are too many groups to list. The one that blocks most is the best choice where every deal is
worth its share less (Day and Raghavan 2007, section 4), and y = D - share is the cheapest point
with

    sum of y outside S  >=  sum of D outside S  -  (V - V(S))

(Day and Cramton 2012, "Quadratic core-selecting payment rules for combinatorial auctions"). In a
sale y is what is paid above VCG, in a purchase what is received below it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

from boca.payments.economies import Economies
from boca.payments.program import Chosen
from boca.payments.projection import CheapestPoint

# Where money has no unit, groups are found up to the solvers' tolerances: one that would gain less
# than this share of the largest worth does not count as blocking.
BLOCKING = 1e-8
# Amounts are then counted in the largest worth / 2^44, far below what counts as blocking.
FINEST = 2**44


@dataclass(frozen=True)
class Group:
    """
    Who could do better without the others.

    Parameters
    ----------
    members
        Who has a deal in the group's best choice.
    others
        The dealers outside it.
    room
        What these may keep together, in units.
    """

    members: tuple[int, ...]
    others: tuple[int, ...]
    room: Fraction


@dataclass(frozen=True)
class CoreShares:
    """
    Shares in the core.

    Parameters
    ----------
    shares
        Of every dealer, in units.
    groups, binding
        The groups that were met, and those of them that set the shares.
    is_proven
        Whether it is proven that no group blocks.
    """

    shares: dict[int, Fraction]
    groups: tuple[Group, ...]
    binding: tuple[Group, ...]
    is_proven: bool


def core_shares(economies: Economies, best: Chosen, most: Mapping[int, Fraction]) -> CoreShares:
    """
    The core shares of all dealers.

    Parameters
    ----------
    economies
        The problem.
    best
        Its best choice.
    most
        ``D`` of every dealer, at least 0, in units.
    """
    problem = economies.problem
    dealers = sorted(most)
    grain = Fraction(1) if problem.is_whole else Fraction(problem.largest) / FINEST
    nothing = Fraction(0) if problem.is_whole else grain * int(BLOCKING * FINEST)
    vcg = {i: round(most[i] / grain) for i in dealers}
    point = CheapestPoint([vcg[i] for i in dealers])
    worth = problem.worth(best)
    groups: list[Group] = []
    is_proven, shares = True, dict(most)
    while dealers:
        everybody = [shares.get(i, Fraction(0)) for i in range(problem.num_participants)]
        rival = economies.lowered(everybody, best)
        is_proven &= rival.is_proven
        members = problem.dealers(rival)
        others = tuple(i for i in dealers if i not in members)
        room = worth - problem.worth(rival)
        over = sum((shares[i] for i in others), Fraction(0)) - room
        if over <= nothing:
            break
        group = Group(tuple(members), others, room)
        is_late = perf_counter() >= economies.effort.deadline
        if not others or group in groups or is_late:
            # A group that nobody can pay off knows a better choice than the chosen one.
            is_proven = False
            break
        groups.append(group)
        places = [dealers.index(i) for i in others]
        point.require(places, sum(vcg[i] for i in others) - round(room / grain))
        # Grains are no money: who gives up nothing keeps its D, and nobody gives up more.
        given = {i: y * grain for i, y in zip(dealers, point.point, strict=True)}
        shares = {i: max(Fraction(0), most[i] - given[i]) for i in dealers}
    binding = tuple(
        group
        for group in groups
        if group.room - sum((shares[i] for i in group.others), Fraction(0)) <= nothing
    )
    return CoreShares(shares, tuple(groups), binding, is_proven)
