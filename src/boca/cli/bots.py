"""``boca bots``: programs that bid in a live auction."""

import os
import sys
import threading
from pathlib import Path

import typer

from boca.live.bots.manner import parse_thinking
from boca.live.bots.recruiting import Tokens, parse_tokens, read_tokens, recruit

STDIN = Path("-")


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("bots")(bots)


def bots(
    market: Path | None = typer.Argument(
        None,
        help="Market file with values; the server has seen it without them. Values are drawn "
        "from the seed if it is left out.",
    ),
    url: str = typer.Option("http://127.0.0.1:8080", help="Of the server."),
    token_file: Path = typer.Option(
        ...,
        help='JSON: {"auction": "<id>", "tokens": {"<bidder>": "<token>"}}, perhaps with '
        '"strategies" by bidder; - reads one line from standard input, and ends with it.',
    ),
    strategy: str = typer.Option(
        "truthful", help="truthful, noisy[:spread], shading[:share] or dropping-out[:answers]."
    ),
    think: str = typer.Option("1-20", help="Seconds that a bot thinks about a round."),
    seed: int = typer.Option(0, help="Of drawn values, noise and thinking."),
) -> None:
    """Answer every question of a live auction, as programs with values of their own."""
    tokens = tokens_of_parent() if token_file == STDIN else read_tokens(token_file)
    thinking = parse_thinking(think)
    team = recruit(tokens, url.rstrip("/"), market, strategy, thinking, seed)
    names = ", ".join(bot.truth.name for bot in team.bots)
    typer.echo(f"Bidding for {names} in auction {team.auction}.")
    typer.echo(f"The auction is {team.run()}.")


def tokens_of_parent() -> Tokens:
    """Tokens from one line of standard input, whose end is the end of whoever started us."""
    tokens = parse_tokens(sys.stdin.readline(), "standard input")

    def wait() -> None:
        sys.stdin.read()
        # Nobody waits for a result, and a bot owns nothing that wants tidying up.
        os._exit(0)

    threading.Thread(target=wait, name="parent", daemon=True).start()
    return tokens
