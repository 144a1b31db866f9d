"""A server that runs: with auctions of one's own, or as a demo with bots."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
import uvicorn

from boca.bots.clerk import Clerk
from boca.bots.client import Client
from boca.core.errors import InputError
from boca.server.desk import Desk
from boca.server.web.app import build, check_url

DEMO_MARKET = Path(__file__).parents[1] / "bots" / "farm_shop.toml"
DEMO_BIDDER = "Dora's cafe"
DEMO_WORDS = (
    "This is a demo: Ann, Ben and Cleo's kitchen are programs, you are Dora's cafe. Answer as you "
    "like. If you want a suggestion: an apple is worth 2.20 to you, bread 5.00, cheese 5.50, "
    "honey 4.80, and bread with honey 2.00 more."
)
# Requests under way may take this long once the server was told to stop.
STOP_SECONDS = 3


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
    """

    data: Path
    url: str
    host: str
    port: int
    proxies: tuple[str, ...] = ()
    database: str | None = None
    accept_clock: bool = False

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        """The desk, open for as long as the block lasts."""
        check_url(self.url)
        os.umask(0o077)
        desk = Desk(self.data, self.database, accept_clock=self.accept_clock)
        try:
            yield desk
        finally:
            desk.close()

    def listen(self) -> socket.socket:
        """The socket; an InputError if somebody else has the port."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
        except OSError as error:
            listener.close()
            raise InputError(
                f"Cannot listen at {self.host}, port {self.port}: {error.strerror or error}. "
                "Choose another one with --port."
            ) from None
        return listener

    def uvicorn(self, desk: Desk) -> uvicorn.Server:
        """The HTTP server around a desk."""
        settings = uvicorn.Config(
            build(desk, self.url, proxies=self.proxies),
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        return uvicorn.Server(settings)


def run_until_told(server: RunningServer) -> None:
    """Runs until SIGTERM or Ctrl-C; at the first start prints a link for the auctioneer."""
    # The key is made at the first start, whatever the database.
    is_new = not (server.data / "receipts.key").exists()
    with server.listen() as listener, server.desk() as desk:
        if is_new:
            link = desk.people.first_link().result()
            typer.echo(f"Auctioneer's link, works once: {server.url}/enter/{link.token}")
        typer.echo(f"Listening at {server.url} (data in {server.data}); Ctrl-C ends.")
        server.uvicorn(desk).run(sockets=[listener])


def run_demo(url: str, host: str, port: int) -> None:
    """A whole auction with three bots and one person, in a folder that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="boca-demo-") as folder:
        server = RunningServer(Path(folder) / "data", url, host, port)
        with server.listen() as listener, server.desk() as desk:
            service = server.uvicorn(desk)
            thread = threading.Thread(target=service.run, args=([listener],), name="http")
            thread.start()
            bots = None
            try:
                auctioneer = auctioneer_token(desk)
                local = f"http://{host}:{port}"
                link, tokens = set_up(Clerk(Client(local, auctioneer)))
                tokens["auctioneer"] = auctioneer
                bots = start_bots(local, tokens, Path(folder))
                show(link)
                wait_for_end(thread)
            finally:
                if bots is not None:
                    bots.terminate()
                    bots.wait()
                service.should_exit = True
                thread.join()


def auctioneer_token(desk: Desk) -> str:
    """A token of the auctioneer, made with access to the data."""
    link = desk.people.first_link(person="demo").result()
    entered = desk.people.enter(link.token).result()
    return desk.people.api_token(entered.who).result().token


def set_up(clerk: Clerk) -> tuple[str, dict[str, Any]]:
    """Creates and starts the demo's auction; the person's link, and the bots' tokens."""
    auction = clerk.create(DEMO_MARKET.read_text(encoding="utf-8"), is_rehearsal=True)
    others = [name for name in clerk.bidders(auction) if name != DEMO_BIDDER]
    tokens = {name: clerk.token(auction, name) for name in others}
    link = clerk.link(auction, DEMO_BIDDER, "Dora")
    clerk.do(auction, "announce", {"text": DEMO_WORDS})
    clerk.do(auction, "start", {"accept_missing": True})
    return link, {"auction": auction, "tokens": tokens}


def start_bots(url: str, tokens: dict[str, Any], folder: Path) -> "subprocess.Popen[bytes]":
    """The bots, and a clerk who closes and publishes, as a program of their own."""
    path = folder / "tokens.json"
    path.write_text(json.dumps(tokens), encoding="utf-8")
    command = [sys.executable, "-m", "boca", "bots", str(DEMO_MARKET)]
    return subprocess.Popen(
        [*command, "--url", url, "--token-file", str(path)], stdout=subprocess.DEVNULL
    )


def show(link: str) -> None:
    """Tells the person where to go."""
    typer.echo("An auction is running: three bots and you share out what a farm shop has left.")
    typer.echo(f"Your link, works once: {link}")
    typer.echo("Ctrl-C ends the demo; nothing of it is kept.")


def wait_for_end(thread: threading.Thread) -> None:
    """Until Ctrl-C, SIGTERM or the end of the server."""
    told = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    try:
        while thread.is_alive() and not told.is_set():
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
