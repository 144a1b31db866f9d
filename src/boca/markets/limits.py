"""What a market file says about the bundles that a bidder can be given, as linear limits."""

from dataclasses import dataclass

import numpy as np

from boca.core.market import Limit
from boca.markets.sections import Section

KEYS = ("at_most", "at_most_of_each", "forbidden", "conflicts", "credit_budget")


@dataclass(frozen=True)
class GoodsTable:
    """
    What limits need to know about the goods.

    Parameters
    ----------
    names
        The goods, in order.
    capacities
        Copies of each.
    credits
        Credits that one copy of each costs; None where the file does not say.
    """

    names: list[str]
    capacities: list[int]
    credits: list[float | None]


def read_limits(section: Section, goods: GoodsTable) -> tuple[Limit, ...]:
    """All limits of one table, either ``[every_bidder]`` or one of ``[[bidders]]``."""
    limits = []
    if "at_most" in section:
        most = section.whole("at_most", least=0)
        limits.append(_limit(range(len(goods.names)), most, f"at most {most} in total", goods))
    if "at_most_of_each" in section:
        most = section.whole("at_most_of_each", least=0)
        for j, capacity in enumerate(goods.capacities):
            if capacity > most:
                limits.append(_limit([j], most, f"at most {most} of each", goods))
    if "forbidden" in section:
        found = section.goods("forbidden", section.table["forbidden"], goods.names)
        names = ", ".join(goods.names[j] for j in found)
        limits.append(_limit(found, 0, f"none of {names}", goods))
    if "conflicts" in section:
        limits += _conflicts(section, goods)
    if "credit_budget" in section:
        limits.append(_credit_budget(section, goods))
    return tuple(limits)


def _limit(members, bound: float, name: str, goods: GoodsTable) -> Limit:
    """At most ``bound`` copies in total of some goods."""
    coefficients = np.zeros(len(goods.names))
    coefficients[list(members)] = 1.0
    return Limit(tuple(coefficients.tolist()), float(bound), name)


def _conflicts(section: Section, goods: GoodsTable) -> list[Limit]:
    """One limit for each set of goods of which a bidder gets at most one copy in all."""
    sets = section.table["conflicts"]
    if not isinstance(sets, list) or not sets or not all(isinstance(s, list) for s in sets):
        section.fail(
            "conflicts",
            "expected a list of sets of goods, of which a bidder can get at most one each, "
            'such as [["A", "B"], ["C", "D", "E"]].',
        )
    limits = []
    for names in sets:
        found = section.goods("conflicts", names, goods.names, least=2)
        words = ", ".join(goods.names[j] for j in found)
        limits.append(_limit(found, 1, f"only one of {words}", goods))
    return limits


def _credit_budget(section: Section, goods: GoodsTable) -> Limit:
    """Credits of all copies together stay within the budget."""
    budget = section.number("credit_budget", advice="A budget of 0 allows only free goods.")
    credits = []
    for name, credit in zip(goods.names, goods.credits, strict=True):
        if credit is None:
            section.fail(
                "credit_budget",
                f"there is a budget, but the good '{name}' has no key 'credits'; "
                "say how many credits a copy costs (0 if it is free).",
            )
        credits.append(credit)
    return Limit(tuple(credits), budget, f"at most {budget:g} credits")
