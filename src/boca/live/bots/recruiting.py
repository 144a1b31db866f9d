"""A team from a file of tokens, with values from a market file or drawn from a seed."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.core.randomness import Seeds
from boca.live.bots.bot import Bot
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client
from boca.live.bots.manner import Thinking, parse_strategy
from boca.live.bots.random_values import draw_costs, draw_truth
from boca.live.bots.team import Team
from boca.live.bots.truth import Truth, read_truths


@dataclass(frozen=True)
class Tokens:
    """
    Whose programs may act where.

    Parameters
    ----------
    auction
        Where.
    bidders
        Bidder -> token.
    auctioneer
        A token of the auctioneer, for a clerk who closes and publishes; empty for none.
    strategies
        Bidder -> name of its strategy, for those who differ from the rest.
    source
        The file, for messages.
    """

    auction: str
    bidders: dict[str, str]
    auctioneer: str = ""
    strategies: dict[str, str] = field(default_factory=dict)
    source: str = "the tokens"


def read_tokens(path: Path) -> Tokens:
    """Tokens from a JSON file."""
    return parse_tokens(read_text(path, "file of tokens"), str(path))


def parse_tokens(text: str, source: str = "the tokens") -> Tokens:
    """Tokens from JSON: ``auction``, ``tokens``, perhaps ``auctioneer`` and ``strategies``."""
    try:
        content = json.loads(text)
        tokens = Tokens(
            content["auction"],
            content["tokens"],
            content.get("auctioneer", ""),
            content.get("strategies", {}),
            source,
        )
        is_good = (
            isinstance(tokens.auction, str)
            and isinstance(tokens.auctioneer, str)
            and bool(tokens.bidders)
            and all(map(_is_texts, (tokens.bidders, tokens.strategies)))
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_good = False
    if not is_good:
        raise InputError(
            f"{source} cannot be used; expected JSON such as "
            '{"auction": "<id>", "tokens": {"Ann": "<token>"}}.'
        )
    return tokens


def recruit(
    tokens: Tokens,
    url: str,
    market_file: Path | None = None,
    strategy: str = "truthful",
    thinking: Thinking | None = None,
    seed: int = 0,
) -> Team:
    """
    The team that some tokens describe.

    Parameters
    ----------
    tokens
        Whose programs act where.
    url
        Of the server.
    market_file
        The market with values, which the server has seen without; None to draw values.
    strategy
        How everybody answers who has no strategy of its own; see
        :func:`boca.live.bots.manner.parse_strategy`.
    thinking
        How long answers take; none unless given.
    seed
        Of drawn values, noise and thinking.
    """
    truths = read_truths(market_file) if market_file else _drawn(tokens, url, seed)
    missing = tokens.bidders.keys() - truths.keys()
    if missing:
        raise InputError(
            f"{market_file or 'The auction'} has no bidder '{min(missing)}'"
            f"{' with values' if market_file else ''}, for which {tokens.source} has a token; "
            f"expected one of {', '.join(truths)}."
        )
    bots = [
        Bot(
            Client(url, token),
            tokens.auction,
            truths[name],
            parse_strategy(tokens.strategies.get(name, strategy), seed),
            thinking or Thinking(),
            Seeds(seed).child(tokens.auction),
        )
        for name, token in tokens.bidders.items()
    ]
    clerk = Clerk(Client(url, tokens.auctioneer)) if tokens.auctioneer else None
    return Team(tokens.auction, bots, clerk)


def _drawn(tokens: Tokens, url: str, seed: int) -> dict[str, Truth]:
    """Values for every bidder of the auction, drawn from the seed."""
    token = next(iter(tokens.bidders.values()))
    setup = Client(url, token).get(f"/auctions/{tokens.auction}/rules")
    market, most = setup["market"], setup["rules"]["max_value"]
    names = [bidder["name"] for bidder in market["bidders"]]
    if market.get("sense") == "buy":
        at_most = setup["rules"].get("at_most", {})
        return {
            name: draw_costs(name, market["goods"], at_most, most, seed, tokens.auction)
            for name in names
        }
    return {name: draw_truth(name, market["goods"], most, seed, tokens.auction) for name in names}


def _is_texts(table: Any) -> bool:
    return isinstance(table, dict) and all(isinstance(value, str) for value in table.values())
