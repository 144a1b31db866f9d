"""Mails as people read them: what happened and where to look, and nothing else."""

import hashlib
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime

from boca.live.auction.kind import kind_of
from boca.live.clock import from_text
from boca.live.desk import Desk
from boca.live.mail.address import one_line
from boca.live.mail.settings import MailSettings
from boca.live.store.mails import MailRow
from boca.live.web.texts import Texts, load

# Where each kind of mail leads; bidder and auditor.
PLACES = {
    "round": ("me", "run"),
    "near": ("me", "run"),
    "moved": ("me", "run"),
    "result": ("result", "outcome"),
    "cancelled": ("me", "run"),
}


@dataclass(frozen=True)
class Letters:
    """
    Writes mails.

    Parameters
    ----------
    desk
        Knows the auctions.
    url
        Where people reach the server.
    settings
        Whom mails are from.
    """

    desk: Desk
    url: str
    settings: MailSettings

    def __call__(self, row: MailRow, token: str) -> EmailMessage:
        """A mail; ``token`` is the secret of an invitation's link."""
        state = self.desk.state_of(row.auction)
        rules, market = state.setup
        t = load(row.language or rules.language, kind_of(market))
        number, _, person = row.who.partition("/")
        bidder = market.bidders[int(number)].name if number else ""
        gaps = {
            "person": one_line(person),
            "bidder": one_line(bidder),
            "auction": one_line(state.name),
            "round": row.gaps.get("round", ""),
            "deadline": _moment(t, row.gaps.get("deadline", "")),
            "link": self._link(row, bool(number), token),
        }
        subject, text = t(f"mail.{row.kind}_subject", **gaps), t(f"mail.{row.kind}", **gaps)
        lines = [t("mail.dear", **gaps), "", text, "", gaps["link"], ""]
        if bidder:
            lines.append(t("mail.for", **gaps))
        if row.kind == "invitation":
            lines.append(t("mail.once"))
        else:
            lines.append(t("mail.change", link=f"{self.url}/a/{row.auction}/told"))
        return self._message(row, gaps["person"], subject, "\n".join(lines) + "\n")

    def _link(self, row: MailRow, is_bidder: bool, token: str) -> str:
        if row.kind == "invitation":
            return f"{self.url}/enter/{token}"
        place = PLACES[row.kind][0 if is_bidder else 1]
        return f"{self.url}/a/{row.auction}/{place}"

    def _message(self, row: MailRow, person: str, subject: str, text: str) -> EmailMessage:
        message = EmailMessage()
        sender = self.settings.from_address
        local, _, domain = row.address.rpartition("@")
        message["From"] = sender
        message["To"] = Address(person, local, domain)
        if self.settings.answers_to:
            message["Reply-To"] = self.settings.answers_to
        message["Subject"] = one_line(subject)
        message["Date"] = format_datetime(self.desk.now())
        # The same mail has the same name, however often a mail server is asked to take it.
        digest = hashlib.sha256("\n".join(row.key).encode()).hexdigest()[:32]
        message["Message-ID"] = f"<{digest}@{sender.domain}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        return message


def _moment(t: Texts, text: str) -> str:
    return t.moment(from_text(text)) if text else ""
