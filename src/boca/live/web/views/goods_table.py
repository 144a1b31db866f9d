"""
Bundles for the eye: a table of goods where several stand together, chips where one stands alone.

Rows of a table are goods, by the groups of the market file; columns are questions, bids or bidders.
What changed against an earlier bundle is marked with a sign.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.goods import Good
from boca.core.market import Market
from boca.live.auction.events import Bundle
from boca.live.web.texts import Texts

# Columns that a screen can hold; further ones begin another table.
MOST_COLUMNS = 12


@dataclass(frozen=True)
class GoodsCell:
    """
    Copies of one good in one bundle.

    Parameters
    ----------
    good
        Which one.
    copies, before
        How many there are, and how many an earlier bundle had; None to compare with nothing.
    price
        Of one copy in units of money, where prices were announced.
    """

    good: Good
    copies: int
    before: int | None = None
    price: int | None = None

    @property
    def name(self) -> str:
        """What the good is called below the name of its group."""
        return short_name(self.good)

    @property
    def change(self) -> int:
        """Copies more than before, negative for less."""
        return 0 if self.before is None else self.copies - self.before

    @property
    def change_text(self) -> str:
        """The change with its sign; empty for none."""
        return "" if not self.change else f"{self.change:+d}".replace("-", "\u2212")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say about the good."""
        return not (self.copies or self.change)


@dataclass(frozen=True)
class GoodsColumn:
    """
    One bundle of a table.

    Parameters
    ----------
    title
        What it is, such as the name of a question.
    bundle
        Copies of each good.
    item
        What the caller writes above and below it is made from.
    before
        The earlier bundle that it is compared with, if any.
    prices
        Of one copy of each good, where they were announced.
    """

    title: str
    bundle: Bundle
    item: Any = None
    before: Bundle | None = None
    prices: Sequence[int] | None = None

    @property
    def copies(self) -> int:
        """Copies of all goods together."""
        return sum(self.bundle)

    def cell(self, j: int, good: Good) -> GoodsCell:
        """The cell of one good."""
        return GoodsCell(
            good,
            self.bundle[j],
            None if self.before is None else self.before[j],
            None if self.prices is None else self.prices[j],
        )


@dataclass(frozen=True)
class GoodsRow:
    """One good with its cells, one for each column."""

    good: Good
    cells: tuple[GoodsCell, ...]

    @property
    def name(self) -> str:
        """What the good is called below the name of its group."""
        return short_name(self.good)

    @property
    def copies(self) -> int:
        """Copies of all columns together."""
        return sum(cell.copies for cell in self.cells)


@dataclass(frozen=True)
class GoodsGroup:
    """Goods that the market file puts together; the name is empty for those without a group."""

    name: str
    rows: tuple[GoodsRow, ...]

    @property
    def unit(self) -> str:
        """What one copy is, if that is the same for all; empty otherwise."""
        units = {row.good.unit for row in self.rows}
        return units.pop() if self.name and len(units) == 1 else ""

    @property
    def sums(self) -> tuple[int | None, ...]:
        """Copies of all goods together, for each column; None where it says nothing of them."""
        columns = zip(*(row.cells for row in self.rows), strict=True)
        return tuple(
            None if all(cell.is_empty for cell in cells) else sum(cell.copies for cell in cells)
            for cells in columns
        )

    @property
    def copies(self) -> int:
        """Copies of all goods and columns together."""
        return sum(row.copies for row in self.rows)


@dataclass(frozen=True)
class GoodsTable:
    """
    Several bundles side by side.

    Parameters
    ----------
    columns, groups
        The bundles, and the goods that are in any of them.
    num_left_out
        Goods that are in none.
    """

    columns: tuple[GoodsColumn, ...]
    groups: tuple[GoodsGroup, ...]
    num_left_out: int

    @property
    def has_groups(self) -> bool:
        """Whether any of the goods has a group, so that the others need a heading, too."""
        return any(group.name for group in self.groups)

    @property
    def has_changes(self) -> bool:
        """Whether anything is marked."""
        cells = (cell for group in self.groups for row in group.rows for cell in row.cells)
        return any(cell.change for cell in cells)


@dataclass(frozen=True)
class BundleWords:
    """
    How the pages of one auction write bundles.

    Parameters
    ----------
    t, market
        Texts of the reader's language, and the goods.
    """

    t: Texts
    market: Market

    def __call__(self, bundle: Bundle) -> str:
        """A bundle in a sentence; one of many goods is shortened."""
        return self.t.bundle(bundle, self.market)

    def chips(self, bundle: Bundle, before: Bundle | None = None) -> tuple[GoodsGroup, ...]:
        """A bundle that stands alone, as groups with one cell for each good."""
        return goods_groups(self.market, [GoodsColumn("", bundle, before=before)])

    def unit_of(self, name: str) -> str:
        """What one copy of any good of a group is; empty if they differ, or outside of groups."""
        units = {good.unit for good in self.market.goods if good.group == name}
        return units.pop() if name and len(units) == 1 else ""

    def name_of(self, good: Good) -> tuple[str, str]:
        """The name of a good in two parts, of which the heading of its group says the first."""
        short = short_name(good)
        return good.name.removesuffix(short), short

    def number_left_out(self, table: GoodsTable) -> str:
        """How many other goods a table does not name, in a sentence; empty for none."""
        number = table.num_left_out
        return self.t.count("goods.left_out", number) if number and table.groups else ""


def short_name(good: Good) -> str:
    """The name of a good without that of its group: ``Region A`` of ``800 MHz Region A``."""
    rest = good.name.removeprefix(good.group).strip(" -,:·") if good.group else ""
    return rest or good.name


def goods_tables(market: Market, columns: Iterable[GoodsColumn]) -> list[GoodsTable]:
    """Bundles side by side, in as many tables as they need."""
    every = tuple(columns)
    tables = []
    for start in range(0, len(every), MOST_COLUMNS):
        part = every[start : start + MOST_COLUMNS]
        groups = goods_groups(market, part)
        num_rows = sum(len(group.rows) for group in groups)
        tables.append(GoodsTable(part, groups, market.num_goods - num_rows))
    return tables


def goods_groups(market: Market, columns: Sequence[GoodsColumn]) -> tuple[GoodsGroup, ...]:
    """The goods that have anything to say in any column, by group, in the order of the market."""
    groups: dict[str, list[GoodsRow]] = {}
    has_prices = any(column.prices is not None for column in columns)
    for j, good in enumerate(market.goods):
        cells = tuple(column.cell(j, good) for column in columns)
        if has_prices or not all(cell.is_empty for cell in cells):
            groups.setdefault(good.group, []).append(GoodsRow(good, cells))
    return tuple(GoodsGroup(name, tuple(rows)) for name, rows in groups.items())


def nearest(bundle: Bundle, others: Iterable[Bundle]) -> Bundle | None:
    """
    The bundle that differs by the fewest copies, the last of several.

    None where all have less than half of their copies in common with it: marks on nearly
    everything would say nothing.
    """

    def distance(other: Bundle) -> int:
        return sum(abs(a - b) for a, b in zip(other, bundle, strict=True))

    def is_like(other: Bundle) -> bool:
        common = sum(min(a, b) for a, b in zip(other, bundle, strict=True))
        return other != bundle and 2 * common >= max(sum(other), sum(bundle)) > 0

    alike = [other for other in others if is_like(other)]
    return min(reversed(alike), key=distance, default=None)
