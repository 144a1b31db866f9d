"""``boca bots``: programs that bid in a live auction."""

from pathlib import Path

import typer

from boca.bots.team import read_team


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("bots")(bots)


def bots(
    market: Path = typer.Argument(
        ..., help="Market file with values; the server has seen it without them."
    ),
    url: str = typer.Option("http://127.0.0.1:8080", help="Of the server."),
    token_file: Path = typer.Option(
        ..., help='JSON: {"auction": "<id>", "tokens": {"<bidder>": "<token>"}}.'
    ),
) -> None:
    """Answer every question of a live auction with true values."""
    team = read_team(token_file, market, url.rstrip("/"))
    names = ", ".join(team.bots[k].truth.name for k in range(len(team.bots)))
    typer.echo(f"Bidding for {names} in auction {team.auction}.")
    typer.echo(f"The auction is {team.run()}.")
