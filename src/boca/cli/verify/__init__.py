"""``boca verify``: whether the log of a live auction holds."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from boca.cli.verify.evidence import read_hash, read_log_file, read_receipt
from boca.core.errors import MissingExtra
from boca.milp import installed

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
    public = None if key is None else read_hash(key, "key")
    heads = [read_hash(text, "head") for text in head]
    receipts = [read_receipt(path) for path in receipt]
    data = read_log_file(log)
    try:
        from boca.live import verify as verifier
        from boca.live.verify.reading import split_lines
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "cryptography", "verify", "boca verify") from None
    if "scip" not in installed():
        raise MissingExtra("pyscipopt", "verify", "boca verify")

    verdict = verifier.verify(split_lines(data), receipts, public, heads)
    can_replay = verdict.exit_code == 0 and verdict.num_open == verdict.num_records
    again = _replay(data) if replay and can_replay else None
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


def _replay(data: bytes) -> "Replay":
    from boca.cli.verify.replay import replay
    from boca.live.verify.reading import read_log, split_lines

    return replay(read_log(split_lines(data)).whole)
