"""The log of one auction as a file, whole or as the public may see it."""

from pathlib import Path
from typing import Literal

from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.live.auction.audience import PUBLIC
from boca.live.auction.fold import fold_all
from boca.live.clock import SystemClock, to_text
from boca.live.ledger import SigningKey, write_lines
from boca.live.store.database import Database
from boca.live.store.events import opener, read, to_entry
from boca.live.upkeep.copies import CopiedAuction, check_log

Cut = Literal["full", "public"]


def export(data: Path, url: str | None, auction: str, path: Path, cut: Cut) -> CopiedAuction:
    """
    Writes the log of an auction while the server runs.

    Parameters
    ----------
    data, url
        Where the auction is.
    auction
        Its id.
    path
        The file; written over if it exists.
    cut
        ``full``, or ``public`` with the bodies that the rules open to everybody by now.
    """
    database = Database(data, url, exclusive=False)
    try:
        with database.connect() as connection:
            records = read(connection, auction)
        key = SigningKey.read(data / "receipts.key")
    finally:
        database.close()
    if not records:
        raise InputError(f"There is no auction '{auction}' in '{data}'. Check its id.")
    copy = check_log(auction, records)
    state = fold_all(auction, map(to_entry, records))
    if cut == "public" and state.phase != "published":
        raise InputError(
            f"Auction '{auction}' is not published; until then even its sealed log would tell how "
            "many answers there are. Publish it first, or export the full log."
        )
    opens = opener(records, PUBLIC, state) if cut == "public" else lambda record: True
    lines = write_lines(records, to_text(SystemClock().now()), key, opens)
    write_atomically(path, "".join(lines))
    path.chmod(0o600 if cut == "full" else 0o644)
    return copy
