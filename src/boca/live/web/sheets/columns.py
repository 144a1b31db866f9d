"""The columns of a sheet, which stay the same on the way out and back."""

from dataclasses import dataclass, replace

from boca.core.csv_text import QUOTE, harmless
from boca.core.market import Market
from boca.live.auction.kind import Kind, kind_of

# What a bundle and an amount are called, by what a market does.
NAMES: dict[Kind, tuple[str, str]] = {
    "sell": ("bundle", "value"),
    "buy": ("lots", "price"),
    "exchange": ("holding", "value"),
}
# The column that names questions, and what it was called when it held ids.
QUESTION, FORMER_QUESTION = "question", "query"


@dataclass(frozen=True)
class Columns:
    """
    Names of the columns.

    Parameters
    ----------
    goods
        One name per good, in the order of the market; no two columns have the same.
    bundle, amount
        What a bundle in words and an amount are called.
    """

    goods: tuple[str, ...]
    bundle: str = "bundle"
    amount: str = "value"

    @property
    def before(self) -> tuple[str, ...]:
        """The columns before the goods."""
        return (QUESTION, self.bundle, "why", "earlier")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, from left to right."""
        return (*self.before, *self.goods, self.amount, "decline")

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must come back."""
        return (QUESTION, *self.goods, self.amount, "decline")


def columns_of(market: Market) -> Columns:
    """The columns of a market; a good whose name is taken gets its number in front."""
    empty = Columns((), *NAMES[kind_of(market)])
    taken = {*empty.names, FORMER_QUESTION}
    names = []
    for number, good in enumerate(market.goods, 1):
        name = tidy(good.name)
        if not name or name.lower() in taken:
            name = f"good {number}: {name}"
        taken.add(name.lower())
        names.append(name)
    return replace(empty, goods=tuple(names))


def tidy(name: str) -> str:
    """A heading as it is compared: one line, without what keeps it from being a formula."""
    return harmless(" ".join(name.split()).lstrip(QUOTE + "=+-@ "))
