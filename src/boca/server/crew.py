"""The programs of rehearsals: one child process ``boca bots`` per rehearsal."""

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence

from boca.server.live.state import ENDED, LiveState
from boca.server.people import API_TOKEN, People
from boca.server.store import access as access_table
from boca.server.store.database import Connection
from boca.server.store.writer import Writer

PROGRAM = (sys.executable, "-m", "boca", "bots")
# How the log calls a program that plays a bidder in a rehearsal.
BOT = "rehearsal program"


class Crew:
    """
    Starts the programs of rehearsals, and ends them.

    A program's tokens are given to it on standard input and kept nowhere; its end of the pipe
    tells it when the server has gone. Started again, the server gives new tokens to the programs
    of all rehearsals that have not ended.

    Parameters
    ----------
    writer, people
        Which auctions there are, and who makes tokens.
    program
        The program; tests pass others.

    Attributes
    ----------
    url
        How programs on this machine reach the server.
    """

    def __init__(self, writer: Writer, people: People, program: Sequence[str] = PROGRAM):
        self.writer, self.people, self.program = writer, people, program
        self.url = "http://127.0.0.1:8080"
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def start(self, auction: str) -> None:
        """Starts the programs of a rehearsal; a real auction never gets any from its server."""
        state = self.writer.state(auction)
        if state is None or not state.is_rehearsal or state.phase in ENDED:
            return
        names = bots_of(state)
        if not names:
            return
        tokens = {name: self._token(auction, bidder) for bidder, name in names.items()}
        line = json.dumps({"auction": auction, "tokens": tokens}).encode() + b"\n"
        command = [*self.program, "--url", self.url, "--token-file", "-", "--think", "1-5"]
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert child.stdin is not None
        with contextlib.suppress(OSError):
            child.stdin.write(line)
            child.stdin.flush()
        with self._lock:
            before = self._running.pop(auction, None)
            self._running[auction] = child
        if before is not None:
            end(before)

    def start_all(self) -> None:
        """Starts the programs of every rehearsal that was under way when the server ended."""
        for auction, state in list(self.writer.states.items()):
            if state.is_rehearsal and state.phase not in ENDED:
                self.start(auction)

    def close(self) -> None:
        """Ends all programs."""
        with self._lock:
            running = list(self._running.values())
            self._running.clear()
        for child in running:
            end(child)

    def _token(self, auction: str, bidder: int) -> str:
        """A new token for the program of a bidder; earlier ones are revoked."""
        old = [
            row.id
            for row in self.people.of_auction(auction)
            if (row.person, row.bidder, row.revoked_at) == (BOT, bidder, None)
        ]
        row, token = self.people.new_row("api", "bidder", auction, bidder, BOT, API_TOKEN)
        now = self.people.clock.now()

        def change(connection: Connection) -> None:
            for access in old:
                access_table.mark(connection, access, "revoked_at", now)
            access_table.add(connection, row, token)

        self.writer.do(change).result()
        return token


def bots_of(state: LiveState) -> dict[int, str]:
    """Bidders that are played by programs, with their names."""
    _, market = state.setup
    return {
        person.bidder: market.bidders[person.bidder].name
        for person in state.persons
        if person.name == BOT and person.bidder is not None
    }


def end(child: "subprocess.Popen[bytes]") -> None:
    """Ends one child process that we started."""
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
