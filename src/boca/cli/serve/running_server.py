"""A server that runs, until it is told to stop."""

import logging
import os
import resource
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import typer
import uvicorn

from boca.cli.serve.log_lines import log_as_json
from boca.cli.serve.patience import PatientProtocol
from boca.cli.serve.settings import ServerSettings
from boca.core.errors import InputError
from boca.live.desk import Desk
from boca.live.mail.postman import Postman
from boca.live.web.app import build, check_url
from boca.live.web.letters import Letters

# Requests under way may take this long once the server was told to stop.
STOP_SECONDS = 3
# New connections that are taken before anybody else is served again; more wait in the system.
BACKLOG = 128
log = logging.getLogger("boca.server")
# Every viewer of a stream is an open file; 1024 is the usual limit.
FILES = 8192
# How the process ends once a thread has; whoever looks after it starts it again.
THREAD_ENDED = 70


@dataclass(frozen=True)
class RunningServer:
    """
    How a server runs.

    Parameters
    ----------
    data
        Folder of the auctions.
    url
        Where people reach it.
    host, port
        Where it listens.
    proxies
        Addresses of proxies that are believed.
    database
        Address of a PostgreSQL database; None for SQLite in the data folder.
    accept_clock
        Whether to start although the clock lies before the last record.
    has_journal
        Whether each request is a line of JSON on standard error.
    settings
        What the operator has set: mails, name, logo and colours.
    """

    data: Path
    url: str
    host: str
    port: int
    proxies: tuple[str, ...] = ()
    database: str | None = None
    accept_clock: bool = False
    has_journal: bool = False
    settings: ServerSettings = field(default_factory=ServerSettings)

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        """The desk, open for as long as the block lasts."""
        check_url(self.url)
        os.umask(0o077)
        allow_files(FILES)
        desk = Desk(self.data, self.database, accept_clock=self.accept_clock)
        postman = self.postman(desk)
        try:
            if postman is not None:
                postman.start()
            yield desk
        finally:
            if postman is not None:
                postman.close()
            desk.close()

    def postman(self, desk: Desk) -> Postman | None:
        """Who tells people by e-mail; None if no mail server is named."""
        mail = self.settings.mail
        if mail is None:
            return None
        letters = Letters(desk, self.url.rstrip("/"), mail)
        return Postman(desk.writer, desk.database, desk.clock, desk.draw, mail, letters)

    def listen(self) -> socket.socket:
        """The socket; an InputError if somebody else has the port."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
        except (OSError, TypeError, UnicodeError) as error:  # the latter two: no name of a host
            listener.close()
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"Cannot listen at {self.host!a}, port {self.port}: {reason}. "
                "Choose another one with --port."
            ) from None
        return listener

    @property
    def local_url(self) -> str:
        """Where programs on this machine reach it."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
        host = everywhere.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def uvicorn(self, desk: Desk) -> uvicorn.Server:
        """The HTTP server around a desk."""
        if self.has_journal:
            log_as_json(sys.stderr.write)
        settings = uvicorn.Config(
            build(
                desk,
                self.url,
                proxies=self.proxies,
                local_url=self.local_url,
                journal=sys.stderr.write if self.has_journal else None,
                has_mail=self.settings.mail is not None,
                brand=self.settings.brand,
            ),
            lifespan="off",
            http=PatientProtocol,
            backlog=BACKLOG,
            log_level="warning",
            log_config=None if self.has_journal else uvicorn.config.LOGGING_CONFIG,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        return uvicorn.Server(settings)


@contextmanager
def ending_with_threads() -> Iterator["EndedThread"]:
    """Within the block, a thread that ends by a mistake ends the server; the process then fails."""
    before, ended = threading.excepthook, EndedThread()
    threading.excepthook = ended.take
    try:
        yield ended
    finally:
        threading.excepthook = before
        if ended.reason:  # whatever else fails then, such as the first link, fails of it
            raise typer.Exit(THREAD_ENDED)


class EndedThread:
    """
    The thread that has ended by a mistake of ours, if one has.

    Without its writer, or whoever looks at deadlines, a server would answer for ever and do
    nothing; started again, it goes on with everything that was confirmed.
    """

    def __init__(self) -> None:
        self.reason = ""
        self._service: uvicorn.Server | None = None

    def ends(self, service: uvicorn.Server) -> uvicorn.Server:
        """Has a server end as soon as a thread does, or at once if one has already."""
        self._service = service
        service.should_exit = bool(self.reason)
        return service

    def take(self, arguments: threading.ExceptHookArgs) -> None:
        """Writes down why a thread ended, and ends the server."""
        name = arguments.thread.name if arguments.thread else "?"
        value = arguments.exc_value or arguments.exc_type()
        self.reason = f"the thread '{name}' ended: {type(value).__name__}: {value}"
        error = (arguments.exc_type, value, arguments.exc_traceback)
        log.error("%s; the server ends, too", self.reason, exc_info=error)
        if self._service is not None:
            self._service.should_exit = True


def allow_files(number: int) -> None:
    """Lets the process open some files at once, as far as the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def run_until_told(server: RunningServer) -> None:
    """Runs until SIGTERM or Ctrl-C; at the first start prints a link for the auctioneer."""
    # The key is made at the first start, whatever the database.
    is_new = not (server.data / "receipts.key").exists()
    with server.listen() as listener, ending_with_threads() as ended, server.desk() as desk:
        if is_new:
            link = desk.people.first_link().result()
            typer.echo(f"Auctioneer's link, works once: {server.url}/enter/{link.token}")
        typer.echo(f"Listening at {server.url} (data in {server.data}); Ctrl-C ends.")
        ended.ends(server.uvicorn(desk)).run(sockets=[listener])
