"""What a market file says about the bundles that a bidder can be given, as linear limits."""

from dataclasses import dataclass
from functools import cached_property

from boca.core.goods import Good, Limit, budget_of_credits, limit_of_goods
from boca.core.market import Market
from boca.markets.limits_of_size import MOST_COEFFICIENTS, check_size
from boca.markets.sections import Section

# What a good or a lot may say for readers.
WORD_KEYS = ("group", "unit")
LIMIT_KEYS = ("at_most", "at_most_of_each", "forbidden", "conflicts", "credit_budget")


@dataclass(frozen=True)
class GoodsTable:
    """
    What a market file says about the goods.

    Parameters
    ----------
    names
        The goods, in order.
    capacities
        Copies of each.
    credits
        Credits that one copy of each costs; None where the file does not say.
    reserve
        Reserve price of one copy of each.
    words
        Group and unit of each, for readers; empty texts where the file gives none.
    """

    names: tuple[str, ...]
    capacities: tuple[int, ...]
    credits: tuple[float | None, ...]
    reserve: tuple[float, ...]
    words: tuple[tuple[str, str], ...] = ()

    @cached_property
    def goods(self) -> tuple[Good, ...]:
        """The goods of the market."""
        words = self.words or (("", ""),) * len(self.names)
        rows = zip(self.names, self.capacities, words, strict=True)
        return tuple(Good(name, capacity, *pair) for name, capacity, pair in rows)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of every good by its name."""
        return {name: j for j, name in enumerate(self.names)}


def read_words(section: Section) -> tuple[str, str]:
    """Group and unit of a good or lot; empty where nothing is said."""
    return section.text("group", default=""), section.text("unit", default="")


def read_limits(section: Section, goods: GoodsTable) -> tuple[Limit, ...]:
    """All limits of one table, either ``[every_bidder]`` or one of ``[[bidders]]``."""
    limits = []
    if "at_most" in section:
        most = section.whole("at_most", least=0)
        limits.append(limit_of_goods("at_most", range(len(goods.names)), most, goods.goods))
    if "at_most_of_each" in section:
        limits += _at_most_of_each(section, goods)
    if "forbidden" in section:
        members = section.goods("forbidden", section.table["forbidden"], goods.index)
        limits.append(limit_of_goods("forbidden", members, 0, goods.goods))
    if "conflicts" in section:
        limits += _conflicts(section, goods)
    if "credit_budget" in section:
        limits.append(_credit_budget(section, goods))
    return tuple(limits)


def _at_most_of_each(section: Section, goods: GoodsTable) -> list[Limit]:
    """One limit for each good that has more copies than one bidder can be given."""
    most = section.whole("at_most_of_each", least=0)
    members = [j for j, capacity in enumerate(goods.capacities) if capacity > most]
    _check_number(len(members), "at_most_of_each", section, goods)
    return [limit_of_goods("at_most_of_each", [j], most, goods.goods) for j in members]


def _conflicts(section: Section, goods: GoodsTable) -> list[Limit]:
    """One limit for each set of goods of which a bidder gets at most one copy in total."""
    sets = section.table["conflicts"]
    if not isinstance(sets, list) or not sets or not all(isinstance(s, list) for s in sets):
        section.fail(
            "conflicts",
            "expected a list of sets of goods, of which a bidder can get at most one each, "
            'such as [["A", "B"], ["C", "D", "E"]].',
        )
    _check_number(len(sets), "conflicts", section, goods)
    limits = []
    for names in sets:
        members = section.goods("conflicts", names, goods.index, least=2)
        limits.append(limit_of_goods("conflicts", members, 1, goods.goods))
    return limits


def _check_number(number: int, key: str, section: Section, goods: GoodsTable) -> None:
    size = number * len(goods.names)
    check_size(size, MOST_COEFFICIENTS, "coefficients (limits times goods)", section.place(key))


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
    return budget_of_credits(credits, budget)


def credits_of(market: Market, bidder: int | None = None) -> tuple[float, ...]:
    """
    What a copy of each good counts towards budgets of credits; empty if there are none.

    Parameters
    ----------
    market
        Goods and limits.
    bidder
        Whose budget; None for anybody's, since a good has the same credits for all.
    """
    whose = market.bidders if bidder is None else market.bidders[bidder : bidder + 1]
    budgets = (limit for one in whose for limit in one.limits if limit.kind == "credit_budget")
    return next((limit.coefficients for limit in budgets), ())
