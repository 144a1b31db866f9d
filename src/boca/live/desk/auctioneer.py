"""What the auctioneer does."""

import string
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime

import boca
from boca.live.auction import commands as cmd
from boca.live.auction.audience import is_sealed
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import AuctionFile
from boca.live.auction.submission import Checked, Submission, check
from boca.live.desk.office import Office
from boca.live.desk.submissions import Receipt, send_submission
from boca.live.people import INVITATION, Link, Who, is_usable
from boca.live.promises import refused, then
from boca.live.store import access as access_table
from boca.live.store.access import AccessRow, Role
from boca.live.store.batch import Done
from boca.live.store.database import Connection
from boca.live.work.results import Preview

LETTERS = string.ascii_lowercase + string.digits
# Whatever else there is, the server or a bidder sends.
AUCTIONEERS = (
    cmd.Start,
    cmd.OpenRound,
    cmd.Extend,
    cmd.Pause,
    cmd.Resume,
    cmd.Stop,
    cmd.Close,
    cmd.Retry,
    cmd.Publish,
    cmd.Cancel,
    cmd.Announce,
)


class AuctioneerDesk(Office):
    """Auctions are made, run and published here."""

    def preview(self, text: str) -> "Future[Preview]":
        """
        Whether rules and market are good, looked at by the engine in a child process.

        Ends with an InputError that names line and key if they are not.
        """
        file = self.read(text)
        assert self.worker is not None, "this desk starts no child processes"
        return self.worker.preview(file.rules, file.market)

    def create(
        self,
        who: Who,
        text: str,
        request: str | None = None,
        is_rehearsal: bool = False,
        copied_from: str | None = None,
    ) -> "Future[Done]":
        """
        A new auction in draft from the text of a market file; ``Done.auction`` is its id.

        A mistake in the text is an InputError at once.
        """
        self.need(who, "auctioneer")
        return self._create(who, self.read(text), request, is_rehearsal, copied_from)

    def copy(
        self,
        who: Who,
        auction: str,
        is_rehearsal: bool = True,
        request: str | None = None,
        round_minutes: float | None = None,
    ) -> "Future[Done]":
        """A new auction with the same rules and market, perhaps with shorter rounds."""
        self.need(who, "auctioneer")
        state = self.state_of(auction)
        rules, market = state.setup
        if round_minutes is not None:
            rules = replace(rules, round_minutes=(round_minutes, round_minutes))
        file = AuctionFile(rules, market, state.notes)
        return self._create(who, file, request, is_rehearsal, auction)

    def configure(self, who: Who, auction: str, text: str) -> "Future[Done]":
        """Other rules or another market, while in draft."""
        self.need(who, "auctioneer")
        file = self.read(text)
        command = cmd.Configure(file.rules, file.market, file.notes)
        return self.writer.send(auction, command, who.actor)

    def invite(
        self,
        who: Who,
        auction: str,
        bidder: int | None,
        person: str,
        request: str | None = None,
    ) -> "Future[Link]":
        """A one-time link for a person of a bidder; for an auditor if ``bidder`` is None."""
        self.need(who, "auctioneer")
        role: Role = "auditor" if bidder is None else "bidder"
        row, token = self.people.new_row(
            "invite", role, auction, bidder, person.strip(), INVITATION
        )
        done = self.writer.send(
            auction,
            cmd.Invite(person, row.id, bidder),
            who.actor,
            request,
            also=lambda connection, done: self._add_link(connection, row, token),
        )

        def link(done: Done) -> Link:
            if done.is_repetition:
                raise Refusal("conflict", "This link was made and shown before; make another one.")
            return Link(token, row.id, row.expires_at)

        return then(done, link)

    def _add_link(self, connection: Connection, row: AccessRow, token: str) -> None:
        """Stores a link; where values are sealed, it replaces whatever its bidder had before."""
        assert row.auction is not None
        if self.state_of(row.auction).guards_links:
            access_table.revoke_bidder(connection, row.auction, row.bidder, self.clock.now())
        access_table.add(connection, row, token)

    def revoke(self, who: Who, auction: str, access: str, reason: str) -> "Future[Done]":
        """Revokes a link, session or token of somebody in an auction."""
        self.need(who, "auctioneer")
        rows = {row.id: row for row in self.people.of_auction(auction)}
        if access not in rows:
            return refused(Refusal("not-found", "There is no such link or session."))
        now, row = self.clock.now(), rows[access]
        own = [r for r in rows.values() if (r.person, r.bidder) == (row.person, row.bidder)]
        is_last = not any(is_usable(r, now) for r in own if r.id != access)
        return self.writer.send(
            auction,
            cmd.Revoke(access, reason, row.bidder, row.person if is_last else None),
            who.actor,
            also=lambda connection, done: access_table.mark(connection, access, "revoked_at", now),
        )

    def command(
        self, who: Who, auction: str, command: cmd.Command, request: str | None = None
    ) -> "Future[Done]":
        """
        Carries out a command of the auctioneer.

        One of Start, OpenRound, Extend, Pause, Resume, Stop, Close, Retry, Publish, Cancel and
        Announce of :mod:`boca.live.auction.commands`.
        """
        self.need(who, "auctioneer")
        if not isinstance(command, AUCTIONEERS):
            return refused(Refusal("forbidden", "This is not a command of the auctioneer."))
        if isinstance(command, cmd.Start):
            self.watch.check_room()
        return self.writer.send(auction, command, who.actor, request)

    def check_for(self, who: Who, auction: str, bidder: int, submission: Submission) -> Checked:
        """What a submission that the auctioneer enters would do; changes nothing."""
        self.need(who, "auctioneer")
        state = self.state_of(auction)
        if not 0 <= bidder < len(state.books):
            raise Refusal("not-found", "There is no such bidder.")
        if is_sealed(state, who.viewer):
            raise Refusal("forbidden", "Values are sealed until the outcome is decided.")
        return check(state, bidder, submission, "operator")

    def enter_for(
        self,
        who: Who,
        auction: str,
        bidder: int,
        submission: Submission,
        reason: str,
        request: str | None = None,
        received: datetime | None = None,
    ) -> "Future[Receipt]":
        """The auctioneer submits for a bidder, with a reason that stands in the log."""
        self.need(who, "auctioneer")
        return send_submission(
            self, who, auction, bidder, submission, "operator", request, received, reason
        )

    def _create(
        self,
        who: Who,
        file: AuctionFile,
        request: str | None,
        is_rehearsal: bool,
        copied_from: str | None,
    ) -> "Future[Done]":
        auction = "".join(LETTERS[byte % len(LETTERS)] for byte in self.draw(16))
        seed = int.from_bytes(self.draw(6), "big")
        command = cmd.Create(
            file.rules,
            file.market,
            seed,
            self.key.public,
            boca.__version__,
            is_rehearsal,
            copied_from,
            file.notes,
        )
        return self.writer.send(auction, command, who.actor, request)
