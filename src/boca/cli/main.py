"""
The ``boca`` command: one file a sub-command.

A sub-command's module is imported only when it is called, so that ``boca --help`` is quick.
"""

import importlib
import sys
import warnings

import typer
from rich.console import Console
from rich.markup import escape

import boca
from boca.core.errors import BocaError

# Name on the command line -> its line in the help. The module boca.cli.NAME has a function
# `register(app)` that adds the command to a typer app.
SUBCOMMANDS: dict[str, str] = {
    "run": "Run an auction with simulated bidders.",
    "domain": "Describe a market and its efficient allocation.",
    "wdp": "Find the winners of an auction from a file of bids, and what they pay.",
    "learn": "Compare what the networks learn with the published figures.",
    "plot": "Draw figures, each with the numbers it shows.",
    "experiment": "Run grids of auctions and make tables and figures of them.",
    "serve": "Run live auctions with people, in a browser.",
    "bots": "Answer every question of a live auction with true values.",
    "admin": "Links for the people who run auctions.",
}


def build(names: list[str]) -> typer.Typer:
    """The command line with the given sub-commands loaded and the others named only."""
    app = typer.Typer(
        name="boca",
        help="Bayesian optimisation-based combinatorial assignment.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.callback(invoke_without_command=True)
    def root(
        version: bool = typer.Option(False, "--version", help="Print the version and stop."),
    ) -> None:
        if version:
            print(f"boca {boca.__version__}")
            raise typer.Exit()

    for name, summary in SUBCOMMANDS.items():
        if name in names:
            importlib.import_module(f"boca.cli.{name}").register(app)
        else:
            app.command(name, help=summary)(lambda: None)
    return app


def say(kind: str, style: str, text: str) -> None:
    """One line to people, kept apart from a command's output."""
    Console(stderr=True, soft_wrap=True, highlight=False).print(
        f"[{style}]{kind}:[/] {escape(text)}"
    )


def show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    """Shows a warning without the line of code that gave it."""
    say("warning", "bold yellow", str(message))


def main(arguments: list[str] | None = None) -> None:
    """Entry point: runs a command; a mistake in its input ends with one message and code 2."""
    arguments = sys.argv[1:] if arguments is None else arguments
    named = next((word for word in arguments if not word.startswith("-")), "")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            build([named])(args=arguments, prog_name="boca")
    except BocaError as error:
        say("error", "bold red", str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
