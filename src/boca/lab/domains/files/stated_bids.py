"""XOR bids beside a market file, as value functions."""

from pathlib import Path

import numpy as np

from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.files import read_text
from boca.core.market import Market
from boca.core.wording import printable
from boca.functions import XorTable
from boca.markets.bid_file import bids_by_bidder
from boca.markets.bid_sheet import Bid
from boca.markets.csv_bids import parse_csv_of_market
from boca.markets.limits_of_size import MOST_BIDS_OF_BIDDER, MOST_BYTES_OF_BIDS, check_size
from boca.markets.sections import Section


def read_all_bids(
    sections: dict[str, Section], market: Market, folder: Path
) -> dict[str, list[Bid]]:
    """The bids of all bidders that have some, by the bidder's name; each file is read once."""
    bidders: dict[Path, list[str]] = {}
    for name, section in sections.items():
        if "bids" in section:
            bidders.setdefault(folder / section.text("bids"), []).append(name)

    bids: dict[str, list[Bid]] = {}
    for path, names in bidders.items():
        bids |= _read_bids(path, names, market)
    return bids


def _read_bids(path: Path, bidders: list[str], market: Market) -> dict[str, list[Bid]]:
    """The bids in one file: somebody's at least, everybody's who is expected there."""
    text = read_text(path, "bid file", MOST_BYTES_OF_BIDS)
    goods = [good.name for good in market.goods]
    sheet = parse_csv_of_market(text, printable(str(path)), goods, bidders)
    sheet.capacities = tuple(good.capacity for good in market.goods)
    bids = bids_by_bidder(sheet) if sheet.bids else {}
    for bidder in bidders:
        if bidder not in bids:
            raise InputError(
                f"{sheet.source}: there is no bid of bidder '{bidder}', whose bids the market "
                "file expects here; add a line, or leave the bidder out."
            )
        _check_monotone(bids[bidder], goods, sheet.source)
    return bids


def _check_monotone(bids: list[Bid], goods: list[str], source: str) -> None:
    """Fails where a bundle is worth less than a part of it."""
    what = f"bids of '{bids[0].bidder}'"
    check_size(len(bids), MOST_BIDS_OF_BIDDER, what, source)
    bundles = np.array([bid.bundle for bid in bids], dtype=np.int32)  # (num_bids, num_goods)
    values = np.array([bid.value for bid in bids])
    for bid, bundle in zip(bids, bundles, strict=True):
        dearer = np.flatnonzero(values > bid.value)
        parts = dearer[(bundles[dearer] <= bundle).all(axis=1)]
        if len(parts):
            part = bids[int(parts[np.argmax(values[parts])])]
            raise InputError(
                f"{source}, {bid.where}: bidder '{bid.bidder}' values "
                f"{format_bundle(bundle, goods)} at {bid.value:g}, less than a part of it in "
                f"{part.where} ({format_bundle(np.array(part.bundle), goods)} at {part.value:g}). "
                "More is never worth less here: raise this value or remove the line."
            )


def xor_table(market: Market, bidder: int, bids: list[Bid], section: Section) -> XorTable:
    """
    A bidder's bids as a function: the best bid contained in a bundle.

    Parameters
    ----------
    market
        Whose limits every bid has to keep, since it could never win otherwise.
    bidder
        Whose bids these are.
    bids
        At least one.
    section
        The bidder's block in the market file.
    """
    bundles = np.array([bid.bundle for bid in bids])
    for bid, allowed in zip(bids, market.allows(bidder, bundles), strict=True):
        if not allowed:
            broken = market.broken_limits(bidder, bid.bundle)[0].name
            section.fail(
                "bids",
                f"{bid.where} of '{section.table['bids']}' can never win, because of the "
                f"limit '{broken}'; remove the line or relax the limit.",
            )
    return XorTable(bundles, np.array([bid.value for bid in bids]), market.capacities)
