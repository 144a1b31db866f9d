"""What the auctioneer does."""

import json
import string
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime

import boca
from boca.core.message import msg
from boca.live.auction import commands as cmd
from boca.live.auction.audience import is_sealed
from boca.live.auction.decide.setting_up import is_due, why_not_started
from boca.live.auction.events import Proposed
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import AuctionFile
from boca.live.auction.state import Proposal
from boca.live.auction.submission import Checked, Submission, check
from boca.live.desk.office import Office
from boca.live.desk.submissions import PROPOSED, Receipt, send_submission
from boca.live.mail.address import check_address
from boca.live.people import INVITATION, Link, Who
from boca.live.promises import refused, then
from boca.live.store import access as access_table
from boca.live.store import addresses as address_table
from boca.live.store import mails as mail_table
from boca.live.store import setups as setup_table
from boca.live.store.access import AccessRow, Role
from boca.live.store.addresses import AddressRow, name_of
from boca.live.store.batch import Done
from boca.live.store.database import Connection
from boca.live.store.mails import MailRow
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
    cmd.Withdraw,
    cmd.Reply,
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
        self.need_all(who)
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
        self.need_all(who)
        state = self.state_of(auction)
        rules, market = state.setup
        rules = replace(rules, starts_at="")  # it was meant for that one auction
        if is_rehearsal:
            # A rehearsal is played by one person and by bots.
            rules = replace(rules, time_zone="UTC", opening_hours={}, second_person=())
            rules = replace(rules, approval=False, accept_rules=False)
        if round_minutes is not None:
            rules = replace(rules, round_minutes=(round_minutes, round_minutes))
        file = AuctionFile(rules, market, state.notes)
        return self._create(who, file, request, is_rehearsal, auction)

    def configure(self, who: Who, auction: str, text: str) -> "Future[Done]":
        """Other rules or another market, while in draft."""
        self.need(who, "auctioneer", auction=auction)
        file = self.read(text)
        command = cmd.Configure(file.rules, file.market, file.notes)
        return self.writer.send(auction, command, who.actor)

    def draft_file(self, who: Who, auction: str) -> AuctionFile:
        """Rules, market and notes of a draft, to be edited."""
        self.need(who, "auctioneer", auction=auction)
        state = self.state_of(auction)
        if state.phase != "draft":
            raise Refusal("wrong-phase", msg("The rules cannot be changed any more."), state.phase)
        return AuctionFile(*state.setup, state.notes)

    def why_not_started(self, who: Who, auction: str) -> str:
        """Why an auction has not started at its planned start; empty before then."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        state, now = self.state_of(auction), self.clock.now()
        return why_not_started(state, now) if is_due(state, now) else ""

    def proposals(self, who: Who, auction: str) -> tuple[Proposal, ...]:
        """Acts that wait for a second auctioneer, the first one first."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        pending = self.state_of(auction).proposals.values()
        # What a bidder's people have yet to confirm is theirs alone.
        own = [one for one in pending if one.event.act != "submission"]
        return tuple(sorted(own, key=lambda one: one.at))

    def setups(self, who: Who) -> dict[str, str]:
        """Key -> form, of auctions that are being set up."""
        self.need(who, "auctioneer")
        with self.database.connect() as connection:
            kept = setup_table.read(connection)
        if who.auction is None:
            return kept
        return {key: text for key, text in kept.items() if _auction_of(text) == who.auction}

    def save_setup(self, who: Who, key: str, text: str) -> "Future[None]":
        """Keeps the form of an auction that is being set up; an empty text forgets it."""
        self.need(who, "auctioneer")
        kept = self.setups(who)
        if who.auction is not None and text and _auction_of(text) != who.auction:
            self.need_all(who)
        if not text:
            return self.writer.do(lambda c: setup_table.forget(c, key) if key in kept else None)
        # A draft has one form at most, so that those of new auctions are what can pile up.
        num_new = sum(not _auction_of(one) for one in kept.values())
        if key not in kept and not _auction_of(text) and num_new >= setup_table.MOST_SETUPS:
            return refused(
                Refusal(
                    "conflict",
                    msg(
                        "{num_new} auctions are being set up; finish or discard some of "
                        "them first.",
                        num_new=num_new,
                    ),
                )
            )
        return self.writer.do(lambda c: setup_table.save(c, key, text))

    def invite(
        self,
        who: Who,
        auction: str,
        bidder: int | None,
        person: str,
        request: str | None = None,
        address: str = "",
        by_mail: bool = False,
    ) -> "Future[Link]":
        """
        A one-time link for a person of a bidder; for an auditor if ``bidder`` is None.

        An address is kept beside it, not in the log. With ``by_mail`` the link is sent there, with
        a secret that nobody here has seen; a rehearsal sends nothing.
        """
        self.need(who, "auctioneer", auction=auction)
        checked = check_address(address) if address.strip() else ""
        sends = by_mail and bool(checked) and not self.state_of(auction).is_rehearsal
        role: Role = "auditor" if bidder is None else "bidder"
        row, token = self.people.new_row(
            "invite", role, auction, bidder, person.strip(), INVITATION
        )
        done = self.writer.send(
            auction,
            cmd.Invite(person, row.id, bidder, who=who.person),
            who.actor,
            request,
            also=lambda connection, done: self._add_link(
                connection, done, row, token, checked, sends
            ),
            credential=who.access,
        )

        def link(done: Done) -> Link:
            if done.is_repetition:
                raise Refusal(
                    "conflict", msg("This link was made and shown before; make another one.")
                )
            if isinstance(done.entries[0].event, Proposed):
                raise Refusal("proposed", PROPOSED)
            return Link(token, row.id, row.expires_at)

        return then(done, link)

    def _add_link(
        self,
        connection: Connection,
        done: Done,
        row: AccessRow,
        token: str,
        address: str,
        sends: bool,
    ) -> None:
        """Stores a link; where values are sealed, it replaces whatever its bidder had before."""
        assert row.auction is not None
        if isinstance(done.entries[0].event, Proposed):
            return
        if self.state_of(row.auction).guards_links:
            access_table.revoke_bidder(connection, row.auction, row.bidder, self.clock.now())
        access_table.add(connection, row, token)
        if address:
            name = name_of(row.bidder, row.person)
            known = {a.who: a for a in address_table.read(connection, row.auction)}
            new = AddressRow(row.auction, name, address)
            address_row = replace(known.get(name, new), address=address)
            address_table.save(connection, address_row)
            if sends:
                mail_table.add(connection, [_invitation(row, address_row)])

    def revoke(self, who: Who, auction: str, access: str, reason: str) -> "Future[Done]":
        """Revokes a link, session or token of somebody in an auction."""
        self.need(who, "auctioneer", auction=auction)
        rows = {row.id: row for row in self.people.of_auction(auction)}
        if access not in rows:
            return refused(Refusal("not-found", msg("There is no such link or session.")))
        now = self.clock.now()
        return self.writer.send(
            auction,
            self.people.revocation(rows[access], reason),
            who.actor,
            also=lambda connection, done: access_table.mark(connection, access, "revoked_at", now),
        )

    def command(
        self, who: Who, auction: str, command: cmd.Command, request: str | None = None
    ) -> "Future[Done]":
        """
        Carries out a command of the auctioneer.

        One of Start, OpenRound, Extend, Pause, Resume, Stop, Close, Retry, Publish, Cancel,
        Announce and Reply of :mod:`boca.live.auction.commands`.
        """
        self.need(who, "auctioneer", auction=auction)
        if not isinstance(command, AUCTIONEERS):
            return refused(Refusal("forbidden", msg("This is not a command of the auctioneer.")))
        if isinstance(command, cmd.Start):
            self.watch.check_room()
        if isinstance(command, cmd.Close | cmd.Publish):
            command = replace(command, who=who.person)
        return self.writer.send(auction, command, who.actor, request, credential=who.access)

    def check_for(self, who: Who, auction: str, bidder: int, submission: Submission) -> Checked:
        """What a submission that the auctioneer enters would do; changes nothing."""
        self.need(who, "auctioneer", auction=auction)
        state = self.state_of(auction)
        if not 0 <= bidder < len(state.books):
            raise Refusal("not-found", msg("There is no such bidder."))
        if is_sealed(state, who.viewer):
            raise Refusal("forbidden", msg("Values are sealed until the outcome is decided."))
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
        self.need(who, "auctioneer", auction=auction)
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


def _invitation(row: AccessRow, to: AddressRow) -> MailRow:
    """The mail with a link; its secret is drawn when it is sent."""
    assert row.auction is not None
    return MailRow(
        row.auction,
        f"invitation:{row.id}",
        to.who,
        "invitation",
        to.address,
        to.language,
        {"access": row.id},
        made_at=row.created_at,
        due_at=row.created_at,
        until=row.expires_at,
    )


def _auction_of(setup: str) -> str:
    """The draft that a kept form edits; empty for a new auction."""
    auction: str = json.loads(setup)["auction"]
    return auction
