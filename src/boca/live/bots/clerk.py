"""A program that plays the auctioneer: sets an auction up, closes and publishes it."""

import secrets
from dataclasses import dataclass

from boca.live.bots.client import Client


@dataclass(frozen=True)
class Clerk:
    """
    The auctioneer's program.

    Parameters
    ----------
    client
        With a token of the auctioneer.
    """

    client: Client

    def create(self, text: str, is_rehearsal: bool = False) -> str:
        """A new auction from the text of a market file; its id."""
        body = {"text": text, "is_rehearsal": is_rehearsal}
        auction: str = self.client.post("/auctions", body, new_key())["id"]
        return auction

    def bidders(self, auction: str) -> list[str]:
        """Names of the bidders."""
        market = self.client.get(f"/auctions/{auction}/rules")["market"]
        return [bidder["name"] for bidder in market["bidders"]]

    def link(self, auction: str, bidder: str | None, person: str) -> str:
        """A one-time link for a person; an auditor's if no bidder is named."""
        body = {"bidder": bidder, "person": person, "kind": "link"}
        link: str = self.client.post(f"/auctions/{auction}/invitations", body, new_key())["link"]
        return link

    def token(self, auction: str, bidder: str, person: str = "bot") -> str:
        """A token for a program of a bidder."""
        body = {"bidder": bidder, "person": person, "kind": "token"}
        token: str = self.client.post(f"/auctions/{auction}/invitations", body, new_key())["token"]
        return token

    def do(self, auction: str, command: str, body: dict[str, object] | None = None) -> str:
        """Carries out a command such as ``start``; the phase afterwards."""
        answer = self.client.post(f"/auctions/{auction}/{command}", body, new_key())
        phase: str = answer["phase"]
        return phase

    def look(self, auction: str) -> str:
        """Closes an auction whose questions are over, publishes one that is decided."""
        phase: str = self.client.get(f"/auctions/{auction}")["phase"]
        if phase == "stopped":
            return self.do(auction, "close")
        return self.do(auction, "publish") if phase == "decided" else phase


def new_key() -> str:
    """A key that was never used."""
    return secrets.token_urlsafe(24)
