"""Who people are: links, sessions, tokens, passkeys. Only hashes of secrets are stored."""

import base64
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from boca.core.message import msg
from boca.live.auction.audience import Viewer
from boca.live.auction.commands import Invite, Join, Revoke
from boca.live.auction.kind import Kind as MarketKind
from boca.live.auction.kind import kind_of
from boca.live.auction.refusal import Refusal
from boca.live.clock import ServerClock, to_text
from boca.live.promises import after, done, refused, then
from boca.live.store import access as access_table
from boca.live.store import passkeys as passkey_table
from boca.live.store import tokens as token_table
from boca.live.store.access import AccessRow, Kind, Role
from boca.live.store.database import Connection, Database
from boca.live.store.passkeys import PasskeyRow
from boca.live.store.tokens import TokenRow
from boca.live.store.writer import Writer

# What a token for programs is good for.
Scope = Literal["all", "read"]
LONGEST_TOKEN_NAME = 80
INVITATION = timedelta(days=14)
OTHER_DEVICE = timedelta(minutes=10)
SESSION = timedelta(days=14)
API_TOKEN = timedelta(days=90)
PASSKEY = timedelta(days=365)
IDLE: dict[str, timedelta] = {
    "bidder": timedelta(hours=12),
    "auditor": timedelta(hours=12),
    "auctioneer": timedelta(minutes=60),
}
# How the log calls whoever runs the server.
OPERATOR = "operator:command line"
# The reason that it gives for a revocation.
COMMAND_LINE = "revoked on the command line of the server"
# How exactly the last use of a session is kept.
SEEN_EVERY = timedelta(seconds=30)


@dataclass(frozen=True)
class Who:
    """
    A signed-in person, or a program with a token.

    Parameters
    ----------
    access
        Id of the session or token.
    kind
        ``session`` for pages, ``api`` for programs.
    role, auction, bidder, person
        What it may do; an auctioneer of the whole server belongs to no auction.
    last_seen_at
        When it was used before; None the first time.
    scope
        ``read`` for a token that cannot do anything but read; ``all`` for everything else.
    """

    access: str
    kind: Literal["session", "api"]
    role: Role
    auction: str | None
    bidder: int | None
    person: str
    created_at: str
    last_seen_at: str | None
    scope: str = "all"

    @property
    def actor(self) -> str:
        """How the log calls this person."""
        if self.role == "bidder":
            return f"bidder:{self.bidder}/{self.person}"
        return f"{self.role}:{self.person}"

    @property
    def viewer(self) -> Viewer:
        return Viewer(self.role, self.bidder)

    @property
    def runs_all(self) -> bool:
        """Whether this is an auctioneer of the whole server, and not of one auction."""
        return self.role == "auctioneer" and self.auction is None

    def takes_part(self, auction: str) -> bool:
        """Whether this person has business in an auction."""
        return self.runs_all or self.auction == auction


@dataclass(frozen=True)
class Invitation:
    """
    What a link offers, for the page before it is used.

    Parameters
    ----------
    role, person
        As whom one enters.
    auction, auction_name, bidder, bidder_name
        To what; empty for an auctioneer.
    used_at
        When it was used, if it was.
    is_valid
        Whether it can still be used.
    kind
        Whether it sells, buys or exchanges there.
    language
        The auction's.
    """

    role: Role
    person: str
    auction: str | None
    auction_name: str
    bidder: int | None
    bidder_name: str
    used_at: str | None
    is_valid: bool
    kind: MarketKind = "sell"
    language: str = "en"


@dataclass(frozen=True)
class Entered:
    """A new session: its secret for the cookie, and whose it is."""

    token: str
    who: Who


@dataclass(frozen=True)
class Link:
    """A secret that is shown once: a one-time link's or an API token."""

    token: str
    access: str
    expires_at: str


class People:
    """
    Links, sessions, tokens and passkeys of everybody.

    Parameters
    ----------
    writer, database
        Where they are kept; changes go through the writer's queue.
    clock, draw
        Time and random bytes.
    """

    def __init__(
        self, writer: Writer, database: Database, clock: ServerClock, draw: Callable[[int], bytes]
    ):
        self.writer, self.database, self.clock, self.draw = writer, database, clock, draw
        self._seen: dict[str, datetime] = {}
        self._noting: set[str] = set()

    def first_link(self, role: Role = "auctioneer", person: str = "auctioneer") -> "Future[Link]":
        """A one-time link for a server-wide role, made with access to the machine."""
        return self._new_access("invite", role, None, None, person, INVITATION)

    def invitation(self, token: str) -> Invitation | None:
        """What a link offers; None if there is no such link."""
        with self.database.connect() as connection:
            row = access_table.find(connection, token, "invite")
        if row is None:
            return None
        state = self.writer.state(row.auction) if row.auction else None
        bidder_name = ""
        if state and state.market and row.bidder is not None:
            bidder_name = state.market.bidders[row.bidder].name
        is_valid = row.used_at is None and access_table.is_valid(row, self.clock.now(), None)
        return Invitation(
            row.role,
            row.person,
            row.auction,
            state.name if state else "",
            row.bidder,
            bidder_name,
            row.used_at,
            is_valid,
            kind_of(state.market) if state and state.market else "sell",
            state.rules.language if state and state.rules else "en",
        )

    def enter(self, token: str) -> "Future[Entered]":
        """Uses up a link and starts a session; refused if it was used or is too old."""
        noted = self._note_operators_link(token)
        entered = after(noted, lambda _: self.writer.do(lambda c: self._enter(c, token)))
        return then(entered, self._join)

    def who(self, token: str, kind: Literal["session", "api"] = "session") -> Who | None:
        """Whose cookie or API token this is; None if it does not work (any more)."""
        with self.database.connect() as connection:
            row = access_table.find(connection, token, kind)
            scopes = token_table.of(connection, [row.id]) if row and kind == "api" else {}
        idle = IDLE[row.role] if row and kind == "session" else None
        now = self.clock.now()
        if row is None or not access_table.is_valid(row, now, idle):
            return None
        self._note_use(row, now)
        return replace(_who(row), scope=scopes[row.id].scope) if scopes else _who(row)

    def tokens(self, who: Who) -> dict[str, TokenRow]:
        """Id -> name and scope of the person's own tokens."""
        ids = [row.id for row in self.accesses(who) if row.kind == "api"]
        with self.database.connect() as connection:
            return token_table.of(connection, ids)

    def accesses(self, who: Who) -> list[AccessRow]:
        """The person's own sessions, tokens, links and passkeys, latest first."""
        with self.database.connect() as connection:
            return access_table.of_person(connection, who.role, who.auction, who.bidder, who.person)

    def of_auction(self, auction: str) -> list[AccessRow]:
        """All links, sessions and tokens of an auction."""
        with self.database.connect() as connection:
            return access_table.of_auction(connection, auction)

    def other_device(self, who: Who) -> "Future[Link]":
        """A one-time link for another device of the same person, valid for ten minutes."""
        return self._new_access_of(who, "invite", OTHER_DEVICE)

    def api_token(self, who: Who, name: str = "", scope: Scope = "all") -> "Future[Link]":
        """A token for programs, shown once; with a name, and perhaps for reading alone."""
        tidy = tidy_name(name)

        def keep(connection: Connection, row: AccessRow) -> None:
            if tidy or scope != "all":
                token_table.add(connection, TokenRow(row.id, tidy, scope))

        return self._new_access_of(who, "api", API_TOKEN, keep)

    def add_passkey(
        self, who: Who, name: str, credential_id: bytes, credential: bytes, uses: int
    ) -> "Future[Link]":
        """
        Keeps a passkey of the person's.

        Parameters
        ----------
        who
            Whose it is.
        name
            What its owner calls it.
        credential_id
            How the device calls it.
        credential, uses
            As in :class:`~boca.live.store.passkeys.PasskeyRow`.
        """
        tidy, found_by = tidy_name(name), passkey_name(credential_id)
        with self.database.connect() as connection:
            if access_table.find(connection, found_by, "passkey") is not None:
                return refused(Refusal("conflict", msg("This passkey is known already.")))

        def keep(connection: Connection, row: AccessRow) -> None:
            passkey_table.add(connection, PasskeyRow(row.id, tidy, credential, uses))

        return self._new_access_of(who, "passkey", PASSKEY, keep, found_by)

    def passkeys(self, who: Who) -> dict[str, PasskeyRow]:
        """Id -> passkey, of the person's own that work."""
        now = self.clock.now()
        rows = [row for row in self.accesses(who) if row.kind == "passkey"]
        with self.database.connect() as connection:
            return passkey_table.of(connection, [row.id for row in rows if is_usable(row, now)])

    def passkey(self, credential_id: bytes) -> tuple[AccessRow, PasskeyRow] | None:
        """A passkey that works, with whom it lets in."""
        with self.database.connect() as connection:
            row = access_table.find(connection, passkey_name(credential_id), "passkey")
            if row is None or not is_usable(row, self.clock.now()):
                return None
            return row, passkey_table.of(connection, [row.id])[row.id]

    def enter_by_passkey(self, row: AccessRow, uses: int) -> "Future[Entered]":
        """Starts a session of whoever owns a passkey that has just proved itself."""

        def start(connection: Connection) -> Entered:
            # It may have been revoked meanwhile.
            now_row = access_table.get(connection, row.id)
            if now_row is None or not is_usable(now_row, self.clock.now()):
                raise Refusal("not-found", msg("There is no such passkey any more."))
            passkey_table.count_up(connection, row.id, uses)
            access_table.mark(connection, row.id, "last_seen_at", self.clock.now())
            return self._start_session(connection, row)

        return then(self.writer.do(start), self._join)

    def sign_out(self, who: Who) -> "Future[None]":
        """Ends the session."""
        return self.revoke_own(who, who.access)

    def revoke_own(self, who: Who, access: str) -> "Future[None]":
        """Revokes one of the person's own sessions, tokens or links."""
        if access not in {row.id for row in self.accesses(who)}:
            return refused(Refusal("not-found", msg("There is no such session.")))
        now = self.clock.now()
        return self.writer.do(lambda c: access_table.mark(c, access, "revoked_at", now))

    def revocation(self, row: AccessRow, reason: str) -> Revoke:
        """What the log says of a revocation; it names the person if nothing else lets it in."""
        assert row.auction is not None
        now = self.clock.now()
        others = [other for other in self.of_auction(row.auction) if other.id != row.id]
        own = [
            other for other in others if (other.person, other.bidder) == (row.person, row.bidder)
        ]
        is_last = not any(is_usable(other, now) for other in own)
        return Revoke(row.id, reason, row.bidder, row.person if is_last else None)

    def note_revocations(self) -> None:
        """Puts into the logs what was revoked on the command line; it has ended already."""
        with self.database.connect() as connection:
            rows = access_table.unnoted(connection)
        for row in rows:
            if row.id not in self._noting and self.writer.state(row.auction or "") is not None:
                self._note_revocation(row, row.auction or "")

    def _note_revocation(self, row: AccessRow, auction: str) -> None:
        revocation = self.revocation(row, COMMAND_LINE)
        self._noting.add(row.id)  # once, however long the writer takes
        noted = self.writer.send(
            auction,
            revocation,
            OPERATOR,
            also=lambda connection, _: access_table.take_note(connection, row.id),
        )
        noted.add_done_callback(lambda _: self._noting.discard(row.id))

    def _token(self) -> str:
        return base64.urlsafe_b64encode(self.draw(32)).rstrip(b"=").decode()

    def new_row(
        self,
        kind: Kind,
        role: Role,
        auction: str | None,
        bidder: int | None,
        person: str,
        lifetime: timedelta,
    ) -> tuple[AccessRow, str]:
        """A new row of the table of secrets, and its secret."""
        now = self.clock.now()
        row = AccessRow(
            self.draw(8).hex(),
            kind,
            role,
            auction,
            bidder,
            person,
            to_text(now),
            to_text(now + lifetime),
        )
        return row, self._token()

    def _new_access(
        self,
        kind: Kind,
        role: Role,
        auction: str | None,
        bidder: int | None,
        person: str,
        lifetime: timedelta,
    ) -> "Future[Link]":
        row, token = self.new_row(kind, role, auction, bidder, person, lifetime)
        stored = self.writer.do(lambda c: access_table.add(c, row, token))
        return then(stored, lambda _: Link(token, row.id, row.expires_at))

    def _new_access_of(
        self,
        who: Who,
        kind: Kind,
        lifetime: timedelta,
        also: Callable[[Connection, AccessRow], None] = lambda connection, row: None,
        found_by: str = "",
    ) -> "Future[Link]":
        """
        One more link, token or passkey of a person; where values are sealed, the log says so.

        Parameters
        ----------
        who
            The person.
        kind, lifetime
            What it is, and how long it works.
        also
            Keeps what else belongs to it, in the same commit.
        found_by
            What its row is found by, instead of a secret that is drawn.
        """
        row, token = self.new_row(kind, who.role, who.auction, who.bidder, who.person, lifetime)
        token = found_by or token

        def keep(connection: Connection) -> None:
            access_table.add(connection, row, token)
            also(connection, row)

        state = self.writer.state(who.auction) if who.auction else None
        if state is None or not state.guards_links or who.role == "auctioneer":
            done = self.writer.do(keep)
            return then(done, lambda _: Link(token, row.id, row.expires_at))
        command = Invite(who.person, row.id, who.bidder, "person")
        stored = self.writer.send(state.auction, command, who.actor, also=lambda c, _: keep(c))
        return then(stored, lambda _: Link(token, row.id, row.expires_at))

    def _note_operators_link(self, token: str) -> "Future[None]":
        """Puts a link that was made on the command line into the log, before it is used."""
        with self.database.connect() as connection:
            row = access_table.find(connection, token, "invite")
        state = self.writer.state(row.auction) if row and row.auction else None
        if row is None or state is None or state.phase == "published":
            return done(None)
        if row.role == "auctioneer":  # the log names auctioneers by what they do
            return done(None)
        if row.used_at is not None or not access_table.is_valid(row, self.clock.now(), None):
            return done(None)
        own = [p for p in state.persons if (p.name, p.bidder) == (row.person, row.bidder)]
        is_known = any(row.id in p.access for p in own) if state.guards_links else bool(own)
        if is_known:
            return done(None)
        command = Invite(row.person, row.id, row.bidder, "operator")
        return then(self.writer.send(state.auction, command, OPERATOR), lambda _: None)

    def _enter(self, connection: Connection, token: str) -> Entered:
        """Uses up a link; in the writer's transaction, so that it works once."""
        now = self.clock.now()
        row = access_table.find(connection, token, "invite")
        if row is None:
            raise Refusal("not-found", msg("There is no such link."))
        if row.used_at is not None:
            raise Refusal(
                "conflict",
                msg(
                    "This link was used on {time} UTC. Ask the auctioneer for another one, or make "
                    "one on the device where you are signed in.",
                    time=row.used_at[:16].replace("T", " at "),
                ),
            )
        if not access_table.is_valid(row, now, None):
            raise Refusal(
                "conflict", msg("This link is no longer valid. Ask the auctioneer for another one.")
            )
        access_table.mark(connection, row.id, "used_at", now)
        return self._start_session(connection, row)

    def _start_session(self, connection: Connection, row: AccessRow) -> Entered:
        """A new session of the person that a link or passkey belongs to."""
        session, secret = self.new_row(
            "session", row.role, row.auction, row.bidder, row.person, SESSION
        )
        access_table.add(connection, session, secret)
        return Entered(secret, _who(session))

    def _join(self, entered: Entered) -> Entered:
        """Notes a bidder's first sign-in in the log."""
        who = entered.who
        state = self.writer.state(who.auction) if who.auction else None
        if state is not None and who.bidder is not None:
            command = Join(who.person, who.bidder)
            names = {(p.name, p.bidder) for p in state.persons if not p.has_joined}
            if (who.person, who.bidder) in names:
                self.writer.send(state.auction, command, who.actor)
        return entered

    def _note_use(self, row: AccessRow, now: datetime) -> None:
        """Keeps when a session was used last, now and then."""
        last = self._seen.get(row.id)
        if last is None or now - last >= SEEN_EVERY:
            self._seen[row.id] = now
            self.writer.do(lambda c: access_table.mark(c, row.id, "last_seen_at", now))


def tidy_name(name: str) -> str:
    """What a token or passkey is called: one short line."""
    tidy = " ".join(name.split())[:LONGEST_TOKEN_NAME]
    if not tidy.isprintable():
        raise Refusal("mistakes", msg("A name is one line of text."))
    return tidy


def passkey_name(credential_id: bytes) -> str:
    """What the row of a passkey is found by; no link or token looks like it."""
    return f"passkey {credential_id.hex()}"


def is_usable(row: AccessRow, now: datetime) -> bool:
    """Whether a link, session, token or passkey lets somebody in."""
    if row.kind == "invite" and row.used_at is not None:
        return False
    return access_table.is_valid(row, now, IDLE[row.role] if row.kind == "session" else None)


def _who(row: AccessRow) -> Who:
    assert row.kind in ("session", "api")
    return Who(
        row.id,
        row.kind,
        row.role,
        row.auction,
        row.bidder,
        row.person,
        row.created_at,
        row.last_seen_at,
    )
