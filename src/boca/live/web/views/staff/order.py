"""In which order long lists are shown: what needs somebody comes first."""

from collections.abc import Iterable
from dataclasses import dataclass

from boca.live.auction.state import ENDED, Phase
from boca.live.auction.views import ProgressRow
from boca.live.desk.watching import AuctionRow


def late_first(rows: Iterable[ProgressRow], phase: Phase) -> list[ProgressRow]:
    """
    Bidders with those first who are waited for.

    While a round is open, whoever has most questions open, and of those with as many whoever has
    never signed in; before the start whoever has not signed in; else the order of the market.
    """
    if phase == "draft":
        return sorted(rows, key=lambda row: bool(row.joined))
    if phase not in ("open", "paused"):
        return list(rows)
    return sorted(rows, key=lambda row: (-row.num_open, bool(row.joined)))


@dataclass(frozen=True)
class AuctionList:
    """
    The auctions that a list shows.

    Parameters
    ----------
    rows
        Those that were looked for, the latest first.
    find
        What was looked for; empty for everything.
    is_archive
        Whether the ended ones are shown; a search looks at all.
    num_running, num_ended
        How many there are.
    """

    rows: list[AuctionRow]
    find: str
    is_archive: bool
    num_running: int
    num_ended: int


def auction_list(rows: Iterable[AuctionRow], find: str = "", show: str = "") -> AuctionList:
    """Running auctions or ended ones, or whatever has the words in its name or is the id."""
    every = list(rows)
    ended = [row for row in every if row.phase in ENDED]
    words = find.lower().split()
    is_archive = show == "archive"
    if words:
        chosen = [
            row for row in every if all(w in f"{row.name} {row.auction}".lower() for w in words)
        ]
    else:
        chosen = [row for row in every if (row.phase in ENDED) == is_archive]
    return AuctionList(chosen, find, is_archive, len(every) - len(ended), len(ended))
