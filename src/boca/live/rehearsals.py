"""Bots of rehearsals: one child process per rehearsal, a client of the API like any other."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from boca.core.message import msg
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import ENDED
from boca.live.desk import Desk
from boca.live.people import Who

PROGRAM = (sys.executable, "-m", "boca", "bots", "--token-file", "-")
# Seconds that bots think about a round, unless told otherwise.
THINK = "1-20"
# Each is a process of its own with about 100 MB.
MOST_RUNNING = 5


class Rehearsals:
    """
    Starts bots and ends them.

    Bots get their tokens through a pipe, never by a file, and end with the server. They are not
    started again by themselves after a restart: call :meth:`start` again, which makes new tokens.

    Parameters
    ----------
    desk
        Where the rehearsals are.
    url
        Where bots reach the server; an address of this machine, if it has one.
    program
        What is started; tests pass others.
    """

    def __init__(self, desk: Desk, url: str, program: Sequence[str] = PROGRAM):
        self.desk, self.url, self.program = desk, url, program
        self._children: dict[str, subprocess.Popen[str]] = {}
        self._lock = threading.Lock()

    def start(
        self,
        who: Who,
        auction: str,
        bidders: Sequence[int],
        strategies: Mapping[int, str] | None = None,
        think: str = THINK,
        seed: int = 0,
    ) -> None:
        """
        Invites bots and starts them; blocks until that is on the disk.

        Parameters
        ----------
        who
            The auctioneer.
        auction
            A rehearsal that has not ended; anything else is refused.
        bidders
            Rows of the bidders that are bots; the others are people.
        strategies
            Bidder -> strategy such as ``noisy`` or ``shading:0.7``; truthful unless given.
        think
            Seconds that each bot thinks about a round, such as ``1-20``.
        seed
            Of the values, which are drawn: additive, with synergies.
        """
        self.desk.need(who, "auctioneer")
        state = self.desk.state_of(auction)
        if not state.is_rehearsal:
            raise Refusal(
                "forbidden",
                msg("Bots take part in rehearsals only; copy the auction as a rehearsal."),
            )
        if state.phase in ENDED:
            raise Refusal("wrong-phase", msg("This rehearsal has ended."), state.phase)
        _, market = state.setup
        rows = sorted(set(bidders))
        if not rows or not all(0 <= row < market.num_bidders for row in rows):
            raise Refusal(
                "mistakes", msg("Choose at least one bidder of this auction to be a bot.")
            )
        names = [bidder.name for bidder in market.bidders]
        with self._lock:
            self._check_room(auction)
            content = {
                "auction": auction,
                "tokens": {names[row]: self._token(who, auction, row) for row in rows},
                "strategies": {names[row]: text for row, text in (strategies or {}).items()},
            }
            self._children[auction] = self._spawn(content, think, seed)

    def is_running(self, auction: str) -> bool:
        """Whether a rehearsal's bots are at work."""
        child = self._children.get(auction)
        return child is not None and child.poll() is None

    def stop(self, auction: str) -> None:
        """Ends a rehearsal's bots; nothing happens if there are none."""
        with self._lock:
            child = self._children.pop(auction, None)
        if child is not None:
            _end(child)

    def close(self) -> None:
        """Ends all bots."""
        for auction in list(self._children):
            self.stop(auction)

    def _check_room(self, auction: str) -> None:
        for name in [name for name, child in self._children.items() if child.poll() is not None]:
            _end(self._children.pop(name))
        if auction in self._children:
            raise Refusal("conflict", msg("The bots of this rehearsal are at work already."))
        if len(self._children) >= MOST_RUNNING:
            raise Refusal(
                "conflict",
                msg(
                    "{most} rehearsals have bots at work; end one of them first.", most=MOST_RUNNING
                ),
            )

    def _token(self, who: Who, auction: str, bidder: int) -> str:
        """A token of a new person of the bidder, who is a program."""
        people = self.desk.people
        person = f"bot {secrets.token_hex(2)}"
        link = self.desk.invite(who, auction, bidder, person).result()
        session = people.enter(link.token).result()
        token = people.api_token(session.who).result()
        people.sign_out(session.who).result()
        return token.token

    def _spawn(
        self, content: Mapping[str, object], think: str, seed: int
    ) -> "subprocess.Popen[str]":
        child = subprocess.Popen(
            [*self.program, "--url", self.url, "--think", think, "--seed", str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert child.stdin is not None
        # Standard input stays open: its end tells the bots that the server is gone.
        child.stdin.write(json.dumps(content) + "\n")
        child.stdin.flush()
        return child


def _end(child: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
