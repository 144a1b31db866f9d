"""Several bots of one auction, until it ends."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boca.bots.bot import Bot
from boca.bots.clerk import Clerk
from boca.bots.client import Client
from boca.bots.truth import read_truths
from boca.core.errors import InputError
from boca.core.files import read_text

ENDED = ("published", "cancelled")
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Team:
    """
    Everybody in an auction who is a program.

    Parameters
    ----------
    auction
        Where they take part.
    bots
        The bidders.
    clerk
        Who closes and publishes; None where a person does it.
    """

    auction: str
    bots: Sequence[Bot]
    clerk: Clerk | None = None

    def run(self, rest: Callable[[float], None] = time.sleep) -> str:
        """Takes part until the auction has ended; its last phase."""
        while True:
            phases = [bot.look() for bot in self.bots]
            if self.clerk is not None:
                phases.append(self.clerk.look(self.auction))
            if phases[-1] in ENDED:
                return phases[-1]
            rest(LOOK_SECONDS)


def read_team(token_file: Path, market_file: Path, url: str) -> Team:
    """
    The team that a file of tokens describes.

    Parameters
    ----------
    token_file
        JSON: ``auction``, ``tokens`` (bidder -> token), perhaps ``auctioneer`` (a token).
    market_file
        The market with values; the server has only seen it without.
    url
        Of the server.
    """
    tokens = _read_tokens(token_file)
    truths = read_truths(market_file)
    missing = tokens["tokens"].keys() - truths.keys()
    if missing:
        raise InputError(
            f"{market_file} has no bidder '{min(missing)}', for which {token_file} has a token; "
            f"expected one of {', '.join(truths)}."
        )
    auction = tokens["auction"]
    bots = [Bot(Client(url, token), auction, truths[n]) for n, token in tokens["tokens"].items()]
    auctioneer = tokens.get("auctioneer")
    return Team(auction, bots, Clerk(Client(url, auctioneer)) if auctioneer else None)


def _read_tokens(path: Path) -> dict[str, Any]:
    try:
        tokens: dict[str, Any] = json.loads(read_text(path, "file of tokens"))
        is_good = isinstance(tokens["auction"], str) and isinstance(tokens["tokens"], dict)
    except (ValueError, KeyError, TypeError):
        is_good = False
    if not is_good or not tokens["tokens"]:
        raise InputError(
            f"{path} cannot be used; expected JSON such as "
            '{"auction": "<id>", "tokens": {"Ann": "<token>"}}.'
        )
    return tokens
