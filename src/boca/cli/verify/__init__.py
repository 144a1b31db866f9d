"""``boca verify``: whether the log of a live auction holds."""

import json
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from boca.core.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from boca.cli.verify.replay import Replay


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("verify")(verify)


def verify(
    log: Path = typer.Argument(..., help="JSON lines, as exported by the server."),
    receipt: list[Path] = typer.Option(
        [], help="A receipt that must be in the log; can be given several times."
    ),
    key: str | None = typer.Option(
        None, help="Public key of the server, 64 hexadecimal digits; else the one in the log."
    ),
    head: list[str] = typer.Option(
        [], help="A hash noted during the auction that must be in the log; several times."
    ),
    replay: bool = typer.Option(
        False, "--replay", help="Also plan every round again and count equal questions (slow)."
    ),
    as_json: bool = typer.Option(False, "--json", help="The verdict as JSON."),
) -> None:
    """
    Check the log of a live auction.

    Chain, questions, answers, winners and payments. Ends with code 0 if all checks hold, 1 if
    something is wrong, 2 if the log cannot be read, 3 if they hold as far as bodies are open.
    """
    try:
        from boca_verify import Unreadable
        from boca_verify.command import judged
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "cryptography", "verify", "boca verify") from None
    if find_spec("pyscipopt") is None:
        raise MissingExtra("pyscipopt", "verify", "boca verify")

    try:
        verdict = judged(log, receipt, key, head)
    except Unreadable as error:
        raise InputError(str(error)) from None
    can_replay = verdict.exit_code == 0 and verdict.num_open == verdict.num_records
    again = _replay(log) if replay and can_replay else None
    if as_json:
        result = verdict.to_dict() | ({"replay": asdict(again)} if again else {})
        typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        typer.echo(verdict.summary())
        if again:
            typer.echo(again.text)
        elif replay:
            typer.echo("Not planned again: that needs a full log in which everything holds.")
    raise typer.Exit(verdict.exit_code)


def _replay(log: Path) -> "Replay":
    from boca.cli.verify.replay import replay
    from boca_verify.evidence import read_lines
    from boca_verify.reading import read_log

    return replay(read_log(read_lines(log)).whole)
