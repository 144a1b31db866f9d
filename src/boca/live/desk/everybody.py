"""What everybody may see: rules, public pages, the log, the server's health."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from boca.core.message import msg
from boca.live.auction.audience import PUBLIC, seen_by
from boca.live.auction.refusal import Refusal
from boca.live.auction.views import PublicView, Setup, public_view, setup
from boca.live.clock import to_text
from boca.live.desk.office import Office
from boca.live.ledger import write_lines
from boca.live.people import Who
from boca.live.store import events as event_table
from boca.live.watch import LEAST_DISK_TO_GO_ON

# A hash, or its beginning: twelve digits are a receipt's number.
LOOKS_LIKE_RECORD = re.compile(r"[0-9a-f]{12,64}")


@dataclass(frozen=True)
class Health:
    """Whether the server can take submissions, and how it does; ``damaged`` counts auctions."""

    is_well: bool
    writer: str
    disk_free: int
    last_commit_ms: float
    child: str
    clock_jump: float
    damaged: int = 0


class EverybodysDesk(Office):
    """Rules, public pages, logs."""

    def setup(self, who: Who, auction: str) -> Setup:
        """Rules and market, for everybody who takes part."""
        self.need(who, "auctioneer", "auditor", "bidder", auction=auction)
        return setup(seen_by(self.state_of(auction), who.viewer))

    def public(self, auction: str, who: Who | None = None) -> PublicView:
        """What anybody sees, or a participant on the public page; not-found if it is not listed."""
        state = self.state_of(auction)
        takes_part = who is not None and who.takes_part(auction)
        is_listed = state.rules is not None and state.rules.listed and not state.is_rehearsal
        if not (takes_part or is_listed or state.phase == "published"):
            raise Refusal("not-found", msg("There is no such auction."))
        return public_view(seen_by(state, PUBLIC), self.clock.now())

    def log(self, who: Who | None, auction: str) -> Iterator[str]:
        """
        The log as JSON lines, with the bodies that the viewer may open.

        Bidders and the public get it once it is published, auctioneer and auditor at any time.
        """
        state = self.state_of(auction)
        viewer = PUBLIC
        if who is not None and who.takes_part(auction):
            viewer = who.viewer
        if not viewer.sees_all and state.phase != "published":
            if state.phase == "cancelled":
                sentence = msg(
                    "The log of a cancelled auction is handed out by its auctioneer and auditors "
                    "only."
                )
            else:
                sentence = msg("The log is handed out once the outcome is published.")
            raise Refusal("not-found", sentence)
        with self.database.connect() as connection:
            records = event_table.read(connection, auction)
        return write_lines(
            records, to_text(self.clock.now()), self.key, event_table.opener(records, viewer, state)
        )

    def has_record(self, auction: str, digits: str) -> bool:
        """
        Whether the log of a published auction holds a record.

        Parameters
        ----------
        auction
            Whose log.
        digits
            Its hash, or as many digits of its beginning as a receipt shows, or more.
        """
        if self.state_of(auction).phase != "published" or not LOOKS_LIKE_RECORD.fullmatch(digits):
            return False
        with self.database.connect() as connection:
            return event_table.is_there(connection, auction, digits)

    def health(self) -> Health:
        """For the health page."""
        free = self.watch.disk_free()
        writer = self.writer.failure or ("running" if self.writer.is_alive else "stopped")
        return Health(
            self.writer.is_alive and free > LEAST_DISK_TO_GO_ON,
            "running" if writer == "running" else "stopped",
            free,
            1000 * self.writer.last_commit_seconds,
            self.worker.doing if self.worker else "off",
            self.watch.clock_jump,
            len(self.writer.damaged),
        )
