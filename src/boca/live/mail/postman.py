"""A thread that puts what there is to tell into the queue, and sends what is due."""

import base64
import logging
import re
import smtplib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from typing import Protocol

from boca.live.auction.events import Entry
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED, LiveState
from boca.live.clock import ServerClock, to_text
from boca.live.mail.notices import notices
from boca.live.mail.settings import PORTS, MailSettings
from boca.live.mail.trouble import trouble_of
from boca.live.store import access as access_table
from boca.live.store import addresses as address_table
from boca.live.store import mails as mail_table
from boca.live.store.addresses import AddressRow, name_of
from boca.live.store.database import Connection, Database, NoDatabase
from boca.live.store.mails import MailRow
from boca.live.store.writer import Writer

log = logging.getLogger("boca.server")
LOOK_SECONDS = 2.0
# How long one word of the mail server may take.
PATIENCE = 20.0
# Seconds before the next attempt, after each that failed; the last one repeats.
PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0)
MOST_AT_ONCE = 100
LONGEST_PROBLEM = 200

Key = tuple[str, str, str]


class Compose(Protocol):
    """Writes a mail; ``token`` is the secret of an invitation's link, empty for all others."""

    def __call__(self, row: MailRow, token: str) -> EmailMessage: ...


class Postman:
    """
    Tells people by e-mail, outside of everybody else's way.

    A mail is noted as being on its way after the mail server has agreed to take its text and
    before the text is sent. If the server is killed in between, or the connection breaks before
    the answer, nobody can know whether it arrived: it stays ``unsure`` and is not sent again, so
    that nobody is ever told twice.

    The secret of an invitation is drawn when it is sent and is in no table; each attempt has
    another one.

    Parameters
    ----------
    writer, database
        Whose auctions; changes go through the writer's queue.
    clock, draw
        Time and random bytes.
    settings
        The mail server.
    compose
        Writes the mails.
    pauses
        Seconds before each further attempt.
    """

    def __init__(
        self,
        writer: Writer,
        database: Database,
        clock: ServerClock,
        draw: Callable[[int], bytes],
        settings: MailSettings,
        compose: Compose,
        pauses: tuple[float, ...] = PAUSES,
    ):
        self.writer, self.database, self.clock, self.draw = writer, database, clock, draw
        self.settings, self.compose, self.pauses = settings, compose, pauses
        self._told: set[Key] = set()
        self._over: set[str] = set()
        self._wake = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="postman", daemon=True)

    def start(self) -> None:
        """Begins to work, with what was left over from before."""
        self.settle()
        self.writer.listeners.append(self._on_entries)
        self._thread.start()

    def settle(self) -> None:
        """Looks at the queue as the server left it when it ended."""
        now = self.clock.now()
        unsure = self.writer.do(lambda c: mail_table.settle(c, now)).result()
        if unsure:
            log.warning("of %d mails it is not known whether they were sent", unsure)
        with self.database.connect() as connection:
            self._told = mail_table.keys(connection)

    def close(self) -> None:
        """Ends after the mail that is on its way."""
        self._is_closing = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def work(self) -> None:
        """One look at everything; tests with a clock of their own call it by hand."""
        self._collect()
        self._send_due()

    def _on_entries(self, auction: str, state: LiveState, entries: tuple[Entry, ...]) -> None:
        self._over.discard(auction)
        self._wake.set()

    def _run(self) -> None:
        while not self._is_closing:
            try:
                self.work()
            except (Refusal, NoDatabase):
                pass  # nothing can be stored at the moment; the writer says so
            except Exception:
                log.exception("the postman stumbled, and goes on")
            self._wake.wait(LOOK_SECONDS)
            self._wake.clear()

    # -- what there is to tell ---------------------------------------------------------------

    def _collect(self) -> None:
        """Puts into the queue whatever people should have been told by now."""
        with self.database.connect() as connection:
            rows = address_table.read(connection)
        by_auction: dict[str, dict[str, AddressRow]] = {}
        for row in rows:
            by_auction.setdefault(row.auction, {})[row.who] = row
        now = self.clock.now()
        new = []
        for auction, addresses in by_auction.items():
            if auction in self._over:
                continue
            state = self.writer.state(auction)
            if state is None:
                continue
            new += list(self._new(state, addresses, now))
            if state.phase in ENDED:
                self._over.add(auction)
        if new:
            self.writer.do(lambda c: mail_table.add(c, new)).result()
            self._told |= {row.key for row in new}

    def _new(
        self, state: LiveState, addresses: dict[str, AddressRow], now: datetime
    ) -> Iterator[MailRow]:
        for person in state.persons:
            row = addresses.get(name_of(person.bidder, person.name))
            if row is None:
                continue
            for notice in notices(state, person, now):
                is_known = (state.auction, notice.event, row.who) in self._told
                if is_known or notice.wanted_as not in row.wants or notice.until <= now:
                    continue
                yield MailRow(
                    state.auction,
                    notice.event,
                    row.who,
                    notice.kind,
                    row.address,
                    row.language,
                    notice.gaps,
                    made_at=to_text(now),
                    due_at=to_text(now),
                    until=to_text(notice.until),
                )

    # -- sending -----------------------------------------------------------------------------

    def _send_due(self) -> None:
        now = self.clock.now()
        with self.database.connect() as connection:
            rows = mail_table.due(connection, now, MOST_AT_ONCE)
        late = [row for row in rows if row.until <= to_text(now) or self._is_over(row)]
        for row in late:
            self._mark(row, state="late", ended_at=to_text(now))
        waiting = [row for row in rows if row not in late]
        if not waiting:
            return
        try:
            with self._connected() as smtp:
                while waiting and not self._is_closing:
                    self._send(smtp, waiting[0])
                    waiting.pop(0)
        except (OSError, smtplib.SMTPException) as error:
            # Whatever it was, the mail server is not there for the others either.
            log.warning("%d mails wait, since the mail server fails: %s", len(waiting), error)
            for row in waiting:
                self._postpone(row, trouble_of(error))

    def _is_over(self, row: MailRow) -> bool:
        """Whether a mail speaks of a round that has ended, perhaps early, since it was written."""
        if "round" not in row.gaps:
            return False
        state = self.writer.state(row.auction)
        if state is None:
            return False
        is_under_way = state.phase in ("open", "paused")
        return not is_under_way or row.gaps["round"] != str(state.round + 1)

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        """A connection to the mail server, signed in."""
        settings = self.settings
        port = settings.port or PORTS[settings.security]
        smtp: smtplib.SMTP
        if settings.security == "tls":
            smtp = smtplib.SMTP_SSL(
                settings.host, port, timeout=PATIENCE, context=settings.context()
            )
        else:
            smtp = smtplib.SMTP(settings.host, port, timeout=PATIENCE)
        try:
            smtp.ehlo_or_helo_if_needed()
            if settings.security == "starttls":
                smtp.starttls(context=settings.context())
                smtp.ehlo()
            if settings.user:
                smtp.login(settings.user, settings.password)
            yield smtp
        finally:
            with suppress(OSError, smtplib.SMTPException):
                smtp.quit()
            smtp.close()

    def _send(self, smtp: smtplib.SMTP, row: MailRow) -> None:
        """One mail; what the mail server says about it alone concerns no other."""
        token = self._token() if row.kind == "invitation" else ""
        if token and not self._renew(row, token):
            self._mark(row, state="late", ended_at=to_text(self.clock.now()))
            return
        try:
            text = _on_the_wire(self.compose(row, token))
        except Refusal as error:  # its auction cannot be read
            log.warning("a mail waits, since its auction cannot be read: %s", error.sentence)
            self._postpone(row, "unreadable")
            return
        steps: tuple[Callable[[], tuple[int, bytes]], ...] = (
            lambda: smtp.mail(self.settings.from_address.addr_spec),
            lambda: smtp.rcpt(row.address),
            lambda: smtp.docmd("DATA"),
        )
        for step in steps:
            code, words = step()
            if code >= 400:
                self._refused(smtp, row, code, words)
                return
        # From here on, only the mail server knows; see the class.
        self._mark(row, state="sending", attempts=row.attempts + 1)
        try:
            smtp.send(text)
            code, words = smtp.getreply()
        except (OSError, smtplib.SMTPException) as error:
            log.warning("a mail may or may not have left: %s", error)
            self._mark(row, state="unsure", ended_at=self._now(), problem=trouble_of(error))
            smtp.close()
            return
        if code == 250:
            self._mark(row, state="sent", ended_at=self._now(), problem="")
        else:
            self._refused(smtp, row, code, words)

    def _refused(self, smtp: smtplib.SMTP, row: MailRow, code: int, words: bytes) -> None:
        """The mail server does not take a mail: not now (4xx), or never (5xx)."""
        problem = f"{code} {words.decode(errors='replace')}"
        if code >= 500:
            self._mark(row, state="failed", ended_at=self._now(), problem=problem)
        else:
            self._postpone(row, problem)
        smtp.rset()

    def _postpone(self, row: MailRow, problem: str) -> None:
        pause = timedelta(seconds=self.pauses[min(row.attempts, len(self.pauses) - 1)])
        due_at = to_text(self.clock.now() + pause)
        self._mark(row, state="waiting", attempts=row.attempts + 1, due_at=due_at, problem=problem)

    def _renew(self, row: MailRow, token: str) -> bool:
        access = row.gaps["access"]
        return self.writer.do(lambda c: access_table.renew(c, access, token)).result()

    def _mark(self, row: MailRow, **values: object) -> None:
        if "problem" in values:
            values["problem"] = str(values["problem"])[:LONGEST_PROBLEM]

        def write(connection: Connection) -> None:
            mail_table.mark(connection, row.key, **values)

        self.writer.do(write).result()

    def _now(self) -> str:
        return to_text(self.clock.now())

    def _token(self) -> str:
        return base64.urlsafe_b64encode(self.draw(32)).rstrip(b"=").decode()


def _on_the_wire(message: EmailMessage) -> bytes:
    """A mail as SMTP carries it: lines end in CRLF, a dot at the beginning of a line is doubled."""
    text = message.as_bytes(policy=SMTP)
    return re.sub(rb"(?m)^\.", b"..", text).rstrip(b"\r\n") + b"\r\n.\r\n"
