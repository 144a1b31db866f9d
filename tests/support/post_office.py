"""A real mail server for tests, which can be slow, refuse, or break off."""

import asyncio
import email
import email.policy
import threading
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from live_server import free_port


class PostOffice:
    """
    Takes mails at a port of this machine and keeps them.

    Parameters
    ----------
    port
        Where it listens.
    """

    def __init__(self, port: int | None = None):
        self.port = port or free_port()
        self.mails: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self.recipients: list[str] = []
        # What it says to a recipient, by address; everybody is welcome unless named.
        self.refusals: dict[str, str] = {}
        # While it is clear, a mail is kept and its sender waits for the answer.
        self.answers = threading.Event()
        self.answers.set()
        self.arrived = threading.Semaphore(0)
        self._controller: Controller | None = None

    def start(self) -> "PostOffice":
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()
        return self

    def stop(self) -> None:
        if self._controller is not None:
            self.answers.set()
            self._controller.stop()
            self._controller = None

    def __enter__(self) -> "PostOffice":
        return self.start()

    def __exit__(self, *error) -> None:
        self.stop()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.raw.append(envelope.content)
        self.mails.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        self.recipients += envelope.rcpt_tos
        self.arrived.release()
        while not self.answers.is_set():
            await asyncio.sleep(0.02)
        return "250 OK"

    def wait(self, number: int, seconds: float = 60) -> list[EmailMessage]:
        """The mails, once so many have arrived in all."""
        while len(self.mails) < number:
            assert self.arrived.acquire(timeout=seconds), f"{len(self.mails)} of {number} mails"
        return self.mails

    @property
    def settings(self) -> str:
        """The table of a server's settings that leads here."""
        return (
            f'[mail]\nhost = "127.0.0.1"\nport = {self.port}\nsecurity = "none"\n'
            'from = "Auctions <auctions@example.org>"\n'
        )
