"""
The ``boca`` command: one file per sub-command.

A sub-command's module is imported only when it is called, so that ``boca --help`` is quick. What
this module needs of packages is imported inside its functions, so that Ctrl-C during an import
ends the command as silently as at any other time.
"""

import importlib
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, TextIO

from boca.cli.interrupts import was_interrupted

if TYPE_CHECKING:
    import typer

INTERRUPTED = 130  # what shells expect of a program that Ctrl-C ended
LONGEST_MESSAGE = 4_000  # characters; somebody's file may have longer words than people read

# Options that still work under their former names, without dashes.
FORMER_OPTIONS = {"time-limit": "max-seconds"}

# Name on the command line -> its line in the help. The module boca.cli.NAME has a function
# `register(app)` that adds the command to a typer app.
SUBCOMMANDS: dict[str, str] = {
    "run": "Run an auction with simulated bidders.",
    "auction": "Run an auction with people, by hand: questions and answers are files.",
    "domain": "Describe a market and its efficient allocation.",
    "wdp": "Find the winners of an auction from a file of bids, and what they pay.",
    "courses": "Share out the seats of a university's courses, without money.",
    "award": "Award lots to suppliers at the least cost, under business rules, side by side.",
    "exchange": "Find the best trades of an exchange, and what everybody pays.",
    "learn": "Compare what the networks learn with the published figures.",
    "tune": "Search for hyperparameters.",
    "ranges": "Show what searches for hyperparameters choose from.",
    "plot": "Draw figures, each with the numbers it shows.",
    "experiment": "Run grids of auctions and make tables and figures of them.",
    "serve": "Run live auctions with people, in a browser.",
    "bots": "Answer every question of a live auction, as programs with values of their own.",
    "verify": "Check the log of a live auction.",
    "admin": "Links, backups, exports and checks for whoever runs a server of live auctions.",
}


def build(names: list[str]) -> "typer.Typer":
    """The command line with the given sub-commands loaded and the others named only."""
    import typer

    import boca

    app = typer.Typer(
        name="boca",
        help="Bayesian optimisation-based combinatorial assignment.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        # Sub-commands have it from here.
        context_settings={"token_normalize_func": lambda word: FORMER_OPTIONS.get(word, word)},
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
            app.command(name, help=summary, short_help=summary)(lambda: None)
    for group in app.registered_groups:
        for command in group.typer_instance.registered_commands if group.typer_instance else ():
            # The whole first sentence: by itself the parser cuts it off after 45 letters.
            text = command.help or getattr(command.callback, "__doc__", None) or ""
            command.short_help = " ".join(text.strip().split("\n\n")[0].split())
    return app


def say(kind: str, style: str, text: str) -> None:
    """
    One line to people, kept apart from a command's output.

    What a terminal would obey instead of show is spelt out: the text may quote somebody's file.
    """
    from rich.console import Console
    from rich.markup import escape

    if len(text) > LONGEST_MESSAGE:
        text = text[:LONGEST_MESSAGE] + " ..."
    shown = "".join(
        letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1] for letter in text
    )
    Console(stderr=True, soft_wrap=True, highlight=False).print(
        f"[{style}]{kind}:[/] {escape(shown)}"
    )


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Shows a warning without the line of code that gave it."""
    say("warning", "bold yellow", str(message))


def main(arguments: list[str] | None = None) -> None:
    """Entry point: runs a command; a mistake in its input ends with one message and code 2."""
    try:
        sys.exit(run(sys.argv[1:] if arguments is None else arguments))
    except BaseException as error:
        if not was_interrupted(error):
            raise
        sys.exit(INTERRUPTED)


def run(arguments: list[str]) -> int:
    """Runs a command and returns its exit code."""
    if sys.platform == "win32":
        return refuse(
            "boca runs on Linux and on Macs with Apple's processors, not on Windows itself. "
            "Install it in the Windows Subsystem for Linux (wsl --install)."
        )
    import typer

    from boca.core.errors import BocaError

    # The parser that typer brings names its exceptions differently from version to version; this
    # one it has always shown, and the second above it is what all of them are.
    parser_error: Any = typer.BadParameter.__mro__[2]
    name = next((word for word in arguments or half_typed() if not word.startswith("-")), "")
    if hasattr(sys.stdout, "reconfigure"):
        # A name that the terminal cannot show is no reason to lose a result.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            # A live server never imports the engine; its child processes load plug-ins.
            if name in SUBCOMMANDS and name != "serve" and os.environ.get("BOCA_PLUGINS"):
                from boca.core.plugins import load_plugins

                load_plugins()
            code = build([name])(args=arguments, prog_name="boca", standalone_mode=False)
            return code if isinstance(code, int) else 0
    except BocaError as error:
        return refuse(str(error))
    except parser_error as error:
        return explain_usage(error, f"boca {name}" if name in SUBCOMMANDS else "boca")
    except OSError as error:
        if error.strerror is None:
            raise
        where = f"{error.filename}: " if error.filename else ""
        return refuse(f"{where}{error.strerror}.")
    except MemoryError:
        return refuse("There is not enough memory for this; try a smaller market or fewer bids.")
    except typer.Abort:
        return INTERRUPTED


def half_typed() -> list[str]:
    """Words after ``boca`` that a shell wants to have completed; there are none otherwise."""
    if "_BOCA_COMPLETE" not in os.environ:
        return []
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1:]


def refuse(text: str) -> int:
    """Says what is wrong in one message and returns the exit code for it."""
    say("error", "bold red", text)
    return 2


def explain_usage(error: Any, command: str) -> int:
    """
    One line about words that cannot be used; a command without any word shows its help.

    Parameters
    ----------
    error
        What the parser raised.
    command
        Whose help to recommend where the parser does not say.
    """
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())
        return 0
    text = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return refuse(f"{text}. Try: {context.command_path if context else command} --help")


if __name__ == "__main__":
    main()
