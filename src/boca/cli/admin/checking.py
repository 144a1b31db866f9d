"""``boca admin check``: is everything as it should be?"""

from pathlib import Path

import typer

from boca.cli.admin.shared import DATA, DB, check_folder
from boca.live.upkeep.inspection import inspect


def check(data: Path = DATA, db: str | None = DB) -> None:
    """Look at settings, permissions, disk, clock, solvers and every log; ends with 1 on trouble."""
    check_folder(data, db)
    is_well = True
    for finding in inspect(data, db):
        is_well &= finding.is_well
        typer.echo(f"{'ok  ' if finding.is_well else 'BAD '} {finding.name}: {finding.sentence}")
    if not is_well:
        raise typer.Exit(1)
