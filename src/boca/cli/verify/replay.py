"""``boca verify --replay``: what this machine would have asked, for information only."""

from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from typing import Any

from boca.core.errors import MissingExtra
from boca_verify.records import Record

# A question as far as it can be compared: bidder, bundle, prices.
Asked = tuple[int, tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Replay:
    """
    How many questions come out the same here.

    Parameters
    ----------
    num_asked, num_same
        Questions of the log, and those that are asked here too.
    num_rounds
        Rounds that were planned again.
    """

    num_asked: int
    num_same: int
    num_rounds: int

    @property
    def text(self) -> str:
        """The figures in a sentence."""
        return (
            f"Planned again, {self.num_rounds} rounds give {self.num_same} of {self.num_asked} "
            "questions. This is for information: learning in floating point may differ from "
            "machine to machine."
        )


def replay(records: tuple[Record, ...]) -> Replay:
    """
    Plans every round of a log again, which can take as long as the auction's planning did.

    Parameters
    ----------
    records
        A full log that holds.
    """
    try:
        from boca.live.auction.events import Entry, from_body
        from boca.live.auction.fold import fold
        from boca.live.auction.state import LiveState
        from boca.live.clock import from_text
        from boca.live.work.child import plan
        from boca.live.work.requests import job_request
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "server", "--replay") from None

    state = LiveState(records[0].envelope["auction"])
    asked: list[Asked] = []
    same = num_rounds = 0
    planned: list[Asked] = []
    for record in records:
        body = record.body or {}
        if record.kind == "planned":
            # What the engine tells about its progress is for the auctioneer's desk.
            with redirect_stderr(StringIO()):
                queries = plan(job_request(state))["queries"]
            planned = [_question(row, row["bidder"]) for row in queries]
            num_rounds += 1
        elif record.kind == "asked":
            rows = [_question(row, body["bidder"]) for row in body["queries"]]
            asked += rows
            same += sum(row in planned for row in rows)
        event = from_body(record.kind, body)
        entry = Entry(
            event, record.seq, from_text(record.at), record.hash, record.seal, body["actor"]
        )
        state = fold(state, entry)
    return Replay(len(asked), same, num_rounds)


def _question(row: dict[str, Any], bidder: int) -> Asked:
    prices = row.get("prices") or ()
    return bidder, tuple(row.get("bundle") or ()), tuple(prices)
