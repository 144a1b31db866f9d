"""``boca serve``: live auctions with people, in a browser."""

import sys
from pathlib import Path

import typer

from boca.core.errors import InputError, MissingExtra


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("serve")(serve)


def serve(
    data: Path | None = typer.Argument(
        None, help="Folder of the auctions; made if it is missing. Left out with --demo."
    ),
    url: str | None = typer.Option(
        None, help="Where people reach the server, such as https://auction.example.org."
    ),
    port: int = typer.Option(8080, help="Port on this machine.", min=1, max=65535),
    host: str = typer.Option("127.0.0.1", help="Address to listen at; a proxy belongs in front."),
    proxy: list[str] = typer.Option(
        [], help="Address of a proxy whose X-Forwarded-For is believed; may be repeated."
    ),
    db: str | None = typer.Option(
        None, help="PostgreSQL instead of SQLite: postgresql+psycopg://user@host/name."
    ),
    settings: Path | None = typer.Option(
        None, help="File with the operator's settings: mails, name, logo, colours (operating.md)."
    ),
    demo: bool = typer.Option(
        False, "--demo", help="A running auction with three bots and a link for you."
    ),
    kind: str = typer.Option("sell", help="What the demo does: sell, buy, exchange or courses."),
    journal: bool | None = typer.Option(
        None,
        "--journal/--no-journal",
        help="One line of JSON per request on standard error; on unless that is a terminal.",
    ),
    accept_clock: bool = typer.Option(
        False, "--accept-clock", help="Start although the clock lies before the last record."
    ),
) -> None:
    """Run live auctions with people, in a browser."""
    try:
        # Only here, so that the rest of the command line does not need the extra.
        from boca.cli.serve.demo import run_demo
        from boca.cli.serve.running_server import RunningServer, run_until_told
        from boca.cli.serve.settings import read_settings
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "server", "The server") from None

    address = url or f"http://{'localhost' if host in ('127.0.0.1', '::1') else host}:{port}"
    if demo:
        if data is not None:
            raise InputError("A demo keeps nothing; leave out the data folder, or --demo.")
        run_demo(address, host, port, kind)
        return
    if data is None:
        raise InputError("Name the folder where auctions are kept, such as: boca serve auctions")
    has_journal = not sys.stderr.isatty() if journal is None else journal
    run_until_told(
        RunningServer(
            data,
            address,
            host,
            port,
            tuple(proxy),
            db,
            accept_clock,
            has_journal,
            read_settings(settings),
        )
    )
