"""``boca-verify``: whether the log of a live auction holds; ``boca verify`` is the same."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from boca_verify import __version__
from boca_verify.errors import Unreadable
from boca_verify.evidence import read_hash, read_lines, read_receipt
from boca_verify.verdict import Verdict
from boca_verify.verifier import verify

ABOUT = (
    "Chain, questions, answers, winners and payments. Ends with code 0 if all checks hold, 1 if "
    "something is wrong, 2 if the log cannot be read, 3 if they hold as far as bodies are open."
)
REPLAY = (
    "To plan every round again as well, which needs the engine: "
    "pip install 'boca-assignment[server,verify]' and boca verify LOG --replay."
)


def judged(log: Path, receipts: Sequence[Path], key: str | None, heads: Sequence[str]) -> Verdict:
    """
    The verdict on a log; Unreadable if something that was named cannot be read.

    Parameters
    ----------
    log, receipts
        Files.
    key, heads
        As people type them.
    """
    public = None if key is None else read_hash(key, "key")
    noted = [read_hash(text, "head") for text in heads]
    saved = [read_receipt(path) for path in receipts]
    return verify(read_lines(log), saved, public, noted)


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command; its exit code."""
    options = _parser().parse_args(words)
    if hasattr(sys.stdout, "reconfigure"):
        # A name that the terminal cannot show is no reason to lose a verdict.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        verdict = judged(options.log, options.receipt, options.key, options.head)
    except Unreadable as error:
        print(f"error: {_printable(str(error))}", file=sys.stderr)
        return 2
    if options.as_json:
        print(json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False))
    else:
        print(verdict.summary())
    return verdict.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "boca-verify", description=f"Check the log of a live auction. {ABOUT}", epilog=REPLAY
    )
    parser.add_argument("log", type=Path, help="JSON lines, as exported by the server.")
    parser.add_argument(
        "--receipt", type=Path, action="append", default=[],
        help="A receipt that must be in the log; can be given several times.",
    )  # fmt: skip
    parser.add_argument(
        "--key", help="Public key of the server, 64 hexadecimal digits; else the one in the log."
    )
    parser.add_argument(
        "--head", action="append", default=[],
        help="A hash noted during the auction that must be in the log; several times.",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", dest="as_json", help="The verdict as JSON.")
    parser.add_argument("--version", action="version", version=f"boca-verify {__version__}")
    return parser


def _printable(text: str) -> str:
    """A message that may quote somebody's file name, without terminal codes."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
