"""``boca ranges``: what searches for hyperparameters choose from."""

from pathlib import Path

import typer

from boca.cli.console_tables import console, print_text_table
from boca.core.errors import InputError
from boca.lab.reports.tuning.ranges import ranges_table
from boca.surrogates.hyperparameters import TUNED_DOMAINS
from boca.surrogates.ranges import load_space, stored_names, stored_space

_HELP = (
    "Show what searches for hyperparameters choose from.\n\n"
    f"NAMES are {', '.join(stored_names())}, or paths of files of your own; the paper's Table 2 "
    "unless given."
)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("ranges", help=_HELP)(ranges)


def ranges(
    names: list[str] | None = typer.Argument(None, metavar="[NAMES]...", show_default=False),
    format_: str = typer.Option("table", "--format", help="table, markdown or latex."),
) -> None:
    """Prints a table with a column for each name."""
    spaces = {
        name: load_space(name)
        if name.endswith(".toml") or Path(name).is_file()
        else stored_space(name)
        for name in names or TUNED_DOMAINS
    }
    text_table = ranges_table(spaces)
    if format_ == "table":
        print_text_table(console(), text_table)
    elif format_ == "markdown":
        print(text_table.to_markdown(), end="")
    elif format_ == "latex":
        print(text_table.to_latex(), end="")
    else:
        raise InputError(f"Received --format {format_}; expected table, markdown or latex.")
