"""A market from the text of a market file, without values."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Bidder, Good, Limit, Market
from boca.markets.limits import KEYS as LIMIT_KEYS
from boca.markets.limits import GoodsTable, read_limits
from boca.markets.sections import TOP, Section


@dataclass(frozen=True)
class Tables:
    """
    What else stood in the text.

    Parameters
    ----------
    file
        How messages call the text.
    extra
        The further tables that were asked for, by name.
    """

    file: Path
    extra: dict[str, dict[str, Any]]


def read_market(text: str, name: str, extra_tables: tuple[str, ...] = ()) -> tuple[Market, Tables]:
    """Goods, bidders and limits; keys about values are allowed and not read."""
    path = Path(name)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: this is not valid TOML: {error}.") from None
    top = Section(path, TOP, tables)
    top.only("name", "goods", "bidders", "every_bidder", *extra_tables)
    goods = list(top.sections("goods", 'one block [[goods]] with name = "..."'))
    table = GoodsTable([], [], [])
    for section in goods:
        section.only("name", "capacity", "credits")
        table.names.append(section.text("name"))
        table.capacities.append(section.whole("capacity", 1) if "capacity" in section else 1)
        table.credits.append(section.number("credits") if "credits" in section else None)
    common: tuple[Limit, ...] = ()
    if "every_bidder" in top:
        every = top.section("every_bidder", "a block [every_bidder] with limits")
        common = read_limits(every.only(*LIMIT_KEYS), table)
    bidders = tuple(
        Bidder(s.text("name"), s.text("type", default=""), common + read_limits(s, table))
        for s in top.sections("bidders", 'one block [[bidders]] with name = "..."')
    )
    market = Market(
        tuple(map(Good, table.names, table.capacities)), bidders, top.text("name", default=name)
    )
    extra = {key: top.section(key, f"a block [{key}]").table for key in extra_tables if key in top}
    return market, Tables(path, extra)
