"""
Market files: goods with capacities, bidders with limits, written in TOML.

What bundles are worth may stand there too. A simulation reads it (``domains/files``); here it is
neither looked at nor kept, because a live auction must not know it.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.core.frozen import read_only
from boca.core.goods import Limit
from boca.core.market import Bidder, Market
from boca.core.wording import printable
from boca.markets.limits import LIMIT_KEYS, WORD_KEYS, GoodsTable, read_limits, read_words
from boca.markets.limits_of_size import (
    MOST_BIDDERS,
    MOST_BYTES_OF_MARKET,
    MOST_CELLS,
    MOST_COEFFICIENTS,
    MOST_COPIES_IN_TOTAL,
    MOST_GOODS,
    check_size,
)
from boca.markets.sections import Section, parse_toml

TOP_KEYS = ("name", "goods", "bidders", "participants", "every_bidder")
GOOD_KEYS = ("name", "capacity", "credits", "reserve", *WORD_KEYS)
VALUE_KEYS = ("bids", "values", "synergies")
BIDDER_KEYS = ("name", "type", *VALUE_KEYS, *LIMIT_KEYS)
PARTICIPANT_KEYS = (*BIDDER_KEYS, "endowment")
GOODS_EXAMPLE = 'one block [[goods]] with name = "..." for each good'
BIDDERS_EXAMPLE = 'one block [[bidders]] with name = "..." for each bidder'
PARTICIPANTS_EXAMPLE = 'one block [[participants]] with name = "..." for each participant'
NO_SOURCE = "market file"
# Names of columns in files of bids, which no good can have.
COLUMNS = ("bidder", "value")


@dataclass(frozen=True, eq=False)
class MarketFile:
    """
    What a market file says, without what it says about values.

    Parameters
    ----------
    market
        Goods, bidders and their limits.
    reserve
        Reserve price of one copy of each good, ``(num_goods,)``; read-only.
    tables
        Further tables that the caller asked for, by name, as far as they are there.
    """

    market: Market
    reserve: np.ndarray
    tables: dict[str, Section]


def load_market(path: Path | str, extra_tables: tuple[str, ...] = ()) -> MarketFile:
    """
    Reads a market file.

    Parameters
    ----------
    path
        A TOML file.
    extra_tables
        As in :func:`read_market`.
    """
    return read_market(load_market_text(path), str(path), extra_tables)


def read_market(
    text: str, source: str = NO_SOURCE, extra_tables: tuple[str, ...] = ()
) -> MarketFile:
    """
    Reads and checks the text of a market file; the first mistake is raised as an InputError.

    Values and bids are passed over unread, whether or not they are there.

    Parameters
    ----------
    text
        The content of the file.
    source
        Where it comes from, for messages, and for the market's name if the file gives none.
    extra_tables
        Names of further top-level tables that are allowed, such as ``auction``; the caller reads
        them from ``MarketFile.tables``.
    """
    return parse_market(text, source, extra_tables)[0]


def load_market_text(path: Path | str) -> str:
    """The text of a market file, if it is not too long."""
    return read_text(path, "market file", MOST_BYTES_OF_MARKET)


def parse_market(
    text: str, source: str, extra_tables: tuple[str, ...] = ()
) -> tuple[MarketFile, dict[str, Section]]:
    """What :func:`read_market` gives, and the block of each bidder by its name, values included."""
    source = printable(source)
    top = parse_toml(text, source)
    if "lots" in top or "suppliers" in top:
        raise InputError(
            f"{source}: found [[lots]] or [[suppliers]], which are for buying; use boca award, or "
            "upload the file to boca serve."
        )
    top.only(TOP_KEYS + extra_tables)
    tables = {name: top.section(name, f"a block [{name}]") for name in extra_tables if name in top}
    goods = _read_goods(top)
    sections = _who_takes_part(top)
    size = len(sections) * len(goods.names)
    check_size(size, MOST_CELLS, "pairs of a bidder and a good", source)

    market = Market(
        goods.goods,
        _read_bidders(top, sections, goods),
        top.text("name", default=_default_name(source)),
    )
    return MarketFile(market, read_only(np.array(goods.reserve, dtype=float)), tables), sections


def _who_takes_part(top: Section) -> dict[str, Section]:
    """The blocks of bidders, or of the participants of an exchange."""
    if "participants" not in top:
        return top.named_sections("bidders", BIDDERS_EXAMPLE, MOST_BIDDERS)
    if "bidders" in top:
        top.fail("bidders", "found bidders and participants; call all of them participants.")
    return top.named_sections("participants", PARTICIPANTS_EXAMPLE, MOST_BIDDERS)


def _read_goods(top: Section) -> GoodsTable:
    sections = top.named_sections("goods", GOODS_EXAMPLE, MOST_GOODS)
    for name, section in sections.items():
        section.only(GOOD_KEYS)
        if name in COLUMNS:
            section.fail(
                "name", f"found '{name}', which is a column of its own in bids; choose another."
            )
    capacities = tuple(map(_capacity, sections.values()))
    check_size(sum(capacities), MOST_COPIES_IN_TOTAL, "copies of all goods", top.source)
    return GoodsTable(
        names=tuple(sections),
        capacities=capacities,
        credits=tuple(
            section.number("credits") if "credits" in section else None
            for section in sections.values()
        ),
        reserve=tuple(
            section.number("reserve", advice="Leave it out if there is no reserve price.")
            if "reserve" in section
            else 0.0
            for section in sections.values()
        ),
        words=tuple(map(read_words, sections.values())),
    )


def _capacity(section: Section) -> int:
    if "capacity" not in section:
        return 1
    advice = "Leave the good out if none can be given away."
    return section.whole("capacity", least=1, advice=advice)


def _read_bidders(
    top: Section, sections: dict[str, Section], goods: GoodsTable
) -> tuple[Bidder, ...]:
    common: tuple[Limit, ...] = ()
    if "every_bidder" in top:
        every = top.section("every_bidder", "a block [every_bidder] with limits")
        common = read_limits(every.only(LIMIT_KEYS), goods)

    bidders = []
    num_limits = 0
    for name, section in sections.items():
        section.only(PARTICIPANT_KEYS if "participants" in top else BIDDER_KEYS)
        limits = common + read_limits(section, goods)
        num_limits += len(limits)
        size = num_limits * len(goods.names)
        what = "coefficients (limits of all bidders times goods)"
        check_size(size, MOST_COEFFICIENTS, what, top.source)
        kind = section.text("type", default="")
        bidders.append(Bidder(name, kind, limits, _endowment(section, goods)))
    return tuple(bidders)


def _endowment(section: Section, goods: GoodsTable) -> tuple[int, ...]:
    """What a participant holds before, such as ``{ Cod = 4 }``; empty for nothing."""
    if "endowment" not in section:
        return ()
    held = section.section("endowment", "copies by good, such as { Cod = 4 }")
    for name in held.table:
        section.good("endowment", name, goods.index)
    copies = [held.whole(name, least=0) if name in held else 0 for name in goods.names]
    return tuple(copies) if any(copies) else ()


def _default_name(source: str) -> str:
    """``shop`` for ``folder/shop.toml``."""
    return "market" if source == NO_SOURCE else Path(source).stem
