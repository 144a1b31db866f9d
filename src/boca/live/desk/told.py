"""Who is told by e-mail, where, and of what."""

from concurrent.futures import Future
from dataclasses import replace

from boca.core.errors import InputError
from boca.core.message import msg
from boca.live.auction.refusal import Refusal
from boca.live.desk.office import Office
from boca.live.mail.address import check_address
from boca.live.people import Who
from boca.live.promises import refused
from boca.live.store import addresses as address_table
from boca.live.store import mails as mail_table
from boca.live.store.addresses import KINDS, AddressRow, name_of
from boca.live.store.mails import MailRow


class ToldDesk(Office):
    """People say where they want to be told; staff see what was sent."""

    def own_address(self, who: Who) -> AddressRow | None:
        """Where a person of an auction wants to be told; None for nowhere."""
        return self._addresses(who.auction or "").get(name_of(who.bidder, who.person))

    def save_own_address(
        self, who: Who, address: str, wants: tuple[str, ...], language: str = ""
    ) -> "Future[None]":
        """A person changes its own address, or what it is told; an empty address removes it."""
        self.need(who, "bidder", "auditor")
        assert who.auction is not None
        return self._save(who.auction, name_of(who.bidder, who.person), address, wants, language)

    def addresses(self, who: Who, auction: str) -> dict[str, AddressRow]:
        """Everybody's address by ``bidder/person``, for auctioneer and auditor."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        return self._addresses(auction)

    def save_address(self, who: Who, auction: str, name: str, address: str) -> "Future[None]":
        """The auctioneer enters the address of somebody who was invited; empty removes it."""
        self.need(who, "auctioneer", auction=auction)
        known = {name_of(p.bidder, p.name) for p in self.state_of(auction).persons}
        if name not in known:
            return refused(Refusal("not-found", msg("There is no such person.")))
        before = self._addresses(auction).get(name)
        wants, language = (before.wants, before.language) if before else (KINDS, "")
        return self._save(auction, name, address, wants, language)

    def mails(self, who: Who, auction: str) -> list[MailRow]:
        """What was sent or waits, the latest first, for auctioneer and auditor."""
        self.need(who, "auctioneer", "auditor", auction=auction)
        with self.database.connect() as connection:
            return mail_table.read(connection, auction)

    def choose_language(self, who: Who, language: str) -> "Future[None] | None":
        """Mails follow the language of a person's pages; None if there is no address."""
        row = self.own_address(who) if who.auction else None
        if row is None or row.language == language:
            return None
        changed = replace(row, language=language)
        return self.writer.do(lambda c: address_table.save(c, changed))

    def _addresses(self, auction: str) -> dict[str, AddressRow]:
        with self.database.connect() as connection:
            return {row.who: row for row in address_table.read(connection, auction)}

    def _save(
        self, auction: str, name: str, address: str, wants: tuple[str, ...], language: str
    ) -> "Future[None]":
        if not address.strip():
            return self.writer.do(lambda c: address_table.remove(c, auction, name))
        try:
            checked = check_address(address)
        except InputError as error:
            return refused(Refusal("mistakes", error.message))
        chosen = tuple(kind for kind in KINDS if kind in wants)
        row = AddressRow(auction, name, checked, chosen, language)
        return self.writer.do(lambda c: address_table.save(c, row))
