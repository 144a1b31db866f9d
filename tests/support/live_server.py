"""A real server in a process of its own, and people without a browser."""

import hashlib
import hmac
import itertools
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client

GOODS = """
name = "village hall"
[[goods]]
name = "hall"
[[goods]]
name = "kitchen"
[[goods]]
name = "chairs"
capacity = 3

"""

RULES = """
[auction]
mechanism = "random"
num_initial = 3
num_per_round = 2
num_total = 5
unit = "0.01"
max_value = "1000.00"
round_minutes = [60, 60]
close_early = true
push_bids = 2
corrections = "always"
publish = "outcome"
"""


NAMES = tuple(f"Club {letter}" for letter in "ABCDEFGHIJKLMNOPQRST")


def market_text(num_bidders: int, **rules: str) -> str:
    """A market with some clubs, and rules that differ where they are given (as TOML)."""
    lines = RULES.splitlines()
    for key, value in rules.items():
        lines = [line for line in lines if not line.startswith(f"{key} =")] + [f"{key} = {value}"]
    bidders = [
        f'[[bidders]]\nname = "{name}"\nvalues = {{ hall = {30 + k}, kitchen = 12, chairs = 2 }}'
        for k, name in enumerate(NAMES[:num_bidders])
    ]
    return "\n".join([GOODS, *bidders, *lines])


NUMBERS = itertools.count(1)


def new_address() -> str:
    """The address of one more visitor; the server believes the header of its proxy."""
    number = next(NUMBERS)
    return f"10.0.{number // 250}.{number % 250 + 1}"


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Person:
    """
    Somebody with a session, whose browser is a plain HTTP client.

    Parameters
    ----------
    url
        Of the server.
    cookie
        The session's; empty for somebody who is not signed in.
    """

    url: str
    cookie: str = ""
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60))
    address: str = field(default_factory=new_address)

    def headers(self) -> dict[str, str]:
        cookie = {"Cookie": f"__Host-boca={self.cookie}"} if self.cookie else {}
        return {**cookie, "Origin": self.url, "X-Forwarded-For": self.address}

    def get(self, path: str) -> httpx.Response:
        return self.client.get(self.url + path, headers=self.headers())

    def post(self, path: str, fields: dict[str, object], token: str | None = None):
        """Sends a form of our own page, with the session's token unless another is given."""
        data = {"csrf": self.form_token() if token is None else token, **fields}
        return self.client.post(self.url + path, data=data, headers=self.headers())

    def enter(self, link: str) -> httpx.Response:
        """Uses a link up and keeps the session."""
        answer = self.client.post(link, headers=self.headers())
        found = re.search(r"__Host-boca=([^;]+)", answer.headers.get("set-cookie", ""))
        if found:
            self.cookie = found[1]
        return answer

    def form_token(self) -> str:
        """The token that the session's forms carry."""
        return hmac.new(self.cookie.encode(), b"form", hashlib.sha256).hexdigest()


@dataclass
class LiveServer:
    """
    ``boca serve`` as a process.

    Parameters
    ----------
    data
        Its folder.
    port
        Where it listens.
    database
        Address of a PostgreSQL database; None for SQLite in the folder.
    python
        Of the environment that has boca.
    options
        Further options of the command.
    """

    data: Path
    port: int = field(default_factory=free_port)
    database: str | None = None
    python: Path | str = sys.executable
    options: tuple[str, ...] = ()

    def __post_init__(self):
        self.url = f"http://localhost:{self.port}"
        self.process: subprocess.Popen[str] | None = None
        self.auctioneer_link = ""
        self.boss = Person(self.url)
        self.log = self.data.parent / f"{self.data.name}-server.log"

    def start(self) -> "LiveServer":
        """Starts it and waits until it answers."""
        command = [
            str(self.python),
            "-m",
            "boca",
            "serve",
            str(self.data),
            "--port",
            str(self.port),
        ]
        command += ["--proxy", "127.0.0.1", *self.options]
        if self.database is not None:
            command += ["--db", self.database]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if httpx.get(f"{self.url}/health").status_code == 200:
                    break
            except httpx.HTTPError:
                time.sleep(0.1)
        found = re.findall(r"http\S+/enter/\S+", self.log.read_text())
        self.auctioneer_link = found[-1] if found else ""
        return self

    def stop(self) -> int:
        """Tells it to stop, and how it ended."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(timeout=20)

    def auctioneer(self) -> Person:
        """The auctioneer, signed in by the link that the server printed."""
        person = Person(self.url)
        person.enter(self.auctioneer_link)
        return person

    def token(self) -> str:
        """A token of the auctioneer, from the page of devices."""
        if not self.boss.cookie:
            self.boss = self.auctioneer()
        page = self.boss.post("/sessions/token", {})
        found = re.search(r'class="secret">([^<]+)<', page.text)
        assert found, page.text
        return found[1]

    def clerk(self) -> Clerk:
        """A program of the auctioneer."""
        return Clerk(Client(self.url, self.token()))


def wait_for(
    clerk: Clerk, auction: str, *phases: str, seconds: float = 300, round_: int = -1
) -> str:
    """Waits until an auction is in one of the phases, and not before some round."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        here = clerk.client.get(f"/auctions/{auction}")
        phase: str = here["phase"]
        if phase in phases and (here["round"] or 0) >= round_:
            return phase
        time.sleep(0.1)
    raise AssertionError(f"still {phase} after {seconds} s, expected {phases}")


@dataclass
class Sale:
    """
    An auction with everybody invited.

    Parameters
    ----------
    server, clerk
        Where it runs, and who runs it.
    auction
        Its id.
    people
        Bidder -> somebody who is signed in for it.
    tokens
        Bidder -> token of a program for it.
    """

    server: LiveServer
    clerk: Clerk
    auction: str
    people: dict[str, Person]
    tokens: dict[str, str]

    def __getitem__(self, bidder: str) -> Person:
        return self.people[bidder]

    def client(self, bidder: str) -> Client:
        """The API as a program of a bidder sees it."""
        return Client(self.server.url, self.tokens[bidder])

    def path(self, page: str) -> str:
        return f"/a/{self.auction}/{page}"

    def queries(self, bidder: str) -> list[dict]:
        """The open queries of a bidder."""
        queries = self.client(bidder).get(f"/auctions/{self.auction}/queries")["queries"]
        return [query for query in queries if query["status"] == "open"]

    def answer(self, bidder: str, value: str = "10.00") -> dict:
        """Answers all open queries of a bidder with the same value."""
        answers = [{"query": q["id"], "value": value} for q in self.queries(bidder)]
        client = self.client(bidder)
        path = f"/auctions/{self.auction}/submissions"
        warnings = client.post(path.replace("submissions", "check"), {"answers": answers}, "x" * 8)
        confirmed = [warning["id"] for warning in warnings["warnings"]]
        body = {"answers": answers, "confirmed": confirmed}
        return client.post(path, body, hashlib.sha256(os.urandom(8)).hexdigest()[:40])


def new_sale(server: LiveServer, clerk: Clerk, text: str, start: bool = True) -> Sale:
    """A new auction in which everybody has joined; with its first round open unless told."""
    auction = clerk.create(text)
    names = clerk.bidders(auction)
    people = {}
    for name in names:
        people[name] = Person(server.url)
        people[name].enter(clerk.link(auction, name, f"Pat of {name}"))
    if "sealed_from_auctioneer = true" in text:  # then tokens are not the auctioneer's to make
        tokens = {name: own_token(people[name], auction) for name in names}
    else:
        tokens = {name: clerk.token(auction, name, "program") for name in names}
    if start:
        clerk.do(auction, "start", {"accept_missing": False})
        wait_for(clerk, auction, "open")
    return Sale(server, clerk, auction, people, tokens)


def own_token(person: Person, auction: str) -> str:
    """A token for a program, from the person's page of devices."""
    page = person.post(f"/a/{auction}/sessions/token", {})
    found = re.search(r'class="secret">([^<]+)<', page.text)
    assert found, page.text
    return found[1]


def finish(sale: Sale) -> None:
    """Plays a sale to its published end."""
    while True:
        for bidder in sale.tokens:
            if sale.queries(bidder):
                sale.answer(bidder, "20.00")
        if wait_for(sale.clerk, sale.auction, "open", "stopped") == "stopped":
            break
    sale.clerk.do(sale.auction, "close")
    wait_for(sale.clerk, sale.auction, "decided")
    sale.clerk.do(sale.auction, "publish")
