"""Who could send something: people who were invited, and not revoked since."""

from boca_verify.bodies import Damaged, body_of
from boca_verify.records import Record

Sender = tuple[str, int | None]


class LoggedPeople:
    """
    Everybody who was let in, record by record.

    A person is out once a record revokes the person, or each of the links that it was invited by,
    and in again with the next invitation.
    """

    def __init__(self) -> None:
        self.num_sealed = 0
        self._links: dict[Sender, set[str]] = {}
        self._revoked_by: dict[Sender, int] = {}

    def see(self, record: Record) -> None:
        """Notes who comes and goes; Damaged where somebody joins who was never invited."""
        if record.kind not in ("invited", "revoked", "joined"):
            return
        if record.body is None:
            self.num_sealed += record.kind == "invited"
            return
        body = body_of(record)
        bidder = body.whole("bidder") if body.has("bidder") else None
        if record.kind == "revoked":
            self._revoke(record.seq, body.text("access"), bidder, body.fields.get("person"))
            return
        sender = body.text("person"), bidder
        if record.kind == "joined":
            self.check(*sender)
            return
        self._links.setdefault(sender, set()).add(body.text("access"))
        self._revoked_by.pop(sender, None)

    def check(self, person: str, bidder: int | None) -> None:
        """Damaged if a person was not let in at this point of the log."""
        sender = person, bidder
        if sender in self._revoked_by:
            raise Damaged(f"'{person}' was revoked by record {self._revoked_by[sender]}.")
        # Invitations of other bidders are sealed in all logs but the full one.
        if sender not in self._links and not self.num_sealed:
            raise Damaged(f"'{person}' was never invited for this bidder.")

    def _revoke(self, number: int, access: str, bidder: int | None, person: object) -> None:
        if isinstance(person, str):
            self._revoked_by[person, bidder] = number
        for sender, links in self._links.items():
            if access in links:
                links.discard(access)
                if not links:
                    self._revoked_by[sender] = number
